//! The captain's log: twenty entries, the newest first. The oldest is dropped for a new one.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{calendar, refusal::GameRefusal};

pub(super) const MAX_LOG_ENTRIES: usize = 20;
const MAX_ENTRY_BYTES: usize = 30_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CaptainsLogEntry {
    written: u64,
    text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct CaptainsLog(VecDeque<CaptainsLogEntry>);

impl CaptainsLog {
    pub(super) fn add_entry(&mut self, text: &str, now: u64) -> Result<Value, GameRefusal> {
        if text.trim().is_empty() {
            return Err(GameRefusal::new(
                "empty_entry",
                "Log entry cannot be empty. Use the 'entry' parameter to provide your log text.",
            ));
        }
        if text.len() > MAX_ENTRY_BYTES {
            return Err(GameRefusal::invalid_payload(format!(
                "Log entry is too long: {} bytes, at most {MAX_ENTRY_BYTES}.",
                text.len()
            )));
        }
        self.0.truncate(MAX_LOG_ENTRIES - 1);
        self.0.push_front(CaptainsLogEntry {
            written: now,
            text: text.to_owned(),
        });
        Ok(json!({
            "index": 0,
            "created_at": calendar::log_date(now),
            "message": "Log entry added successfully",
        }))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// One entry as the game shows it. Index 0 is the newest.
    pub(super) fn entry_json(&self, index: usize) -> Option<Value> {
        let entry = self.0.get(index)?;
        Some(json!({
            "index": index,
            "created_at": calendar::log_date(entry.written),
            "entry": entry.text,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_entry_falls_off() {
        let mut log = CaptainsLog::default();
        for number in 0..25 {
            log.add_entry(&format!("entry {number}"), number).unwrap();
        }
        assert_eq!(log.len(), MAX_LOG_ENTRIES);
        assert_eq!(log.entry_json(0).unwrap()["entry"], "entry 24");
        assert_eq!(log.entry_json(19).unwrap()["entry"], "entry 5");
        assert_eq!(log.entry_json(20), None);
    }

    #[test]
    fn empty_and_endless_entries_are_refused() {
        let mut log = CaptainsLog::default();
        assert_eq!(log.add_entry("  ", 1).unwrap_err().code, "empty_entry");
        let endless = "x".repeat(MAX_ENTRY_BYTES + 1);
        assert_eq!(
            log.add_entry(&endless, 1).unwrap_err().code,
            "invalid_payload"
        );
        assert_eq!(log.len(), 0);
    }
}
