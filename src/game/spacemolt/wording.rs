//! Results in words: what a result says, as one line for a person.
//!
//! A line says what the result says and derives nothing. There is a formatter for each command of
//! the first interface whose results have a known form. It gets the facts as `results` reads them,
//! so the second interface's results have the same words. A result that no formatter understands is
//! told by its own message or its first line.

mod acts;
mod looks;
mod people;
mod phrase;
mod refusal;

use serde_json::{Map, Value};
use zoea_game::lines::{short_line, without_headings};
use zoea_game::standing::Standing;

use crate::standing;
use phrase::text;

/// The words for the facts of a result; `None` if they are not in the form that it knows.
type Formatter = fn(&Map<String, Value>, &Standing) -> Option<String>;

fn formatters() -> impl Iterator<Item = &'static (&'static str, Formatter)> {
    [acts::ACTS, looks::LOOKS, people::PEOPLE]
        .into_iter()
        .flatten()
}

/// A good result in words, whose facts were read; `None` if nothing in it is readable, as in an object
/// without a message.
///
/// A refusal that comes as a good result reads as a refusal.
pub(crate) fn describe(
    command: &str,
    result: &str,
    facts: Option<&Map<String, Value>>,
) -> Option<String> {
    let body = without_headings(result);
    if refusal::is_refusal(body) {
        return Some(refuse(body));
    }
    let Some(facts) = facts else {
        let line = first_line(body).map(|line| short_line(&line));
        return line.filter(|line| !line.is_empty());
    };
    if let Some(words) = refusal::of_facts(facts) {
        return Some(short_line(&words));
    }
    let standing = standing::read(command, false, facts);
    let described = if facts.get("pending") == Some(&Value::Bool(true)) {
        Some("accepted, not done yet".to_string())
    } else {
        let formatter = formatters().find(|(known, _)| *known == command);
        formatter.and_then(|(_, format)| format(facts, &standing))
    };
    let described = described.or_else(|| text(facts, "message").map(str::to_string));
    let described = described.or_else(|| first_line(body));
    // Many answers contain the state after them.
    let described = described.or_else(|| looks::status(facts, &standing));
    described
        .map(|words| short_line(&words))
        .filter(|words| !words.is_empty())
}

/// A refused call's result in words: what is wrong, with the code that the game has for it.
pub(crate) fn refuse(result: &str) -> String {
    short_line(&refusal::of_text(without_headings(result)))
}

/// The first line of a text that is no JSON. A heading's colon is left out.
fn first_line(body: &str) -> Option<String> {
    let mut letters = body.chars();
    let is_json = match (letters.next(), letters.next()) {
        (Some('{'), _) => true,
        (Some('['), next) => !next.is_some_and(char::is_alphabetic),
        (Some(_) | None, _) => false,
    };
    if is_json {
        return None;
    }
    let line = body.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.trim_end_matches(':').to_string())
}

#[cfg(test)]
mod tests;
