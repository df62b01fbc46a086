//! Arguments: fills in what is known when a call is made.

use serde_json::{Map, Value as Json};

use super::Each;
use super::condition::{KnownValues, Value};

/// The words of a step that is made for each kind of goods.
pub(super) const ITEM: &str = "item";
pub(super) const QUANTITY: &str = "quantity";
/// The word of a step that is made for each mission that is done.
pub(super) const MISSION: &str = "mission";
/// The longest id of an item or a mission that is read.
const MAX_ID_BYTES: usize = 64;
/// The most kinds of goods, and the most missions, that are read.
const MAX_KINDS: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Goods {
    pub(super) item: String,
    pub(super) quantity: i64,
}

/// What a step with `each` is made for next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EachOne {
    Goods(Goods),
    /// The id of a mission.
    Mission(String),
}

/// All that a step with this `each` is made for.
pub(super) fn each_of(each: Option<Each>, hold: &[Goods], missions: &[String]) -> Vec<EachOne> {
    match each {
        None => Vec::new(),
        Some(Each::Cargo) => hold.iter().cloned().map(EachOne::Goods).collect(),
        Some(Each::Missions) => missions.iter().cloned().map(EachOne::Mission).collect(),
    }
}

/// The word that an argument stands for: its whole text in braces.
pub(super) fn placeholder(argument: &Json) -> Option<&str> {
    argument.as_str()?.strip_prefix('{')?.strip_suffix('}')
}

/// Whether a word stands for something in a step.
pub(super) fn is_known_word(word: &str, each: Option<Each>) -> bool {
    matches!(word, "poi" | "system")
        || match each {
            Some(Each::Cargo) => matches!(word, ITEM | QUANTITY),
            Some(Each::Missions) => word == MISSION,
            None => false,
        }
        || Value::parse(word).is_some_and(|value| value != Value::Place && !value.is_price())
}

/// The arguments of a call.
///
/// # Errors
/// The word that stands for something unknown.
pub(super) fn fill_in(
    arguments: &Map<String, Json>,
    known: &KnownValues,
    one: Option<&EachOne>,
) -> Result<Map<String, Json>, String> {
    let filled = arguments.iter().map(|(key, argument)| {
        let Some(word) = placeholder(argument) else {
            return Ok((key.clone(), argument.clone()));
        };
        let value = value_of(word, known, one).ok_or_else(|| word.to_string())?;
        Ok((key.clone(), value))
    });
    filled.collect()
}

fn value_of(word: &str, known: &KnownValues, one: Option<&EachOne>) -> Option<Json> {
    let text = |text: &std::sync::Arc<str>| Json::from(&**text);
    match (word, one) {
        (ITEM, Some(EachOne::Goods(goods))) => Some(goods.item.as_str().into()),
        (QUANTITY, Some(EachOne::Goods(goods))) => Some(goods.quantity.into()),
        (MISSION, Some(EachOne::Mission(id))) => Some(id.as_str().into()),
        ("poi", _) => known.facts.poi.as_ref().map(text),
        ("system", _) => known.facts.system.as_ref().map(text),
        _ => Value::parse(word)?.number(known).map(Json::from),
    }
}

/// The goods in the hold, as the result of a look at it tells them; `None` if it tells nothing of them.
pub(super) fn goods_of(facts: &Map<String, Json>) -> Option<Vec<Goods>> {
    let cargo = facts.get("cargo")?.as_array()?;
    let goods = cargo.iter().filter_map(|line| {
        let item = line.get("item_id").or_else(|| line.get("id"))?.as_str()?;
        let quantity = line.get("quantity")?.as_i64()?;
        let is_usable = quantity > 0 && item.len() <= MAX_ID_BYTES;
        is_usable.then(|| Goods {
            item: item.to_string(),
            quantity,
        })
    });
    Some(goods.take(MAX_KINDS).collect())
}

/// The missions that wait for their reward, as the result of `get_active_missions` tells them; `None` if it
/// tells nothing of missions. Where it does not tell what is done, the server decides.
pub(super) fn done_missions(facts: &Map<String, Json>) -> Option<Vec<String>> {
    let missions = facts.get("missions")?.as_array()?;
    let done = missions.iter().filter(|mission| is_done(mission));
    let ids = done.filter_map(|mission| mission.get("mission_id")?.as_str());
    let usable = ids.filter(|id| !id.is_empty() && id.len() <= MAX_ID_BYTES);
    Some(usable.take(MAX_KINDS).map(str::to_string).collect())
}

fn is_done(mission: &Json) -> bool {
    let objectives = mission["objectives"].as_array();
    let is_open = |objective: &Json| objective["completed"] == false;
    match objectives {
        Some(objectives) => !objectives.iter().any(is_open),
        None => mission["percent_complete"]
            .as_f64()
            .is_none_or(|part| part >= 100.0),
    }
}
