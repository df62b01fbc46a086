//! Regressions: histories that once broke a rule, and those that the rules name by themselves.

use actors::domain::compose::ASIDE_LINE;
use actors::domain::model::ChatMessage;

use super::history::{CONTINUATION, Given, History, Step, Text, Wanted};
use super::judge::judge;

fn history(steps: Vec<Step>) -> History {
    History {
        steps,
        budget: 64 << 10,
        has_mission: true,
        window: 20,
        notices: Vec::new(),
    }
}

fn call(id: &str, tool: &str, arguments: &str) -> Wanted {
    Wanted {
        id: id.to_string(),
        tool: tool.to_string(),
        arguments: Text::plain(arguments),
    }
}

fn given(text: &str, is_error: bool) -> Given {
    Given {
        text: Text::plain(text),
        is_error,
    }
}

fn prompt(text: &str) -> Step {
    Step::Prompt(Text::plain(text))
}

fn say(text: &str) -> Step {
    Step::Reply(Text::plain(text), Some(0))
}

fn calls(calls: Vec<Wanted>) -> Step {
    Step::Call(Text::plain(""), calls, Some(0))
}

/// A request in short: who says what, the beginning of it.
fn sketch(history: &History) -> Vec<String> {
    let asked = history.asked();
    judge(history, &asked).expect("the request is right");
    let short = |text: &str| {
        let text = text.split_once('>').map_or(text, |(_, rest)| rest);
        text.chars().take(24).collect::<String>()
    };
    let messages = asked.composed.messages.iter().skip(1);
    messages
        .map(|message| match message {
            ChatMessage::System(text) => format!("system {}", short(text)),
            ChatMessage::User(text) if text.starts_with(ASIDE_LINE) => "aside".to_string(),
            ChatMessage::User(text) => format!("user {}", short(text)),
            ChatMessage::Assistant { text, calls } => {
                let names: Vec<&str> = calls.iter().map(|call| &*call.name).collect();
                format!("assistant {}{}", short(text), names.join("+"))
            }
            ChatMessage::Tool { text, .. } => format!("tool {}", short(text)),
        })
        .collect()
}

#[test]
fn a_continuation_stays_where_it_stood_for_the_rest_of_the_turn() {
    let mut steps = vec![prompt("go"), say("gone"), Step::Turn];
    let continuation = format!("user {}", &CONTINUATION[..24]);
    assert_eq!(
        sketch(&history(steps.clone())),
        ["user go", "assistant gone", &continuation]
    );
    steps.push(calls(vec![call("a", "mine", "{}")]));
    steps.push(Step::Results(vec![(0, given("ore", false))]));
    assert_eq!(
        sketch(&history(steps)),
        [
            "user go",
            "assistant gone",
            &continuation,
            "assistant mine",
            "tool ore"
        ]
    );
}

#[test]
fn a_message_between_a_call_and_its_result_stands_behind_the_result() {
    let steps = vec![
        prompt("go"),
        calls(vec![call("a", "travel", "{}")]),
        prompt("wait"),
        Step::Results(vec![(0, given("arrived", false))]),
    ];
    assert_eq!(
        sketch(&history(steps)),
        ["user go", "assistant travel", "tool arrived", "user wait"]
    );
}

#[test]
fn an_error_never_supersedes_and_siblings_stay() {
    let look = || call("a", "get_status", "{}");
    let steps = vec![
        prompt("go"),
        calls(vec![look(), call("b", "mine", "{}")]),
        Step::Results(vec![(0, given("old", false)), (1, given("ore", false))]),
        calls(vec![look()]),
        Step::Results(vec![(0, given("new", false))]),
        calls(vec![look()]),
        Step::Results(vec![(0, given("failed", true))]),
    ];
    let sketch = sketch(&history(steps));
    assert_eq!(
        sketch,
        [
            "user go",
            "assistant get_status+mine",
            "tool [superseded by a newer r",
            "tool ore",
            "assistant get_status",
            "tool new",
            "aside",
            "assistant get_status",
            "tool failed",
        ]
    );
}

#[test]
fn arguments_that_are_no_object_are_sent_as_an_empty_one() {
    let steps = vec![
        prompt("go"),
        calls(vec![call("a", "mine", "[1]"), call("b", "mine", "{\"n\":")]),
        Step::Results(vec![(0, given("no", true)), (1, given("no", true))]),
    ];
    let history = history(steps);
    let asked = history.asked();
    judge(&history, &asked).unwrap();
    for message in &asked.composed.messages {
        if let ChatMessage::Assistant { calls, .. } = message {
            assert!(calls.iter().all(|call| &*call.arguments == "{}"));
        }
    }
}

#[test]
fn the_aside_stands_before_the_last_part_and_changes_nothing_before_it() {
    let look = || calls(vec![call("a", "get_status", "{}")]);
    let mut steps = vec![
        prompt("go"),
        look(),
        Step::Results(vec![(0, given("{\"credits\":5}", false))]),
        calls(vec![call("b", "mine", "{}")]),
        Step::Results(vec![(0, given("ore", false))]),
    ];
    let before = history(steps.clone()).asked().composed.messages;
    steps.push(calls(vec![call("c", "sell", "{}")]));
    steps.push(Step::Results(vec![(0, given("sold", false))]));
    let after = history(steps).asked().composed.messages;
    let is_aside = |message: &&ChatMessage| matches!(message, ChatMessage::User(text) if text.starts_with(ASIDE_LINE));
    let place = |messages: &[ChatMessage]| messages.iter().position(|m| is_aside(&m)).unwrap();
    assert_eq!(place(&before), before.len() - 3, "before the last loop");
    assert_eq!(before[..place(&before)], after[..place(&before)]);
    let ChatMessage::User(text) = &before[place(&before)] else {
        unreachable!("an aside is a user's message");
    };
    assert!(text.contains("- get_status ("), "{text}");
}

#[test]
fn without_orders_and_rows_there_is_a_nudge() {
    let mut history = history(Vec::new());
    history.has_mission = false;
    assert_eq!(sketch(&history), ["user Continue, as nobody orde"]);
}
