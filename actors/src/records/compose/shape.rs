//! The shape of a request: the one that the strictest server accepts (docs/design/requests.md,
//! `docs/REQUEST-SHAPE.md`).
//!
//! Neighbouring messages of one role are merged in order, and a user message comes first. A server that
//! demands a message of the model between a result and an order gets one as the request is written for
//! it; there is room for it.

use std::sync::Arc;

use crate::message::BRIDGE_TEXT;
use crate::model::ChatMessage;
use zoea_text::json_size::escaped_len;

use super::wire;

/// The first message of a conversation whose beginning is not sent, because a user message must
/// come first.
const OPENER_TEXT: &str = "[earlier messages are left out]";
/// Separates two merged texts.
pub(super) const SEPARATOR: &str = "\n\n";

/// The most bytes that the shape adds before the first part.
pub(super) fn opener_bytes() -> usize {
    wire::message_bytes(&opener_message()) + 1
}

/// The most bytes that are added before an order where its server demands it.
pub(super) fn bridge_bytes() -> usize {
    wire::message_bytes(&bridge_message()) + 1
}

/// The most bytes of a separator inside JSON.
pub(super) fn separator_bytes() -> usize {
    escaped_len(SEPARATOR)
}

pub(super) fn push_merged(messages: &mut Vec<ChatMessage>, message: ChatMessage) {
    if let Some(ChatMessage::User(before)) = messages.last_mut()
        && let ChatMessage::User(text) = &message
    {
        *before = join_texts(before, text);
        return;
    }
    if let Some(ChatMessage::Assistant { text, calls, echo }) = messages.last_mut()
        && let ChatMessage::Assistant {
            text: more,
            calls: wanted,
            echo: newer,
        } = &message
        && calls.is_empty()
    {
        *text = join_texts(text, more);
        calls.clone_from(wanted);
        // One message has one echo. That of the calls is checked by those who sign them.
        if newer.is_some() {
            echo.clone_from(newer);
        }
        return;
    }
    let is_first = matches!(messages.last(), None | Some(ChatMessage::System(_)));
    let is_of_model = matches!(
        message,
        ChatMessage::Assistant { .. } | ChatMessage::Tool { .. }
    );
    if is_first && is_of_model {
        messages.push(opener_message());
    }
    messages.push(message);
}

pub(super) fn add_inside(messages: &mut [ChatMessage], added: &str) {
    match messages.last_mut() {
        Some(
            ChatMessage::System(text)
            | ChatMessage::User(text)
            | ChatMessage::Assistant { text, .. }
            | ChatMessage::Tool { text, .. },
        ) => *text = join_texts(text, added),
        None => {}
    }
}

/// Joins two texts. An empty one is left out.
pub(super) fn join_texts(before: &str, text: &str) -> Arc<str> {
    let separator = if before.is_empty() || text.is_empty() {
        ""
    } else {
        SEPARATOR
    };
    format!("{before}{separator}{text}").into()
}

fn opener_message() -> ChatMessage {
    ChatMessage::User(OPENER_TEXT.into())
}

fn bridge_message() -> ChatMessage {
    ChatMessage::Assistant {
        text: BRIDGE_TEXT.into(),
        calls: Vec::new(),
        echo: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ChatCall;

    fn say(text: &str) -> ChatMessage {
        ChatMessage::Assistant {
            text: text.into(),
            calls: Vec::new(),
            echo: None,
        }
    }

    fn call(text: &str) -> ChatMessage {
        let call = ChatCall {
            id: "a".into(),
            name: "mine".into(),
            arguments: "{}".into(),
        };
        ChatMessage::Assistant {
            text: text.into(),
            calls: vec![call],
            echo: None,
        }
    }

    fn tool() -> ChatMessage {
        ChatMessage::Tool {
            call_id: "a".into(),
            text: "ore".into(),
        }
    }

    fn user(text: &str) -> ChatMessage {
        ChatMessage::User(text.into())
    }

    fn shaped(messages: &[ChatMessage]) -> Vec<ChatMessage> {
        let mut shaped = vec![ChatMessage::System("s".into())];
        for message in messages {
            push_merged(&mut shaped, message.clone());
        }
        shaped.remove(0);
        shaped
    }

    #[test]
    fn neighbours_of_one_role_are_one_message_in_their_order() {
        for (messages, expected) in [
            (vec![user("a"), user("b")], vec![user("a\n\nb")]),
            (
                vec![user("a"), say("b"), say("c"), user("d")],
                vec![user("a"), say("b\n\nc"), user("d")],
            ),
            (
                vec![user("a"), say("b"), call("c"), tool()],
                vec![user("a"), call("b\n\nc"), tool()],
            ),
            (
                vec![user("a"), say("b"), call(""), tool()],
                vec![user("a"), call("b"), tool()],
            ),
            (
                vec![user("a"), call(""), tool(), call("b"), tool(), tool()],
                vec![user("a"), call(""), tool(), call("b"), tool(), tool()],
            ),
        ] {
            assert_eq!(shaped(&messages), expected);
        }
    }

    #[test]
    fn a_user_speaks_first_and_nothing_is_said_for_the_model() {
        assert_eq!(
            shaped(&[call(""), tool(), user("a")]),
            [user(OPENER_TEXT), call(""), tool(), user("a")]
        );
        assert_eq!(
            shaped(&[say("a"), user("b")])[..2],
            [user(OPENER_TEXT), say("a")]
        );
    }

    #[test]
    fn what_the_shape_adds_is_counted() {
        let before = [ChatMessage::System("s".into()), call(""), tool(), user("a")];
        let mut after = Vec::new();
        for message in before.clone() {
            push_merged(&mut after, message);
        }
        let added = wire::wire_bytes(&after) - wire::wire_bytes(&before);
        assert_eq!(added, opener_bytes());
    }
}
