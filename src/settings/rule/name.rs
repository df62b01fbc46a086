//! Texts and names: of choices, of providers, of Myses, of variables.

use actors::domain::order::check_name;
use toml::de::DeValue;

use super::{ValueRule, alternatives, describe_kind, describe_value};

/// Any text with something in it.
#[derive(Debug)]
pub(in crate::settings) struct NonEmptyText;

/// One of a few words, each with its meaning.
#[derive(Debug)]
pub(in crate::settings) struct Keyword<T: 'static>(
    pub(in crate::settings) &'static [(&'static str, T)],
);

/// The name of one of these providers.
#[derive(Debug)]
pub(in crate::settings) struct ProviderName<'n> {
    /// Those that may be named.
    pub(in crate::settings) known: Vec<&'n str>,
    /// "provider", or "other provider".
    pub(in crate::settings) noun: &'static str,
}

/// The name of a Mysis.
#[derive(Debug)]
pub(in crate::settings) struct MysisName;

/// The name of a variable of the environment.
#[derive(Debug)]
pub(in crate::settings) struct VariableName;

impl ValueRule for NonEmptyText {
    type Value = String;

    fn allowed(&self) -> String {
        "a text that is not empty".to_owned()
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<String, String> {
        value
            .as_str()
            .filter(|text| !text.trim().is_empty())
            .map(str::to_owned)
            .ok_or_else(|| describe_value(value))
    }
}

impl<T: Copy> ValueRule for Keyword<T> {
    type Value = T;

    fn allowed(&self) -> String {
        alternatives(self.0.iter().map(|(word, _)| *word))
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<T, String> {
        self.0
            .iter()
            .find(|(word, _)| value.as_str() == Some(word))
            .map(|(_, meaning)| *meaning)
            .ok_or_else(|| describe_value(value))
    }
}

impl ValueRule for ProviderName<'_> {
    type Value = String;

    fn allowed(&self) -> String {
        if self.known.is_empty() {
            return format!("to leave it out, for there is no {}", self.noun);
        }
        alternatives(self.known.iter().copied())
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<String, String> {
        let name = value.as_str().ok_or_else(|| describe_value(value))?;
        if self.known.contains(&name) {
            Ok(name.to_owned())
        } else {
            Err(format!(
                "{}, which names no {}",
                describe_value(value),
                self.noun
            ))
        }
    }
}

impl ValueRule for MysisName {
    type Value = String;

    fn allowed(&self) -> String {
        "1 to 32 letters, digits, -, _ or ., not beginning with - or .".to_owned()
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<String, String> {
        value
            .as_str()
            .filter(|name| check_name(name).is_ok())
            .map(str::to_owned)
            .ok_or_else(|| describe_value(value))
    }
}

impl ValueRule for VariableName {
    type Value = String;

    fn allowed(&self) -> String {
        "the name of an environment variable, such as OPENAI_API_KEY (a key itself never stands in this file)"
            .to_owned()
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<String, String> {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        value
            .as_str()
            .filter(|name| !name.is_empty() && name.chars().all(is_letter))
            .filter(|name| !name.starts_with(|c: char| c.is_ascii_digit()))
            .map(str::to_owned)
            .ok_or_else(|| describe_kind(value))
    }
}
