//! Rows of conversations.

use std::borrow::Cow;

use actors::domain::message::{CallRecord, Row, RowBody, RowKind};
use actors::domain::model::{Charge, TokenUsage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A row in `log --json`.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct RowJson<'a> {
    pub seq: i64,
    pub at: String,
    pub role: Option<Cow<'a, str>>,
    pub source: Option<Cow<'a, str>>,
    pub kind: Cow<'a, str>,
    pub content: Cow<'a, str>,
    pub reasoning: Option<Cow<'a, str>>,
    pub sender: Option<Cow<'a, str>>,
    pub tool_calls: Vec<CallJson<'a>>,
    pub tool_call_id: Option<Cow<'a, str>>,
    pub metadata: Option<RowMetadataJson<'a>>,
}

impl<'a> From<&'a Row> for RowJson<'a> {
    fn from(row: &'a Row) -> Self {
        let kind = row.kind();
        RowJson {
            seq: row.seq.0,
            at: row.at.to_string(),
            role: kind.and_then(RowKind::role).map(Cow::from),
            source: kind.map(RowKind::source).map(Cow::from),
            kind: row.kind_word().into(),
            content: row.text().as_ref().into(),
            reasoning: reasoning_of(row).map(Cow::from),
            sender: row.sender().map(Cow::from),
            tool_calls: row.calls().iter().map(CallJson::from).collect(),
            tool_call_id: row.result().map(|(_, _, meta)| (&*meta.call_id).into()),
            metadata: RowMetadataJson::of(row),
        }
    }
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct SearchHitJson<'a> {
    /// Whose it is; `None` if that was deleted.
    pub mysis: Option<Cow<'a, str>>,
    pub seq: i64,
    pub at: String,
    pub kind: Cow<'a, str>,
    pub content: Cow<'a, str>,
    pub reasoning: Option<Cow<'a, str>>,
}

impl<'a> SearchHitJson<'a> {
    pub fn new(mysis: Option<&'a str>, row: &'a Row) -> Self {
        SearchHitJson {
            mysis: mysis.map(Cow::from),
            seq: row.seq.0,
            at: row.at.to_string(),
            kind: row.kind_word().into(),
            content: row.text().as_ref().into(),
            reasoning: reasoning_of(row).map(Cow::from),
        }
    }
}

fn reasoning_of(row: &Row) -> Option<&str> {
    row.utterance().and_then(|said| said.reasoning.as_deref())
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct CallJson<'a> {
    pub id: Cow<'a, str>,
    pub name: Cow<'a, str>,
    pub arguments: Value,
    pub status: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routine: Option<Cow<'a, str>>,
}

impl<'a> From<&'a CallRecord> for CallJson<'a> {
    fn from(call: &'a CallRecord) -> Self {
        CallJson {
            id: call.id.as_ref().into(),
            name: call.name.as_ref().into(),
            arguments: parse_arguments(&call.arguments),
            status: call.status.as_str().into(),
            routine: call.routine.as_deref().map(Cow::from),
        }
    }
}

/// Arguments as a JSON object, or the original text if they are no object.
fn parse_arguments(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Value::Object(object),
        Ok(_) | Err(_) => Value::String(text.to_string()),
    }
}

/// The metadata of a row in the shapes of docs/design/requests.md.
#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum RowMetadataJson<'a> {
    Reply {
        /// The tokens, if the provider reported them.
        usage: Option<UsageJson>,
        ms: Option<u64>,
        model: Cow<'a, str>,
        provider: Cow<'a, str>,
        /// Why the model stopped.
        finish_reason: Option<Cow<'a, str>>,
        /// The cost in millionths of a dollar.
        #[serde(skip_serializing_if = "Option::is_none")]
        cost_micros: Option<u64>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        from_text: bool,
    },
    Result {
        call_id: Cow<'a, str>,
        tool: Cow<'a, str>,
        is_error: bool,
        status: Cow<'a, str>,
        ms: Option<u64>,
        tick: Option<i64>,
        /// The length of the answer in bytes.
        bytes: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        game: Option<Cow<'a, str>>,
    },
    Host {
        severity: Cow<'a, str>,
        /// A short stable word for it.
        code: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        attempt: Option<u32>,
        #[serde(flatten)]
        charge: Option<ChargeJson<'a>>,
    },
}

impl<'a> RowMetadataJson<'a> {
    pub fn of(row: &'a Row) -> Option<Self> {
        match &row.body {
            RowBody::Reply(utterance) | RowBody::Call { utterance, .. } => {
                let meta = &utterance.meta;
                Some(RowMetadataJson::Reply {
                    usage: meta.usage.as_ref().map(UsageJson::from),
                    ms: meta.ms,
                    model: meta.model.as_ref().into(),
                    provider: meta.provider.as_ref().into(),
                    finish_reason: meta.finish_reason.as_deref().map(Cow::from),
                    cost_micros: meta.cost_micros,
                    from_text: meta.is_from_text,
                })
            }
            RowBody::Result { meta, .. } => Some(RowMetadataJson::Result {
                call_id: meta.call_id.as_ref().into(),
                tool: meta.tool.as_ref().into(),
                is_error: meta.is_error(),
                status: meta.status.as_str().into(),
                ms: meta.ms,
                tick: meta.tick,
                bytes: meta.bytes,
                game: meta.game.stored_key().map(Cow::from),
            }),
            RowBody::Host { meta, .. } => Some(RowMetadataJson::Host {
                severity: meta.severity.as_str().into(),
                code: meta.code.as_ref().into(),
                attempt: meta.attempt,
                charge: meta.bill.as_ref().map(ChargeJson::from),
            }),
            RowBody::Prompt { .. }
            | RowBody::Mission { .. }
            | RowBody::Peer { .. }
            | RowBody::Note { .. }
            | RowBody::Audit { .. }
            | RowBody::Unknown { .. } => None,
        }
    }
}

/// The tokens of a model call.
#[derive(Debug, Deserialize, Serialize)]
pub struct UsageJson {
    input: u64,
    output: u64,
    cached: u64,
}

impl From<&TokenUsage> for UsageJson {
    fn from(usage: &TokenUsage) -> Self {
        UsageJson {
            input: usage.input,
            output: usage.output,
            cached: usage.cached,
        }
    }
}

/// The charge of a failed model call.
#[derive(Debug, Deserialize, Serialize)]
pub struct ChargeJson<'a> {
    usage: UsageJson,
    provider: Cow<'a, str>,
    cost_micros: Option<u64>,
}

impl<'a> From<&'a Charge> for ChargeJson<'a> {
    fn from(charge: &'a Charge) -> Self {
        ChargeJson {
            usage: UsageJson::from(&charge.usage),
            provider: charge.provider.as_ref().into(),
            cost_micros: charge.cost_micros,
        }
    }
}
