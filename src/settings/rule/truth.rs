//! Yes or no.

use toml::de::DeValue;

use super::{ValueRule, describe_value};

/// `true` or `false`.
#[derive(Debug)]
pub(in crate::settings) struct BooleanRule;

impl ValueRule for BooleanRule {
    type Value = bool;

    fn allowed(&self) -> String {
        "true or false".to_string()
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<bool, String> {
        value.as_bool().ok_or_else(|| describe_value(value))
    }
}
