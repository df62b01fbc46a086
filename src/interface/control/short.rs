//! Short answers: what a client gets that does not ask for all of it, and the note that says what was
//! left out.

use serde_json::{Map, Value};

/// The answer to a call of a tool.
#[derive(Debug)]
pub struct ControlAnswer {
    pub value: Value,
    /// What was left out, and how to get it.
    pub rest: Option<String>,
}

impl From<Value> for ControlAnswer {
    fn from(value: Value) -> ControlAnswer {
        ControlAnswer { value, rest: None }
    }
}

/// The most bytes of an answer for which no limit was named, with room for its note.
pub(super) const SHORT_ANSWER_BYTES: usize = 7 << 10;
const SHORT_STATUS_BYTES: usize = 1700;
/// The longest texts of a row in bytes: as they are tried, until the row is short enough.
const TEXT_BYTES: [usize; 3] = [1000, 200, 40];
/// The most bytes of one row.
const ROW_BYTES: usize = 4 << 10;
/// The longest texts of a status in bytes, as they are tried, and the most entries of each list but
/// the Myses.
const STATUS_TEXT_BYTES: [usize; 3] = [160, 80, 40];
const STATUS_ENTRIES: usize = 2;
/// The least bytes that are cut. A note is no shorter than what it stands for.
const LEAST_CUT_BYTES: usize = 40;

/// Cuts the long texts of a row. Returns whether there were any.
pub(super) fn cut_row(row: &mut Value) -> bool {
    let mut is_cut = row.to_string().len() > ROW_BYTES;
    for most in TEXT_BYTES {
        is_cut |= cut_texts(row, most);
        if row.to_string().len() <= ROW_BYTES {
            return is_cut;
        }
    }
    // It has many texts.
    if let Some(calls) = row["tool_calls"].as_array_mut() {
        calls.truncate(4);
    }
    is_cut
}

fn cut_texts(value: &mut Value, most: usize) -> bool {
    let mut is_cut = false;
    match value {
        Value::String(text) => {
            if let Some(short) = cut(text, most) {
                *text = short;
                is_cut = true;
            }
        }
        Value::Array(values) => {
            for value in values {
                is_cut |= cut_texts(value, most);
            }
        }
        Value::Object(members) => {
            for value in members.values_mut() {
                is_cut |= cut_texts(value, most);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    is_cut
}

fn cut(text: &str, most: usize) -> Option<String> {
    let kept = &text[..text.floor_char_boundary(most)];
    let left = text.len() - kept.len();
    (left > LEAST_CUT_BYTES).then(|| format!("{kept}… [{left} bytes more]"))
}

pub(super) fn as_many_as_fit(values: impl Iterator<Item = Value>, most: usize) -> Vec<Value> {
    let mut bytes = 0;
    let mut fitting = Vec::new();
    for value in values {
        bytes += value.to_string().len() + 1;
        if bytes > most && !fitting.is_empty() {
            break;
        }
        fitting.push(value);
    }
    fitting
}

/// A status in short: long texts are cut, and as many servers and Myses are told as fit.
pub(super) fn short_status(mut status: Value) -> ControlAnswer {
    let myses = status["myses"].take();
    let myses = myses.as_array().map_or(&[][..], Vec::as_slice);
    let mut is_cut = false;
    let needs = status.get_mut("needs").and_then(Value::as_array_mut);
    for need in needs.into_iter().flatten() {
        if let Some(names) = need["myses"].as_array_mut() {
            is_cut |= names.len() > STATUS_ENTRIES;
            names.truncate(STATUS_ENTRIES);
        }
    }
    for list in ["needs", "away", "doubtful", "warnings", "proxied"] {
        if let Some(entries) = status.get_mut(list).and_then(Value::as_array_mut) {
            is_cut |= entries.len() > STATUS_ENTRIES;
            entries.truncate(STATUS_ENTRIES);
        }
    }
    for most in STATUS_TEXT_BYTES {
        is_cut |= cut_texts(&mut status, most);
        if status.to_string().len() <= SHORT_STATUS_BYTES {
            break;
        }
    }
    let room = SHORT_STATUS_BYTES.saturating_sub(status.to_string().len());
    let mut shown = as_many_as_fit(myses.iter().cloned(), room);
    if shown
        .first()
        .is_some_and(|first| first.to_string().len() > room)
    {
        shown.clear();
    }
    let rest = match (myses.len() - shown.len(), is_cut) {
        (0, false) => None,
        (0, true) => Some("texts are cut; `whole` asks for all of it".to_string()),
        (left, _) => Some(format!(
            "{left} Myses are left out: list_myses lists them; `whole` asks for all of it"
        )),
    };
    status["myses"] = Value::Array(shown);
    ControlAnswer {
        value: status,
        rest,
    }
}

pub(super) fn check_fields(mysis: &Value, fields: &[&str]) -> Result<(), String> {
    let known = || {
        mysis
            .as_object()
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str)
    };
    match fields
        .iter()
        .find(|field| !known().any(|known| known == **field))
    {
        None => Ok(()),
        Some(field) => {
            let known: Vec<&str> = known().collect();
            Err(format!(
                "`{field}` is not a field of a Mysis; there are {}",
                known.join(", ")
            ))
        }
    }
}

pub(super) fn choose_fields(mysis: &Value, fields: &[&str]) -> Value {
    let members = fields
        .iter()
        .map(|field| ((*field).to_string(), mysis[*field].clone()));
    Value::Object(members.collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_status_is_short_however_much_there_is_and_says_what_is_left_out() {
        let mysis = |n: usize| json!({"name": n, "reason": "x".repeat(500)});
        let myses: Vec<Value> = (0..1000).map(mysis).collect();
        let server = |n: usize| json!({"server": n, "text": "ä".repeat(5000)});
        let away: Vec<Value> = (0..50).map(server).collect();
        let status = json!({"mission": "ore ".repeat(9000), "silence": "x".repeat(900), "away": away,
            "warnings": away, "proxied": away, "trouble": "y".repeat(900), "myses": myses});
        let short = short_status(status);
        let rest = short.rest.expect("a note");
        let bytes = short.value.to_string().len() + rest.len();
        assert!(bytes <= 2048, "{bytes}: {}", short.value);
        assert!(rest.contains("list_myses"), "{rest}");
        let one = json!({"mission": null, "away": [], "warnings": [], "proxied": [], "myses": [{"name": "alpha"}]});
        let short = short_status(one.clone());
        assert_eq!((short.value, short.rest), (one, None));
    }

    #[test]
    fn a_row_of_any_size_is_cut_to_what_an_answer_holds() {
        let call = |n: usize| json!({"id": n, "arguments": {"a": "x".repeat(9000)}});
        let calls: Vec<Value> = (0..64).map(call).collect();
        for mut row in [
            json!({"content": "ä".repeat(9000)}),
            json!({"content": "x", "tool_calls": calls}),
        ] {
            assert!(cut_row(&mut row));
            assert!(row.to_string().len() <= ROW_BYTES, "{row}");
        }
        let mut plain = json!({"seq": 1, "content": "mine", "metadata": null});
        let before = plain.clone();
        assert!(!cut_row(&mut plain));
        assert_eq!(plain, before);
    }
}
