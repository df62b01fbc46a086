//! The words in which orders are recorded.

use serde_json::Value;
use zoea_text::names::beginning;

use crate::record::CONFIGURED_ROLE;

/// The most characters of a mission, a message or a note that an event record quotes. The full text is stored
/// elsewhere.
const MAX_QUOTE_CHARS: usize = 200;

/// The text of the record of changes of a routine; `None` where nothing is changed.
pub(super) fn edit_summary(changes: &str) -> Option<String> {
    let read = serde_json::from_str::<Value>(changes).unwrap_or_default();
    let members = read.as_object().into_iter().flat_map(|read| read.keys());
    let changed: Vec<&str> = members
        .map(String::as_str)
        .filter(|it| *it != "name")
        .collect();
    if changed.is_empty() && read.is_object() {
        return None;
    }
    let name = read["name"].as_str().unwrap_or("that runs");
    let text = format!("the routine {name} is changed: {}", changed.join(", "));
    Some(quote_beginning(&text))
}

pub(crate) fn describe_settings(
    provider: Option<&str>,
    model: Option<&str>,
    temperature: Option<f32>,
) -> impl Iterator<Item = String> {
    let provider = provider.map(|name| format!("provider {name}"));
    let model = model.map(|name| format!("model {name}"));
    let temperature = temperature.map(|value| format!("temperature {value}"));
    [provider, model, temperature].into_iter().flatten()
}

/// A role in words; `None` stands for the configuration's.
pub(crate) fn describe_role(role: Option<&str>) -> String {
    format!("role {}", role.unwrap_or(CONFIGURED_ROLE))
}

pub(crate) fn with_details(what: &str, more: impl Iterator<Item = String>) -> String {
    let more: Vec<String> = more.collect();
    match more.is_empty() {
        true => what.to_string(),
        false => format!("{what}: {}", more.join(", ")),
    }
}

pub(crate) fn quote_beginning(text: &str) -> String {
    beginning(text, MAX_QUOTE_CHARS).into_owned()
}
