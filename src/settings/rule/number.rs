//! Numbers: whole ones, sizes in bytes and any others, each within its range.

use std::fmt::Display;
use std::ops::Bound;

use toml::de::{DeInteger, DeValue};

use super::{ValueRule, describe_value};
use zoea_grammar::units::parse_size;

/// A whole number within a range.
#[derive(Debug)]
pub(in crate::settings) struct WholeNumber<T> {
    lowest: T,
    highest: Option<T>,
}

/// A number, whole or not, within a range.
#[derive(Debug)]
pub(in crate::settings) struct Number {
    lowest: Bound<f64>,
    highest: Option<f64>,
}

/// A size in bytes, written as such or with a unit.
#[derive(Debug)]
pub(in crate::settings) struct ByteSize {
    lowest: (u64, &'static str),
    highest: (u64, &'static str),
}

impl<T> WholeNumber<T> {
    pub(in crate::settings) const fn between(lowest: T, highest: T) -> Self {
        Self {
            lowest,
            highest: Some(highest),
        }
    }

    pub(in crate::settings) const fn at_least(lowest: T) -> Self {
        Self {
            lowest,
            highest: None,
        }
    }
}

impl<T: TryFrom<i128> + PartialOrd> WholeNumber<T> {
    /// The number as the type that holds it, if it is in the range.
    pub(in crate::settings) fn in_range(&self, number: i128) -> Option<T> {
        let number = T::try_from(number).ok()?;
        let is_low = number < self.lowest;
        let is_high = self
            .highest
            .as_ref()
            .is_some_and(|highest| number > *highest);
        (!is_low && !is_high).then_some(number)
    }
}

impl<T: TryFrom<i128> + PartialOrd + Display> ValueRule for WholeNumber<T> {
    type Value = T;

    fn allowed(&self) -> String {
        match &self.highest {
            Some(highest) => format!("a whole number from {} to {highest}", self.lowest),
            None => format!("a whole number, {} or more", self.lowest),
        }
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<T, String> {
        value
            .as_integer()
            .and_then(parse_whole)
            .and_then(|number| self.in_range(number))
            .ok_or_else(|| describe_value(value))
    }
}

impl Number {
    pub(in crate::settings) const fn between(lowest: f64, highest: f64) -> Self {
        Self {
            lowest: Bound::Included(lowest),
            highest: Some(highest),
        }
    }

    pub(in crate::settings) const fn above(lowest: f64) -> Self {
        Self {
            lowest: Bound::Excluded(lowest),
            highest: None,
        }
    }

    fn is_in_range(&self, number: f64) -> bool {
        let is_low = match self.lowest {
            Bound::Included(lowest) => number < lowest,
            Bound::Excluded(lowest) => number <= lowest,
            Bound::Unbounded => false,
        };
        number.is_finite() && !is_low && self.highest.is_none_or(|highest| number <= highest)
    }
}

impl ValueRule for Number {
    type Value = f64;

    fn allowed(&self) -> String {
        match (self.lowest, self.highest) {
            (Bound::Included(lowest), Some(highest)) => {
                format!("a number from {lowest} to {highest}")
            }
            (Bound::Included(lowest), None) => format!("a number, {lowest} or more"),
            (Bound::Excluded(lowest), None) => format!("a number above {lowest}"),
            (Bound::Excluded(lowest), Some(highest)) => {
                format!("a number above {lowest}, at most {highest}")
            }
            (Bound::Unbounded, _) => "a number".to_owned(),
        }
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<f64, String> {
        let text = match (value.as_float(), value.as_integer()) {
            (Some(float), _) => float.as_str(),
            (None, Some(integer)) if integer.radix() == 10 => integer.as_str(),
            (None, _) => return Err(describe_value(value)),
        };
        text.parse()
            .ok()
            .filter(|number| self.is_in_range(*number))
            .ok_or_else(|| describe_value(value))
    }
}

impl ByteSize {
    /// Both bounds as bytes and in words.
    pub(in crate::settings) const fn between(
        lowest: (u64, &'static str),
        highest: (u64, &'static str),
    ) -> Self {
        Self { lowest, highest }
    }
}

impl ValueRule for ByteSize {
    type Value = u64;

    fn allowed(&self) -> String {
        let (lowest, highest) = (self.lowest.1, self.highest.1);
        format!("a size such as 64KiB, 1MiB or a number of bytes, from {lowest} to {highest}")
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<u64, String> {
        let bytes = match (value.as_integer(), value.as_str()) {
            (Some(integer), _) => {
                parse_whole(integer).and_then(|number| u64::try_from(number).ok())
            }
            (None, Some(text)) => parse_size(text).ok(),
            (None, None) => None,
        };
        bytes
            .filter(|bytes| (self.lowest.0..=self.highest.0).contains(bytes))
            .ok_or_else(|| describe_value(value))
    }
}

fn parse_whole(integer: &DeInteger<'_>) -> Option<i128> {
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}
