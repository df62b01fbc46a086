//! Notations: how models write calls into their words. A text is read as calls only if all of it is
//! calls, with their tags, fences and separators. Nothing is repaired.

use serde_json::{Map, Value};

use super::literals::{python_arguments, take_identifier, take_json};
use crate::bounds::{self, MAX_ARGUMENTS_BYTES};
use crate::model::RequestedCall;

const MAX_CALLS_READ: usize = 256;

/// What may stand around calls and says nothing itself.
const MARKS: [&str; 23] = [
    "<tool_call>",
    "</tool_call>",
    "<tool_calls>",
    "</tool_calls>",
    "<tools>",
    "</tools>",
    "<function_calls>",
    "</function_calls>",
    "<|tool_call|>",
    "<|tool_calls|>",
    "<|python_tag|>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|im_end|>",
    "[/TOOL_CALLS]",
    "```json",
    "```tool_call",
    "```tool_code",
    "```xml",
    "```",
    ",",
    ";",
    "<|call|>",
];

/// What opens Mistral's calls: a list, or a name with its arguments.
const MISTRAL_CALLS: &str = "[TOOL_CALLS]";
/// What stands between the name and the arguments of Mistral's newer calls.
const MISTRAL_ARGUMENTS: &str = "[ARGS]";

/// What opens a call whose end may be missing.
const COMMENTARY: &str = "commentary to=functions.";

#[derive(Clone, Debug, PartialEq)]
pub struct WrittenCall {
    pub name: String,
    pub arguments: Map<String, Value>,
    /// Whether the notation has texts only, so that the schema says what each of them is.
    pub are_texts: bool,
}

impl WrittenCall {
    fn new(name: &str, arguments: Map<String, Value>, are_texts: bool) -> WrittenCall {
        WrittenCall {
            name: name.to_string(),
            arguments,
            are_texts,
        }
    }
}

impl From<WrittenCall> for RequestedCall {
    fn from(call: WrittenCall) -> RequestedCall {
        RequestedCall {
            id: String::new(),
            name: bounds::bounded_name(call.name),
            arguments: bounds::bounded_arguments(
                Value::Object(call.arguments).to_string(),
                MAX_ARGUMENTS_BYTES,
            ),
        }
    }
}

/// The calls of a text that is nothing but calls; `None` for any other text.
pub fn parse_calls(text: &str) -> Option<Vec<WrittenCall>> {
    let mut calls = Vec::new();
    let mut rest = skip_marks(text);
    while !rest.is_empty() {
        rest = skip_marks(take_calls(rest, &mut calls)?);
        if calls.len() > MAX_CALLS_READ {
            return None;
        }
    }
    (!calls.is_empty()).then_some(calls)
}

fn skip_marks(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(after) = MARKS.iter().find_map(|mark| rest.strip_prefix(mark)) {
        rest = after.trim_start();
    }
    rest
}

/// Takes the calls at the beginning of a text. Returns the rest.
fn take_calls<'a>(text: &'a str, calls: &mut Vec<WrittenCall>) -> Option<&'a str> {
    if let Some(rest) = text.strip_prefix("<function=") {
        return take_function(rest, calls);
    }
    if let Some(rest) = text.strip_prefix("<invoke name=") {
        return take_invocation(rest, calls);
    }
    if let Some(rest) = text.strip_prefix(COMMENTARY) {
        let (name, rest) = take_identifier(rest)?;
        let rest = rest.trim_start().trim_start_matches("<|constrain|>");
        let rest = rest.strip_prefix("json").unwrap_or(rest);
        return take_named(name, rest.trim_start_matches("<|message|>"), calls);
    }
    let (is_marked, text) = match text.strip_prefix(MISTRAL_CALLS) {
        Some(after) => (true, after.trim_start()),
        None => (false, text),
    };
    match text.chars().next()? {
        '{' => {
            let (value, rest) = take_json(text)?;
            calls.push(call_of_object(value)?);
            Some(rest)
        }
        '[' => take_list(text, calls),
        // A name and an object without any mark is how a result is quoted, too.
        _ => {
            let (name, rest) = take_identifier(text)?;
            let arguments = rest.strip_prefix(MISTRAL_ARGUMENTS);
            let arguments = arguments.or(is_marked.then_some(rest))?;
            take_named(name, arguments, calls)
        }
    }
}

