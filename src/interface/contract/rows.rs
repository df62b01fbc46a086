//! Rows of conversations.

use actors::domain::message::{CallRecord, Row, RowBody, RowKind};
use actors::domain::model::{Charge, TokenUsage};
use serde::Serialize;
use serde_json::Value;

/// A row in `log --json`.
#[derive(Debug, Serialize)]
pub struct RowJson<'a> {
    seq: i64,
    at: String,
    role: Option<&'static str>,
    source: Option<&'static str>,
    kind: &'a str,
    content: &'a str,
    reasoning: Option<&'a str>,
    sender: Option<&'a str>,
    tool_calls: Vec<CallJson<'a>>,
    tool_call_id: Option<&'a str>,
    metadata: Option<RowMetadataJson<'a>>,
}

impl<'a> From<&'a Row> for RowJson<'a> {
    fn from(row: &'a Row) -> Self {
        let kind = row.kind();
        RowJson {
            seq: row.seq.0,
            at: row.at.to_string(),
            role: kind.and_then(RowKind::role),
            source: kind.map(RowKind::source),
            kind: row.kind_word(),
            content: row.text(),
            reasoning: reasoning_of(row),
            sender: row.sender(),
            tool_calls: row.calls().iter().map(CallJson::from).collect(),
            tool_call_id: row.result().map(|(_, _, meta)| &*meta.call_id),
            metadata: RowMetadataJson::of(row),
        }
    }
}

/// A search hit in `search --json`.
#[derive(Debug, Serialize)]
pub struct SearchHitJson<'a> {
    mysis: Option<&'a str>,
    seq: i64,
    at: String,
    kind: &'a str,
    content: &'a str,
    reasoning: Option<&'a str>,
}

impl<'a> SearchHitJson<'a> {
    /// A row of the Mysis with this name.
    #[must_use]
    pub fn new(mysis: Option<&'a str>, row: &'a Row) -> Self {
        SearchHitJson {
            mysis,
            seq: row.seq.0,
            at: row.at.to_string(),
            kind: row.kind_word(),
            content: row.text(),
            reasoning: reasoning_of(row),
        }
    }
}

fn reasoning_of(row: &Row) -> Option<&str> {
    row.utterance().and_then(|said| said.reasoning.as_deref())
}

#[derive(Debug, Serialize)]
struct CallJson<'a> {
    id: &'a str,
    name: &'a str,
    arguments: Value,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    routine: Option<&'a str>,
}

impl<'a> From<&'a CallRecord> for CallJson<'a> {
    fn from(call: &'a CallRecord) -> Self {
        CallJson {
            id: &call.id,
            name: &call.name,
            arguments: parse_arguments(&call.arguments),
            status: call.status.as_str(),
            routine: call.routine.as_deref(),
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
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum RowMetadataJson<'a> {
    /// Metadata of a reply or a call.
    Reply {
        /// The tokens, if the provider reported them.
        usage: Option<UsageJson>,
        /// The duration in milliseconds.
        ms: u64,
        /// The model.
        model: &'a str,
        /// The provider.
        provider: &'a str,
        /// Why the model stopped.
        finish_reason: Option<&'a str>,
        /// The cost in millionths of a dollar.
        #[serde(skip_serializing_if = "Option::is_none")]
        cost_micros: Option<u64>,
        /// Whether its calls were read from its text.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        from_text: bool,
    },
    /// Metadata of a tool's result.
    Result {
        /// The call's id.
        call_id: &'a str,
        /// The tool.
        tool: &'a str,
        /// Whether it is a failure.
        is_error: bool,
        /// How the call ended.
        status: &'static str,
        /// The duration in milliseconds.
        ms: u64,
        /// The game's tick.
        tick: Option<i64>,
        /// The length of the answer in bytes.
        bytes: u64,
        /// `any` for a tool of no game.
        #[serde(skip_serializing_if = "Option::is_none")]
        game: Option<&'static str>,
    },
    /// Metadata of a host notice.
    Host {
        /// The severity.
        severity: &'static str,
        /// A short stable word for it.
        code: &'a str,
        /// The number of the failed attempt.
        #[serde(skip_serializing_if = "Option::is_none")]
        attempt: Option<u32>,
        /// The charge of the failed attempt.
        #[serde(flatten)]
        charge: Option<ChargeJson<'a>>,
    },
}

impl<'a> RowMetadataJson<'a> {
    /// The metadata of this row.
    #[must_use]
    pub fn of(row: &'a Row) -> Option<Self> {
        match &row.body {
            RowBody::Reply(utterance) | RowBody::Call { utterance, .. } => {
                let meta = &utterance.meta;
                Some(RowMetadataJson::Reply {
                    usage: meta.usage.as_ref().map(UsageJson::from),
                    ms: meta.ms,
                    model: &meta.model,
                    provider: &meta.provider,
                    finish_reason: meta.finish_reason.as_deref(),
                    cost_micros: meta.cost_micros,
                    from_text: meta.is_from_text,
                })
            }
            RowBody::Result { meta, .. } => Some(RowMetadataJson::Result {
                call_id: &meta.call_id,
                tool: &meta.tool,
                is_error: meta.is_error(),
                status: meta.status.as_str(),
                ms: meta.ms,
                tick: meta.tick,
                bytes: meta.bytes,
                game: meta.game.stored_key(),
            }),
            RowBody::Host { meta, .. } => Some(RowMetadataJson::Host {
                severity: meta.severity.as_str(),
                code: &meta.code,
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
#[derive(Debug, Serialize)]
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
#[derive(Debug, Serialize)]
pub struct ChargeJson<'a> {
    usage: UsageJson,
    provider: &'a str,
    cost_micros: Option<u64>,
}

impl<'a> From<&'a Charge> for ChargeJson<'a> {
    fn from(charge: &'a Charge) -> Self {
        ChargeJson {
            usage: UsageJson::from(&charge.usage),
            provider: &charge.provider,
            cost_micros: charge.cost_micros,
        }
    }
}
