//! Rules: which values a key accepts, and the words for values that it does not.

mod number;
mod text;
mod url;
mod wire;

use std::ops::RangeInclusive;
use std::time::Duration;

use toml::de::DeValue;

pub(super) use number::{
    byte_size, duration, duration_above_zero, hours_of_a_week, max_age, number, number_above_zero,
    whole_number, whole_number_from,
};
pub(super) use text::{
    any_address, command_words, loopback_address, mysis_name, named_number, non_empty_text,
    on_or_off, one_of, prompt_text, provider_name, tool_patterns, variable_name,
};
pub use url::BUILT_IN_GAME;
pub(super) use wire::body_members;

pub(super) use url::{database_url, endpoint_url, secret_url, server_url, upstream_url};

type Acceptance<T> = dyn Fn(&DeValue<'_>) -> Result<T, String>;

pub(super) struct Rule<T> {
    /// The allowed values in words, to follow "allowed: ".
    pub(super) allowed: String,
    accept: Box<Acceptance<T>>,
}

impl<T: 'static> Rule<T> {
    /// `accept` returns the value, or the words for what was found instead, to follow "KEY is ".
    pub(super) fn new(
        allowed: impl Into<String>,
        accept: impl Fn(&DeValue<'_>) -> Result<T, String> + 'static,
    ) -> Self {
        Self {
            allowed: allowed.into(),
            accept: Box::new(accept),
        }
    }

    /// A rule for TOML values that `read` converts.
    fn of_values(
        allowed: impl Into<String>,
        read: impl Fn(&DeValue<'_>) -> Option<T> + 'static,
    ) -> Self {
        Self::new(allowed, move |value| {
            read(value).ok_or_else(|| describe_value(value))
        })
    }

    /// A rule for strings that `read` converts.
    fn of_texts(allowed: impl Into<String>, read: impl Fn(&str) -> Option<T> + 'static) -> Self {
        Self::of_values(allowed, move |value| value.as_str().and_then(&read))
    }

    /// A rule for strings that are not shown when they break it, because they may be secrets.
    fn of_secrets(allowed: impl Into<String>, read: impl Fn(&str) -> Option<T> + 'static) -> Self {
        Self::new(allowed, move |value| {
            let accepted = value.as_str().and_then(&read);
            accepted.ok_or_else(|| describe_kind(value))
        })
    }

    pub(super) fn map<U: 'static>(self, convert: impl Fn(T) -> U + 'static) -> Rule<U> {
        let accept = self.accept;
        Rule::new(self.allowed, move |value| accept(value).map(&convert))
    }

    /// Returns the value, or the words for what was found instead.
    pub(super) fn accept(&self, value: &DeValue<'_>) -> Result<T, String> {
        (self.accept)(value)
    }

    /// Reads the value of an environment variable, where strings need no quotes.
    pub(super) fn accept_variable(&self, text: &str) -> Result<T, String> {
        let number = text.trim().parse::<i128>().ok();
        number
            .and_then(|number| self.accept_toml(&number.to_string()))
            .map_or_else(|| self.accept(&DeValue::String(text.into())), Ok)
    }

    pub(super) fn accept_toml(&self, text: &str) -> Option<T> {
        self.accept(DeValue::parse(text).ok()?.get_ref()).ok()
    }
}

pub(super) fn list_of<T: 'static>(count: RangeInclusive<usize>, item: Rule<T>) -> Rule<Vec<T>> {
    let count_text = match (count.start(), count.end()) {
        (fewest, most) if fewest == most => format!("exactly {fewest}"),
        (fewest, most) => format!("{fewest} to {most}"),
    };
    let allowed = format!("a list of {count_text} items, each {}", item.allowed);
    Rule::new(allowed, move |value| {
        let list = value.as_array().ok_or_else(|| describe_value(value))?;
        if !count.contains(&list.len()) {
            return Err(format!("a list of {}", list.len()));
        }
        let (mut accepted, mut refused) = (Vec::new(), Vec::new());
        for (index, value) in list.iter().enumerate() {
            match item.accept(value.get_ref()) {
                Ok(value) => accepted.push(value),
                Err(found) => refused.push(format!("item {} is {found}", index + 1)),
            }
        }
        if refused.is_empty() {
            return Ok(accepted);
        }
        Err(format!("a list in which {}", refused.join(" and ")))
    })
}

/// The waits before each further attempt. An empty list means a single attempt.
pub(super) fn retry_waits() -> Rule<Vec<Duration>> {
    list_of(0..=100, duration())
}

/// A rule for `true` and `false`.
pub(super) fn boolean() -> Rule<bool> {
    Rule::of_values("true or false", |value| value.as_bool())
}

/// The words for a value: strings and numbers are quoted, of other values the type is named.
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

/// The type of a value. Its text is not shown, because it may be a secret in the wrong place.
fn describe_kind(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(_) => "a text that is not shown here".to_owned(),
        DeValue::Integer(_) | DeValue::Float(_) => "a number".to_owned(),
        DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
            describe_value(value)
        }
    }
}

/// A string in quotes, cut if it is long.
pub(super) fn quote_text(text: &str) -> String {
    const MAX_QUOTED_CHARS: usize = 80;
    if text.chars().count() <= MAX_QUOTED_CHARS {
        return format!("{text:?}");
    }
    let start: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    format!("{start:?}…")
}
