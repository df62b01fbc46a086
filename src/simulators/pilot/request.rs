//! A chat request as the pilot reads it: the conversation, the offered tools, the room for an
//! answer.
//!
//! Reading never fails; parts that make no sense are left out. `validate` says whether a request is
//! valid.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use zoea_spacemolt::commands;

use super::tools::{ToolArguments, ToolList};

/// The tool with which a caller finds further tools, which it may call though they are not offered.
pub(super) const FIND_TOOLS: &str = "zoea_find_tools";

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PilotRequest<'a> {
    pub entries: Vec<ChatEntry<'a>>,
    pub tools: Vec<&'a str>,
    /// What the offered tools say of their arguments.
    pub arguments: Arc<ToolArguments>,
    /// Whether the tools are those of the game's second interface. They are named as the first's.
    pub is_grouped: bool,
    /// The demand of `tool_choice`.
    pub choice: ToolChoice<'a>,
    /// The largest number of tokens in the answer.
    pub max_tokens: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatEntry<'a> {
    /// A system (or developer) message.
    System(Cow<'a, str>),
    User(Cow<'a, str>),
    Assistant {
        /// The words; they may be empty beside calls.
        text: Cow<'a, str>,
        calls: Vec<ConversationCall<'a>>,
    },
    /// A tool result, joined to the call that it answers.
    Result {
        /// The call. Its texts are empty where none was found.
        asked: ConversationCall<'a>,
        text: Cow<'a, str>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConversationCall<'a> {
    /// The id that joins call and result.
    pub id: &'a str,
    pub tool: &'a str,
    pub arguments: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolChoice<'a> {
    #[default]
    Auto,
    /// Words only.
    Never,
    Required,
    Named(&'a str),
}

impl<'a> PilotRequest<'a> {
    pub fn read(body: &'a Value) -> Self {
        let mut entries = Vec::new();
        for message in array_elements(&body["messages"]) {
            read_message(message, &mut entries);
        }
        Self {
            entries,
            tools: array_elements(&body["tools"])
                .filter_map(|tool| tool["function"]["name"].as_str())
                .collect(),
            arguments: Arc::new(ToolArguments::read(&body["tools"])),
            is_grouped: false,
            choice: read_choice(&body["tool_choice"]),
            max_tokens: [&body["max_completion_tokens"], &body["max_tokens"]]
                .into_iter()
                .find_map(Value::as_u64),
        }
    }

    /// The request with the tools of a list that was read separately.
    #[must_use]
    pub fn offering(self, list: &'a ToolList) -> Self {
        Self {
            tools: list.offered_names().collect(),
            arguments: Arc::clone(&list.arguments),
            ..self
        }
    }

    /// Whether the name of an argument of this tool stands in the request: in the tool's schema or
    /// in what was said. Nobody can know it otherwise. The second interface's are taken as known.
    pub fn names_argument(&self, tool: &str, argument: &str) -> bool {
        self.is_grouped || self.arguments.describe(tool, argument) || self.says(argument)
    }

    pub fn says(&self, words: &str) -> bool {
        self.entries.iter().any(|entry| match entry {
            ChatEntry::System(text) | ChatEntry::User(text) | ChatEntry::Result { text, .. } => {
                text.contains(words)
            }
            ChatEntry::Assistant { text, calls } => {
                text.contains(words) || calls.iter().any(|call| call.arguments.contains(words))
            }
        })
    }

    /// Whether the request offers the tool, or a search for tools found it.
    pub fn offers(&self, tool: &str) -> bool {
        self.choice != ToolChoice::Never && (self.tools.contains(&tool) || self.found(tool))
    }

    /// Whether the answer to a search names the tool: at the beginning of a line, or as an action of
    /// the tool there.
    fn found(&self, tool: &str) -> bool {
        let names_it = |line: &str| {
            let end = line.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')));
            let (name, rest) = line.split_at(end.unwrap_or(line.len()));
            let action = rest.split_once(r#"{"action":""#).map(|(_, rest)| rest);
            let action = action.and_then(|rest| rest.split_once('"'));
            match action.and_then(|(action, _)| commands::find_action(name, action)) {
                Some(action) => action.command == tool,
                None => name == tool,
            }
        };
        self.entries.iter().any(|entry| match entry {
            ChatEntry::Result { asked, text } if asked.tool == FIND_TOOLS => {
                text.lines().skip(1).any(names_it)
            }
            ChatEntry::Result { .. }
            | ChatEntry::System(_)
            | ChatEntry::User(_)
            | ChatEntry::Assistant { .. } => false,
        })
    }

    /// The entries after the newest user message.
    pub fn turn(&self) -> &[ChatEntry<'a>] {
        let start = self
            .entries
            .iter()
            .rposition(|entry| matches!(entry, ChatEntry::User(_)))
            .map_or(0, |owner| owner + 1);
        &self.entries[start..]
    }

    pub fn system_texts(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter_map(|entry| match entry {
            ChatEntry::System(text) => Some(text.as_ref()),
            ChatEntry::User(_) | ChatEntry::Assistant { .. } | ChatEntry::Result { .. } => None,
        })
    }

    pub fn user_texts(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().rev().filter_map(|entry| match entry {
            ChatEntry::User(text) => Some(text.as_ref()),
            ChatEntry::System(_) | ChatEntry::Assistant { .. } | ChatEntry::Result { .. } => None,
        })
    }
}

/// The elements of an array; none for any other value.
fn array_elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Adds the entries of a message. A host merges messages that follow one another, and puts its own
/// note at the end.
fn read_message<'a>(message: &'a Value, entries: &mut Vec<ChatEntry<'a>>) {
    let text = content_text(&message["content"]);
    let (text, note) = match message["role"].as_str() {
        Some("user" | "tool") => split_runtime_note(text),
        Some(_) | None => (text, None),
    };
    match message["role"].as_str() {
        Some("system" | "developer") => entries.push(ChatEntry::System(text)),
        Some("user") if text.is_empty() && note.is_some() => {}
        Some("user") => entries.extend(read_orders(text)),
        Some("assistant") => entries.push(ChatEntry::Assistant {
            text,
            calls: array_elements(&message["tool_calls"])
                .map(read_call)
                .collect(),
        }),
        Some("tool") => {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let asked = find_call(id, entries).unwrap_or(ConversationCall {
                id,
                ..ConversationCall::default()
            });
            entries.push(ChatEntry::Result { asked, text });
        }
        Some(_) | None => {}
    }
    entries.extend(note.map(ChatEntry::System));
}

/// The lines around what a role says, which is a standing text like a prompt, and no order.
const ROLE_LINES: [&str; 2] = ["[your role]", "[end of your role]"];

/// The paragraphs of a user's message.
fn read_orders(text: Cow<'_, str>) -> Vec<ChatEntry<'_>> {
    let mut is_of_role = false;
    let mut entries = Vec::new();
    for paragraph in split_paragraphs(text) {
        is_of_role |= paragraph.starts_with(ROLE_LINES[0]);
        let is_last = paragraph.ends_with(ROLE_LINES[1]);
        entries.push(match is_of_role {
            true => ChatEntry::System(paragraph),
            false => ChatEntry::User(paragraph),
        });
        is_of_role &= !is_last;
    }
    entries
}

/// The first line of the runtime's note. It tells the model that the note is no order.
pub(super) const RUNTIME_NOTE_LINE: &str = "[from the runtime, not an order]";

/// Splits a text into the text before the runtime's note, and the note.
fn split_runtime_note(text: Cow<'_, str>) -> (Cow<'_, str>, Option<Cow<'_, str>>) {
    let Some(at) = text.rfind(RUNTIME_NOTE_LINE) else {
        return (text, None);
    };
    if at > 0 && !text[..at].ends_with("\n\n") {
        return (text, None);
    }
    let kept = text[..at].trim_end().len();
    match text {
        Cow::Borrowed(text) => (text[..kept].into(), Some(text[at..].into())),
        Cow::Owned(mut text) => {
            let note = text.split_off(at);
            text.truncate(kept);
            (text.into(), Some(note.into()))
        }
    }
}

/// The parts of a text between blank lines, or the whole text where it has none.
fn split_paragraphs(text: Cow<'_, str>) -> Vec<Cow<'_, str>> {
    match text {
        Cow::Borrowed(text) => text.split("\n\n").map(Cow::Borrowed).collect(),
        Cow::Owned(text) => {
            let parts = text.split("\n\n");
            parts.map(|part| Cow::Owned(part.to_owned())).collect()
        }
    }
}

fn read_call(call: &Value) -> ConversationCall<'_> {
    let function = &call["function"];
    ConversationCall {
        id: call["id"].as_str().unwrap_or_default(),
        tool: function["name"].as_str().unwrap_or_default(),
        arguments: function["arguments"].as_str().unwrap_or_default(),
    }
}

/// The call with this id in the newest assistant message with calls.
fn find_call<'a>(id: &str, before: &[ChatEntry<'a>]) -> Option<ConversationCall<'a>> {
    before.iter().rev().find_map(|entry| match entry {
        ChatEntry::Assistant { calls, .. } => calls.iter().find(|asked| asked.id == id).copied(),
        ChatEntry::System(_) | ChatEntry::User(_) | ChatEntry::Result { .. } => None,
    })
}

fn content_text(content: &Value) -> Cow<'_, str> {
    match content.as_str() {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(
            array_elements(content)
                .filter_map(|part| part["text"].as_str())
                .collect::<Vec<_>>()
                .join("\n"),
        ),
    }
}

fn read_choice(choice: &Value) -> ToolChoice<'_> {
    match choice.as_str() {
        Some("none") => ToolChoice::Never,
        Some("required") => ToolChoice::Required,
        Some(_) => ToolChoice::Auto,
        None => choice["function"]["name"]
            .as_str()
            .map_or(ToolChoice::Auto, ToolChoice::Named),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_is_joined_to_its_call() {
        let body = json!({
            "messages": [
                {"role": "system", "content": "s"},
                {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "1", "type": "function", "function": {"name": "mine", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": "1", "content": "x"},
                {"role": "tool", "tool_call_id": "2", "content": "y"},
            ],
            "tools": [{"type": "function", "function": {"name": "mine"}}, 7],
            "tool_choice": {"type": "function", "function": {"name": "mine"}},
            "max_tokens": 9,
        });
        let mine = ConversationCall {
            id: "1",
            tool: "mine",
            arguments: "{}",
        };
        let turn = vec![
            ChatEntry::Assistant {
                text: "".into(),
                calls: vec![mine],
            },
            ChatEntry::Result {
                asked: mine,
                text: "x".into(),
            },
            ChatEntry::Result {
                asked: ConversationCall {
                    id: "2",
                    ..ConversationCall::default()
                },
                text: "y".into(),
            },
        ];
        let request = PilotRequest::read(&body);
        assert_eq!(request.turn(), turn);
        assert_eq!(request.user_texts().collect::<Vec<_>>(), ["a\nb"]);
        assert_eq!(request.tools, ["mine"]);
        assert_eq!(request.choice, ToolChoice::Named("mine"));
        assert_eq!(request.max_tokens, Some(9));
    }

    #[test]
    fn what_the_runtime_says_is_told_apart_and_begins_no_turn() {
        let note = "[from the runtime, not an order]\n- get_status (3 ticks ago)";
        let call = json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "mine", "arguments": "{}"}}]});
        let body = json!({"messages": [
            {"role": "user", "content": format!("mine\n\nsell\n\n{note}")},
            call,
            {"role": "tool", "tool_call_id": "1", "content": format!("{{}}\n\n{note}")},
        ]});
        let request = PilotRequest::read(&body);
        assert_eq!(request.user_texts().collect::<Vec<_>>(), ["sell", "mine"]);
        assert_eq!(request.system_texts().collect::<Vec<_>>(), [note, note]);
        let results = request.turn().iter().filter_map(|entry| match entry {
            ChatEntry::Result { text, .. } => Some(text.as_ref()),
            ChatEntry::System(_) | ChatEntry::User(_) | ChatEntry::Assistant { .. } => None,
        });
        assert_eq!(results.collect::<Vec<_>>(), ["{}"]);
        let body = json!({"messages": [{"role": "user", "content": note}]});
        assert_eq!(
            PilotRequest::read(&body).entries,
            [ChatEntry::System(note.into())]
        );
    }

    #[test]
    fn nonsense_is_left_out() {
        for body in [
            json!(null),
            json!([]),
            json!({"messages": 1, "tools": {}}),
            json!({"messages": [1, {"role": 2}]}),
        ] {
            assert_eq!(PilotRequest::read(&body), PilotRequest::default());
        }
    }
}
