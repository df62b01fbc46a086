//! The trees of the inspector: a row of a conversation, and a request to a model.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::dashboard::conversation::transcript::entry::ResultForm;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::Tone;
use crate::dashboard::text::tree::{Fold, Tree, in_short};
use actors::domain::game::GameRef;
use actors::domain::last_request::{MessageChange, SentRequest};
use actors::domain::message::{CallStatus, Row, RowBody};
use actors::domain::result_words::result_in_words;
use zoea_text::clean::one_line;

/// The most bytes of a message that are shown beside its role.
const PREVIEW_BYTES: usize = 100;

pub(super) fn of_row(row: &Row, form: ResultForm) -> Tree {
    let mut tree = Tree::default();
    if form == ResultForm::Raw {
        tree.add_branch("text", "", Tree::of_lines(row.text(), Tone::Text));
        for (place, call) in row.calls().iter().enumerate() {
            let name = format!("call {}", place + 1);
            let raw = format!("{} {} {}", call.name, call.id, call.arguments);
            tree.add_leaf(0, &name, &raw, Tone::Text);
        }
        return tree;
    }
    if let Some((_, text, meta)) = row.result() {
        let words = result_in_words(meta.game, &meta.tool, meta.status, text);
        tree.add_leaf(0, "in words", &words, Tone::Text);
    }
    if let Some(reasoning) = row.utterance().and_then(|words| words.reasoning.as_ref()) {
        let lines = Tree::of_lines(reasoning, Tone::Reasoning);
        tree.add_branch("reasoning", "", lines);
    }
    if !row.text().is_empty() {
        tree.add_branch("text", "", Tree::of_text(row.text()));
    }
    for (place, call) in row.calls().iter().enumerate() {
        let name = format!("call {}", place + 1);
        let about = format!("{} {}", call.name, call.id);
        tree.add_branch(&name, &about, Tree::of_text(&call.arguments));
    }
    let about = about(row);
    if !about.nodes().is_empty() {
        tree.add_branch("about", "", about);
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
        add("took", &figures::took(meta.ms));
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
        add("took", &figures::took(meta.ms));
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

/// Everything that was sent, in words: the difference to the request before, the size of each part, the settings, the
/// messages and the tools.
pub(super) fn of_request(sent: &SentRequest, game: GameRef) -> Tree {
    let mut tree = Tree::default();
    let change = match &sent.change {
        Some(change) => change.describe(),
        None => "nothing to compare: the first one since its process began".to_string(),
    };
    tree.add_leaf(0, "since the request before:", &change, Tone::Text);
    tree.add_branch("size", &size(sent.parts.total_bytes()), sizes(sent));
    let body: Result<Map<String, Value>, _> = serde_json::from_str(&sent.body);
    let Ok(body) = body else {
        tree.add_lines(&sent.body, Tone::Text);
        return tree;
    };
    let is_long = |name: &str| matches!(name, "messages" | "tools");
    for (name, value) in body.iter().filter(|(name, _)| !is_long(name)) {
        let (text, tone) = in_short(value);
        tree.add_leaf(0, name, &text, tone);
    }
    if let Some(Value::Array(messages)) = body.get("messages") {
        let about = format!("[{}]", messages.len());
        tree.add_branch("messages", &about, of_messages(messages, sent, game));
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

fn of_messages(messages: &[Value], sent: &SentRequest, game: GameRef) -> Tree {
    let mut tree = Tree::default();
    let changes = sent.change.as_ref().map(|change| &change.messages);
    // A provider's form may put messages together.
    let changes = changes.filter(|changes| changes.len() == messages.len());
    let mut called: BTreeMap<&str, &str> = BTreeMap::new();
    for (place, message) in messages.iter().enumerate() {
        let content = message["content"].as_str().unwrap_or_default();
        let mut inside = Tree::of_text(content);
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            inside.add_branch("call", "", Tree::of_value(call));
            let name = call["function"]["name"].as_str().unwrap_or_default();
            called.insert(call["id"].as_str().unwrap_or_default(), name);
        }
        let id = message["tool_call_id"].as_str();
        if let Some(id) = id {
            inside.add_leaf(0, "tool_call_id", id, Tone::Value);
        }
        let tool = id.and_then(|id| called.get(id).copied());
        let words = match tool {
            Some(tool) => {
                let words = result_in_words(game, tool, CallStatus::Done, content);
                format!("{tool}: {words}")
            }
            None => words_of_message(message, content),
        };
        let mark = match changes.and_then(|changes| changes.get(place)) {
            Some(MessageChange::Added) => "+",
            Some(MessageChange::Changed) => "~",
            Some(MessageChange::Kept) | None => "",
        };
        let name = format!("{mark}{} {}", place + 1, what_says(message));
        add_closed(&mut tree, &name, &one_line(&words), inside);
    }
    tree
}

fn what_says(message: &Value) -> &str {
    match message["role"].as_str() {
        Some("user") => "order",
        Some("assistant") => "its words",
        Some("tool") => "result",
        role => role.unwrap_or("?"),
    }
}

/// The beginning of a message, and the calls that it makes.
fn words_of_message(message: &Value, content: &str) -> String {
    let begin = &content[..content.floor_char_boundary(PREVIEW_BYTES)];
    let is_cut = begin.len() < content.len();
    let more = if is_cut { "…" } else { "" };
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    let calls = calls.map(|call| {
        let name = call["function"]["name"].as_str().unwrap_or_default();
        let given = call["function"]["arguments"].as_str().unwrap_or_default();
        let given: Map<String, Value> = serde_json::from_str(given).unwrap_or_default();
        let given = given.iter().map(|(name, value)| {
            let (value, _) = in_short(value);
            format!(" {name}={value}")
        });
        format!("⚙ {name}{}", given.collect::<String>())
    });
    let calls: Vec<String> = calls.collect();
    let has_both = !begin.is_empty() && !calls.is_empty();
    let gap = if has_both { "  " } else { "" };
    format!("{begin}{more}{gap}{}", calls.join("  "))
}

fn add_closed(tree: &mut Tree, name: &str, about: &str, inside: Tree) {
    let place = tree.nodes().len();
    tree.add_branch(name, about, inside);
    tree.fold(place, Fold::Closed);
}
