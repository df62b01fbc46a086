//! The messages of OTLP that we send, as protobuf and as JSON.
//!
//! The field numbers are those of opentelemetry-proto 1.11.0 (`trace/v1/trace.proto`,
//! `common/v1/common.proto`, `resource/v1/resource.proto`,
//! `collector/trace/v1/trace_service.proto`). Fields that we never set are left out. The names in
//! JSON are those of proto3's mapping, with ids in hexadecimal as OTLP asks for.

use serde::{Serialize, Serializer};

#[derive(Clone, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExportTraceServiceRequest {
    #[prost(message, repeated, tag = "1")]
    pub(super) resource_spans: Vec<ResourceSpans>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ExportTraceServiceResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) partial_success: Option<ExportTracePartialSuccess>,
}

/// The part of a request that was not taken.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ExportTracePartialSuccess {
    #[prost(int64, tag = "1")]
    pub(super) rejected_spans: i64,
    #[prost(string, tag = "2")]
    pub(super) error_message: String,
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    pub(super) resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    pub(super) scope_spans: Vec<ScopeSpans>,
    #[prost(string, tag = "3")]
    pub(super) schema_url: String,
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
pub(super) struct Resource {
    #[prost(message, repeated, tag = "1")]
    pub(super) attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScopeSpans {
    #[prost(message, optional, tag = "1")]
    pub(super) scope: Option<InstrumentationScope>,
    #[prost(message, repeated, tag = "2")]
    pub(super) spans: Vec<Span>,
    #[prost(string, tag = "3")]
    pub(super) schema_url: String,
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
pub(super) struct InstrumentationScope {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, tag = "2")]
    pub(super) version: String,
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Span {
    #[prost(bytes = "vec", tag = "1")]
    #[serde(serialize_with = "as_hex")]
    pub(super) trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    #[serde(serialize_with = "as_hex")]
    pub(super) span_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    #[serde(serialize_with = "as_hex", skip_serializing_if = "Vec::is_empty")]
    pub(super) parent_span_id: Vec<u8>,
    #[prost(fixed32, tag = "16")]
    pub(super) flags: u32,
    #[prost(string, tag = "5")]
    pub(super) name: String,
    #[prost(enumeration = "SpanKind", tag = "6")]
    pub(super) kind: i32,
    #[prost(fixed64, tag = "7")]
    #[serde(serialize_with = "as_text")]
    pub(super) start_time_unix_nano: u64,
    #[prost(fixed64, tag = "8")]
    #[serde(serialize_with = "as_text")]
    pub(super) end_time_unix_nano: u64,
    #[prost(message, repeated, tag = "9")]
    pub(super) attributes: Vec<KeyValue>,
    #[prost(message, repeated, tag = "11")]
    pub(super) events: Vec<Event>,
    #[prost(message, repeated, tag = "13")]
    pub(super) links: Vec<SpanLink>,
    #[prost(message, optional, tag = "15")]
    pub(super) status: Option<Status>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub(super) enum SpanKind {
    Unspecified = 0,
    /// Work inside of the program.
    Internal = 1,
    Client = 3,
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Event {
    #[prost(fixed64, tag = "1")]
    #[serde(serialize_with = "as_text")]
    pub(super) time_unix_nano: u64,
    #[prost(string, tag = "2")]
    pub(super) name: String,
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SpanLink {
    #[prost(bytes = "vec", tag = "1")]
    #[serde(serialize_with = "as_hex")]
    pub(super) trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    #[serde(serialize_with = "as_hex")]
    pub(super) span_id: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
pub(super) struct Status {
    #[prost(string, tag = "2")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) message: String,
    #[prost(enumeration = "StatusCode", tag = "3")]
    pub(super) code: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub(super) enum StatusCode {
    Unset = 0,
    Ok = 1,
    Error = 2,
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
pub(super) struct KeyValue {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(message, optional, tag = "2")]
    pub(super) value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
#[serde(transparent)]
pub(super) struct AnyValue {
    #[prost(oneof = "Value", tags = "1, 2, 3, 4, 5")]
    pub(super) value: Option<Value>,
}

#[derive(Clone, PartialEq, prost::Oneof, Serialize)]
pub(super) enum Value {
    #[prost(string, tag = "1")]
    #[serde(rename = "stringValue")]
    Text(String),
    #[prost(bool, tag = "2")]
    #[serde(rename = "boolValue")]
    Bool(bool),
    #[prost(int64, tag = "3")]
    #[serde(rename = "intValue", serialize_with = "as_text")]
    Int(i64),
    #[prost(double, tag = "4")]
    #[serde(rename = "doubleValue")]
    Double(f64),
    #[prost(message, tag = "5")]
    #[serde(rename = "arrayValue")]
    Array(ArrayValue),
}

#[derive(Clone, PartialEq, prost::Message, Serialize)]
pub(super) struct ArrayValue {
    #[prost(message, repeated, tag = "1")]
    pub(super) values: Vec<AnyValue>,
}

impl Value {
    pub(super) fn for_each_text(&mut self, clean: &mut impl FnMut(&mut String)) {
        match self {
            Value::Text(text) => clean(text),
            Value::Array(list) => {
                let values = list.values.iter_mut();
                for value in values.filter_map(|value| value.value.as_mut()) {
                    value.for_each_text(clean);
                }
            }
            Value::Bool(_) | Value::Int(_) | Value::Double(_) => {}
        }
    }
}

impl From<Value> for AnyValue {
    fn from(value: Value) -> AnyValue {
        AnyValue { value: Some(value) }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_string())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Bool(truth)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Double(number)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Int(number)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Value {
        Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

/// A number as text, because a JSON number cannot represent all of them exactly.
fn as_text<S: Serializer>(number: &impl ToString, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&number.to_string())
}

fn as_hex<S: Serializer>(id: &[u8], to: S) -> Result<S::Ok, S::Error> {
    let digits: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    to.serialize_str(&digits)
}
