//! Rows: a row of the domain as a row of the database, and back.
//!
//! What cannot be read back as what it claims to be becomes a row of an unknown kind: it is shown
//! and not sent, and nothing else suffers from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::books::Charge;
use actors::domain::bounds;
use actors::domain::ids::{CallKey, MissionId, MysisId, Seq, Timestamp, TurnNumber};
use actors::domain::message::{
    Body, Call, CallStatus, HostMeta, Kind, ReplyMeta, ResultMeta, Row, Severity, Utterance,
};
use actors::domain::model::Usage;
use sea_orm::ActiveValue::{NotSet, Set};
use serde_json::{Value, json};
use zoea_contract::metadata;

use super::entity::{message, tool_call};

/// A row as it goes into the database, without its calls.
pub(super) fn to_model(mysis: MysisId, row: &Row) -> message::ActiveModel {
    let utterance = row.utterance();
    let result = row.result().map(|(call, _, _)| call);
    let (mission_id, content) = match &row.body {
        // The text of a mission is stored once, with the mission.
        Body::Mission { id, .. } => (Some(id.0), String::new()),
        Body::Prompt { .. }
        | Body::Peer { .. }
        | Body::Note { .. }
        | Body::Reply(_)
        | Body::Call { .. }
        | Body::Result { .. }
        | Body::Host { .. }
        | Body::Audit { .. }
        | Body::Unknown { .. } => (None, row.text().to_string()),
    };
    let sender = match &row.body {
        Body::Peer { sender, .. } => Some(sender.to_string()),
        Body::Prompt { .. }
        | Body::Mission { .. }
        | Body::Note { .. }
        | Body::Reply(_)
        | Body::Call { .. }
        | Body::Result { .. }
        | Body::Host { .. }
        | Body::Audit { .. }
        | Body::Unknown { .. } => None,
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
        metadata: Set(metadata(row).map(|value| stored(value, row).to_string())),
        horizon: Set(utterance.map(|said| said.horizon.0)),
        mission_id: Set(mission_id),
        call_seq: Set(result.map(|call| call.seq.0)),
        call_position: Set(result.map(|call| i32::from(call.position))),
    }
}

/// The calls of a row as they go into the database.
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
        })
        .collect()
}

/// What of it is stored: what follows from the rest of the row, and what is null, is left out.
fn stored(mut metadata: Value, row: &Row) -> Value {
    let Some(members) = metadata.as_object_mut() else {
        return metadata;
    };
    members.retain(|_, value| !value.is_null());
    members.remove("is_error");
    if members.get("bytes") == Some(&json!(row.text().len())) {
        members.remove("bytes");
    }
    metadata
}

fn usage_of(meta: &Value) -> Option<Usage> {
    let usage = &meta["usage"];
    let tokens = |key: &str| usage[key].as_u64().unwrap_or(0);
    usage.is_object().then(|| {
        bounds::usage_of_a_call(Usage {
            input: tokens("input"),
            output: tokens("output"),
            cached: tokens("cached"),
        })
    })
}

fn cost_of(meta: &Value) -> Option<u64> {
    meta["cost_micros"].as_u64().map(bounds::cost_of_a_call)
}

/// The bill that a row's metadata carries.
pub(super) fn bill(metadata: &str) -> Option<Charge> {
    let meta: Value = serde_json::from_str(metadata).ok()?;
    bill_of(&meta)
}

fn bill_of(meta: &Value) -> Option<Charge> {
    usage_of(meta).map(|usage| Charge {
        provider: word(meta, "provider"),
        usage,
        cost_micros: cost_of(meta),
    })
}

/// What is needed beside a message to read it back.
#[derive(Default)]
pub(super) struct Beside {
    /// The calls of call rows, by the row's place, in their order.
    pub(super) calls: BTreeMap<(i64, i64), Vec<Call>>,
    /// The missions' texts.
    pub(super) missions: BTreeMap<i64, Arc<str>>,
}

