//! Refusals: what is wrong, in one sentence, with the game's code for it.

use serde_json::{Map, Value};
use zoea_game::lines::without_error_mark;

use super::phrase::{number, part, text};

/// The longest code, in bytes.
const MAX_CODE_BYTES: usize = 48;

/// Whether a text says by itself that it is one.
pub(super) fn is_refusal(body: &str) -> bool {
    body.starts_with("Error:")
}

/// The words of a refusal in an object; `None` if the object tells of no error.
pub(super) fn of_facts(facts: &Map<String, Value>) -> Option<String> {
    let code = match facts.get("error")? {
        Value::Object(_) => return part(facts, "error").map(of_object),
        Value::String(error) if !error.trim().is_empty() => error,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return None;
        }
    };
    match text(facts, "message") {
        Some(message) => Some(worded(message, Some(code), wait(facts))),
        None => Some(of_text(code)),
    }
}

pub(super) fn of_text(body: &str) -> String {
    let body = without_error_mark(body);
    if let Ok(Value::Object(facts)) = serde_json::from_str(body) {
        return of_facts(&facts).unwrap_or_else(|| of_object(&facts));
    }
    let (code, mut message) = match split_code(body) {
        Some((code, rest)) => (Some(code), rest),
        None => (None, body),
    };
    // The live server repeats some codes.
    while let Some((again, rest)) = split_code(message)
        && Some(again) == code
    {
        message = rest;
    }
    worded(message, code, None)
}

fn of_object(facts: &Map<String, Value>) -> String {
    let message = text(facts, "message").unwrap_or_default();
    worded(message, text(facts, "code"), wait(facts))
}

/// The seconds that the refusal asks to wait.
fn wait(facts: &Map<String, Value>) -> Option<i64> {
    let keys = ["wait_seconds", "retry_after"];
    keys.iter().find_map(|key| number(facts, key))
}

/// Splits `not_docked: You must be docked.`
fn split_code(text: &str) -> Option<(&str, &str)> {
    let (code, rest) = text.split_once(": ")?;
    let is_code = !code.is_empty()
        && code.len() <= MAX_CODE_BYTES
        && code
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    is_code.then_some((code, rest.trim_start()))
}

fn worded(message: &str, code: Option<&str>, wait: Option<i64>) -> String {
    let sentence = first_sentence(message);
    let mut words = match sentence.is_empty() {
        true => "refused".to_string(),
        false => format!("refused: {sentence}"),
    };
    if let Some(seconds) = wait {
        words += &format!("; wait {seconds} s");
    }
    if let Some(code) = code.filter(|code| *code != sentence) {
        words += &format!(" ({code})");
    }
    words
}

/// The text up to the first full stop behind which a sentence begins.
fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let mut ends = line.match_indices(". ");
    let end = ends.find(|(at, _)| {
        let next = line[at + 2..].trim_start().chars().next();
        next.is_some_and(char::is_uppercase)
    });
    let sentence = end.map_or(line, |(at, _)| &line[..at]);
    sentence.trim_end().trim_end_matches(['.', ':'])
}
