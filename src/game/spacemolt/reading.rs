//! Readings: a result of either interface, read once, and what is asked of it.

use serde_json::{Map, Value};
use zoea_game::Reading;
use zoea_game::digest::{digest_members, digest_text};
use zoea_game::reading::{Goods, MissionFacts, Objective, Reached, ShipNames, UnitPrice};
use zoea_game::standing::Standing;
use zoea_game::systems::SystemFacts;

use crate::results::read_facts;
use crate::{ship, standing, systems, wording};

const MAX_ID_BYTES: usize = 64;
/// The most kinds of goods that are read.
const MAX_KINDS: usize = 40;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultFacts(Option<Map<String, Value>>);

impl ResultFacts {
    #[must_use]
    pub fn of(text: &str) -> ResultFacts {
        ResultFacts(read_facts(text))
    }

    /// A result whose facts were read by another hand, as from a text that is cut off.
    #[must_use]
    pub fn of_facts(facts: Map<String, Value>) -> ResultFacts {
        ResultFacts(Some(facts))
    }

    pub fn of_player(&self, key: &str) -> Option<&str> {
        self.get("player")?.get(key)?.as_str()
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.0.as_ref()?.get(key)
    }

    fn number(&self, key: &str) -> Option<i64> {
        self.get(key)?.as_i64()
    }

    fn is_so(&self, key: &str) -> bool {
        self.get(key) == Some(&Value::Bool(true))
    }
}

impl Reading for ResultFacts {
    fn is_understood(&self) -> bool {
        self.0.is_some()
    }

    fn standing(&self, command: &str, read_only: bool) -> Standing {
        match &self.0 {
            Some(facts) => standing::read(command, read_only, facts),
            None => standing::unread(command, read_only),
        }
    }

    fn reached(&self, command: &str, read_only: bool) -> Reached<'_> {
        let Some(facts) = &self.0 else {
            return Reached::default();
        };
        let made = facts.contains_key("resource_id") || facts.contains_key("output_id");
        let quantity = self.number("quantity").filter(|quantity| *quantity > 0);
        let player = facts.get("player").and_then(Value::as_object);
        let stats = player.and_then(|player| player.get("stats")?.as_object());
        let of_player = ["current_system", "current_poi", "docked_at_base"];
        let of_player = of_player
            .iter()
            .filter_map(|key| player?.get(*key)?.as_str());
        let of_trip = ["poi_id", "system_id"].iter().filter(|_| !read_only);
        let of_trip = of_trip.filter_map(|key| facts.get(*key)?.as_str());
        let places = of_player.chain(of_trip);
        Reached {
            standing: standing::read(command, read_only, facts),
            has_made: !read_only && made && quantity.is_some(),
            has_learnt: !read_only && self.is_so("level_up"),
            skills: skills(facts, player),
            explored: stats.and_then(|stats| stats.get("systems_explored")?.as_i64()),
            ship: ship_state(facts),
            missions: missions_state(facts),
            places: places.filter(|place| !place.is_empty()).collect(),
            running: read_only.then(|| {
                let mut figures = Vec::new();
                collect_running(facts, 0, &mut figures);
                figures
            }),
        }
    }

    fn goods(&self) -> Option<Vec<Goods>> {
        let in_ship = || self.get("ship")?.get("cargo");
        let cargo = self.get("cargo").or_else(in_ship)?.as_array()?;
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

    fn missions(&self) -> Option<Vec<MissionFacts>> {
        let missions = self.get("missions")?.as_array()?;
        Some(missions.iter().filter_map(mission).collect())
    }

    fn prices(&self, command: &str) -> Vec<UnitPrice<'_>> {
        let own = |brings: Option<i64>, costs: Option<i64>| {
            let item = self.get("item_id").and_then(Value::as_str);
            let price = item.map(|item| UnitPrice {
                item,
                brings,
                costs,
                on_offer: None,
            });
            price.into_iter().collect()
        };
        match command {
            "sell" => own(self.each("total_earned", "quantity_sold"), None),
            "buy" => own(None, self.each("total_cost", "quantity")),
            "view_market" => {
                let lines = self.get("items").and_then(Value::as_array);
                let lines = lines.map(Vec::as_slice).unwrap_or_default();
                lines.iter().filter_map(quote).collect()
            }
            _ => Vec::new(),
        }
    }

    fn systems(&self, command: &str) -> Vec<SystemFacts> {
        let facts = self.0.as_ref();
        facts.map_or_else(Vec::new, |facts| systems::read(command, facts))
    }

    fn ship(&self, command: &str) -> ShipNames {
        let facts = self.0.as_ref();
        facts.map_or_else(ShipNames::default, |facts| ship::names(command, facts))
    }

    fn is_under_way(&self) -> bool {
        self.is_so("in_transit")
    }

    fn members(&self) -> Vec<&str> {
        let says_something = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
        let members = self.0.iter().flatten();
        let members = members.filter(|(_, value)| says_something(value));
        let keys = members.map(|(key, _)| &**key);
        // What other players said is there when they said it.
        keys.filter(|key| !key.starts_with("unread_")).collect()
    }

    fn words(&self, command: &str, result: &str) -> Option<String> {
        wording::describe(command, result, self.0.as_ref())
    }

    fn digest(&self, result: &str, most: usize) -> String {
        match &self.0 {
            Some(facts) => digest_members(facts, most),
            None => digest_text(result, most),
        }
    }
}

