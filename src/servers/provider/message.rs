//! Messages in the forms that servers require (`docs/REQUEST-SHAPE.md`).

use std::borrow::Cow;

use actors::domain::bounds::MAX_REASONING_SENT;
use actors::domain::compose::RUNTIME_NOTE_LINE;
use actors::domain::message::BRIDGE_TEXT;
use actors::domain::model::{ChatCall, ChatMessage, Echo};
use serde::Serialize;
use serde_json::value::RawValue;

use super::echo::{EchoMembers, members_of};
use super::quirks::Style;
use super::thoughts::{KeptReasoning, marked_part, text_part};

/// Stands for reasoning that is demanded and not known. Some servers refuse an empty one.
const BLANK_REASONING: &str = " ";
/// Gemini's mark for a call of another model, as the member of a call.
const NO_SIGNATURE: &str =
    r#"{"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}}"#;

#[derive(Serialize)]
pub(super) struct WireMessage<'a> {
    role: &'static str,
    content: Option<WireContent<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<WireToolCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<Cow<'a, str>>,
    #[serde(flatten)]
    echo: EchoMembers,
    /// The kept reasoning, as the text of a JSON object; empty if there is none.
    #[serde(skip)]
    reasoning: &'a str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum WireContent<'a> {
    Text(Cow<'a, str>),
    /// Reasoning and text, for servers that send both as parts, and texts with marks.
    Parts(Vec<Box<RawValue>>),
}

impl WireContent<'_> {
    fn into_text(self) -> String {
        match self {
            WireContent::Text(text) => text.into_owned(),
            WireContent::Parts(_) => String::new(),
        }
    }
}

#[derive(Serialize)]
struct WireToolCall<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: WireFunction<'a>,
    #[serde(flatten)]
    echo: EchoMembers,
}

#[derive(Serialize)]
struct WireFunction<'a> {
    name: &'a str,
    arguments: &'a str,
}

/// The messages in the form that a server with these requirements accepts. `whom` is the provider
/// and the model that are asked: they alone get their echoes.
pub(super) fn write_messages<'a>(
    messages: &'a [ChatMessage],
    style: &Style,
    whom: (&str, &str),
) -> Vec<WireMessage<'a>> {
    let manners = style.manners;
    let written = messages
        .iter()
        .map(|message| WireMessage::new(message, whom));
    let mut written: Vec<WireMessage<'_>> = written.collect();
    if manners.wants_bridges {
        written = with_bridges(written);
    }
    if manners.wants_single_calls {
        written = with_single_calls(written);
    }
    if manners.wants_short_ids {
        shorten_ids(&mut written);
    }
    add_reasoning(&mut written, style, whom.1);
    if manners.wants_bare_calls {
        let of_calls = written.iter_mut().filter(|one| !one.tool_calls.is_empty());
        of_calls.for_each(|one| one.content = None);
    }
    if manners.has_no_system_role {
        move_system_text(&mut written);
    }
    if manners.wants_signatures {
        mark_unsigned_calls(&mut written);
    }
    if style.marks_cache {
        mark_cache(&mut written);
    }
    written
}

impl<'a> WireMessage<'a> {
    fn new(message: &'a ChatMessage, whom: (&str, &str)) -> WireMessage<'a> {
        match message {
            ChatMessage::System(text) => WireMessage::text("system", text),
            ChatMessage::User(text) => WireMessage::text("user", text),
            ChatMessage::Assistant { text, calls, echo } => {
                let is_own = |echo: &&Echo| (&*echo.provider, &*echo.model) == whom;
                let echo = echo.as_deref().filter(is_own);
                let echoes = echo.map_or(&[][..], |echo| &echo.calls);
                let echoes = echoes.iter().map(|text| &**text);
                let calls = calls.iter().zip(echoes.chain(std::iter::repeat("")));
                WireMessage {
                    content: (!text.is_empty()).then_some(WireContent::Text(Cow::Borrowed(text))),
                    tool_calls: calls
                        .map(|(call, echo)| WireToolCall::new(call, echo))
                        .collect(),
                    echo: echo
                        .map(|echo| members_of(&echo.message))
                        .unwrap_or_default(),
                    reasoning: echo.map_or("", |echo| &echo.reasoning),
                    ..WireMessage::text("assistant", text)
                }
            }
            ChatMessage::Tool { call_id, text } => WireMessage {
                tool_call_id: Some(Cow::Borrowed(call_id)),
                ..WireMessage::text("tool", text)
            },
        }
    }

    fn text(role: &'static str, text: &'a str) -> WireMessage<'a> {
        WireMessage {
            role,
            content: Some(WireContent::Text(Cow::Borrowed(text))),
            reasoning_content: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
            echo: EchoMembers::new(),
            reasoning: "",
        }
    }
}

