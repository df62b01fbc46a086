//! Converts rows of the domain to rows of the database and back.
//!
//! A database row whose content does not fit its kind becomes a row of an unknown kind. It is shown
//! and never sent, and it does not affect other rows.

use std::sync::Arc;

use actors::domain::ids::{CallKey, MissionId, MysisId, Seq, Timestamp, TurnNumber};
use actors::domain::message::{
    CallRecord, CallStatus, ReplyMeta, Row, RowBody, RowKind, Utterance,
};
use sea_orm::ActiveValue::{NotSet, Set};
use serde_json::Value;
use zoea_contract::RowMetadataJson;

use super::entity::{message, tool_call};
use super::metadata;

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
        let stored = metadata::stored_echo(echo, said.reasoning.as_deref());
        members.insert(metadata::ECHO_KEY.to_string(), stored);
    }
    metadata
}

/// A row with what other tables have of it: its calls in order, and the text of its mission.
pub(super) fn from_model(
    model: &message::Model,
    calls: Vec<CallRecord>,
    mission: Option<Arc<str>>,
) -> Row {
    let body = read_body(model, calls, mission);
    Row {
        seq: Seq(model.seq),
        at: Timestamp(model.at),
        turn: TurnNumber(model.turn),
        body: body.unwrap_or_else(|| RowBody::Unknown {
            kind: model.kind.as_str().into(),
            text: model.content.as_str().into(),
        }),
    }
}

/// `None` if the content does not fit the kind.
fn read_body(
    model: &message::Model,
    calls: Vec<CallRecord>,
    mission: Option<Arc<str>>,
) -> Option<RowBody> {
    let text: Arc<str> = model.content.as_str().into();
    Some(match RowKind::parse(&model.kind)? {
        RowKind::Prompt => RowBody::Prompt { text },
        RowKind::Note => RowBody::Note { text },
        RowKind::Audit => RowBody::Audit { text },
        RowKind::Peer => RowBody::Peer {
            sender: model.sender.as_deref().unwrap_or_default().into(),
            text,
        },
        RowKind::Mission => RowBody::Mission {
            id: MissionId(model.mission_id?),
            text: mission?,
        },
        RowKind::Reply => RowBody::Reply(read_utterance(model, text)),
        RowKind::Call if calls.is_empty() => return None,
        RowKind::Call => RowBody::Call {
            utterance: read_utterance(model, text),
            calls,
        },
        RowKind::Result => read_result(model, text)?,
        RowKind::Host => RowBody::Host {
            text,
            meta: metadata::of_host(&meta_of(model)),
        },
    })
}

fn read_utterance(model: &message::Model, text: Arc<str>) -> Utterance {
    let (reasoning, meta) = (model.reasoning.as_deref(), meta_of(model));
    Utterance {
        text,
        reasoning: reasoning.map(Into::into),
        seen_up_to: Seq(model.horizon.unwrap_or_default()),
        meta: ReplyMeta {
            echo: metadata::echo_of(&meta, reasoning),
            ..metadata::of_reply(&meta)
        }
        .into(),
    }
}

fn read_result(model: &message::Model, text: Arc<str>) -> Option<RowBody> {
    let call = CallKey {
        seq: Seq(model.call_seq?),
        position: u16::try_from(model.call_position?).ok()?,
    };
    Some(RowBody::Result {
        call,
        meta: metadata::of_result(&meta_of(model), &text)?,
        text,
    })
}

fn meta_of(model: &message::Model) -> Value {
    model
        .metadata
        .as_deref()
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or(Value::Null)
}

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
