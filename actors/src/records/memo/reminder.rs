//! Reminders: messages that the operator leaves for a Mysis, to be delivered at a time. They are kept as
//! one memo of the Mysis, so that a delivered message and its missing reminder are stored together.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::ids::Timestamp;

pub const MAX_REMINDERS: usize = 100;
/// The most bytes of a reminder's text.
pub const MAX_REMINDER_BYTES: usize = 4096;
pub const MAX_REMINDER_AHEAD: Duration = Duration::from_secs(366 * 24 * 3600);

#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Reminder {
    /// Tells it from all others of its Mysis, those that are gone included.
    pub number: u64,
    /// When it is due, by the wall clock.
    pub at: Timestamp,
    pub text: Arc<str>,
}

impl Reminder {
    pub fn id(&self, mysis: &str) -> String {
        format!("{mysis}:{}", self.number)
    }
}

/// The name of the Mysis and the number in the id of a reminder.
pub fn parse_reminder_id(id: &str) -> Result<(&str, u64), String> {
    let parts = id.trim().rsplit_once(':');
    let parts = parts.and_then(|(name, number)| Some((name, number.parse().ok()?)));
    parts
        .filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| format!("`{id}` is not an id of a reminder; `zoea reminders` lists them"))
}

/// The reminders of a Mysis that wait, the one that is due first at the front.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct Reminders {
    last: u64,
    waiting: Vec<Reminder>,
}

impl Reminders {
    /// What a memo says. Without a memo there are none.
    pub fn from_memo(memo: Option<&str>) -> Result<Reminders, String> {
        let Some(memo) = memo else {
            return Ok(Reminders::default());
        };
        let mut read: Reminders =
            serde_json::from_str(memo).map_err(|error| format!("no reminders: {error}"))?;
        read.waiting.sort_by_key(|one| (one.at, one.number));
        let newest = read.waiting.iter().map(|one| one.number).max();
        read.last = read.last.max(newest.unwrap_or_default());
        Ok(read)
    }

    /// The memo.
    pub fn to_memo(&self) -> String {
        serde_json::to_string(self).expect("numbers and texts can be written")
    }

    /// Adds one.
    pub fn add(&mut self, at: Timestamp, text: Arc<str>) -> Result<Reminder, String> {
        if text.trim().is_empty() {
            return Err("there is nothing in the reminder".to_string());
        }
        if text.len() > MAX_REMINDER_BYTES {
            return Err(format!(
                "the reminder is {} bytes long; {MAX_REMINDER_BYTES} are allowed",
                text.len()
            ));
        }
        if self.waiting.len() >= MAX_REMINDERS {
            return Err(format!(
                "{MAX_REMINDERS} reminders wait for it, which is the most; `zoea reminders cancel` takes one away"
            ));
        }
        self.last += 1;
        let reminder = Reminder {
            number: self.last,
            at,
            text,
        };
        let place = self.waiting.partition_point(|other| other.at <= at);
        self.waiting.insert(place, reminder.clone());
        Ok(reminder)
    }

    /// Takes one away; `None` if none has this number.
    pub fn remove(&mut self, number: u64) -> Option<Reminder> {
        let place = self.waiting.iter().position(|one| one.number == number)?;
        Some(self.waiting.remove(place))
    }

    pub fn waiting(&self) -> &[Reminder] {
        &self.waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Arc<str> {
        text.into()
    }

    #[test]
    fn they_come_in_the_order_of_their_times_and_no_number_is_used_twice() {
        let mut all = Reminders::default();
        for at in [30, 10, 20, 10] {
            all.add(Timestamp(at), text("x")).unwrap();
        }
        let order =
            |all: &Reminders| -> Vec<u64> { all.waiting().iter().map(|one| one.number).collect() };
        assert_eq!(order(&all), [2, 4, 3, 1]);
        assert_eq!(all.remove(4).map(|one| one.at), Some(Timestamp(10)));
        assert_eq!(all.remove(4), None);
        let mut again = Reminders::from_memo(Some(&all.to_memo())).unwrap();
        assert_eq!(again, all);
        assert_eq!(again.add(Timestamp(5), text("y")).unwrap().number, 5);
        assert_eq!(order(&again), [5, 2, 3, 1]);
    }

    #[test]
    fn what_is_too_much_or_nothing_is_refused() {
        let mut all = Reminders::default();
        for bad in ["", " \n", &"x".repeat(MAX_REMINDER_BYTES + 1)] {
            assert!(all.add(Timestamp(1), text(bad)).is_err(), "{}", bad.len());
        }
        for _ in 0..MAX_REMINDERS {
            all.add(Timestamp(1), text("x")).unwrap();
        }
        assert!(all.add(Timestamp(1), text("x")).is_err());
        assert_eq!(all.waiting().len(), MAX_REMINDERS);
    }

    #[test]
    fn a_memo_that_is_not_understood_is_no_empty_list() {
        assert_eq!(Reminders::from_memo(None), Ok(Reminders::default()));
        for odd in ["", "{}", "[]", r#"{"last":1,"waiting":[{"number":1}]}"#] {
            assert!(Reminders::from_memo(Some(odd)).is_err(), "{odd}");
        }
    }

    #[test]
    fn ids_name_the_mysis_and_the_number() {
        assert_eq!(parse_reminder_id("a-1.b:7"), Ok(("a-1.b", 7)));
        for bad in ["", "alpha", "alpha:", ":7", "alpha:-1", "alpha:x"] {
            assert!(parse_reminder_id(bad).is_err(), "{bad}");
        }
    }
}
