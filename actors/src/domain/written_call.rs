//! Calls that a model writes into its words, where its server does not read them.

mod literals;
mod notation;
mod schema;

use serde_json::Value;

use crate::bounds;
use crate::model::RequestedCall;
use crate::tool::Toolset;

pub use notation::{WrittenCall, parse_calls};

pub const WRITTEN_CALLS_ADVICE: &str = "start its server so that it reads the model's calls \
     (llama.cpp: --jinja; vLLM: --enable-auto-tool-choice and the --tool-call-parser of the model; \
     others: a chat template with tools), or choose another model";
/// What helps where a model makes no calls.
pub const WORDS_ALONE_ADVICE: &str = "choose a model that is made to call tools";

const MAX_TEXT_BYTES: usize = 64 << 10;
/// The most bytes of what the model is told of a call that does not fit. It quotes the call.
const MAX_OBJECTION_BYTES: usize = 1 << 10;

const CALL_SIGNS: [&str; 12] = [
    "<tool_call",
    "<|tool_call",
    "[TOOL_CALL",
    "<function",
    "<|python_tag|>",
    "<invoke",
    "<|channel|>",
    "```json",
    "```tool",
    "\"arguments\"",
    "\"parameters\"",
    "\"name\"",
];

#[derive(Clone, Debug, PartialEq)]
pub enum WrittenText {
    Words,
    /// Nothing but calls of tools that are offered, with arguments by their schemas.
    Calls(Vec<RequestedCall>),
    /// Nothing but calls, and one of them cannot be made. So none of them is.
    Unfit {
        calls: Vec<RequestedCall>,
        /// What the model is told.
        why: String,
    },
}

/// Reads the text of an answer without calls, for calls of these tools. Only the text itself counts,
/// and all of it: what a model quotes or considers is no call. It depends on nothing else, so the
/// stored answer gives the same calls again.
pub fn read_text(text: &str, finish_reason: Option<&str>, tools: &Toolset) -> WrittenText {
    // A text that was cut may lack the half of its calls.
    let is_cut = finish_reason == Some("length") || text.len() > MAX_TEXT_BYTES;
    if is_cut || tools.tools().is_empty() {
        return WrittenText::Words;
    }
    let Some(written) = parse_calls(text) else {
        return WrittenText::Words;
    };
    if written
        .iter()
        .all(|call| tools.resolve_name(&call.name).is_none())
    {
        return WrittenText::Words;
    }
    let mut objection = None;
    let mut calls = Vec::with_capacity(written.len());
    for call in written {
        let (call, why) = fitted_call(call, tools);
        objection = objection.or(why);
        calls.push(RequestedCall::from(call));
    }
    match objection {
        None => WrittenText::Calls(calls),
        Some(why) => {
            let why = bounds::bounded_text(why, MAX_OBJECTION_BYTES);
            WrittenText::Unfit {
                calls,
                why: format!(
                    "Error: unfit_call: {why}. Your calls came as text, and none of them was made. \
                     Make them again as tool calls, with tools of the list and arguments by their \
                     schemas."
                ),
            }
        }
    }
}

/// The call with its arguments as its tool's schema has them, and why it cannot be made.
fn fitted_call(mut call: WrittenCall, tools: &Toolset) -> (WrittenCall, Option<String>) {
    let Some(tool) = tools.resolve_name(&call.name) else {
        let why = format!("there is no tool called {}", call.name);
        return (call, Some(why));
    };
    let schema: Value = serde_json::from_str(&tool.schema).unwrap_or_default();
    if call.are_texts {
        call.arguments = schema::typed_arguments(call.arguments, &schema);
    }
    let why = schema::mismatch(&call.arguments, &schema);
    let why = why.map(|why| format!("the arguments of {} do not fit: {why}", call.name));
    (call, why)
}
pub fn reads_like_a_call<'a>(text: &str, tools: impl IntoIterator<Item = &'a str>) -> bool {
    let is_signed = CALL_SIGNS.iter().any(|sign| text.contains(sign));
    tools
        .into_iter()
        .any(|tool| text.contains(tool) && (is_signed || text.contains(&format!("{tool}("))))
}

#[cfg(test)]
mod tests;