impl ResultFacts {
    /// The credits of one unit, rounded down.
    fn each(&self, sum: &str, units: &str) -> Option<i64> {
        let units = self.number(units).filter(|units| *units > 0)?;
        let sum = self.number(sum).filter(|sum| *sum >= 0)?;
        Some(sum / units)
    }
}

/// A line of a market. The book names its sides: buyers pay what a seller gets. 0 stands for nobody.
fn quote(line: &Value) -> Option<UnitPrice<'_>> {
    let price = |key: &str| line.get(key)?.as_i64().filter(|price| *price > 0);
    Some(UnitPrice {
        item: line.get("item_id")?.as_str()?,
        brings: price("best_buy").or(price("buy_price")),
        costs: price("best_sell").or(price("sell_price")),
        on_offer: price("sell_quantity"),
    })
}

fn mission(mission: &Value) -> Option<MissionFacts> {
    let text = |key: &str| mission.get(key)?.as_str();
    let id = text("mission_id").filter(|id| !id.is_empty() && id.len() <= MAX_ID_BYTES)?;
    let objectives = mission.get("objectives").and_then(Value::as_array);
    Some(MissionFacts {
        id: id.to_string(),
        title: text("title").map(str::to_string),
        objectives: objectives.map(|all| all.iter().map(objective).collect()),
        percent: mission.get("percent_complete").and_then(Value::as_f64),
    })
}

fn objective(objective: &Value) -> Objective {
    let text = |keys: [&str; 2]| {
        let mut found = keys.iter().filter_map(|key| objective.get(*key)?.as_str());
        found.next().map(str::to_string)
    };
    let mut quantities = ["required", "quantity"]
        .iter()
        .filter_map(|key| objective.get(*key)?.as_i64());
    Objective {
        item: text(["item_id", "resource_id"]),
        quantity: quantities.next(),
        base: text(["target_base_id", "target_base"]),
        is_done: objective.get("completed").and_then(Value::as_bool),
    }
}

/// The sum of the levels of all skills, which the player has or the result itself.
fn skills(facts: &Map<String, Value>, player: Option<&Map<String, Value>>) -> Option<i64> {
    let skills = facts.get("skills");
    let skills = skills.or_else(|| player?.get("skills"))?.as_object()?;
    let level = |skill: &Value| skill.as_i64().or_else(|| skill.get("level")?.as_i64());
    let levels = skills.values().filter_map(level);
    Some(levels.fold(0, i64::saturating_add))
}

fn ship_state(facts: &Map<String, Value>) -> Option<[String; 2]> {
    let ship = facts.get("ship")?.as_object()?;
    let class = ship.get("class_id")?.to_string();
    let modules = ship.get("modules").map(Value::to_string);
    Some([class, modules.unwrap_or_default()])
}

/// Offered missions have no progress.
fn missions_state(facts: &Map<String, Value>) -> Option<Vec<String>> {
    let missions = facts.get("missions")?.as_array()?;
    let under_way = missions
        .iter()
        .filter(|mission| mission.get("percent_complete").is_some());
    let part = |mission: &Value, key| mission.get(key).map(Value::to_string);
    let parts = under_way.flat_map(|mission| {
        ["mission_id", "title", "percent_complete", "objectives"].map(|key| part(mission, key))
    });
    let parts: Vec<String> = parts.flatten().collect();
    (!parts.is_empty()).then_some(parts)
}

/// Collects the values that run by themselves near the top of an answer: a trip, a job, a repair.
fn collect_running(object: &Map<String, Value>, depth: u32, figures: &mut Vec<String>) {
    const RUNNING_KEYS: [&str; 5] = [
        "ticks_remaining",
        "runs_remaining",
        "runs_done",
        "jobs_remaining",
        "build_ticks_left",
    ];
    for (key, value) in object {
        if RUNNING_KEYS.contains(&key.as_str()) {
            figures.push(value.to_string());
        }
        let inner = match value {
            Value::Object(inner) => vec![inner],
            Value::Array(list) => list.iter().take(8).filter_map(Value::as_object).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        };
        for object in inner.into_iter().filter(|_| depth < 2) {
            collect_running(object, depth + 1, figures);
        }
    }
}
