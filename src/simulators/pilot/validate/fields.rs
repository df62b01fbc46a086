//! The scalar settings of a request: their types and ranges.

use serde_json::{Map, Value};

use super::RequestRefusal;

type FieldRule = (&'static str, fn(&Value) -> bool, &'static str);

/// The rule of each field. A field that is absent or null is always valid.
const FIELD_RULES: &[FieldRule] = &[
    (
        "temperature",
        |value| is_within(value, 0.0, 2.0),
        "a number from 0 to 2",
    ),
    (
        "top_p",
        |value| is_within(value, 0.0, 1.0),
        "a number from 0 to 1",
    ),
    (
        "presence_penalty",
        |value| is_within(value, -2.0, 2.0),
        "a number from -2 to 2",
    ),
    (
        "frequency_penalty",
        |value| is_within(value, -2.0, 2.0),
        "a number from -2 to 2",
    ),
    ("max_tokens", is_count, "an integer of at least 1"),
    (
        "max_completion_tokens",
        is_count,
        "an integer of at least 1",
    ),
    (
        "n",
        |value| value.as_u64() == Some(1),
        "1: this server answers with one choice",
    ),
    (
        "seed",
        |value| value.is_i64() || value.is_u64(),
        "an integer",
    ),
    ("stream", Value::is_boolean, "a boolean"),
    (
        "stream_options",
        are_stream_options,
        "an object that may hold the boolean 'include_usage'",
    ),
    ("user", Value::is_string, "a string"),
    (
        "stop",
        is_stop,
        "a string or a list of at most four strings",
    ),
];

/// Checks the fields in the order of the table, then those that exclude or need each other.
pub(super) fn check_fields(body: &Map<String, Value>) -> Result<(), RequestRefusal> {
    let given = |field: &str| body.get(field).filter(|value| !value.is_null());
    for (field, is_right, expected) in FIELD_RULES {
        if given(field).is_some_and(|value| !is_right(value)) {
            return Err(RequestRefusal::at(
                *field,
                format!("Invalid '{field}': expected {expected}."),
            ));
        }
    }
    if given("stream_options").is_some() && body.get("stream") != Some(&Value::Bool(true)) {
        return Err(RequestRefusal::at(
            "stream_options",
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        ));
    }
    if given("max_tokens").is_some() && given("max_completion_tokens").is_some() {
        return Err(RequestRefusal::at(
            "max_tokens",
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
        ));
    }
    Ok(())
}

fn is_within(value: &Value, least: f64, most: f64) -> bool {
    value
        .as_f64()
        .is_some_and(|number| (least..=most).contains(&number))
}

fn is_count(value: &Value) -> bool {
    value.as_u64().is_some_and(|number| number >= 1)
}

fn are_stream_options(value: &Value) -> bool {
    value.as_object().is_some_and(|options| {
        options
            .get("include_usage")
            .is_none_or(|wanted| wanted.is_boolean() || wanted.is_null())
    })
}

fn is_stop(value: &Value) -> bool {
    value.is_string()
        || value
            .as_array()
            .is_some_and(|stops| stops.len() <= 4 && stops.iter().all(Value::is_string))
}
