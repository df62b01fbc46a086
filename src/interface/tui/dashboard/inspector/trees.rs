//! The trees of the inspector: a row of a conversation, and a request to a model.

use serde_json::{Map, Value};

use crate::dashboard::text::figures;
use crate::dashboard::text::tone::Tone;
use crate::dashboard::text::tree::{Fold, Tree, in_short};
use actors::domain::last_request::SentRequest;
use actors::domain::message::{Row, RowBody};
use zoea_text::clean::one_line;

/// The most bytes of a message that are shown beside its role.
const PREVIEW_BYTES: usize = 100;

/// Everything that a row holds.
pub(super) fn of_row(row: &Row) -> Tree {
    let mut tree = Tree::default();
    if let Some(reasoning) = row.utterance().and_then(|words| words.reasoning.as_ref()) {
        let mut inside = Tree::default();
        inside.add_lines(0, reasoning, Tone::Reasoning);
        tree.add_branch(0, "reasoning", "", inside);
    }
    if !row.text().is_empty() {
        tree.add_branch(0, "text", "", Tree::of_text(row.text()));
    }
    for (place, call) in row.calls().iter().enumerate() {
        let name = format!("call {}", place + 1);
        let about = format!("{} {}", call.name, call.id);
        tree.add_branch(0, &name, &about, Tree::of_text(&call.arguments));
    }
    let about = about(row);
    if !about.nodes().is_empty() {
        tree.add_branch(0, "about", "", about);
    }
    tree
}

fn about(row: &Row) -> Tree {
    let mut tree = Tree::default();
    let mut add = |name: &str, text: &str| {
        if !text.is_empty() {
            tree.add_leaf(0, name, text, Tone::Value);
        }
    };
    if let Some(words) = row.utterance() {
        let meta = &words.meta;
        add("provider", &meta.provider);
        add("model", &meta.model);
        add("took", &figures::span(meta.ms));
        if let Some(usage) = meta.usage {
            add("tokens in", &usage.input.to_string());
            add("of them cached", &usage.cached.to_string());
            add("tokens out", &usage.output.to_string());
        }
        add(
            "stopped because of",
            meta.finish_reason.as_deref().unwrap_or_default(),
        );
        add("had seen up to", &format!("#{}", words.seen_up_to));
    }
    if let Some((call, _, meta)) = row.result() {
        add("answers call", &format!("#{call} {}", meta.call_id));
        add("outcome", meta.status.as_str());
        add("took", &figures::span(meta.ms));
        add("size", &figures::size(meta.bytes));
        add(
            "tick",
            &meta.tick.map(|tick| tick.to_string()).unwrap_or_default(),
        );
    }
    if let RowBody::Host { meta, .. } = &row.body {
        add("severity", meta.severity.as_str());
        add("code", &meta.code);
    }
    tree
}

/// Everything that was sent: the size of each part, the settings, the messages and the tools.
pub(super) fn of_request(sent: &SentRequest) -> Tree {
    let mut tree = Tree::default();
    tree.add_branch(0, "size", &size(sent.parts.total_bytes()), sizes(sent));
    let body: Result<Map<String, Value>, _> = serde_json::from_str(&sent.body);
    let Ok(body) = body else {
        tree.add_lines(0, &sent.body, Tone::Text);
        return tree;
    };
    let is_long = |name: &str| matches!(name, "messages" | "tools");
    for (name, value) in body.iter().filter(|(name, _)| !is_long(name)) {
        let (text, tone) = in_short(value);
        tree.add_leaf(0, name, &text, tone);
    }
    if let Some(Value::Array(messages)) = body.get("messages") {
        let about = format!("[{}]", messages.len());
        tree.add_branch(0, "messages", &about, of_messages(messages));
    }
    if let Some(tools @ Value::Array(offered)) = body.get("tools") {
        let about = format!("[{}]", offered.len());
        add_closed(&mut tree, "tools", &about, Tree::of_value(tools));
    }
    tree
}

fn size(bytes: usize) -> String {
    figures::size(bytes as u64)
}

fn sizes(sent: &SentRequest) -> Tree {
    let mut tree = Tree::default();
    for (name, bytes) in sent.parts.named_sizes() {
        tree.add_leaf(0, name, &size(bytes), Tone::Number);
    }
    tree
}

fn of_messages(messages: &[Value]) -> Tree {
    let mut tree = Tree::default();
    for (place, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or("?");
        let name = format!("{} {role}", place + 1);
        let content = message["content"].as_str().unwrap_or_default();
        let mut inside = Tree::of_text(content);
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            inside.add_branch(0, "call", "", Tree::of_value(call));
        }
        let id = message["tool_call_id"].as_str();
        if let Some(id) = id {
            inside.add_leaf(0, "tool_call_id", id, Tone::Value);
        }
        add_closed(&mut tree, &name, &message_preview(message, content), inside);
    }
    tree
}

/// The beginning of a message, or the tools that it calls.
fn message_preview(message: &Value, content: &str) -> String {
    let calls = message["tool_calls"].as_array();
    let names: Vec<&str> = calls
        .into_iter()
        .flatten()
        .filter_map(|call| call["function"]["name"].as_str())
        .collect();
    let begin = &content[..content.floor_char_boundary(PREVIEW_BYTES)];
    let more = if begin.len() < content.len() {
        "…"
    } else {
        ""
    };
    let gap = if begin.is_empty() || names.is_empty() {
        ""
    } else {
        "  "
    };
    one_line(&format!("{begin}{more}{gap}{}", names.join(", ")))
}

fn add_closed(tree: &mut Tree, name: &str, about: &str, inside: Tree) {
    let place = tree.nodes().len();
    tree.add_branch(0, name, about, inside);
    tree.fold(place, Fold::Closed);
}
