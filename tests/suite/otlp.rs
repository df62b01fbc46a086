//! Reads OTLP as others wrote it down: protobuf's wire format, and the field numbers of the
//! published files of opentelemetry-proto 1.11.0 (`opentelemetry/proto/collector/trace/v1/
//! trace_service.proto`, `trace/v1/trace.proto`, `common/v1/common.proto`,
//! `resource/v1/resource.proto`). Nothing of the program helps here, so that a wrong number in it
//! is noticed.

use std::collections::BTreeMap;
use std::io::Read;

use serde_json::{Value, json};

/// A field of a message.
#[derive(Clone, Copy, Debug)]
enum Field<'a> {
    /// Wire type 0.
    Varint(u64),
    /// Wire types 1 and 5.
    Fixed(u64),
    /// Wire type 2.
    Bytes(&'a [u8]),
}

/// The fields of a message with their numbers, in their order.
fn fields(mut rest: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let tag = varint(&mut rest);
        let field = match tag & 7 {
            0 => Field::Varint(varint(&mut rest)),
            1 => Field::Fixed(fixed(&mut rest, 8)),
            5 => Field::Fixed(fixed(&mut rest, 4)),
            2 => {
                let length = usize::try_from(varint(&mut rest)).expect("a length");
                let (bytes, after) = rest.split_at(length);
                rest = after;
                Field::Bytes(bytes)
            }
            other => panic!("wire type {other}"),
        };
        fields.push((tag >> 3, field));
    }
    fields
}

fn varint(rest: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..).step_by(7) {
        let (byte, after) = rest.split_first().expect("more of a number");
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

fn fixed(rest: &mut &[u8], length: usize) -> u64 {
    let (bytes, after) = rest.split_at(length);
    *rest = after;
    let bytes = bytes.iter().rev();
    bytes.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

impl<'a> Field<'a> {
    fn bytes(self) -> &'a [u8] {
        match self {
            Field::Bytes(bytes) => bytes,
            other @ (Field::Varint(_) | Field::Fixed(_)) => panic!("{other:?} are no bytes"),
        }
    }

    fn text(self) -> String {
        String::from_utf8(self.bytes().to_vec()).expect("UTF-8")
    }

    fn hex(self) -> String {
        let digits = self.bytes().iter().map(|byte| format!("{byte:02x}"));
        digits.collect()
    }

    fn fixed(self) -> u64 {
        match self {
            Field::Fixed(number) => number,
            other @ (Field::Varint(_) | Field::Bytes(_)) => panic!("{other:?} is no fixed number"),
        }
    }

    fn varint(self) -> u64 {
        match self {
            Field::Varint(number) => number,
            other @ (Field::Fixed(_) | Field::Bytes(_)) => panic!("{other:?} is no varint"),
        }
    }
}

/// A span as it was received.
#[derive(Clone, Debug, Default)]
pub(crate) struct Span {
    pub(crate) trace: String,
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    pub(crate) name: String,
    pub(crate) kind: u64,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) attributes: BTreeMap<String, Value>,
    pub(crate) events: Vec<String>,
    /// The traces and spans of its links.
    pub(crate) links: Vec<(String, String)>,
    /// The code and the message of its status.
    pub(crate) status: (u64, String),
    /// The attributes of what it came from.
    pub(crate) resource: BTreeMap<String, Value>,
    pub(crate) schema: String,
}

impl Span {
    pub(crate) fn text(&self, key: &str) -> &str {
        let value = self.attributes.get(key).and_then(Value::as_str);
        value.unwrap_or_else(|| panic!("no {key} in {self:?}"))
    }

    pub(crate) fn number(&self, key: &str) -> i64 {
        let value = self.attributes.get(key).and_then(Value::as_i64);
        value.unwrap_or_else(|| panic!("no {key} in {self:?}"))
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.attributes.contains_key(key)
    }
}

/// The spans in a request, as its head says: packed or not, protobuf or JSON.
pub(crate) fn spans_of(head: &str, body: &[u8]) -> Vec<Span> {
    let mut plain = Vec::new();
    if head.contains("content-encoding: gzip") {
        let mut packed = flate2::read::GzDecoder::new(body);
        packed.read_to_end(&mut plain).expect("gzip");
    } else {
        plain = body.to_vec();
    }
    if head.contains("content-type: application/x-protobuf") {
        return spans_of_protobuf(&plain);
    }
    assert!(head.contains("content-type: application/json"), "{head}");
    spans_of_json(&serde_json::from_slice(&plain).expect("JSON"))
}

/// `ExportTraceServiceRequest`.
fn spans_of_protobuf(request: &[u8]) -> Vec<Span> {
    let mut spans = Vec::new();
    for (number, resource_spans) in fields(request) {
        assert_eq!(number, 1, "resource_spans");
        let mut resource = BTreeMap::new();
        for (number, field) in fields(resource_spans.bytes()) {
            match number {
                1 => resource = attributes(field.bytes(), 1),
                2 => {
                    for (number, field) in fields(field.bytes()) {
                        match number {
                            2 => spans.push(Span {
                                resource: resource.clone(),
                                ..span(field.bytes())
                            }),
                            3 => spans.iter_mut().for_each(|span| span.schema = field.text()),
                            1 => assert_eq!(fields(field.bytes())[0].1.text(), "zoea"),
                            other => panic!("field {other} of ScopeSpans"),
                        }
                    }
                }
                3 => assert!(field.text().starts_with("https://"), "schema_url"),
                other => panic!("field {other} of ResourceSpans"),
            }
        }
    }
    spans
}

