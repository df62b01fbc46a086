//! Truths: what is or is not to be.

use toml::de::DeValue;

use super::{Rule, found};

/// `true` or `false`.
#[derive(Debug)]
pub(in crate::settings) struct Truth;

impl Rule for Truth {
    type Value = bool;

    fn allowed(&self) -> String {
        "true or false".to_owned()
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<bool, String> {
        value.as_bool().ok_or_else(|| found(value))
    }
}
