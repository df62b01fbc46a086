//! Lists whose items all obey one rule.

use std::ops::RangeInclusive;

use toml::de::DeValue;

use super::{ValueRule, describe_value};

/// A list of so many items.
#[derive(Debug)]
pub(in crate::settings) struct ListRule<R> {
    pub(in crate::settings) count: RangeInclusive<usize>,
    pub(in crate::settings) item: R,
}

impl<R: ValueRule> ValueRule for ListRule<R> {
    type Value = Vec<R::Value>;

    fn allowed(&self) -> String {
        let (fewest, most) = (self.count.start(), self.count.end());
        let item = self.item.allowed();
        if fewest == most {
            format!("a list of exactly {fewest} items, each {item}")
        } else {
            format!("a list of {fewest} to {most} items, each {item}")
        }
    }

    fn accept(&self, value: &DeValue<'_>) -> Result<Vec<R::Value>, String> {
        let list = value.as_array().ok_or_else(|| describe_value(value))?;
        if !self.count.contains(&list.len()) {
            return Err(format!("a list of {}", list.len()));
        }
        let mut accepted = Vec::new();
        let mut refused = Vec::new();
        for (index, item) in list.iter().enumerate() {
            match self.item.accept(item.get_ref()) {
                Ok(item) => accepted.push(item),
                Err(found) => refused.push(format!("item {} is {found}", index + 1)),
            }
        }
        if refused.is_empty() {
            Ok(accepted)
        } else {
            Err(format!("a list in which {}", refused.join(" and ")))
        }
    }
}