fn span(message: &[u8]) -> Span {
    let mut span = Span::default();
    for (number, field) in fields(message) {
        match number {
            1 => span.trace = field.hex(),
            2 => span.id = field.hex(),
            4 => span.parent = Some(field.hex()).filter(|id| !id.is_empty()),
            5 => span.name = field.text(),
            6 => span.kind = field.varint(),
            7 => span.start = field.fixed(),
            8 => span.end = field.fixed(),
            9 => {
                let (key, value) = key_value(field.bytes());
                assert!(span.attributes.insert(key, value).is_none(), "set twice");
            }
            11 => {
                let of = fields(field.bytes());
                assert!(matches!(of[0], (1, Field::Fixed(_))), "time_unix_nano");
                span.events.push(of[1].1.text());
            }
            13 => {
                let of = fields(field.bytes());
                assert_eq!((of[0].0, of[1].0), (1, 2));
                span.links.push((of[0].1.hex(), of[1].1.hex()));
            }
            15 => {
                for (number, field) in fields(field.bytes()) {
                    match number {
                        2 => span.status.1 = field.text(),
                        3 => span.status.0 = field.varint(),
                        other => panic!("field {other} of Status"),
                    }
                }
            }
            16 => assert_eq!(field.fixed(), 1, "flags: sampled"),
            other => panic!("field {other} of Span"),
        }
    }
    span
}

/// The attributes of a message that has them under this number.
fn attributes(message: &[u8], under: u64) -> BTreeMap<String, Value> {
    let all = fields(message).into_iter();
    let all = all.filter(|(number, _)| *number == under);
    all.map(|(_, field)| key_value(field.bytes())).collect()
}

fn key_value(message: &[u8]) -> (String, Value) {
    let (mut key, mut value) = (String::new(), Value::Null);
    for (number, field) in fields(message) {
        match number {
            1 => key = field.text(),
            2 => value = any_value(field.bytes()),
            other => panic!("field {other} of KeyValue"),
        }
    }
    (key, value)
}

fn any_value(message: &[u8]) -> Value {
    let Some((number, field)) = fields(message).into_iter().next() else {
        return Value::Null;
    };
    match number {
        1 => json!(field.text()),
        2 => json!(field.varint() == 1),
        3 => json!(field.varint().cast_signed()),
        4 => json!(f64::from_bits(field.fixed())),
        5 => {
            let values = fields(field.bytes()).into_iter();
            Value::Array(values.map(|(_, value)| any_value(value.bytes())).collect())
        }
        other => panic!("field {other} of AnyValue"),
    }
}

/// The same as JSON, by proto3's mapping and OTLP's hexadecimal ids.
fn spans_of_json(request: &Value) -> Vec<Span> {
    let list = |of: &Value| of.as_array().cloned().unwrap_or_default();
    let text = |of: &Value| of.as_str().expect("a text").to_string();
    let mut spans = Vec::new();
    for resource_spans in list(&request["resourceSpans"]) {
        let resource = attributes_of_json(&resource_spans["resource"]["attributes"]);
        for scope in list(&resource_spans["scopeSpans"]) {
            assert_eq!(scope["scope"]["name"], "zoea");
            for span in list(&scope["spans"]) {
                let links = list(&span["links"]).into_iter();
                let links = links.map(|link| (text(&link["traceId"]), text(&link["spanId"])));
                let events = list(&span["events"]).into_iter();
                let message = span["status"]["message"].as_str().unwrap_or_default();
                spans.push(Span {
                    trace: text(&span["traceId"]),
                    id: text(&span["spanId"]),
                    parent: span["parentSpanId"].as_str().map(ToString::to_string),
                    name: text(&span["name"]),
                    kind: span["kind"].as_u64().expect("a kind"),
                    start: text(&span["startTimeUnixNano"]).parse().expect("a time"),
                    end: text(&span["endTimeUnixNano"]).parse().expect("a time"),
                    attributes: attributes_of_json(&span["attributes"]),
                    events: events.map(|event| text(&event["name"])).collect(),
                    links: links.collect(),
                    status: (
                        span["status"]["code"].as_u64().expect("a code"),
                        message.to_string(),
                    ),
                    resource: resource.clone(),
                    schema: text(&scope["schemaUrl"]),
                });
            }
        }
    }
    spans
}

fn attributes_of_json(list: &Value) -> BTreeMap<String, Value> {
    let list = list.as_array().expect("attributes").iter();
    list.map(|attribute| {
        let key = attribute["key"].as_str().expect("a key");
        (key.to_string(), any_value_of_json(&attribute["value"]))
    })
    .collect()
}

fn any_value_of_json(value: &Value) -> Value {
    let (kind, value) = value
        .as_object()
        .and_then(|of| of.iter().next())
        .expect("one value");
    match kind.as_str() {
        "intValue" => json!(value.as_str().and_then(|text| text.parse::<i64>().ok())),
        "arrayValue" => {
            let values = value["values"].as_array().expect("values").iter();
            Value::Array(values.map(any_value_of_json).collect())
        }
        "stringValue" | "boolValue" | "doubleValue" => value.clone(),
        other => panic!("{other} is not a kind of value"),
    }
}
