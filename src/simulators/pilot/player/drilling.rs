//! Drills: orders that name the calls to be made, with their arguments, as one writes them to try a model.
//!
//! An order says ``Call `TOOL` with NAME "TEXT" and NAME 3``; in place of a value stands ``NAME set to the `FIELD` `` of
//! an earlier result, or `first, second and third set to the three code words`, which were told before.

use serde_json::{Map, Value};

use crate::request::ChatEntry;

use super::player_view::PlayerView;
use super::step::{PlayerStep, WantedCall};

/// What stands before the name of a tool that is to be called.
const CALL_MARK: &str = "all `";

/// What an order of that kind makes the player do; none where the newest message is none.
pub(super) fn choose_drill_step(view: &PlayerView<'_>) -> Option<PlayerStep> {
    let order = view.request.user_texts().next()?;
    let calls: Vec<WantedCall> = order
        .split(CALL_MARK)
        .skip(1)
        .filter_map(|part| read_call(view, part))
        .collect();
    if calls.is_empty() {
        return None;
    }
    let mut results = view.request.turn().iter().filter_map(|entry| match entry {
        ChatEntry::Result { text, .. } => Some(text.as_ref()),
        ChatEntry::System(_) | ChatEntry::User(_) | ChatEntry::Assistant { .. } => None,
    });
    Some(match results.next_back() {
        Some(result) => PlayerStep::say(format!("Done: {result}"), "That was asked for."),
        None => PlayerStep::calls(calls, "It is asked for by name."),
    })
}

fn read_call(view: &PlayerView<'_>, part: &str) -> Option<WantedCall> {
    let (tool, rest) = part.split_once('`')?;
    let rest = rest.strip_prefix(" with ")?;
    let clause = rest.split_once(". ").map_or(rest, |(clause, _)| clause);
    view.offers(tool)
        .then(|| WantedCall::new(tool, Value::Object(read_arguments(view, clause))))
}

fn read_arguments(view: &PlayerView<'_>, clause: &str) -> Map<String, Value> {
    if let Some((names, _)) = clause.split_once(" set to the three code words") {
        let names = names.replace(" and ", ", ");
        let words = names.split(", ").map(|name| {
            let word = find_code_word(view, name).unwrap_or("unknown");
            (name.to_owned(), Value::from(word))
        });
        return words.collect();
    }
    let clause = clause.trim_end_matches('.');
    let written = clause.split(" and ").filter_map(|pair| {
        let (name, value) = pair.split_once(' ')?;
        let field = value
            .strip_prefix("set to the `")
            .and_then(|field| Some(field.split_once('`')?.0));
        let value = match field {
            Some(field) => find_field(view, field)?,
            None => serde_json::from_str(value).ok()?,
        };
        Some((name.to_owned(), value))
    });
    written.collect()
}

fn find_field(view: &PlayerView<'_>, field: &str) -> Option<Value> {
    let mut entries = view.request.entries.iter().rev();
    entries.find_map(|entry| match entry {
        ChatEntry::Result { text, .. } => {
            let result: Value = serde_json::from_str(text).ok()?;
            result.get(field).cloned()
        }
        ChatEntry::System(_) | ChatEntry::User(_) | ChatEntry::Assistant { .. } => None,
    })
}

/// What `The first code word is WORD.` told, wherever it stands.
fn find_code_word<'a>(view: &'a PlayerView<'_>, name: &str) -> Option<&'a str> {
    let mark = format!("{name} code word is ");
    let mut entries = view.request.entries.iter();
    entries.find_map(|entry| {
        let text = match entry {
            ChatEntry::System(text) | ChatEntry::User(text) | ChatEntry::Result { text, .. } => {
                text
            }
            ChatEntry::Assistant { text, .. } => text,
        };
        let (_, rest) = text.split_once(&mark)?;
        rest.split(['.', '"', ' ']).next()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::player::{Habits, answer_request};
    use crate::request::PilotRequest;

    #[test]
    fn a_drill_is_carried_out_with_what_was_told_and_found_before() {
        let call = json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "read", "arguments": "{}"}}]});
        let order = "Drill. Call `read` with sector \"K7\" and depth 3. Call `open` with code set to \
                     the `word` that was answered. Call `none` with x 1.";
        let last =
            "Call `report` with first and second set to the three code words that were told.";
        let tools = ["read", "open", "report"].map(|name| json!({"function": {"name": name}}));
        let calls = |order: &str| -> Vec<(String, String)> {
            let body = json!({"tools": tools, "messages": [
                {"role": "system", "content": "The first code word is amber."},
                {"role": "user", "content": "Go."},
                call,
                {"role": "tool", "tool_call_id": "1", "content": "{\"word\":\"basalt\"}"},
                {"role": "user", "content": order},
            ]});
            let habits = Habits {
                nonsense: 0.0,
                ..Habits::default()
            };
            let answer = answer_request(&PilotRequest::read(&body), &habits);
            let calls = answer.calls.into_iter();
            calls.map(|call| (call.name, call.arguments)).collect()
        };
        let made = |name: &str, arguments: &str| (name.to_owned(), arguments.to_owned());
        assert_eq!(
            calls(order),
            [
                made("read", "{\"depth\":3,\"sector\":\"K7\"}"),
                made("open", "{\"code\":\"basalt\"}"),
            ]
        );
        assert_eq!(
            calls(last),
            [made(
                "report",
                "{\"first\":\"amber\",\"second\":\"unknown\"}"
            )]
        );
    }
}
