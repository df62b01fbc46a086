//! Converts rows of the domain to rows of the database and back.
//!
//! A database row whose content does not fit its kind becomes a row of an unknown kind. It is shown
//! and never sent, and it does not affect other rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::bounds;
use actors::domain::game::GameRef;
use actors::domain::ids::{CallKey, MissionId, MysisId, Seq, Timestamp, TurnNumber};
use actors::domain::message::{
    CallRecord, CallStatus, HostMeta, ReplyMeta, ResultMeta, Row, RowBody, RowKind, Severity,
    Utterance,
};
use actors::domain::model::{Charge, Echo, TokenUsage};
use sea_orm::ActiveValue::{NotSet, Set};
use serde_json::{Value, json};
use zoea_contract::RowMetadataJson;

use super::entity::{message, tool_call};

/// Converts a row, without its calls.
pub(super) fn to_model(mysis: MysisId, row: &Row) -> message::ActiveModel {
    let utterance = row.utterance();
    let result = row.result().map(|(call, _, _)| call);
    let (mission_id, sender) = match &row.body {
        RowBody::Mission { id, .. } => (Some(id.0), None),
        RowBody::Peer { sender, .. } => (None, Some(sender.to_string())),
        RowBody::Prompt { .. }
        | RowBody::Note { .. }
        | RowBody::Reply(_)
        | RowBody::Call { .. }
        | RowBody::Result { .. }
        | RowBody::Host { .. }
        | RowBody::Audit { .. }
        | RowBody::Unknown { .. } => (None, None),
    };
    let content = match mission_id {
        // The text of a mission is stored once, with the mission.
        Some(_) => String::new(),
        None => row.text().to_string(),
    };
    message::ActiveModel {
        id: NotSet,
        mysis_id: Set(mysis.0),
        seq: Set(row.seq.0),
        at: Set(row.at.0),
        turn: Set(row.turn.0),
        kind: Set(row.kind_word().to_string()),
        content: Set(content),
        reasoning: Set(utterance
            .and_then(|said| said.reasoning.as_deref())
            .map(str::to_string)),
        sender: Set(sender),
        metadata: Set(RowMetadataJson::of(row)
            .map(|meta| to_stored_metadata(zoea_contract::to_value(&meta), row).to_string())),
        horizon: Set(utterance.map(|said| said.seen_up_to.0)),
        mission_id: Set(mission_id),
        call_seq: Set(result.map(|call| call.seq.0)),
        call_position: Set(result.map(|call| i32::from(call.position))),
    }
}

/// Converts the calls of a row.
pub(super) fn call_models(mysis: MysisId, row: &Row) -> Vec<tool_call::ActiveModel> {
    (0..)
        .zip(row.calls())
        .map(|(position, call)| tool_call::ActiveModel {
            mysis_id: Set(mysis.0),
            seq: Set(row.seq.0),
            position: Set(position),
            call_id: Set(call.id.to_string()),
            name: Set(call.name.to_string()),
            arguments: Set(call.arguments.to_string()),
            status: Set(call.status.as_str().to_string()),
            read_only: Set(call.read_only),
            sent_at: Set(None),
            task: Set(None),
            routine: Set(call.routine.as_deref().map(str::to_string)),
        })
        .collect()
}

/// The part of the metadata that is stored: without nulls and without what the rest of the row
/// contains.
fn to_stored_metadata(mut metadata: Value, row: &Row) -> Value {
    let Some(members) = metadata.as_object_mut() else {
        return metadata;
    };
    members.retain(|_, value| !value.is_null());
    members.remove("is_error");
    members.remove("bytes");
    if let Some(said) = row.utterance()
        && let Some(echo) = said.meta.echo.as_deref()
    {
        let stored = stored_echo(echo, said.reasoning.as_deref());
        members.insert(ECHO_KEY.to_string(), stored);
    }
    metadata
}

/// The member of the metadata that holds what a provider wants back. It is no part of the contract.
const ECHO_KEY: &str = "echo";

/// The member of the echo's reasoning that names the member in which all of the row's reasoning came.
const REASONING_IN: &str = "in";

