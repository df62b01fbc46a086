//! Arguments: fills in what is known when a call is made.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use zoea_game::Reading;
use zoea_game::reading::{Goods, MissionFacts};

use super::Each;
use super::condition::{KnownValues, Value};

/// The words of a step that is made for each kind of goods.
pub(super) const ITEM: &str = "item";
pub(super) const QUANTITY: &str = "quantity";
/// The word of a step that is made for each mission that is done.
pub(super) const MISSION: &str = "mission";
const MAX_MISSIONS: usize = 40;

/// What a step with `each` is made for next.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum EachOne {
    Goods(Goods),
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

/// The missions that wait for their reward, as a result tells them; `None` if it tells nothing of missions.
pub(super) fn done_missions(facts: &dyn Reading) -> Option<Vec<String>> {
    let missions = facts.missions()?.into_iter();
    let done = missions.filter(MissionFacts::may_be_done);
    Some(done.take(MAX_MISSIONS).map(|mission| mission.id).collect())
}
