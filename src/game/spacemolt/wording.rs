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
use zoea_text::clean::one_line;

use crate::results::{read_facts, without_headings};
use crate::standing::{self, Standing};
use phrase::text;

/// The longest line, in characters.
pub const MAX_LINE_CHARS: usize = 200;

/// The words for the facts of a result; `None` if they are not in the form that it knows.
type Formatter = fn(&Map<String, Value>, &Standing) -> Option<String>;

/// The commands whose results have words, with their formatters.
fn formatters() -> impl Iterator<Item = &'static (&'static str, Formatter)> {
    [acts::ACTS, looks::LOOKS, people::PEOPLE]
        .into_iter()
        .flatten()
}

/// A good result in words. `None` if nothing in it is readable, as in an object without a message.
///
/// A refusal that comes as a good result reads as a refusal.
#[must_use]
pub fn describe(command: &str, result: &str) -> Option<String> {
    let body = without_headings(result);
    if refusal::is_refusal(body) {
        return Some(refuse(body));
    }
    let Some(facts) = read_facts(body) else {
        let line = first_line(body).map(|line| bound(&line));
        return line.filter(|line| !line.is_empty());
    };
    if let Some(words) = refusal::of_facts(&facts) {
        return Some(bound(&words));
    }
    let standing = standing::read(command, false, &facts);
    let told = if facts.get("pending") == Some(&Value::Bool(true)) {
        Some("accepted, not done yet".to_string())
    } else {
        let formatter = formatters().find(|(known, _)| *known == command);
        formatter.and_then(|(_, format)| format(&facts, &standing))
    };
    let told = told.or_else(|| text(&facts, "message").map(str::to_string));
    let told = told.or_else(|| first_line(body));
    // Many answers contain the state after them.
    let told = told.or_else(|| looks::status(&facts, &standing));
    told.map(|words| bound(&words))
        .filter(|words| !words.is_empty())
}

/// A refused call's result in words: what is wrong, with the code that the game has for it.
#[must_use]
pub fn refuse(result: &str) -> String {
    bound(&refusal::of_text(without_headings(result)))
}

/// The result of a call that the runtime did not make, in words: why not.
#[must_use]
pub fn say_not_executed(result: &str) -> String {
    bound(&refusal::not_executed(without_headings(result)))
}

/// The first line of any text, without what only marks it as an error; empty if it has none.
#[must_use]
pub fn first_words(result: &str) -> String {
    let body = refusal::without_mark(without_headings(result));
    let line = body.lines().map(str::trim).find(|line| !line.is_empty());
    bound(line.unwrap_or_default())
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

/// One line without anything that a terminal would obey, cut at its longest.
fn bound(words: &str) -> String {
    // What is shown begins within so many bytes, whatever they are.
    let start = &words[..words.floor_char_boundary(MAX_LINE_CHARS * 16)];
    let line = one_line(start);
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests;
