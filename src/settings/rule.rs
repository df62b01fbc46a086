//! Rules: what a value of the configuration may be, and how that is said to the person who wrote it.

mod address;
mod list;
mod name;
mod number;
mod time;
mod truth;
mod url;

use toml::de::DeValue;

pub(super) use address::Address;
pub(super) use list::ListRule;
pub(super) use name::{Keyword, MysisName, NonEmptyText, ProviderName, VariableName};
pub(super) use number::{ByteSize, Number, WholeNumber};
pub(super) use time::{Age, Time};
pub(super) use truth::BooleanRule;
pub(super) use url::{DatabaseUrl, SecretUrl, WebUrl};

/// What one value may be.
pub(super) trait ValueRule {
    /// What it is once it has been accepted.
    type Value;

    /// The rule in words, to follow "allowed: ".
    fn allowed(&self) -> String;

    /// The value, or what was found in its place, to follow "KEY is ".
    fn accept(&self, value: &DeValue<'_>) -> Result<Self::Value, String>;
}

/// The value in words: texts and numbers as they stand there, of anything else its kind.
pub(super) fn describe_value(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => quote_text(text),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// The kind of a value whose text must not be shown, for it may be a secret put in the wrong place.
fn describe_kind(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(_) => "another text (not shown here)".to_owned(),
        DeValue::Integer(_) | DeValue::Float(_) => "a number".to_owned(),
        DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
            describe_value(value)
        }
    }
}

/// The text in quotes, cut where it grows long.
pub(super) fn quote_text(text: &str) -> String {
    const MAX_QUOTED_CHARS: usize = 80;
    if text.chars().count() <= MAX_QUOTED_CHARS {
        return format!("{text:?}");
    }
    let start: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    format!("{start:?}…")
}

/// `"a", "b" or "c"`.
fn alternatives<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.into_iter().map(|name| format!("{name:?}")).collect();
    match names.pop() {
        None => String::new(),
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} or {last}", names.join(", ")),
    }
}
