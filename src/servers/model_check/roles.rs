//! A conversation with every order of roles that composition can produce (`docs/REQUEST-SHAPE.md`).

use serde_json::json;

use super::drill::{self, BeaconOrder, FIRST_BEACON, OPEN_GATE, READ_BEACON, SET_LAMP};
use super::scratch::Scratch;

pub(super) const MISSION: &str = "Carry out the drills, each in as few words as you can.";

/// A conversation of several turns: two calls in one message, text with a call, an order in the
/// middle of a turn, and a reply that ends a turn. It ends with the order that needs the word of the
/// beacon. An older word is in it, too.
pub(super) fn long_conversation(older: &str, word: &str) -> Scratch {
    let mut scratch = Scratch::new(MISSION);
    scratch.order(&drill::second_order());
    two_calls(&mut scratch, older);
    scratch.says("The gate is open and the lamp is lit.", &[], &[]);
    scratch.mission(MISSION);
    let BeaconOrder { sector, depth } = FIRST_BEACON;
    let arguments = json!({"sector": sector, "depth": depth}).to_string();
    let beacon = [(READ_BEACON.to_string(), arguments)];
    for words in ["I look at the beacon.", ""] {
        scratch.says(words, &beacon, &["call_1"]);
        scratch.results(|_| drill::beacon_result(word));
    }
    scratch.interrupt("Leave the lamp as it is.");
    scratch.says("I leave it as it is.", &[], &[]);
    scratch.interrupt(&drill::second_order());
    scratch
}

pub(super) fn two_calls(scratch: &mut Scratch, word: &str) {
    let calls = [
        (OPEN_GATE.to_string(), json!({"code": word}).to_string()),
        (SET_LAMP.to_string(), json!({"level": 5}).to_string()),
    ];
    scratch.says("", &calls, &["call_1", "call_2"]);
    scratch.results(|_| json!({"ok": true}).to_string());
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use actors::domain::model::ChatMessage;

    use super::*;

    fn role(message: &ChatMessage) -> &'static str {
        match message {
            ChatMessage::System(_) => "system",
            ChatMessage::User(_) => "user",
            ChatMessage::Assistant { calls, .. } if calls.is_empty() => "assistant",
            ChatMessage::Assistant { .. } => "caller",
            ChatMessage::Tool { .. } => "tool",
        }
    }

    /// The orders of roles of composition.
    #[test]
    fn every_order_of_roles_stands_in_the_long_conversation() {
        let messages = long_conversation("amber-100", "kelp-200").messages();
        let roles: Vec<&str> = messages.iter().map(role).collect();
        let found: BTreeSet<(&str, &str)> =
            roles.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let expected = [
            ("system", "user"),
            ("user", "assistant"),
            ("user", "caller"),
            ("assistant", "user"),
            ("caller", "tool"),
            ("tool", "tool"),
            ("tool", "assistant"),
            ("tool", "caller"),
            ("tool", "user"),
        ];
        assert_eq!(found, BTreeSet::from(expected), "{roles:?}");
        assert_eq!(roles.last(), Some(&"user"), "after words of the model");
        let has_words_beside_calls = messages.iter().any(|message| {
            matches!(message, ChatMessage::Assistant { text, calls, .. }
                if !text.is_empty() && !calls.is_empty())
        });
        assert!(has_words_beside_calls);
    }
}