/// An echo as it is stored. Reasoning that the row holds is not stored twice.
fn stored_echo(echo: &Echo, reasoning: Option<&str>) -> Value {
    let members: BTreeMap<String, String> =
        serde_json::from_str(&echo.reasoning).unwrap_or_default();
    let mut names = members.keys();
    let name =
        names.find(|name| reasoning.is_some_and(|text| in_member(name, text) == *echo.reasoning));
    let reasoning = match name {
        Some(name) => json!({ REASONING_IN: name }),
        None => json!(*echo.reasoning),
    };
    let calls: Vec<&str> = echo.calls.iter().map(|call| &**call).collect();
    json!({
        "provider": *echo.provider,
        "model": *echo.model,
        "message": *echo.message,
        "reasoning": reasoning,
        "calls": calls,
    })
}

/// Reasoning as the one member of an echo.
fn in_member(name: &str, text: &str) -> String {
    json!({ name: text }).to_string()
}

fn echo_of(meta: &Value, reasoning: Option<&str>) -> Option<Arc<Echo>> {
    let echo = meta.get(ECHO_KEY)?;
    let name = echo["reasoning"][REASONING_IN].as_str();
    let of_row = name.zip(reasoning);
    let calls = echo["calls"].as_array().into_iter().flatten();
    Some(Arc::new(Echo {
        provider: text_member(echo, "provider"),
        model: text_member(echo, "model"),
        message: text_member(echo, "message"),
        reasoning: match of_row {
            Some((name, text)) => in_member(name, text).into(),
            None => text_member(echo, "reasoning"),
        },
        calls: calls
            .map(|call| call.as_str().unwrap_or_default().into())
            .collect(),
    }))
}

fn usage_of(meta: &Value) -> Option<TokenUsage> {
    let usage = &meta["usage"];
    let tokens = |key: &str| usage[key].as_u64().unwrap_or(0);
    usage.is_object().then(|| {
        bounds::usage_of_a_call(TokenUsage {
            input: tokens("input"),
            output: tokens("output"),
            cached: tokens("cached"),
        })
    })
}

fn cost_of(meta: &Value) -> Option<u64> {
    meta["cost_micros"].as_u64().map(bounds::cost_of_a_call)
}

/// The charge in a row's metadata.
pub(super) fn parse_bill(metadata: &str) -> Option<Charge> {
    let meta: Value = serde_json::from_str(metadata).ok()?;
    bill_of(&meta)
}

fn bill_of(meta: &Value) -> Option<Charge> {
    usage_of(meta).map(|usage| Charge {
        provider: text_member(meta, "provider"),
        usage,
        cost_micros: cost_of(meta),
    })
}

/// The id and the status of a call, in the metadata of its result.
pub(super) fn parse_result(metadata: &str) -> Option<(Arc<str>, CallStatus)> {
    let meta: Value = serde_json::from_str(metadata).ok()?;
    let status = meta["status"].as_str().and_then(CallStatus::parse)?;
    Some((text_member(&meta, "call_id"), status))
}

/// What is needed beside a message to restore its row.
#[derive(Default)]
pub(super) struct LinkedRecords {
    /// The calls of call rows in order, by the row's id.
    pub(super) calls: BTreeMap<(i64, i64), Vec<CallRecord>>,
    /// The texts of missions.
    pub(super) missions: BTreeMap<i64, Arc<str>>,
}

/// Restores a row.
pub(super) fn from_model(model: message::Model, beside: &LinkedRecords) -> Arc<Row> {
    let (seq, at, turn) = (Seq(model.seq), Timestamp(model.at), TurnNumber(model.turn));
    Arc::new(Row {
        seq,
        at,
        turn,
        body: read_body(model, beside),
    })
}

fn read_body(model: message::Model, beside: &LinkedRecords) -> RowBody {
    let place = (model.mysis_id, model.seq);
    let calls = beside.calls.get(&place);
    let text: Arc<str> = model.content.as_str().into();
    let read = match RowKind::parse(&model.kind) {
        None => None,
        Some(RowKind::Prompt) => Some(RowBody::Prompt { text: text.clone() }),
        Some(RowKind::Note) => Some(RowBody::Note { text: text.clone() }),
        Some(RowKind::Audit) => Some(RowBody::Audit { text: text.clone() }),
        Some(RowKind::Peer) => Some(RowBody::Peer {
            sender: model.sender.as_deref().unwrap_or_default().into(),
            text: text.clone(),
        }),
        Some(RowKind::Mission) => model.mission_id.and_then(|id| {
            let text = beside.missions.get(&id)?.clone();
            let id = MissionId(id);
            Some(RowBody::Mission { id, text })
        }),
        Some(RowKind::Reply) => Some(RowBody::Reply(read_utterance(&model, &text))),
        Some(RowKind::Call) => calls
            .filter(|calls| !calls.is_empty())
            .map(|calls| RowBody::Call {
                utterance: read_utterance(&model, &text),
                calls: calls.clone(),
            }),
        Some(RowKind::Result) => read_result(&model, &text),
        Some(RowKind::Host) => Some(read_host_notice(&model, &text)),
    };
    read.unwrap_or_else(|| RowBody::Unknown {
        kind: model.kind.as_str().into(),
        text,
    })
}

