//! Arguments: fills in what is known when a call is made.

use serde_json::{Map, Value as Json};

use super::condition::{KnownValues, Value};

/// The words of a step that is made for each kind of goods.
pub(super) const ITEM: &str = "item";
pub(super) const QUANTITY: &str = "quantity";

/// Goods of one kind in the hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Goods {
    pub(super) item: String,
    pub(super) quantity: i64,
}

/// The word that an argument stands for: its whole text in braces.
pub(super) fn placeholder(argument: &Json) -> Option<&str> {
    argument.as_str()?.strip_prefix('{')?.strip_suffix('}')
}

/// Whether a word stands for something in a step.
pub(super) fn is_known_word(word: &str, is_each: bool) -> bool {
    matches!(word, "poi" | "system")
        || is_each && matches!(word, ITEM | QUANTITY)
        || Value::parse(word).is_some_and(|value| value != Value::Place && !value.is_price())
}

/// The arguments of a call.
///
/// # Errors
/// The word that stands for something unknown.
pub(super) fn fill_in(
    arguments: &Map<String, Json>,
    known: &KnownValues,
    goods: Option<&Goods>,
) -> Result<Map<String, Json>, String> {
    let filled = arguments.iter().map(|(key, argument)| {
        let Some(word) = placeholder(argument) else {
            return Ok((key.clone(), argument.clone()));
        };
        let value = value_of(word, known, goods).ok_or_else(|| word.to_string())?;
        Ok((key.clone(), value))
    });
    filled.collect()
}

fn value_of(word: &str, known: &KnownValues, goods: Option<&Goods>) -> Option<Json> {
    let text = |text: &std::sync::Arc<str>| Json::from(&**text);
    match (word, goods) {
        (ITEM, Some(goods)) => Some(goods.item.as_str().into()),
        (QUANTITY, Some(goods)) => Some(goods.quantity.into()),
        ("poi", _) => known.facts.poi.as_ref().map(text),
        ("system", _) => known.facts.system.as_ref().map(text),
        _ => Value::parse(word)?.number(known).map(Json::from),
    }
}

/// The goods in the hold, as the result of a look at it tells them; `None` if it tells nothing of them.
pub(super) fn goods_of(facts: &Map<String, Json>) -> Option<Vec<Goods>> {
    /// The most kinds of goods that are read.
    const MAX_KINDS: usize = 40;
    let cargo = facts.get("cargo")?.as_array()?;
    let goods = cargo.iter().filter_map(|line| {
        let item = line.get("item_id").or_else(|| line.get("id"))?.as_str()?;
        let quantity = line.get("quantity")?.as_i64()?;
        let is_usable = quantity > 0 && item.len() <= 64;
        is_usable.then(|| Goods {
            item: item.to_string(),
            quantity,
        })
    });
    Some(goods.take(MAX_KINDS).collect())
}
