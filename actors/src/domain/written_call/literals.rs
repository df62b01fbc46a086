//! Literals: names and arguments of calls that models write as Python does.

use serde_json::{Map, Value};

/// The most bytes of a name.
const MAX_NAME_BYTES: usize = 128;

/// Takes a name at the beginning of a text. Returns it and the rest.
pub(super) fn take_identifier(text: &str) -> Option<(&str, &str)> {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let rest = text.trim_start_matches(is_fit);
    let name = &text[..text.len() - rest.len()];
    let is_name = (1..=MAX_NAME_BYTES).contains(&name.len());
    is_name.then_some((name, rest))
}

/// Takes `(key=value, …)`. Returns the arguments and the rest.
pub(super) fn python_arguments(text: &str) -> Option<(Map<String, Value>, &str)> {
    let mut arguments = Map::new();
    let mut rest = text.strip_prefix('(')?.trim_start();
    while !rest.starts_with(')') {
        let (key, after) = take_identifier(rest)?;
        let after = after.trim_start().strip_prefix('=')?.trim_start();
        let (value, after) = take_literal(after)?;
        if arguments.insert(key.to_string(), value).is_some() {
            return None;
        }
        let after = after.trim_start();
        rest = match after.strip_prefix(',') {
            Some(after) => after.trim_start(),
            None if after.starts_with(')') => after,
            None => return None,
        };
    }
    rest.strip_prefix(')').map(|rest| (arguments, rest))
}

/// Takes a value: a string in either quotes, a word of Python, or JSON.
fn take_literal(text: &str) -> Option<(Value, &str)> {
    for (word, value) in [
        ("True", Value::Bool(true)),
        ("False", Value::Bool(false)),
        ("None", Value::Null),
    ] {
        if let Some(rest) = text.strip_prefix(word) {
            return Some((value, rest));
        }
    }
    if let Some(rest) = text.strip_prefix('\'') {
        return take_single_quoted(rest);
    }
    if !text.starts_with(['"', '[', '{']) {
        // A number ends where the call goes on.
        let end = text.find([',', ')'])?;
        let value = serde_json::from_str(text[..end].trim()).ok()?;
        return Some((value, &text[end..]));
    }
    take_json(text)
}

pub(super) fn take_json(text: &str) -> Option<(Value, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, &text[values.byte_offset()..]))
}

fn take_single_quoted(text: &str) -> Option<(Value, &str)> {
    let mut value = String::new();
    let mut signs = text.char_indices();
    while let Some((place, sign)) = signs.next() {
        match sign {
            '\'' => return Some((Value::from(value), &text[place + 1..])),
            '\\' => value.push(match signs.next()?.1 {
                'n' => '\n',
                't' => '\t',
                other @ ('\'' | '"' | '\\') => other,
                _ => return None,
            }),
            other => value.push(other),
        }
    }
    None
}
