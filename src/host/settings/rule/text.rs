//! Rules for strings: words, addresses and names of providers, Myses and variables.

use std::net::SocketAddr;
use std::sync::Arc;

use zoea_domain::number::NamedNumber;
use zoea_domain::order::check_name;

use super::{Rule, describe_value, list_of};

/// The most bytes of what a role says.
const MAX_PROMPT_BYTES: usize = 16 << 10;

/// Any string that is not blank.
pub(crate) fn non_empty_text() -> Rule<String> {
    let owned = |text: &str| (!text.trim().is_empty()).then(|| text.to_owned());
    Rule::of_texts("a text that is not empty", owned)
}

pub(crate) fn one_of<T: Copy + 'static, const N: usize>(words: [(&'static str, T); N]) -> Rule<T> {
    Rule::of_texts(alternatives(words.map(|(word, _)| word)), move |text| {
        let mut words = words.iter();
        words
            .find(|(word, _)| *word == text)
            .map(|(_, meaning)| *meaning)
    })
}

/// `"on"` or `"off"`.
pub(crate) fn on_or_off() -> Rule<bool> {
    one_of([("on", true), ("off", false)])
}

/// The name of one of these providers; `noun` is "provider" or "other provider".
pub(crate) fn provider_name(known: &[String], noun: &'static str) -> Rule<Arc<str>> {
    let known = known.to_vec();
    let allowed = match known.as_slice() {
        [] => format!("leaving it out, because there is no {noun}"),
        known => alternatives(known.iter().map(String::as_str)),
    };
    Rule::new(allowed, move |value| {
        let found = describe_value(value);
        match value.as_str() {
            Some(name) if known.iter().any(|known| known == name) => Ok(name.into()),
            Some(_) => Err(format!("{found}, which names no {noun}")),
            None => Err(found),
        }
    })
}

pub(crate) fn mysis_name() -> Rule<String> {
    let allowed = "1 to 32 letters, digits, -, _ or ., not beginning with - or .";
    Rule::of_texts(allowed, |name| {
        check_name(name).is_ok().then(|| name.to_owned())
    })
}

pub(crate) fn prompt_text() -> Rule<Arc<str>> {
    Rule::of_texts("a text of 1 to 16,384 bytes", |text| {
        let text = text.trim();
        (1..=MAX_PROMPT_BYTES)
            .contains(&text.len())
            .then(|| text.into())
    })
}

pub(crate) fn tool_patterns() -> Rule<Vec<Arc<str>>> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '*');
    let allowed = "the name of a tool, in which * stands for any text";
    let pattern = Rule::of_texts(allowed, move |text| {
        let is_pattern = (1..=128).contains(&text.len()) && text.chars().all(is_letter);
        is_pattern.then(|| text.into())
    });
    list_of(0..=1000, pattern)
}

pub(crate) fn named_number() -> Rule<NamedNumber> {
    let allowed = "a tool and the path to a number in its results, as \"count_notes/total\"";
    Rule::of_texts(allowed, NamedNumber::parse)
}

pub(crate) fn command_words() -> Rule<Vec<String>> {
    let allowed = "a text without a zero byte, the first one the program";
    list_of(
        1..=256,
        Rule::of_texts(allowed, |word| {
            (!word.contains('\0')).then(|| word.to_owned())
        }),
    )
}

pub(crate) fn variable_name() -> Rule<String> {
    let allowed = "the name of an environment variable, such as OPENAI_API_KEY (a key itself never stands in this file)";
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    Rule::of_secrets(allowed, move |name| {
        let is_name = name.chars().all(is_letter) && !name.is_empty();
        (is_name && !name.starts_with(|c: char| c.is_ascii_digit())).then(|| name.to_owned())
    })
}

/// An IP address of this machine and a port.
pub(crate) fn any_address() -> Rule<SocketAddr> {
    let allowed = "an IP address and a port, such as 127.0.0.1:9464";
    Rule::of_texts(allowed, |text| text.parse().ok())
}

pub(crate) fn loopback_address() -> Rule<SocketAddr> {
    let allowed = "a loopback address and a port, such as 127.0.0.1:0 or [::1]:0";
    Rule::of_texts(allowed, |text| {
        let address: Option<SocketAddr> = text.parse().ok();
        address.filter(|address| address.ip().is_loopback())
    })
}

/// `"a", "b" or "c"`.
fn alternatives<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.into_iter().map(|name| format!("{name:?}")).collect();
    match names.pop() {
        None => String::new(),
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} or {last}", names.join(", ")),
    }
}
