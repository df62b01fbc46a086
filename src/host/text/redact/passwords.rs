//! Finds passwords that are not known yet by the word before them.

use std::borrow::Cow;
use std::ops::Range;

use super::REDACTED;

const PASSWORD_WORDS: [&str; 3] = ["password", "passwd", "passphrase"];

/// A shorter value is not a password.
const MIN_PASSWORD_LETTERS: usize = 4;

/// The text without the values of keys such as `password` in JSON, even in nested JSON strings.
pub fn hide_passwords(text: &str) -> Cow<'_, str> {
    let mut clean = String::new();
    let mut rest = 0;
    for word in password_words(text) {
        let Some(value) = KeyedValue::after(text, word.end) else {
            continue;
        };
        // A word inside of a hidden value is hidden with it.
        if word.start < rest || &text[value.place.clone()] == REDACTED {
            continue;
        }
        clean.push_str(&text[rest..value.place.start]);
        clean.push_str(value.quote);
        clean.push_str(REDACTED);
        clean.push_str(value.quote);
        rest = value.place.end;
    }
    if rest == 0 {
        return Cow::Borrowed(text);
    }
    clean.push_str(&text[rest..]);
    Cow::Owned(clean)
}

const NON_PASSWORD_VALUES: [&str; 7] = [
    REDACTED, "null", "none", "true", "false", "string", "required",
];

/// The range of the password in an answer to `register` for people, such as `Password: 0a1b2c3d`.
pub fn password_in_words(text: &str) -> Option<Range<usize>> {
    password_words(text).find_map(|word| {
        let is_around = |c: char| c.is_whitespace() || "\"'`*\\_".contains(c);
        let skip = |from: usize| text.len() - text[from..].trim_start_matches(is_around).len();
        let sign = skip(word.end);
        let rest = &text[sign..];
        let signs = [":", "=", "|", "->", "→", "is "];
        let meant = signs.into_iter().find(|meant| rest.starts_with(meant))?;
        let start = skip(sign + meant.len());
        let is_end = |c: char| is_around(c) || ",;|<>{}".contains(c);
        let value = text[start..].split(is_end).next()?;
        let value = value.trim_end_matches(['.', '!', ')']);
        // `your password is secret` contains no password.
        let is_odd = |c: char| !c.is_ascii_lowercase();
        let is_meant =
            value.len() >= MIN_PASSWORD_LETTERS && (meant != "is " || value.contains(is_odd));
        (is_meant && !NON_PASSWORD_VALUES.contains(&value)).then(|| start..start + value.len())
    })
}

fn password_words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let begin = |byte: &u8| matches!(byte, b'p' | b'P');
            let start = from + bytes[from..].iter().position(begin)?;
            from = start + 1;
            let is_here = |word: &&&str| {
                let here = bytes.get(start..start + word.len());
                here.is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes()))
            };
            if let Some(word) = PASSWORD_WORDS.iter().find(is_here) {
                from = start + word.len();
                return Some(start..from);
            }
        }
    })
}

/// A JSON value after a key.
struct KeyedValue<'a> {
    place: Range<usize>,
    /// The closing quotes that are missing.
    quote: &'a str,
}

impl<'a> KeyedValue<'a> {
    fn after(text: &'a str, key: usize) -> Option<KeyedValue<'a>> {
        let bytes = text.as_bytes();
        let slashes = count_backslashes(&bytes[key..]);
        let quote = text.get(key..key + slashes + 1)?;
        if !quote.ends_with(['"', '\'']) {
            return None;
        }
        let rest = &text[key + quote.len()..];
        let rest = rest.trim_start().strip_prefix(':')?.trim_start();
        let start = text.len() - rest.len();
        let Some(value) = rest.strip_prefix(quote) else {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            return (digits > 0).then_some(KeyedValue {
                place: start..start + digits,
                quote,
            });
        };
        let start = start + quote.len();
        let length = value_length(value.as_bytes(), quote.as_bytes());
        (length > 0).then_some(KeyedValue {
            place: start..start + length,
            quote: "",
        })
    }
}

fn value_length(value: &[u8], quote: &[u8]) -> usize {
    let slashes = quote.len() - 1;
    let end = quote[slashes];
    let mut place = 0;
    while place < value.len() {
        let run = count_backslashes(&value[place..]);
        // An additional backslash belongs to the value and not to the quote.
        let is_end = value.get(place + run) == Some(&end) && run % (2 * quote.len()) == slashes;
        if is_end {
            return place + run - slashes;
        }
        place += run + 1;
    }
    value.len()
}

fn count_backslashes(text: &[u8]) -> usize {
    text.iter().take_while(|byte| **byte == b'\\').count()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_password_in_json_is_hidden_whatever_it_is_and_however_deep() {
        for password in [
            "x",
            "hunter2",
            "a\"b\\",
            "\\\\",
            "ä🚀\n",
            "pass\"word\":\"z",
        ] {
            let mut text = json!({"a": [{"Password": password}], "b": "c"}).to_string();
            for depth in 0..4 {
                let mut shown: Value = serde_json::from_str(&hide_passwords(&text)).unwrap();
                for _ in 0..depth {
                    shown = serde_json::from_str(shown["t"].as_str().unwrap()).unwrap();
                }
                let hidden = json!({"a": [{"Password": REDACTED}], "b": "c"});
                assert_eq!(shown, hidden, "{password} at {depth}");
                text = json!({ "t": text }).to_string();
            }
        }
        assert_eq!(
            hide_passwords(r#"{"password": 1234, "x": 1}"#),
            r#"{"password": "[redacted]", "x": 1}"#
        );
    }

    #[test]
    fn what_names_no_password_stays() {
        for text in [
            "Invalid username or password. Passwords are random.",
            r#"{"password":{"type":"string"}}"#,
            r#"{"password":""}"#,
            r#"{"password":null,"password_hint":"dog"}"#,
            "{\"password\":\"[redacted]\"}",
        ] {
            assert!(matches!(hide_passwords(text), Cow::Borrowed(_)), "{text}");
            assert_eq!(password_in_words(&text.replace('"', "")), None, "{text}");
        }
    }

    #[test]
    fn a_password_in_words_is_found() {
        for text in [
            "Password: 0a1b2c3d",
            "Welcome, Quill! Your password is 0a1b2c3d.",
            "**Password:** `0a1b2c3d`\nKeep it.",
            "| password | 0a1b2c3d |",
            "username=Quill password=0a1b2c3d",
            "password -> \"0a1b2c3d\", keep it",
        ] {
            let found = password_in_words(text).map(|place| &text[place]);
            assert_eq!(found, Some("0a1b2c3d"), "{text}");
        }
        assert_eq!(password_in_words("the password is secret"), None);
    }
}
