//! The request that a Mysis last sent to its model, for the operator.
//!
//! What is kept are the parts of the request, most of which the conversation and other Myses share.
//! The adapter that sent it serializes it again with the same function. It is not composed again.

use std::sync::Arc;

use zoea_text::figures::group_digits;
use zoea_text::names::{listed, plural};

use super::bounds::estimated_tokens;
use super::compose::wire_bytes;
use super::ids::Timestamp;
use super::model::{ChatMessage, ModelRequest};
use super::tool::{ToolSpec, Toolset};

#[derive(Clone, Debug)]
pub struct LastRequest {
    pub at: Timestamp,
    pub request: ModelRequest,
    /// How it differs from the one before; `None` if there was none.
    pub change: Option<RequestChange>,
}

impl LastRequest {
    /// It, beside the one before.
    #[must_use]
    pub fn after(mut self: Box<Self>, before: Option<Box<LastRequest>>) -> Box<LastRequest> {
        let now = &self.request;
        self.change = before.map(|before| RequestChange {
            tools: change_of_tools(&before.request.tools, &now.tools),
            ..RequestChange::of(&before.request.messages, &now.messages)
        });
        self
    }
}

/// How a request differs from the one before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestChange {
    /// What became of each of its messages, in their order.
    pub messages: Vec<MessageChange>,
    pub added: MessageSum,
    /// The messages that have other words than before, as they are now.
    pub changed: MessageSum,
    pub dropped: MessageSum,
    /// What became of its tools, in words; `None` if they are the same.
    pub tools: Option<Arc<str>>,
}

/// What a message of a request is beside the request before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageChange {
    Kept,
    Added,
    Changed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageSum {
    pub count: u64,
    /// Their tokens, by an estimate.
    pub tokens: u64,
}

impl MessageSum {
    fn add(&mut self, message: &ChatMessage) {
        let bytes = wire_bytes(std::slice::from_ref(message)) as u64;
        self.count += 1;
        self.tokens = self.tokens.saturating_add(estimated_tokens(bytes));
    }

    fn describe(self, what: &str) -> Option<String> {
        let messages = plural(self.count, "message");
        let (count, tokens) = (group_digits(self.count), group_digits(self.tokens));
        (self.count > 0).then(|| format!("{count} {messages} {what} (about {tokens} tokens)"))
    }
}

impl RequestChange {
    fn of(before: &[ChatMessage], now: &[ChatMessage]) -> RequestChange {
        let mut change = RequestChange::default();
        // Of the messages before, those up to here are spoken for.
        let mut taken = 0;
        let mut unlike: Vec<&ChatMessage> = Vec::new();
        for message in now {
            let place = before[taken..].iter().position(|known| known == message);
            let Some(place) = place else {
                unlike.push(message);
                continue;
            };
            change.take_gap(&before[taken..taken + place], &unlike);
            unlike.clear();
            taken += place + 1;
            change.messages.push(MessageChange::Kept);
        }
        change.take_gap(&before[taken..], &unlike);
        change
    }

    /// Takes what stands between two messages that are the same: one that is of the same kind as before has changed.
    fn take_gap(&mut self, mut before: &[ChatMessage], now: &[&ChatMessage]) {
        for message in now {
            let place = before
                .iter()
                .position(|known| is_same_place(known, message));
            let Some(place) = place else {
                self.added.add(message);
                self.messages.push(MessageChange::Added);
                continue;
            };
            before[..place]
                .iter()
                .for_each(|gone| self.dropped.add(gone));
            before = &before[place + 1..];
            self.changed.add(message);
            self.messages.push(MessageChange::Changed);
        }
        before.iter().for_each(|gone| self.dropped.add(gone));
    }

    pub fn describe(&self) -> String {
        let parts = [
            self.added.describe("added"),
            self.changed.describe("changed"),
            self.dropped.describe("dropped"),
        ];
        let tools = self.tools.as_deref().map(str::to_string);
        let parts: Vec<String> = parts.into_iter().flatten().chain(tools).collect();
        match parts.is_empty() {
            true => "the same messages and tools as before".to_string(),
            false => parts.join(", "),
        }
    }
}

