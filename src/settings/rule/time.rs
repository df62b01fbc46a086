//! Lengths of time, as people write them.

use std::time::Duration;

use toml::de::DeValue;

use super::{ValueRule, describe_value};
use zoea_grammar::units::parse_duration;

/// Longer waits would overflow clocks further in, and nobody means them.
const MAX_TIME: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A length of time of at most a year.
#[derive(Debug)]
pub(in crate::settings) enum Time {
    /// Nothing at all is allowed, too.
    FromZero,
    /// Longer than nothing.
    AboveZero,
}

impl ValueRule for Time {
    type Value = Duration;

    fn allowed(&self) -> String {
        let bounds = match self {
            Self::FromZero => "at most 365days",
            Self::AboveZero => "above 0s, at most 365days",
        };
        format!("a duration such as 500ms, 2s, 5m or 1h30m, {bounds}")
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<Duration, String> {
        let is_long_enough = |time: &Duration| match self {
            Self::FromZero => true,
            Self::AboveZero => !time.is_zero(),
        };
        value
            .as_str()
            .and_then(|text| parse_duration(text).ok())
            .filter(|time| *time <= MAX_TIME)
            .filter(is_long_enough)
            .ok_or_else(|| describe_value(value))
    }
}

/// How old something may become; `forever` is `None`.
#[derive(Debug)]
pub(in crate::settings) struct Age;

impl ValueRule for Age {
    type Value = Option<Duration>;

    fn allowed(&self) -> String {
        "\"forever\", or a length of time such as 30d or 12h, above 0s, at most 365days".to_string()
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<Option<Duration>, String> {
        match value.as_str() {
            Some("forever") => Ok(None),
            Some(_) | None => Time::AboveZero.accept(value).map(Some),
        }
    }
}