fn read_utterance(model: &message::Model, text: &Arc<str>) -> Utterance {
    let meta = meta_of(model);
    Utterance {
        text: text.clone(),
        reasoning: model.reasoning.as_deref().map(Into::into),
        seen_up_to: Seq(model.horizon.unwrap_or_default()),
        meta: ReplyMeta {
            usage: usage_of(&meta),
            ms: meta["ms"].as_u64().unwrap_or(0),
            model: text_member(&meta, "model"),
            provider: text_member(&meta, "provider"),
            finish_reason: meta["finish_reason"].as_str().map(Into::into),
            cost_micros: cost_of(&meta),
            echo: echo_of(&meta, model.reasoning.as_deref()),
            is_from_text: meta["from_text"] == true,
        },
    }
}

fn read_result(model: &message::Model, text: &Arc<str>) -> Option<RowBody> {
    let meta = meta_of(model);
    let call = CallKey {
        seq: Seq(model.call_seq?),
        position: u16::try_from(model.call_position?).ok()?,
    };
    let status = meta["status"].as_str().and_then(CallStatus::parse);
    Some(RowBody::Result {
        call,
        text: text.clone(),
        meta: ResultMeta {
            call_id: text_member(&meta, "call_id"),
            tool: text_member(&meta, "tool"),
            status: status.filter(|status| !status.is_open())?,
            ms: meta["ms"].as_u64().unwrap_or(0),
            tick: meta["tick"].as_i64(),
            // A stored text is never cut.
            bytes: text.len() as u64,
            game: GameRef::of_key(meta["game"].as_str()),
        },
    })
}

fn read_host_notice(model: &message::Model, text: &Arc<str>) -> RowBody {
    let meta = meta_of(model);
    RowBody::Host {
        text: text.clone(),
        meta: HostMeta {
            severity: Severity::parse(meta["severity"].as_str().unwrap_or_default()),
            code: text_member(&meta, "code"),
            attempt: meta["attempt"]
                .as_u64()
                .and_then(|attempt| u32::try_from(attempt).ok()),
            bill: bill_of(&meta),
        },
    }
}

fn meta_of(model: &message::Model) -> Value {
    model
        .metadata
        .as_deref()
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or(Value::Null)
}

fn text_member(meta: &Value, key: &str) -> Arc<str> {
    meta[key].as_str().unwrap_or_default().into()
}

/// Restores a call.
pub(super) fn call_from_model(model: tool_call::Model) -> CallRecord {
    CallRecord {
        id: model.call_id.into(),
        name: model.name.into(),
        arguments: model.arguments.into(),
        status: CallStatus::parse(&model.status).unwrap_or(CallStatus::Unknown),
        read_only: model.read_only,
        routine: model.routine.map(Into::into),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_is_stored_once_and_comes_back_in_the_member_in_which_it_came() {
        let echo = |reasoning: &str| Echo {
            reasoning: reasoning.into(),
            ..Echo::default()
        };
        let back = |stored: &Value, reasoning: Option<&str>| {
            echo_of(&json!({ ECHO_KEY: stored }), reasoning).map(|echo| Echo::clone(&echo))
        };
        let of_row = Some("First \"ore\".");
        let same = echo(&in_member("reasoning_content", "First \"ore\"."));
        let stored = stored_echo(&same, of_row);
        assert!(!stored.to_string().contains("ore"), "{stored}");
        assert_eq!(back(&stored, of_row), Some(same.clone()));
        let parts = echo(r#"{"content":[{"type":"thinking"}]}"#);
        for (kept, reasoning) in [(same, None), (parts, of_row), (echo(""), of_row)] {
            let stored = stored_echo(&kept, reasoning);
            assert_eq!(back(&stored, reasoning), Some(kept));
        }
    }
}
