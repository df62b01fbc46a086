//! Credentials: finds the new account in an answer to `register`.

use std::sync::Arc;

use serde_json::{Map, Value};
use zoea_spacemolt::commands;

use crate::domain::bounds::MAX_TREE_BYTES;
use crate::domain::record::GameAccount;
use crate::domain::tool::Toolset;
use zoea_text::redact::password_in_words;

/// What the model is told about an account whose password could not be read.
pub(super) const UNREAD_ACCOUNT_TEXT: &str = "Error: registered before, but the password could not be read from the game's \
                      answer. Do not register again: the operator was told.";

pub(super) const UNREAD_ACCOUNT_NOTICE: &str = "the game answered register, and no password was found in the answer: \
                             the account cannot be used. It is not registered again; find its \
                             password and import it, assigned to this mysis, with zoea accounts \
                             import";

/// The keys of a password, in lower case and without `_` and `-`.
const PASSWORD_KEYS: [&str; 8] = [
    "password",
    "passwd",
    "passphrase",
    "accountpassword",
    "playerpassword",
    "userpassword",
    "newpassword",
    "loginpassword",
];

/// The keys of the name, the likeliest first.
const NAME_KEYS: [&str; 6] = [
    "username",
    "playername",
    "accountname",
    "user",
    "login",
    "name",
];

/// The shortest session id that is believed when words tell it.
const MIN_SESSION_ID_CHARS: usize = 8;

/// How deep nested values are searched, including JSON strings within JSON.
const MAX_JSON_DEPTH: usize = 12;

pub(super) fn login_arguments(account: &GameAccount) -> Map<String, Value> {
    let credentials = [
        ("username", &account.username),
        ("password", &account.password),
    ];
    credentials
        .into_iter()
        .map(|(key, value)| (key.to_string(), Value::String(value.to_string())))
        .collect()
}

/// A command in the form that a server with these tools has for it.
pub(super) fn command_call(
    tools: &Toolset,
    command: &str,
    arguments: Map<String, Value>,
) -> (Arc<str>, Map<String, Value>) {
    if tools.get(command).is_some() {
        return (command.into(), arguments);
    }
    match commands::to_second(command, arguments.clone()) {
        Some((tool, arguments)) => (tool.into(), arguments),
        None => (command.into(), arguments),
    }
}

/// The name, if there is one, and the password of a new account; `None` without a password. With
/// `may_be_words`, text for people is searched, too.
pub(super) fn find_credentials(text: &str, may_be_words: bool) -> Option<(Option<String>, String)> {
    let values = json_values(text);
    let found = values
        .iter()
        .find_map(|value| find_in_objects(value, 0, &in_object));
    let any_name = || {
        values
            .iter()
            .find_map(|value| nested_member(value, "username"))
    };
    if let Some((name, password)) = found {
        return Some((name.or_else(any_name), password));
    }
    if !may_be_words {
        return None;
    }
    let words = word_texts(text, &values);
    words.iter().find_map(|words| {
        let place = password_in_words(words)?;
        Some((
            name_in_words(words).or_else(any_name),
            words[place].to_string(),
        ))
    })
}

/// The game's own session id in an answer to a login, as a member or in words.
pub(super) fn find_session_id(text: &str) -> Option<String> {
    const IN_WORDS: &str = "Session ID:";
    find_member(text, "session_id").or_else(|| {
        let (_, rest) = text.split_once(IN_WORDS)?;
        let rest = rest.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_hexdigit() && c != '-');
        let id = &rest[..end.unwrap_or(rest.len())];
        (id.len() >= MIN_SESSION_ID_CHARS).then(|| id.to_string())
    })
}