fn take_named<'a>(name: &str, text: &'a str, calls: &mut Vec<WrittenCall>) -> Option<&'a str> {
    let (value, rest) = take_json(text.trim_start())?;
    let Value::Object(arguments) = value else {
        return None;
    };
    calls.push(WrittenCall::new(name, arguments, false));
    Some(rest)
}

/// Takes a list: of objects, or of calls in Python's notation.
fn take_list<'a>(text: &'a str, calls: &mut Vec<WrittenCall>) -> Option<&'a str> {
    if let Some((Value::Array(list), rest)) = take_json(text) {
        if list.is_empty() {
            return None;
        }
        for value in list {
            calls.push(call_of_object(value)?);
        }
        return Some(rest);
    }
    let mut rest = text.strip_prefix('[')?.trim_start();
    loop {
        let (name, after) = take_identifier(rest)?;
        let (arguments, after) = python_arguments(after)?;
        calls.push(WrittenCall::new(name, arguments, false));
        let after = after.trim_start();
        if let Some(rest) = after.strip_prefix(']') {
            return Some(rest);
        }
        rest = after.strip_prefix(',')?.trim_start();
    }
}

/// Takes `name>{…}</function>`, `name={…}</function>`, or parameters in tags of their own.
fn take_function<'a>(text: &'a str, calls: &mut Vec<WrittenCall>) -> Option<&'a str> {
    const END: &str = "</function>";
    let (name, rest) = take_identifier(text)?;
    let rest = rest.strip_prefix(['>', '=']).unwrap_or(rest).trim_start();
    if rest.starts_with('{') {
        let rest = take_named(name, rest, calls)?.trim_start();
        return Some(rest.strip_prefix(END).unwrap_or(rest));
    }
    let (arguments, rest) = take_parameters(rest, "<parameter=")?;
    calls.push(WrittenCall::new(name, arguments, true));
    rest.strip_prefix(END)
}

/// Takes `"name"><parameter name="k">v</parameter></invoke>`.
fn take_invocation<'a>(text: &'a str, calls: &mut Vec<WrittenCall>) -> Option<&'a str> {
    let (name, rest) = text.strip_prefix('"')?.split_once("\">")?;
    let (arguments, rest) = take_parameters(rest.trim_start(), "<parameter name=")?;
    calls.push(WrittenCall::new(name, arguments, true));
    rest.strip_prefix("</invoke>")
}

/// Takes parameters in tags. Their values are texts.
fn take_parameters<'a>(text: &'a str, opening: &str) -> Option<(Map<String, Value>, &'a str)> {
    let mut arguments = Map::new();
    let mut rest = text.trim_start();
    while let Some(after) = rest.strip_prefix(opening) {
        let (key, after) = after.split_once('>')?;
        let (value, after) = after.split_once("</parameter>")?;
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        let key = key.trim_matches('"').to_string();
        if arguments.insert(key, Value::from(value)).is_some() {
            return None;
        }
        rest = after.trim_start();
    }
    Some((arguments, rest))
}

/// The call in an object: a name and arguments, under the words that models use for them.
fn call_of_object(value: Value) -> Option<WrittenCall> {
    let Value::Object(mut members) = value else {
        return None;
    };
    if let Some(inner @ Value::Object(_)) = members.get("function") {
        return call_of_object(inner.clone());
    }
    let mut take = |keys: &[&str]| keys.iter().find_map(|key| members.remove(*key));
    let Some(Value::String(name)) = take(&["name", "call", "function"]) else {
        return None;
    };
    let arguments = match take(&["arguments", "parameters"])? {
        Value::Object(arguments) => arguments,
        Value::String(text) => serde_json::from_str(&text).ok()?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => return None,
    };
    let is_known = |key: &String| matches!(key.as_str(), "id" | "type");
    let call = WrittenCall::new(&name, arguments, false);
    members.keys().all(is_known).then_some(call)
}
