//! Snapshots of the game in an export.

use std::sync::Arc;

use actors::domain::game_state::SnapshotResult;
use actors::domain::ids::MysisId;
use actors::domain::snapshot_query::SnapshotQuery;
use actors::domain::write::Write;
use serde_json::Value;
use zoea_text::redact::Redactor;

use super::members::{call_key, required_text, required_time};

pub(super) struct SightingLine {
    account: Arc<str>,
    snapshot: SnapshotResult,
}

impl SightingLine {
    pub(super) fn read(line: &Value) -> Result<SightingLine, String> {
        Ok(SightingLine {
            account: required_text(line, "account")?.into(),
            snapshot: SnapshotResult {
                look: SnapshotQuery {
                    tool: required_text(line, "tool")?.into(),
                    arguments: required_text(line, "arguments")?.into(),
                },
                call: call_key(&line["call"], 0)?,
                digest: required_text(line, "content")?.into(),
                tick: line["tick"].as_i64(),
                at: required_time(line, "at")?,
                stale_by: line["stale_by"].as_str().map(Into::into),
            },
        })
    }

    pub(super) fn into_write(mut self, mysis: MysisId, redactor: &Redactor) -> Write {
        self.snapshot.digest = redactor.clean_shared(self.snapshot.digest);
        Write::SaveSnapshot {
            mysis,
            account: self.account,
            snapshot: Box::new(self.snapshot),
        }
    }
}
