//! Rules for numbers, sizes in bytes and durations, each with its range.

use std::fmt::Display;
use std::ops::{RangeBounds, RangeFrom, RangeInclusive};
use std::time::Duration;

use toml::de::{DeInteger, DeValue};
use zoea_grammar::units::{parse_duration, parse_size};

use super::Rule;

/// The longest duration. Longer ones would overflow clocks elsewhere.
const MAX_TIME: Duration = Duration::from_secs(365 * 24 * 60 * 60);

pub(crate) fn whole_number<T>(range: RangeInclusive<T>) -> Rule<T>
where
    T: TryFrom<i128> + PartialOrd + Display + 'static,
{
    let allowed = format!("a whole number from {} to {}", range.start(), range.end());
    whole_number_in(allowed, range)
}

/// A whole number without an upper limit.
pub(crate) fn whole_number_from<T>(range: RangeFrom<T>) -> Rule<T>
where
    T: TryFrom<i128> + PartialOrd + Display + 'static,
{
    let allowed = format!("a whole number, {} or more", range.start);
    whole_number_in(allowed, range)
}

fn whole_number_in<T>(allowed: String, range: impl RangeBounds<T> + 'static) -> Rule<T>
where
    T: TryFrom<i128> + PartialOrd + 'static,
{
    Rule::of_values(allowed, move |value| {
        let number = T::try_from(parse_whole(value.as_integer()?)?).ok()?;
        range.contains(&number).then_some(number)
    })
}

pub(crate) fn number(range: RangeInclusive<f64>) -> Rule<f64> {
    let allowed = format!("a number from {} to {}", range.start(), range.end());
    Rule::of_values(allowed, move |value| {
        parse_number(value).filter(|number| range.contains(number))
    })
}

pub(crate) fn number_above_zero() -> Rule<f64> {
    Rule::of_values("a number above 0", |value| {
        parse_number(value).filter(|number| number.is_finite() && *number > 0.0)
    })
}

/// A size in bytes, with or without a unit. Both bounds are given in bytes and in words.
pub(crate) fn byte_size(
    (lowest, lowest_text): (usize, &str),
    (highest, highest_text): (usize, &str),
) -> Rule<usize> {
    let allowed = format!(
        "a size such as 64KiB, 1MiB or a number of bytes, from {lowest_text} to {highest_text}"
    );
    Rule::of_values(allowed, move |value| {
        let bytes = match value.as_integer() {
            Some(integer) => usize::try_from(parse_whole(integer)?).ok()?,
            None => usize::try_from(parse_size(value.as_str()?).ok()?).ok()?,
        };
        (lowest..=highest).contains(&bytes).then_some(bytes)
    })
}

pub(crate) fn duration() -> Rule<Duration> {
    let allowed = "a duration such as 500ms, 2s, 5m or 1h30m, at most 365days";
    Rule::of_texts(allowed, parse_time)
}

pub(crate) fn duration_above_zero() -> Rule<Duration> {
    let allowed = "a duration such as 500ms, 2s, 5m or 1h30m, above 0s, at most 365days";
    Rule::of_texts(allowed, parse_time_above_zero)
}

pub(crate) fn hours_of_a_week() -> Rule<Duration> {
    let allowed = "a length of time such as 1h or 6h, from 10m to 7days";
    let bounds = Duration::from_secs(600)..=Duration::from_secs(7 * 86_400);
    Rule::of_texts(allowed, move |text| {
        parse_time(text).filter(|time| bounds.contains(time))
    })
}

/// A maximum age; `forever` is `None`.
pub(crate) fn max_age() -> Rule<Option<Duration>> {
    let allowed = "\"forever\", or a length of time such as 30d or 12h, above 0s, at most 365days";
    Rule::of_texts(allowed, |text| match text {
        "forever" => Some(None),
        age => parse_time_above_zero(age).map(Some),
    })
}

fn parse_time(text: &str) -> Option<Duration> {
    parse_duration(text).ok().filter(|time| *time <= MAX_TIME)
}

fn parse_time_above_zero(text: &str) -> Option<Duration> {
    parse_time(text).filter(|time| !time.is_zero())
}

fn parse_whole(integer: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn parse_number(value: &DeValue<'_>) -> Option<f64> {
    let text = match value.as_float() {
        Some(float) => float.as_str(),
        None => value
            .as_integer()
            .filter(|integer| integer.radix() == 10)?
            .as_str(),
    };
    text.parse().ok()
}