/// What became of the tools of a request, in words: those that were added, those with another definition, and those that
/// are gone; `None` if they are the same.
fn change_of_tools(before: &Arc<Toolset>, now: &Arc<Toolset>) -> Option<Arc<str>> {
    let sent = |tool: &ToolSpec| (tool.description.clone(), tool.schema.clone());
    let named = |of: &Toolset| -> Vec<(Arc<str>, _)> {
        let tools = of.tools().iter();
        tools.map(|tool| (tool.name.clone(), sent(tool))).collect()
    };
    if Arc::ptr_eq(before, now) || named(before) == named(now) {
        return None;
    }
    let listed = |of: &Toolset, what: &str, is: &dyn Fn(&ToolSpec) -> bool| {
        let tools = of.tools().iter().filter(|tool| is(tool));
        let names: Vec<Arc<str>> = tools.map(|tool| tool.name.clone()).collect();
        let count = names.len() as u64;
        let tools = plural(count, "tool");
        (count > 0).then(|| format!("{count} {tools} {what} ({})", listed(&names)))
    };
    let is_other = |tool: &ToolSpec| {
        let known = before.get(&tool.name);
        known.is_some_and(|known| sent(known) != sent(tool))
    };
    let parts = [
        listed(now, "added", &|tool| before.get(&tool.name).is_none()),
        listed(now, "changed", &is_other),
        listed(before, "dropped", &|tool| now.get(&tool.name).is_none()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Some(match parts.is_empty() {
        true => "the tools in another order".into(),
        false => parts.join(", ").into(),
    })
}

/// Whether two messages are the same one in different words: a result of the same call, or the same role.
fn is_same_place(one: &ChatMessage, other: &ChatMessage) -> bool {
    match (one, other) {
        (ChatMessage::System(_), ChatMessage::System(_))
        | (ChatMessage::User(_), ChatMessage::User(_)) => true,
        (
            ChatMessage::Assistant { calls: one, .. },
            ChatMessage::Assistant { calls: other, .. },
        ) => one
            .iter()
            .map(|call| &call.id)
            .eq(other.iter().map(|call| &call.id)),
        (ChatMessage::Tool { call_id: one, .. }, ChatMessage::Tool { call_id: other, .. }) => {
            one == other
        }
        (
            ChatMessage::System(_)
            | ChatMessage::User(_)
            | ChatMessage::Assistant { .. }
            | ChatMessage::Tool { .. },
            _,
        ) => false,
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentRequest {
    pub at: Timestamp,
    pub provider: Arc<str>,
    pub body: Arc<str>,
    pub parts: RequestByteCounts,
    /// How it differs from the one before; `None` if there was none.
    pub change: Option<RequestChange>,
}

/// The bytes of each part of a request. Their sum is the whole request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestByteCounts {
    /// The system prompt and the operator's notes.
    pub system: usize,
    /// The operator's messages, missions and nudges.
    pub orders: usize,
    /// The model's own messages and calls.
    pub words: usize,
    pub results: usize,
    /// The tools and the few bytes of parameters.
    pub tools: usize,
}

impl SentRequest {
    pub fn of(sent: &LastRequest, body: String) -> SentRequest {
        SentRequest {
            at: sent.at,
            provider: sent.request.provider.clone(),
            parts: RequestByteCounts::of(&sent.request.messages, body.len()),
            body: body.into(),
            change: sent.change.clone(),
        }
    }
}

impl RequestByteCounts {
    /// The parts of a request with these messages and so many bytes in all.
    fn of(messages: &[ChatMessage], all: usize) -> RequestByteCounts {
        let mut parts = RequestByteCounts::default();
        for message in messages {
            let part = match message {
                ChatMessage::System(_) => &mut parts.system,
                ChatMessage::User(_) => &mut parts.orders,
                ChatMessage::Assistant { .. } => &mut parts.words,
                ChatMessage::Tool { .. } => &mut parts.results,
            };
            *part += wire_bytes(std::slice::from_ref(message));
        }
        let counted = parts.system + parts.orders + parts.words + parts.results;
        parts.tools = all.saturating_sub(counted);
        parts
    }

    #[must_use]
    pub fn named_sizes(&self) -> [(&'static str, usize); 5] {
        [
            ("system", self.system),
            ("orders", self.orders),
            ("replies", self.words),
            ("results", self.results),
            ("tools", self.tools),
        ]
    }

    pub fn total_bytes(&self) -> usize {
        self.named_sizes().iter().map(|(_, bytes)| bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user_message(text: &str) -> ChatMessage {
        ChatMessage::User(text.into())
    }

    fn result(call: &str, text: &str) -> ChatMessage {
        ChatMessage::Tool {
            call_id: call.into(),
            text: text.into(),
        }
    }

    fn says(text: &str) -> ChatMessage {
        ChatMessage::Assistant {
            text: text.into(),
            calls: Vec::new(),
            echo: None,
        }
    }

    #[test]
    fn what_was_added_dropped_and_changed_is_told_in_messages_and_tokens() {
        use MessageChange::{Added, Changed, Kept};

        let system = || ChatMessage::System("be good".into());
        let before = [
            system(),
            user_message("go on"),
            says("an old answer"),
            user_message("go on"),
            result("a", "a long result that is shortened later"),
            result("b", "ore"),
        ];
        let now = [
            system(),
            user_message("go on"),
            result("a", "short"),
            result("b", "ore"),
            says("sold"),
            user_message("go on"),
        ];
        let change = RequestChange::of(&before, &now);
        assert_eq!(change.messages, [Kept, Kept, Changed, Kept, Added, Added]);
        let counts = [change.added, change.changed, change.dropped].map(|sum| sum.count);
        assert_eq!(counts, [2, 1, 2]);
        let text = change.describe();
        assert!(text.starts_with("2 messages added (about "), "{text}");
        assert!(text.contains("1 message changed (about "), "{text}");
        assert!(
            text.ends_with(" tokens)") && text.contains("2 messages dropped"),
            "{text}"
        );
        let same = RequestChange::of(&now, &now);
        assert_eq!(same.describe(), "the same messages and tools as before");
        let all_new = RequestChange::of(&[], &now);
        assert_eq!((all_new.added.count, all_new.dropped.count), (6, 0));
        assert_eq!(RequestChange::of(&now, &[]).dropped.count, 6);
    }

    fn with_tools(tools: &[(&str, &str)]) -> Box<LastRequest> {
        let tool = |(name, description): &(&str, &str)| ToolSpec {
            name: (*name).into(),
            description: (*description).into(),
            schema: "{}".into(),
            read_only_hint: None,
        };
        let request = ModelRequest {
            provider: "local".into(),
            model: "small".into(),
            temperature: None,
            max_tokens: None,
            messages: Arc::default(),
            tools: Arc::new(Toolset::new(tools.iter().map(tool))),
        };
        Box::new(LastRequest {
            at: Timestamp(1),
            request,
            change: None,
        })
    }

    #[test]
    fn tools_that_changed_since_the_request_before_are_named() {
        let before = [("mine", "digs"), ("sell", "sells"), ("jump", "flies")];
        let difference_of = |now: &[(&str, &str)]| {
            let sent = with_tools(now).after(Some(with_tools(&before)));
            sent.change.expect("one was before").describe()
        };
        assert_eq!(
            difference_of(&before),
            "the same messages and tools as before"
        );
        assert_eq!(
            difference_of(&[
                ("buy", "buys"),
                ("mine", "digs deep"),
                ("sell", "sells"),
                ("dock", "docks")
            ]),
            "2 tools added (buy, dock), 1 tool changed (mine), 1 tool dropped (jump)"
        );
        let turned = [("sell", "sells"), ("mine", "digs"), ("jump", "flies")];
        assert_eq!(difference_of(&turned), "the tools in another order");
        let many: Vec<String> = (0..40).map(|number| format!("tool_{number}")).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|name| (&**name, "")).collect();
        let text = difference_of(&many);
        assert!(text.starts_with("40 tools added (tool_0, "), "{text}");
        assert!(text.contains(" and 28 more)"), "{text}");
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let messages = [
            ChatMessage::System("be good".into()),
            ChatMessage::User("mine".into()),
            ChatMessage::Assistant {
                text: "yes".into(),
                calls: Vec::new(),
                echo: None,
            },
            ChatMessage::Tool {
                call_id: "a".into(),
                text: "ore".into(),
            },
        ];
        let parts = RequestByteCounts::of(&messages, 5_000);
        assert_eq!(parts.total_bytes(), 5_000);
        assert!(parts.system > 7 && parts.orders > 4 && parts.words > 3 && parts.results > 3);
    }
}
