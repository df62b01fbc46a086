//! Phrases: members of a result, and the numbers, goods, places and lists that lines are made of.

use serde_json::{Map, Value};
use zoea_game::standing::{Gauge, Standing};
use zoea_text::figures::{group_digits, group_signed};

/// The longest name or text of others inside a line, in characters.
const MAX_NAME_CHARS: usize = 80;
/// The most elements of a list that a line names.
const MAX_NAMED: usize = 3;

/// The members under which results name goods, the best name first.
const GOODS: [&str; 8] = [
    "item_name",
    "resource_name",
    "output_name",
    "item",
    "name",
    "item_id",
    "resource_id",
    "output_id",
];

pub(super) fn text<'a>(facts: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    let text = facts.get(key)?.as_str()?.trim();
    (!text.is_empty()).then_some(text)
}

pub(super) fn number(facts: &Map<String, Value>, key: &str) -> Option<i64> {
    facts.get(key)?.as_i64()
}

/// A member that is a number above 0.
pub(super) fn some(facts: &Map<String, Value>, key: &str) -> Option<i64> {
    number(facts, key).filter(|number| *number > 0)
}

pub(super) fn list<'a>(facts: &'a Map<String, Value>, key: &str) -> Option<&'a [Value]> {
    facts.get(key)?.as_array().map(Vec::as_slice)
}

pub(super) fn part<'a>(facts: &'a Map<String, Value>, key: &str) -> Option<&'a Map<String, Value>> {
    facts.get(key)?.as_object()
}

pub(super) fn is_action(facts: &Map<String, Value>, action: &str) -> bool {
    text(facts, "action") == Some(action)
}

pub(super) fn credits(amount: i64) -> String {
    format!("{} cr", group_signed(amount))
}

/// `1 player` and `12 players`.
pub(super) fn counted(count: i64, one: &str) -> String {
    let many = if count == 1 { "" } else { "s" };
    format!("{} {one}{many}", group_signed(count))
}

/// The number of elements as results count them.
pub(super) fn length(list: &[Value]) -> i64 {
    i64::try_from(list.len()).unwrap_or(i64::MAX)
}

/// A name of others, cut.
pub(super) fn name(text: &str) -> String {
    match text.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_string(),
    }
}

pub(super) fn spelled(id: &str) -> String {
    name(&id.replace('_', " "))
}

/// The name of the goods that an object tells, in small letters.
pub(super) fn goods(facts: &Map<String, Value>) -> Option<String> {
    let goods = GOODS.iter().find_map(|key| text(facts, key))?;
    Some(spelled(goods).to_lowercase())
}

/// `12 iron ore`, with the quantity under this name.
pub(super) fn quantity_of(facts: &Map<String, Value>, key: &str) -> Option<String> {
    Some(format!(
        "{} {}",
        group_signed(number(facts, key)?),
        goods(facts)?
    ))
}

/// The first elements of a list, and how many more there are; `None` for an empty list, and where
/// an element has no words.
pub(super) fn named(
    list: &[Value],
    words: impl Fn(&Map<String, Value>) -> Option<String>,
) -> Option<String> {
    let first = list.iter().take(MAX_NAMED);
    let described: Option<Vec<String>> = first.map(|one| words(one.as_object()?)).collect();
    let mut described = described
        .filter(|described| !described.is_empty())?
        .join(", ");
    if list.len() > MAX_NAMED {
        described += &format!(" and {} more", list.len() - MAX_NAMED);
    }
    Some(described)
}

/// `1 player here: Tessera Vow`: a number, and the first of those that it counts.
pub(super) fn with_names(count: String, names: Option<String>) -> String {
    match names {
        Some(names) => format!("{count}: {names}"),
        None => count,
    }
}

/// How many elements a list has: `3 ships`.
pub(super) fn count_of(facts: &Map<String, Value>, key: &str, one: &str) -> Option<String> {
    Some(counted(length(list(facts, key)?), one))
}

/// The same, and the first of them in words.
pub(super) fn all_of(
    facts: &Map<String, Value>,
    key: &str,
    one: &str,
    words: impl Fn(&Map<String, Value>) -> Option<String>,
) -> Option<String> {
    let count = count_of(facts, key, one)?;
    Some(with_names(count, named(list(facts, key)?, words)))
}

pub(super) fn name_of(one: &Map<String, Value>) -> Option<String> {
    let keys = ["name", "title", "username", "class_name", "id"];
    Some(name(keys.iter().find_map(|key| text(one, key))?))
}

pub(super) fn gauge(label: &str, gauge: Gauge) -> Option<String> {
    let (now, most) = (gauge.now?, gauge.most?);
    let [now, most] = [now, most].map(|level| group_digits(level.into()));
    Some(format!("{label} {now}/{most}"))
}

pub(super) fn hold(standing: &Standing) -> Option<String> {
    let free = || {
        standing
            .cargo_free
            .map(|free| format!("{} free in the hold", group_signed(free.into())))
    };
    gauge("hold", standing.cargo).or_else(free)
}

pub(super) fn wallet(standing: &Standing) -> Option<String> {
    Some(format!("wallet {}", credits(standing.credits?)))
}

/// What there is of these, with commas between; `None` if there is nothing.
pub(super) fn joined(parts: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let described: Vec<String> = parts.into_iter().flatten().collect();
    (!described.is_empty()).then(|| described.join(", "))
}

/// A statement, and what else there is to it.
pub(super) fn followed(
    statement: String,
    more: impl IntoIterator<Item = Option<String>>,
) -> Option<String> {
    joined([Some(statement), joined(more)])
}