impl<'a> WireToolCall<'a> {
    fn new(call: &'a ChatCall, echo: &str) -> WireToolCall<'a> {
        WireToolCall {
            echo: members_of(echo),
            id: Cow::Borrowed(&call.id),
            r#type: "function",
            function: WireFunction {
                name: &call.name,
                arguments: &call.arguments,
            },
        }
    }
}

/// Puts a message of the model between each result and a user's message after it.
fn with_bridges(messages: Vec<WireMessage<'_>>) -> Vec<WireMessage<'_>> {
    let mut written: Vec<WireMessage<'_>> = Vec::with_capacity(messages.len());
    for message in messages {
        let is_after_result = written.last().is_some_and(|last| last.role == "tool");
        if is_after_result && message.role == "user" {
            written.push(WireMessage::text("assistant", BRIDGE_TEXT));
        }
        written.push(message);
    }
    written
}

/// Moves the text of the system message to the beginning of the first user message, which follows
/// it.
fn move_system_text(messages: &mut Vec<WireMessage<'_>>) {
    if messages.first().is_none_or(|first| first.role != "system") {
        return;
    }
    let text_of =
        |content: Option<WireContent<'_>>| content.map(WireContent::into_text).unwrap_or_default();
    let system = text_of(messages.remove(0).content);
    if let Some(user) = messages.iter_mut().find(|message| message.role == "user") {
        let text = text_of(user.content.take());
        user.content = Some(WireContent::Text(format!("{system}\n\n{text}").into()));
    }
}

/// Splits each message with several calls into messages with one call, each followed by its result.
/// The text stays with the first.
fn with_single_calls(messages: Vec<WireMessage<'_>>) -> Vec<WireMessage<'_>> {
    let mut written = Vec::with_capacity(messages.len());
    let mut messages = messages.into_iter().peekable();
    while let Some(mut message) = messages.next() {
        if message.tool_calls.len() < 2 {
            written.push(message);
            continue;
        }
        let calls = std::mem::take(&mut message.tool_calls);
        for call in calls {
            // Each call has one result, in the order of the calls.
            let result = messages.next_if(|next| next.tool_call_id.is_some());
            written.push(WireMessage {
                content: message.content.take(),
                tool_calls: vec![call],
                echo: std::mem::take(&mut message.echo),
                reasoning: std::mem::take(&mut message.reasoning),
                ..WireMessage::text("assistant", "")
            });
            written.extend(result);
        }
    }
    written
}

/// Adds the reasoning to the messages of the model that want it back: of the newest ones first. Where
/// it is demanded and not known, a blank stands for it.
fn add_reasoning(messages: &mut [WireMessage<'_>], style: &Style, model: &str) {
    let is_demanded = style.manners.wants_reasoning;
    let mut room = MAX_REASONING_SENT;
    let of_model = messages.iter_mut().filter(|one| one.role == "assistant");
    for message in of_model.rev() {
        let bytes = message.reasoning.len();
        let kept = KeptReasoning::read(message.reasoning).filter(|_| bytes <= room);
        if let Some(kept) = kept.filter(|kept| style.returns(kept, model)) {
            room -= bytes;
            message.take_back(kept);
        }
        let has_own = message.echo.contains_key("reasoning_content");
        message.reasoning_content = (is_demanded && !has_own).then_some(BLANK_REASONING);
    }
}

impl WireMessage<'_> {
    fn take_back(&mut self, kept: KeptReasoning) {
        match kept {
            KeptReasoning::Members(mut members) => self.echo.append(&mut members),
            KeptReasoning::Parts(mut parts) => {
                let text = self.content.take().map(WireContent::into_text);
                parts.extend(text.as_deref().and_then(text_part));
                self.content = Some(WireContent::Parts(parts));
            }
            KeptReasoning::Beginning(tagged) => {
                let text = self.content.take().map(WireContent::into_text);
                let text = tagged + &text.unwrap_or_default();
                self.content = Some(WireContent::Text(text.into()));
            }
        }
    }
}

/// Marks the system message, before which the tools stand, and the last message up to the runtime
/// note, which changes with each request. What is marked is the beginning of the next request.
fn mark_cache(messages: &mut [WireMessage<'_>]) {
    let first = messages.first_mut().filter(|first| first.role == "system");
    if let Some(first) = first {
        first.mark_text();
    }
    let last = messages.last_mut().filter(|last| last.role != "system");
    if let Some(last) = last {
        last.mark_text();
    }
}

impl WireMessage<'_> {
    /// Marks the text up to a runtime note.
    fn mark_text(&mut self) {
        let Some(WireContent::Text(text)) = &self.content else {
            return;
        };
        let note = text.rfind(&format!("\n\n{RUNTIME_NOTE_LINE}"));
        let (kept, note) = text.split_at(note.unwrap_or(text.len()));
        // An empty part would be refused.
        let parts = [marked_part(kept), text_part(note)];
        let is_empty = [kept.trim().is_empty(), note.is_empty()];
        let parts = parts.into_iter().zip(is_empty);
        let parts = parts.filter_map(|(part, is_empty)| part.filter(|_| !is_empty));
        self.content = Some(WireContent::Parts(parts.collect()));
    }
}

/// Marks calls whose first one has no signature, because another model wrote them.
fn mark_unsigned_calls(messages: &mut [WireMessage<'_>]) {
    for message in messages {
        let first = message.tool_calls.first_mut();
        if let Some(call) = first.filter(|call| call.echo.is_empty()) {
            call.echo = members_of(NO_SIGNATURE);
        }
    }
}

/// Nine digits made of an id, so that it is written the same in every request.
fn short_id(id: &str, taken: &[(String, String)]) -> String {
    const COUNT: u64 = 1_000_000_000;
    // FNV-1a.
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mut number = hash % COUNT;
    loop {
        let short = format!("{number:09}");
        if taken.iter().all(|(_, other)| *other != short) {
            return short;
        }
        number = (number + 1) % COUNT;
    }
}

/// Replaces ids by short ones. An id only connects a message with the results right after it.
fn shorten_ids(messages: &mut [WireMessage<'_>]) {
    let mut known: Vec<(String, String)> = Vec::new();
    for message in messages {
        if !message.tool_calls.is_empty() {
            known.clear();
        }
        for call in &mut message.tool_calls {
            let short = short_id(&call.id, &known);
            let long = std::mem::replace(&mut call.id, Cow::Owned(short.clone()));
            known.push((long.into_owned(), short));
        }
        if let Some(id) = &mut message.tool_call_id
            && let Some((_, short)) = known.iter().find(|(long, _)| *long == **id)
        {
            *id = Cow::Owned(short.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use actors::domain::compose::wire_bytes;
    use serde_json::{Value, json};

    use super::*;
    use crate::WireProfile;

    const WHOM: (&str, &str) = ("local", "qwen3");

    fn conversation() -> Vec<ChatMessage> {
        let call = |id: &str, name: &str| ChatCall {
            id: id.into(),
            name: name.into(),
            arguments: "{\"x\":1}".into(),
        };
        let result = |id: &str, text: &str| ChatMessage::Tool {
            call_id: id.into(),
            text: text.into(),
        };
        vec![
            ChatMessage::System("be \"good\"\n".into()),
            ChatMessage::User("é🚀\u{1}".into()),
            ChatMessage::Assistant {
                text: "both".into(),
                calls: vec![call("a:b|c", "mine"), call("functions.dock:0", "dock")],
                echo: None,
            },
            result("a:b|c", "ore"),
            result("functions.dock:0", "docked"),
            ChatMessage::Assistant {
                text: "".into(),
                calls: vec![call("a:b|c", "mine")],
                echo: None,
            },
            result("a:b|c", "more ore"),
            ChatMessage::Assistant {
                text: "done".into(),
                calls: vec![],
                echo: None,
            },
            ChatMessage::User("go on".into()),
        ]
    }

    fn written(manners: WireProfile) -> Vec<Value> {
        let conversation = conversation();
        let written = write_messages(&conversation, &Style::of(manners), WHOM).into_iter();
        written
            .map(|message| serde_json::to_value(message).unwrap())
            .collect()
    }

    #[test]
    fn the_size_that_composition_counts_is_the_size_on_the_wire() {
        let conversation = conversation();
        let style = Style::of(WireProfile::default());
        let json = serde_json::to_string(&write_messages(&conversation, &style, WHOM)).unwrap();
        assert_eq!(wire_bytes(&conversation), json.len(), "{json}");
    }

    #[test]
    fn without_a_system_role_its_text_opens_the_first_user_message() {
        let written = written(WireProfile {
            has_no_system_role: true,
            ..WireProfile::default()
        });
        assert_eq!(written.len(), 8);
        assert_eq!(
            written[0],
            json!({"role": "user", "content": "be \"good\"\n\n\né🚀\u{1}"})
        );
    }

    #[test]
    fn where_reasoning_is_wanted_all_messages_of_the_model_have_a_field_for_it() {
        let written = written(WireProfile {
            wants_reasoning: true,
            ..WireProfile::default()
        });
        for message in written {
            let is_of_model = message["role"] == "assistant";
            let field = message.get("reasoning_content");
            assert_eq!(field, is_of_model.then_some(&json!(" ")), "{message}");
        }
    }

    #[test]
    fn where_words_beside_calls_are_refused_the_calls_are_sent_alone() {
        let written = written(WireProfile {
            wants_bare_calls: true,
            ..WireProfile::default()
        });
        for message in written {
            let has_calls = message.get("tool_calls").is_some();
            assert_eq!(message["content"].is_null(), has_calls, "{message}");
        }
    }

    #[test]
    fn short_ids_join_each_result_to_its_own_call() {
        let written = written(WireProfile {
            wants_short_ids: true,
            ..WireProfile::default()
        });
        let of = |message: usize, call: usize| written[message]["tool_calls"][call]["id"].clone();
        let ids = [of(2, 0), of(2, 1), of(5, 0)];
        assert_eq!(ids, ["610212277", "532987901", "610212277"]);
        let answered = [3, 4, 6].map(|place| written[place]["tool_call_id"].clone());
        assert_eq!(answered, ids);
    }

    #[test]
    fn where_one_call_a_message_is_taken_each_stands_before_its_result() {
        let written = written(WireProfile {
            wants_single_calls: true,
            ..WireProfile::default()
        });
        let sketch: Vec<(&str, &Value, usize)> = written
            .iter()
            .map(|message| {
                let calls = message["tool_calls"].as_array().map_or(0, Vec::len);
                (
                    message["role"].as_str().unwrap(),
                    &message["content"],
                    calls,
                )
            })
            .collect();
        let text = |text: &str| json!(text);
        assert_eq!(
            sketch[2..6],
            [
                ("assistant", &text("both"), 1),
                ("tool", &text("ore"), 0),
                ("assistant", &Value::Null, 1),
                ("tool", &text("docked"), 0),
            ]
        );
        assert_eq!(written.len(), 10);
    }
}
