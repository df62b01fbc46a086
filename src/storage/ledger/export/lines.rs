//! JSON lines: an export without loss, one object on a line.
//!
//! A row is written as in `zoea log --json`, but arguments are always the original text, and
//! everything is included that an import needs to store the row.

use actors::domain::game_state::SnapshotResult;
use actors::domain::ids::{MysisId, Seq};
use actors::domain::memo::MemoKind;
use actors::domain::message::{Row, RowBody};
use actors::domain::record::MysisRecord;
use serde_json::{Value, json};
use zoea_contract::RowJson;

use crate::StoredMission;
use crate::codec::RECORD_KEY;
use crate::samples::StoredHour;
use crate::tables::LineKind;

fn word(kind: LineKind) -> &'static str {
    kind.into()
}

pub(crate) fn mission_line(stored: &StoredMission) -> Value {
    json!({
        RECORD_KEY: word(LineKind::Mission),
        "id": format!("{:016x}", stored.mission.id.0),
        "at": stored.mission.at.to_string(),
        "content": *stored.mission.text,
        "cleared_at": stored.cleared_at.map(|at| at.to_string()),
    })
}

/// A Mysis without its account. Only `zoea accounts export` writes passwords.
pub(crate) fn mysis_line(mysis: &MysisRecord, notes_after: Seq) -> Value {
    let fault = mysis.fault.as_ref().map(
        |fault| json!({"kind": fault.kind.as_str(), "text": fault.text, "at": fault.at.to_string()}),
    );
    json!({
        RECORD_KEY: word(LineKind::Mysis),
        "id": mysis.id.to_string(),
        "name": *mysis.profile.name,
        "provider": *mysis.profile.provider,
        "model": mysis.profile.model.as_deref(),
        "temperature": mysis.profile.temperature,
        "role": mysis.profile.role.as_deref(),
        "follows_role": mysis.profile.follows_role,
        "state": mysis.state.as_str(),
        "reason": mysis.reason.as_deref(),
        "fault": fault,
        "turns": mysis.totals.turns,
        "tokens_in": mysis.totals.tokens_in,
        "tokens_out": mysis.totals.tokens_out,
        "cost_micros": mysis.totals.cost_micros,
        "notes_after": notes_after.0,
        "created_at": mysis.created_at.to_string(),
    })
}

/// The samples of an hour, in their stored form as hexadecimal digits.
pub(crate) fn samples_line(mysis: MysisId, stored: &StoredHour) -> Value {
    let hour = &stored.packed;
    let packed = hour.bytes.iter();
    json!({
        RECORD_KEY: word(LineKind::Samples),
        "mysis_id": mysis.to_string(),
        "at": hour.hour.first_minute().start_time().to_string(),
        "upto": hour.upto,
        "thinned": stored.is_thinned,
        "packed": packed.map(|byte| format!("{byte:02x}")).collect::<String>(),
    })
}

/// The newest snapshot of one kind that a Mysis received for a game account.
pub(crate) fn snapshot_line(mysis: MysisId, account: &str, seen: &SnapshotResult) -> Value {
    json!({
        RECORD_KEY: word(LineKind::Sighting),
        "mysis_id": mysis.to_string(),
        "account": account,
        "tool": *seen.look.tool,
        "arguments": *seen.look.arguments,
        "call": {"seq": seen.call.seq.0, "position": seen.call.position},
        "content": *seen.digest,
        "tick": seen.tick,
        "at": seen.at.to_string(),
        "stale_by": seen.stale_by.as_deref(),
    })
}

pub(crate) fn memo_line(mysis: MysisId, kind: MemoKind, memo: &str) -> Value {
    json!({
        RECORD_KEY: word(LineKind::Memo),
        "mysis_id": mysis.to_string(),
        "kind": kind.as_str(),
        "memo": memo,
    })
}

pub(crate) fn row_line(mysis: MysisId, row: &Row) -> Value {
    let mut line = zoea_contract::to_value(&RowJson::from(row));
    line[RECORD_KEY] = json!(word(LineKind::Row));
    line["mysis_id"] = json!(mysis.to_string());
    line["turn"] = json!(row.turn.0);
    line["tool_calls"] = row
        .calls()
        .iter()
        .map(|call| {
            json!({
                "id": *call.id,
                "name": *call.name,
                "arguments": *call.arguments,
                "status": call.status.as_str(),
                "read_only": call.read_only,
                "routine": call.routine.as_deref(),
            })
        })
        .collect();
    if let Some(utterance) = row.utterance() {
        line["horizon"] = json!(utterance.seen_up_to.0);
    }
    if let RowBody::Mission { id, .. } = &row.body {
        line["mission_id"] = json!(format!("{:016x}", id.0));
    }
    if let Some((call, _, _)) = row.result() {
        line["answers"] = json!({"seq": call.seq.0, "position": call.position});
    }
    line
}
