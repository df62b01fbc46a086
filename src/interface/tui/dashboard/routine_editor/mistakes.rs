//! The mistakes of a routine's text, and the lines at which they stand.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

use actors::domain::routine::read_routine;
use serde_json::{Map, Value};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    /// The line, from 0; `None` if it is of no line.
    pub(super) line: Option<usize>,
    pub(super) text: String,
}

/// Reads the text of a routine.
///
/// # Errors
/// Everything that is wrong with it.
pub(super) fn read_text(text: &str) -> Result<Map<String, Value>, Vec<Mistake>> {
    let read = serde_json::from_str::<Map<String, Value>>(text);
    let members = read.map_err(|why| {
        let said = why.to_string();
        let said = said.split(" at line ").next().unwrap_or_default();
        vec![Mistake {
            line: Some(why.line().saturating_sub(1)),
            text: format!("column {}: {said}", why.column()),
        }]
    })?;
    match read_routine(&members) {
        Ok(_) => Ok(members),
        Err(reasons) => Err((reasons.iter())
            .map(|reason| place_of(text, reason))
            .collect()),
    }
}

/// A mistake that names its place (`steps 3 until: …`), at its line.
pub(super) fn place_of(text: &str, reason: &str) -> Mistake {
    let lines = lines_of_places(text);
    let mut place = reason.split(": ").next().unwrap_or_default();
    let line = loop {
        if let Some(line) = lines.get(place) {
            break Some(*line);
        }
        // A member that is missing stands where the one around it does.
        match place.rsplit_once(' ') {
            Some((around, _)) => place = around,
            None => break None,
        }
    };
    Mistake {
        line,
        text: reason.to_string(),
    }
}

enum Inside {
    /// An object: the member that was named last, and whether a name comes next.
    Object(String, bool),
    /// A list: the number of the element, from 1.
    List(usize),
}

/// The lines of members and of elements of lists, by places such as `steps 3 until`.
fn lines_of_places(text: &str) -> BTreeMap<String, usize> {
    let mut lines = BTreeMap::new();
    let mut inside: Vec<Inside> = Vec::new();
    let mut line = 0;
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '\n' => line += 1,
            '{' | '[' => {
                if let Some(Inside::List(_)) = inside.last() {
                    lines.entry(place_inside(&inside)).or_insert(line);
                }
                inside.push(match letter {
                    '{' => Inside::Object(String::new(), true),
                    _ => Inside::List(1),
                });
            }
            '}' | ']' => drop(inside.pop()),
            ',' => match inside.last_mut() {
                Some(Inside::Object(_, is_name_next)) => *is_name_next = true,
                Some(Inside::List(number)) => *number += 1,
                None => {}
            },
            '"' => {
                let word = rest_of_word(&mut rest);
                if let Some(Inside::Object(member, is_name_next)) = inside.last_mut()
                    && *is_name_next
                {
                    (*member, *is_name_next) = (word, false);
                    lines.entry(place_inside(&inside)).or_insert(line);
                }
            }
            _ => {}
        }
    }
    lines
}

fn place_inside(inside: &[Inside]) -> String {
    let words = inside.iter().map(|of| match of {
        Inside::Object(member, _) => member.clone(),
        Inside::List(number) => number.to_string(),
    });
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// The rest of a text in quotation marks.
fn rest_of_word(rest: &mut Peekable<Chars<'_>>) -> String {
    let mut word = String::new();
    while let Some(letter) = rest.next() {
        match letter {
            '"' => break,
            '\\' => word.extend(rest.next()),
            letter => word.push(letter),
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{
  "name": "ore", "rounds": 500,
  "steps": [
    {"tool": "mine, \"{[", "arguments": {"x": ["{poi}", "{x}"]},
     "until": {"value": "cargo_free"}},
    {"tool": "login"}
  ],
  "guards": [ {"value": "fuel", "op": ">", "number": 2},
    {"all": []} ],
  "colour": 1
}"#;

    fn found_in(text: &str) -> Vec<(Option<usize>, String)> {
        let mistakes = read_text(text).err().unwrap_or_default();
        let found = mistakes.into_iter().map(|mistake| {
            let place = mistake.text.split(':').next().unwrap_or_default();
            (mistake.line, place.to_string())
        });
        found.collect()
    }

    #[test]
    fn each_mistake_stands_where_its_member_does() {
        let expected = [
            (None, "routine"),
            (Some(4), "steps 1 until"),
            (Some(5), "steps 2"),
            (Some(8), "guards 2"),
            (Some(1), "rounds"),
        ];
        let found = found_in(TEXT);
        for (line, place) in expected {
            assert!(
                found.contains(&(line, place.to_string())),
                "{place}: {found:?}"
            );
        }
    }

    #[test]
    fn a_text_that_is_no_json_has_one_mistake_at_its_line() {
        assert_eq!(
            found_in("{\n  \"name\": \"a\"\n  \"rounds\": 2\n}"),
            [(Some(2), "column 3".to_string())]
        );
        assert_eq!(found_in("[]").len(), 1);
        assert_eq!(found_in("").len(), 1);
    }

    #[test]
    fn what_the_mysis_says_is_found_too_and_what_names_no_place_has_none() {
        let text = "{\"steps\": [\n{\"tool\": \"a\"},\n{\"tool\": \"b\"}]}";
        assert_eq!(place_of(text, "steps 2: there is no tool b").line, Some(2));
        assert_eq!(place_of(text, "steps 2 most: a number").line, Some(2));
        assert_eq!(place_of(text, "the mysis does not run").line, None);
    }
}
