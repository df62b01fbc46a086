//! What a Mysis saw of the game, as an export tells it.

use std::sync::Arc;

use actors::domain::game_state::SnapshotResult;
use actors::domain::ids::MysisId;
use actors::domain::look::SnapshotQuery;
use actors::domain::redact::Redactor;
use actors::domain::write::Write;
use serde_json::Value;

use super::members::{at, call_key, text};

/// A line of what was seen.
pub(super) struct SightingLine {
    account: Arc<str>,
    sighting: SnapshotResult,
}

impl SightingLine {
    pub(super) fn read(line: &Value) -> Result<SightingLine, String> {
        Ok(SightingLine {
            account: text(line, "account")?.into(),
            sighting: SnapshotResult {
                look: SnapshotQuery {
                    tool: text(line, "tool")?.into(),
                    arguments: text(line, "arguments")?.into(),
                },
                call: call_key(&line["call"])?,
                digest: text(line, "content")?.into(),
                tick: line["tick"].as_i64(),
                at: at(line, "at")?,
                stale_by: line["stale_by"].as_str().map(Into::into),
            },
        })
    }

    pub(super) fn write(mut self, mysis: MysisId, redactor: &Redactor) -> Write {
        self.sighting.digest = redactor.clean_shared(self.sighting.digest);
        Write::Sighted {
            mysis,
            account: self.account,
            sighting: Box::new(self.sighting),
        }
    }
}