/// The player's name in an answer to a login, of its object or in `Welcome back, Quill!`
pub(super) fn find_player_name(text: &str) -> Option<String> {
    const MAX_NAME_BYTES: usize = 200;
    let of_player = |value: &Value| {
        let places = ["/player/username", "/result/player/username"];
        let mut names = places.into_iter().filter_map(|place| value.pointer(place));
        names.find_map(value_word)
    };
    let in_words = || {
        let (_, rest) = text.split_once("Welcome back, ")?;
        let line = rest.lines().next()?;
        let end = line.find("! Session ID").or_else(|| line.rfind('!'))?;
        Some(line[..end].to_string())
    };
    let name = json_values(text).iter().find_map(of_player);
    let name = name.or_else(in_words)?;
    let name = zoea_text::clean::one_line(&name).trim().to_string();
    (!name.is_empty() && name.len() <= MAX_NAME_BYTES).then_some(name)
}

pub(super) fn find_member(text: &str, key: &str) -> Option<String> {
    json_values(text)
        .iter()
        .find_map(|value| nested_member(value, key))
}

/// The JSON values of a text, one for each line if there are several.
fn json_values(text: &str) -> Vec<Value> {
    if let Some(value) = as_json(text) {
        return vec![value];
    }
    let mut values: Vec<Value> = text.lines().filter_map(as_json).collect();
    // There may be text before and after the value, such as a code fence.
    let (begin, end) = (text.find('{'), text.rfind('}'));
    if let (Some(begin), Some(end)) = (begin, end)
        && begin < end
    {
        values.extend(as_json(&text[begin..=end]));
    }
    values
}

fn as_json(text: &str) -> Option<Value> {
    let text = text.trim();
    let may_be = text.len() <= MAX_TREE_BYTES && text.starts_with(['{', '[', '"']);
    may_be.then(|| serde_json::from_str(text).ok())?
}

