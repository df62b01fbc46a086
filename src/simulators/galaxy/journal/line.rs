//! One line of a journal or a ledger.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::world::{JournalRecord, PlayerId};

/// A record as it is written. A line without a command says only that a tick has passed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct JournalLine {
    pub(super) tick: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) player: Option<PlayerId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) command: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) args: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ok: Option<bool>,
    /// The code of the refusal, if the command failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) call: Option<String>,
}

impl JournalLine {
    pub(super) fn of_tick(tick: u64) -> Self {
        Self {
            tick,
            ..Self::default()
        }
    }

    pub(super) fn of(record: &JournalRecord) -> Self {
        Self {
            tick: record.tick,
            player: Some(record.order.player),
            command: Some(record.order.command.clone()),
            args: record.order.arguments.clone(),
            ok: Some(record.failed.is_none()),
            code: record.failed.map(str::to_owned),
            call: record.order.call.clone(),
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec(self).expect("a line has text keys only");
        text.push(b'\n');
        text
    }
}

/// Each record as a line.
pub(crate) fn write_lines(records: &[JournalRecord]) -> Vec<u8> {
    records
        .iter()
        .flat_map(|record| JournalLine::of(record).to_bytes())
        .collect()
}