/// A row as it comes out of the database.
pub(super) fn from_model(model: message::Model, beside: &Beside) -> Arc<Row> {
    let (seq, at, turn) = (Seq(model.seq), Timestamp(model.at), TurnNumber(model.turn));
    Arc::new(Row {
        seq,
        at,
        turn,
        body: body(model, beside),
    })
}

fn body(model: message::Model, beside: &Beside) -> Body {
    let place = (model.mysis_id, model.seq);
    let calls = beside.calls.get(&place);
    let text: Arc<str> = model.content.as_str().into();
    let read = match Kind::parse(&model.kind) {
        None => None,
        Some(Kind::Prompt) => Some(Body::Prompt { text: text.clone() }),
        Some(Kind::Note) => Some(Body::Note { text: text.clone() }),
        Some(Kind::Audit) => Some(Body::Audit { text: text.clone() }),
        Some(Kind::Peer) => Some(Body::Peer {
            sender: model.sender.as_deref().unwrap_or_default().into(),
            text: text.clone(),
        }),
        Some(Kind::Mission) => model.mission_id.and_then(|id| {
            let text = beside.missions.get(&id)?.clone();
            let id = MissionId(id);
            Some(Body::Mission { id, text })
        }),
        Some(Kind::Reply) => Some(Body::Reply(utterance(&model, &text))),
        Some(Kind::Call) => calls
            .filter(|calls| !calls.is_empty())
            .map(|calls| Body::Call {
                utterance: utterance(&model, &text),
                calls: calls.clone(),
            }),
        Some(Kind::Result) => result(&model, &text),
        Some(Kind::Host) => Some(host(&model, &text)),
    };
    read.unwrap_or_else(|| Body::Unknown {
        kind: model.kind.as_str().into(),
        text,
    })
}

fn utterance(model: &message::Model, text: &Arc<str>) -> Utterance {
    let meta = meta_of(model);
    Utterance {
        text: text.clone(),
        reasoning: model.reasoning.as_deref().map(Into::into),
        // One that does not tell had seen all before it.
        horizon: Seq(model.horizon.unwrap_or(model.seq)),
        meta: ReplyMeta {
            usage: usage_of(&meta),
            ms: meta["ms"].as_u64().unwrap_or(0),
            model: word(&meta, "model"),
            provider: word(&meta, "provider"),
            finish_reason: meta["finish_reason"].as_str().map(Into::into),
            cost_micros: cost_of(&meta),
        },
    }
}

fn result(model: &message::Model, text: &Arc<str>) -> Option<Body> {
    let meta = meta_of(model);
    let call = CallKey {
        seq: Seq(model.call_seq?),
        position: u16::try_from(model.call_position?).ok()?,
    };
    let status = meta["status"].as_str().and_then(CallStatus::parse);
    Some(Body::Result {
        call,
        text: text.clone(),
        meta: ResultMeta {
            call_id: word(&meta, "call_id"),
            tool: word(&meta, "tool"),
            status: status.filter(|status| !status.is_open())?,
            ms: meta["ms"].as_u64().unwrap_or(0),
            tick: meta["tick"].as_i64(),
            // Nothing that is stored was cut; older programs wrote the size before redaction.
            bytes: text.len() as u64,
        },
    })
}

fn host(model: &message::Model, text: &Arc<str>) -> Body {
    let meta = meta_of(model);
    Body::Host {
        text: text.clone(),
        meta: HostMeta {
            severity: Severity::parse(meta["severity"].as_str().unwrap_or_default()),
            code: word(&meta, "code"),
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

fn word(meta: &Value, key: &str) -> Arc<str> {
    meta[key].as_str().unwrap_or_default().into()
}

/// A call as it comes out of the database.
pub(super) fn call(model: tool_call::Model) -> Call {
    Call {
        id: model.call_id.into(),
        name: model.name.into(),
        arguments: model.arguments.into(),
        status: CallStatus::parse(&model.status).unwrap_or(CallStatus::Unknown),
        read_only: model.read_only,
    }
}
