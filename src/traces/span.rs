//! A span in OTLP's JSON form: a piece of work, its begin and end, and its attributes.

use actors::domain::ids::Timestamp;
use serde_json::{Value, json};

/// The kind of work in a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpanKind {
    /// Work inside of the program.
    Internal,
    /// A request to a server.
    Client,
}

#[derive(Clone, Debug)]
pub(super) struct TraceSpan {
    pub(super) trace: u128,
    pub(super) id: u64,
    pub(super) parent: Option<u64>,
    pub(super) name: String,
    pub(super) work: SpanKind,
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
    pub(super) attributes: Vec<(&'static str, Value)>,
    /// Notices of the runtime by their codes.
    pub(super) events: Vec<(Timestamp, String)>,
    pub(super) error: Option<String>,
}

impl TraceSpan {
    /// Sets an attribute.
    pub(super) fn set_attribute(&mut self, key: &'static str, value: impl Into<Value>) {
        self.attributes.retain(|(known, _)| *known != key);
        self.attributes.push((key, value.into()));
    }

    /// The value of an attribute.
    pub(super) fn attribute(&self, key: &str) -> Option<&Value> {
        let mut known = self.attributes.iter();
        known.find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    pub(super) fn into_json(mut self) -> Value {
        if let Some(error) = self.error.clone() {
            self.set_attribute("error.type", error);
        }
        let attributes: Vec<Value> = self
            .attributes
            .iter()
            .map(|(key, value)| json!({"key": key, "value": attribute_value(value)}))
            .collect();
        let events: Vec<Value> = self
            .events
            .iter()
            .map(|(at, code)| json!({"timeUnixNano": nanos_text(*at), "name": code}))
            .collect();
        let mut span = json!({
            "traceId": format!("{:032x}", self.trace),
            "spanId": format!("{:016x}", self.id),
            "name": self.name,
            "kind": match self.work { SpanKind::Internal => 1, SpanKind::Client => 3 },
            "startTimeUnixNano": nanos_text(self.start),
            "endTimeUnixNano": nanos_text(self.end),
            "attributes": attributes,
            "events": events,
            "status": {"code": if self.error.is_some() { 2 } else { 0 }},
        });
        if let Some(parent) = self.parent {
            span["parentSpanId"] = json!(format!("{parent:016x}"));
        }
        span
    }
}

/// Nanoseconds since 1970 as text, because a JSON number cannot represent them exactly.
fn nanos_text(at: Timestamp) -> String {
    format!("{}000000", at.0.max(0))
}

fn attribute_value(value: &Value) -> Value {
    match value {
        Value::Bool(truth) => json!({"boolValue": truth}),
        Value::Number(number) if number.is_f64() => json!({"doubleValue": number}),
        Value::Number(number) => json!({"intValue": number.to_string()}),
        Value::String(text) => json!({"stringValue": text}),
        Value::Array(list) => {
            json!({"arrayValue": {"values": list.iter().map(attribute_value).collect::<Vec<_>>()}})
        }
        other @ (Value::Null | Value::Object(_)) => json!({"stringValue": other.to_string()}),
    }
}