/// Looks at the objects of a value, the outer ones first, also of JSON within its texts.
fn find_in_objects<T>(
    value: &Value,
    depth: usize,
    look: &impl Fn(&Map<String, Value>) -> Option<T>,
) -> Option<T> {
    if depth > MAX_JSON_DEPTH {
        return None;
    }
    let inside = |value: &Value| find_in_objects(value, depth + 1, look);
    match value {
        Value::Object(members) => look(members).or_else(|| members.values().find_map(inside)),
        Value::Array(items) => items.iter().find_map(inside),
        Value::String(text) => inside(&as_json(text)?),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn in_object(members: &Map<String, Value>) -> Option<(Option<String>, String)> {
    let (_, password) = members.iter().find_map(|(key, value)| {
        let is_meant = PASSWORD_KEYS.contains(&plain_key(key).as_str());
        is_meant.then_some(key).zip(value_word(value))
    })?;
    let player = members.iter().find(|(key, _)| {
        let key = plain_key(key);
        matches!(key.as_str(), "player" | "account" | "user")
    });
    let nested = player.and_then(|(_, player)| player.as_object());
    let name = member_of_keys(members, &NAME_KEYS).or_else(|| member_of_keys(nested?, &NAME_KEYS));
    Some((name, password))
}

fn member_of_keys(members: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|wanted| {
        let found = members.iter().find(|(key, _)| plain_key(key) == *wanted);
        found.and_then(|(_, value)| value_word(value))
    })
}

fn nested_member(value: &Value, key: &str) -> Option<String> {
    find_in_objects(value, 0, &|members| value_word(members.get(key)?))
}

/// A string or number that is not empty.
fn value_word(value: &Value) -> Option<String> {
    let word = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    (!word.trim().is_empty()).then_some(word)
}

fn plain_key(key: &str) -> String {
    let letters = key.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    letters.flat_map(char::to_lowercase).collect()
}

/// The texts to search for words: the answer itself if it is not JSON, and the strings in its JSON.
fn word_texts(text: &str, values: &[Value]) -> Vec<String> {
    let mut texts = Vec::new();
    for value in values {
        add_texts(value, &mut texts, 0);
    }
    if values.is_empty() {
        texts.push(text.to_string());
    }
    texts
}

fn add_texts(value: &Value, texts: &mut Vec<String>, depth: usize) {
    if depth > MAX_JSON_DEPTH {
        return;
    }
    match value {
        Value::Object(members) => {
            members
                .values()
                .for_each(|value| add_texts(value, texts, depth + 1));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| add_texts(item, texts, depth + 1)),
        Value::String(text) => texts.push(text.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The name in a text for people, such as `Username: Quill`.
fn name_in_words(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let (place, word) = ["username", "user name", "player name"]
        .into_iter()
        .find_map(|word| lower.find(word).map(|place| (place, word)))?;
    let is_around = |c: char| c.is_whitespace() || "\"'`*".contains(c);
    let rest = text[place + word.len()..].trim_start_matches(is_around);
    let signs = [":", "=", "|", "is "];
    let rest = signs.into_iter().find_map(|sign| rest.strip_prefix(sign))?;
    // A name may contain spaces. It ends at the end of the line or where another field begins.
    let rest = rest.trim_start_matches(is_around);
    let line = rest
        .split(['\n', '\r', ',', ';', '|', '"', '`', '*'])
        .next()?;
    let name = line.split(" password").next()?.split(" Password").next()?;
    let name = name.trim().trim_end_matches('.');
    (!name.is_empty()).then(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(text: &str) -> Option<(Option<String>, String)> {
        find_credentials(text, true)
    }

    #[test]
    fn the_credentials_are_found_wherever_the_answer_tells_them() {
        let pair = json!({"username": "Quill", "password": "0a1b2c3d"});
        let text = pair.to_string();
        let of_the_game = json!({
            "message": "Welcome! Save your password now.", "player_id": "1",
            "password": "0a1b2c3d", "player": {"username": "Quill", "empire": "solarian"},
        });
        for answer in [
            text.clone(),
            of_the_game.to_string(),
            json!({ "result": pair }).to_string(),
            json!({"ok": true, "data": {"accounts": [1, {"account": pair}]}}).to_string(),
            json!({"content": [{"type": "text", "text": text}]}).to_string(),
            json!({"structuredContent": {"player": {"name": "Quill"}, "Password": "0a1b2c3d"}})
                .to_string(),
            json!({"a": json!({"b": text}).to_string()}).to_string(),
            format!("Registered.\n{text}"),
            format!(
                "```json\n{}\n```",
                serde_json::to_string_pretty(&pair).unwrap()
            ),
            "Welcome!\nUsername: Quill\nPassword: 0a1b2c3d\n".to_string(),
            "You play as username=Quill password=0a1b2c3d now.".to_string(),
            "**Username:** `Quill`\n**Password:** `0a1b2c3d`".to_string(),
            json!({"message": "Your username is Quill, your password is 0a1b2c3d."}).to_string(),
        ] {
            let wanted = (Some("Quill".to_string()), "0a1b2c3d".to_string());
            assert_eq!(found(&answer), Some(wanted), "{answer}");
        }
    }

    #[test]
    fn an_answer_that_tells_no_password_has_none() {
        for text in [
            "Registered.",
            "Invalid username or password. Passwords are random.",
            r#"{"message":"Save your password now.","password":""}"#,
            r#"{"password":null}"#,
            "{",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
        assert_eq!(find_credentials("password: 0a1b2c3d", false), None);
    }

    #[test]
    fn a_session_id_is_found_in_nested_answers() {
        let text = r#"{"result":{"session_id":"9f8e"}}"#;
        assert_eq!(find_member(text, "session_id").as_deref(), Some("9f8e"));
        assert_eq!(find_member("Session ID", "session_id"), None);
        let login = "Welcome back, Quill! Session ID: 4f1c9a0be27d4c58\nLatest release: v1";
        assert_eq!(find_session_id(login).as_deref(), Some("4f1c9a0be27d4c58"));
        assert_eq!(find_session_id("Session ID: none yet"), None);
        assert_eq!(find_player_name(login).as_deref(), Some("Quill"));
        let text = r#"{"message":"Welcome back, Quill!","player":{"username":"Quill"}}"#;
        assert_eq!(find_player_name(text).as_deref(), Some("Quill"));
        assert_eq!(find_player_name("Welcome."), None);
    }
}
