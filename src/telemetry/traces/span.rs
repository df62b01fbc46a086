//! A span: a piece of work, its begin and end, and its attributes.

use actors::domain::ids::Timestamp;
use zoea_text::redact::Redactor;

use super::otlp::{self, AnyValue, KeyValue, SpanKind, StatusCode, Value};

/// The flag of a sampled trace: every turn is reported.
const SAMPLED: u32 = 1;
/// The bytes of a span beside its texts, about.
const SPAN_BYTES: usize = 256;

/// The place of a span: its trace and its own id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpanPlace {
    pub(super) trace: u128,
    pub(super) id: u64,
}

impl SpanPlace {
    pub(super) fn new_trace() -> SpanPlace {
        SpanPlace {
            trace: fastrand::u128(1..),
            id: fastrand::u64(1..),
        }
    }

    pub(super) fn sibling(self) -> SpanPlace {
        SpanPlace {
            id: fastrand::u64(1..),
            ..self
        }
    }

    /// The place in W3C's form (Trace Context, version 00).
    pub(super) fn traceparent(self) -> String {
        format!("00-{:032x}-{:016x}-{SAMPLED:02x}", self.trace, self.id)
    }
}

#[derive(Clone, Debug)]
pub(super) struct TraceSpan {
    pub(super) place: SpanPlace,
    pub(super) parent: Option<u64>,
    pub(super) follows: Option<SpanPlace>,
    pub(super) name: String,
    pub(super) work: SpanKind,
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
    attributes: Vec<(&'static str, Value)>,
    /// Notices of the runtime by their codes.
    pub(super) events: Vec<(Timestamp, String)>,
    /// Why the work failed, for people.
    error: Option<String>,
}

impl TraceSpan {
    pub(super) fn new(place: SpanPlace, work: SpanKind, start: Timestamp) -> TraceSpan {
        TraceSpan {
            place,
            parent: None,
            follows: None,
            name: String::new(),
            work,
            start,
            end: start,
            attributes: Vec::new(),
            events: Vec::new(),
            error: None,
        }
    }

    pub(super) fn set(&mut self, key: &'static str, value: impl Into<Value>) {
        let value = value.into();
        match self.attributes.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = value,
            None => self.attributes.push((key, value)),
        }
    }

    /// Sets an attribute if there is a value for it.
    pub(super) fn set_known(&mut self, key: &'static str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.set(key, value);
        }
    }

    pub(super) fn set_list(&mut self, key: &'static str, list: impl IntoIterator<Item = String>) {
        let values = list
            .into_iter()
            .map(|text| AnyValue::from(Value::Text(text)));
        let values = values.collect();
        self.set(key, Value::Array(otlp::ArrayValue { values }));
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.attributes.iter().any(|(known, _)| *known == key)
    }

    /// Whether this is a model call without an answer.
    pub(super) fn is_failed_chat(&self) -> bool {
        self.error.is_some() && self.has("gen_ai.request.model")
    }

    pub(super) fn fail(&mut self, kind: &str, message: impl Into<String>) {
        self.set("error.type", kind);
        self.error = Some(message.into());
    }

    /// About the bytes that it takes to keep and to send.
    pub(super) fn bytes(&self) -> usize {
        let mut bytes = SPAN_BYTES + self.name.len() + self.events.len() * 32;
        for (key, value) in &self.attributes {
            let text = match value {
                Value::Text(text) => text.len(),
                Value::Array(list) => list.values.len() * 32,
                Value::Bool(_) | Value::Int(_) | Value::Double(_) => 8,
            };
            bytes += key.len() + text + 16;
        }
        bytes
    }

    /// The span as it is sent: without these secrets.
    pub(super) fn into_otlp(self, known: &Redactor) -> otlp::Span {
        let mut clean = |text: &mut String| known.clean_in_place(text);
        let mut name = self.name;
        clean(&mut name);
        let attributes = self.attributes.into_iter().map(|(key, mut value)| {
            value.for_each_text(&mut clean);
            KeyValue {
                key: key.to_string(),
                value: Some(value.into()),
            }
        });
        let attributes = attributes.collect();
        let events = self.events.into_iter().map(|(at, mut name)| {
            clean(&mut name);
            otlp::Event {
                time_unix_nano: nanos(at),
                name,
            }
        });
        let events = events.collect();
        let status = self
            .error
            .map_or_else(otlp::Status::default, |mut message| {
                clean(&mut message);
                otlp::Status {
                    message,
                    code: StatusCode::Error.into(),
                }
            });
        let parent = self.parent.map(|parent| parent.to_be_bytes().to_vec());
        let link = self.follows.map(|before| otlp::SpanLink {
            trace_id: before.trace.to_be_bytes().to_vec(),
            span_id: before.id.to_be_bytes().to_vec(),
        });
        otlp::Span {
            trace_id: self.place.trace.to_be_bytes().to_vec(),
            span_id: self.place.id.to_be_bytes().to_vec(),
            parent_span_id: parent.unwrap_or_default(),
            flags: SAMPLED,
            name,
            kind: self.work.into(),
            start_time_unix_nano: nanos(self.start),
            end_time_unix_nano: nanos(self.end.max(self.start)),
            attributes,
            events,
            links: link.into_iter().collect(),
            status: Some(status),
        }
    }
}

/// Nanoseconds since 1970.
fn nanos(at: Timestamp) -> u64 {
    u64::try_from(at.0).unwrap_or(0).saturating_mul(1_000_000)
}
