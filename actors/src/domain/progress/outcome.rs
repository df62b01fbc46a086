//! Outcomes: what a Mysis owns and reaches in the game, according to its calls' results.
//!
//! The field names are those of SpaceMolt's first interface; the second's answers are read into
//! them. An answer in another form, or of another server, cannot be judged. It never counts as "no
//! gain".

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Map, Value};
use zoea_spacemolt::standing::{Deal, deal};
use zoea_text::figures::group_digits;

use super::call_pattern::hash_texts;
use crate::game::GameReading;

/// The most places that are remembered. A place that was left longer ago counts as new.
const MAX_PLACES: usize = 48;
/// The most states of missions, and of the ship, that are remembered.
pub(super) const MAX_STATES: usize = 16;
/// The most answers that are remembered.
const MAX_ANSWERS: usize = 48;

/// The known outcomes of a Mysis.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Outcomes {
    pub(super) credits: Option<i64>,
    pub(super) cargo: Option<i64>,
    pub(super) skills: Option<i64>,
    pub(super) explored: Option<i64>,
    /// Hashes of the states of its missions and of its ship, newest last. One state has a hash for
    /// each form in which the game answers.
    pub(super) missions: VecDeque<u32>,
    pub(super) ship: VecDeque<u32>,
    /// A hash of what runs by itself, such as a trip or a job.
    pub(super) runs: Option<u32>,
    /// Hashes of the places it was at, newest last.
    pub(super) places: VecDeque<u32>,
    /// The name of the newest place.
    pub(super) place: Option<Arc<str>>,
    /// Whether money was spent since some was last earned. Cargo that was paid for is not a gain.
    pub(super) has_paid: bool,
    pub(super) answers: VecDeque<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gains {
    /// Whether anything got better or is going to.
    pub(super) any: bool,
    /// Whether there is a gain that a cycle does not bring: goods, a skill, a place, a mission, a
    /// running job.
    pub(super) lasting: bool,
    /// Credits earned minus credits spent, according to the result.
    pub(super) net: i64,
    /// Whether the answer is unlike all recent ones.
    pub(super) is_novel: bool,
    /// Whether outcomes can be read from the answer's form; `None` if the answer is no indication.
    pub(super) is_readable: Option<bool>,
}

impl Outcomes {
    /// Whether outcomes can be read from this server's answers.
    pub(super) fn is_known(&self) -> bool {
        self.credits.is_some() || self.cargo.is_some() || !self.places.is_empty()
    }

    /// Takes a good result of which nothing can be read but whether it is new.
    pub(super) fn take_unreadable(&mut self, tool: &str, text: &str) -> Gains {
        Gains {
            is_readable: Some(false),
            ..self.take_answer_text(tool, text)
        }
    }

    fn take_answer_text(&mut self, tool: &str, text: &str) -> Gains {
        Gains {
            is_novel: remember_mark(&mut self.answers, MAX_ANSWERS, hash_texts([tool, text])),
            ..Gains::default()
        }
    }

    /// Reads a good result.
    pub(super) fn read_result(
        &mut self,
        tool: &str,
        read_only: bool,
        reading: &GameReading<'_>,
    ) -> Gains {
        let mut gains = self.take_answer_text(tool, reading.text());
        // A long one is a table of the game such as the map or the catalog.
        if !reading.is_short() || tool.starts_with("zoea_") {
            return gains;
        }
        let Some(root) = reading.facts() else {
            gains.is_readable = Some(false);
            return gains;
        };
        gains.is_readable = Some(true);
        self.read_deals(root, read_only, &mut gains);
        self.read_player(root, &mut gains);
        self.read_ship(root, &mut gains);
        self.read_missions(root, &mut gains);
        if read_only {
            self.read_what_runs(root, &mut gains);
        } else {
            self.read_arrival(root, &mut gains);
        }
        gains.any |= gains.lasting;
        gains
    }

    /// Reads what an action earned, cost and produced.
    fn read_deals(&mut self, root: &Map<String, Value>, read_only: bool, gains: &mut Gains) {
        if read_only {
            return;
        }
        let deal = deal(root).unwrap_or_default();
        let Deal { earned, spent } = deal;
        gains.net = deal.net();
        gains.any |= earned > 0;
        if earned > 0 {
            self.has_paid = false;
        }
        self.has_paid |= spent > 0;
        let made = root.contains_key("resource_id") || root.contains_key("output_id");
        let is_made = made && member_number(root, "quantity").is_some_and(|quantity| quantity > 0);
        let has_learnt = root.get("level_up").and_then(Value::as_bool) == Some(true);
        gains.lasting |= is_made || has_learnt;
    }

    fn read_player(&mut self, root: &Map<String, Value>, gains: &mut Gains) {
        let player = root.get("player").and_then(Value::as_object);
        if let Some(player) = player {
            if let Some(credits) = member_number(player, "credits") {
                gains.any |= record_rise(&mut self.credits, credits);
            }
            for key in ["current_system", "current_poi", "docked_at_base"] {
                self.visit_place(player.get(key), gains);
            }
            let explored = player.get("stats").and_then(Value::as_object);
            if let Some(count) = explored.and_then(|stats| member_number(stats, "systems_explored"))
            {
                gains.lasting |= record_highest(&mut self.explored, count);
            }
        }
        let skills = root.get("skills");
        let skills = skills.or_else(|| player.and_then(|player| player.get("skills")));
        if let Some(Value::Object(skills)) = skills {
            let level = |skill: &Value| skill.as_i64().or_else(|| skill.get("level")?.as_i64());
            let levels = saturating_total(skills.values().filter_map(level));
            gains.lasting |= record_highest(&mut self.skills, levels);
        }
    }

    fn read_ship(&mut self, root: &Map<String, Value>, gains: &mut Gains) {
        let ship = root.get("ship").and_then(Value::as_object);
        let used = ship.and_then(|ship| member_number(ship, "cargo_used"));
        let used = used.or_else(|| {
            let is_cargo = root.contains_key("cargo") && root.contains_key("capacity");
            is_cargo.then(|| member_number(root, "used")).flatten()
        });
        if let Some(used) = used {
            let has_more = record_rise(&mut self.cargo, used);
            gains.any |= has_more && !self.has_paid;
        }
        if let Some(ship) = ship
            && let Some(class) = ship.get("class_id")
        {
            let modules = ship.get("modules").map(Value::to_string);
            let it = hash_texts([&*class.to_string(), &*modules.unwrap_or_default()]);
            gains.lasting |= record_state(&mut self.ship, it);
        }
    }

    /// Reads the accepted missions. Offered ones have no progress.
    fn read_missions(&mut self, root: &Map<String, Value>, gains: &mut Gains) {
        let Some(Value::Array(missions)) = root.get("missions") else {
            return;
        };
        let under_way: Vec<&Value> = missions
            .iter()
            .filter(|mission| mission.get("percent_complete").is_some())
            .collect();
        if under_way.is_empty() {
            return;
        }
        let part = |mission: &Value, key| mission.get(key).map(Value::to_string);
        let parts = under_way.iter().flat_map(|mission| {
            ["mission_id", "title", "percent_complete", "objectives"].map(|key| part(mission, key))
        });
        let parts: Vec<String> = parts.flatten().collect();
        let it = hash_texts(parts.iter().map(String::as_str));
        gains.lasting |= record_state(&mut self.missions, it);
    }

    /// Reads the destination of a trip.
    fn read_arrival(&mut self, root: &Map<String, Value>, gains: &mut Gains) {
        for key in ["poi_id", "system_id"] {
            self.visit_place(root.get(key), gains);
        }
    }

    /// Reads values that count down or up by themselves: a trip, a job, a repair.
    fn read_what_runs(&mut self, root: &Map<String, Value>, gains: &mut Gains) {
        let mut figures = Vec::new();
        collect_running(root, 0, &mut figures);
        if figures.is_empty() {
            self.runs = None;
            return;
        }
        let it = hash_texts(figures.iter().map(String::as_str));
        gains.lasting |= self.runs.replace(it).is_some_and(|known| known != it);
    }

    /// Notes the present place. A new one is a gain, except for the first.
    fn visit_place(&mut self, place: Option<&Value>, gains: &mut Gains) {
        let Some(place) = place.and_then(Value::as_str).filter(|id| !id.is_empty()) else {
            return;
        };
        let is_first = self.places.len() < 3;
        let is_new = remember_mark(&mut self.places, MAX_PLACES, hash_texts([place]));
        gains.lasting |= is_new && !is_first;
        if self.place.as_deref() != Some(place) {
            self.place = Some(place.chars().take(60).collect::<String>().into());
        }
    }

    /// The known figures in words.
    pub(super) fn describe_figures(&self) -> Vec<String> {
        let credits = self.credits.and_then(|credits| u64::try_from(credits).ok());
        let told = [
            credits.map(|credits| format!("credits {}", group_digits(credits))),
            self.cargo.map(|used| format!("cargo {used}")),
            self.skills.map(|levels| format!("skill levels {levels}")),
            (!self.missions.is_empty()).then(|| "missions as they were".to_string()),
            self.place.as_ref().map(|place| format!("last at {place}")),
        ];
        told.into_iter().flatten().collect()
    }
}

/// The sum of numbers from the game, without overflow.
fn saturating_total(figures: impl Iterator<Item = i64>) -> i64 {
    figures.fold(0, i64::saturating_add)
}

/// Stores a figure. Returns whether it rose. The first one does not count as risen.
fn record_rise(known: &mut Option<i64>, figure: i64) -> bool {
    known.replace(figure).is_some_and(|before| figure > before)
}

/// Stores a figure that never falls. One form of an answer may tell less of it than another, so it
/// has risen only above all that was told before.
fn record_highest(known: &mut Option<i64>, figure: i64) -> bool {
    let highest = known.map_or(figure, |before| before.max(figure));
    known.replace(highest).is_some_and(|before| figure > before)
}

/// Stores a state. Returns whether it is unlike all remembered ones. The first one is no change.
fn record_state(known: &mut VecDeque<u32>, it: u32) -> bool {
    let had_one = !known.is_empty();
    remember_mark(known, MAX_STATES, it) && had_one
}

/// Adds a hash to a bounded memory. Returns whether it is new there.
fn remember_mark(known: &mut VecDeque<u32>, most: usize, it: u32) -> bool {
    if known.contains(&it) {
        return false;
    }
    if known.len() >= most {
        known.pop_front();
    }
    known.push_back(it);
    true
}

fn member_number(object: &Map<String, Value>, key: &str) -> Option<i64> {
    object.get(key).and_then(Value::as_i64)
}

/// Collects the values that run by themselves near the top of an answer.
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

/// Formats milliseconds for people.
pub(super) fn format_millis(millis: u64) -> String {
    match millis / 1000 {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}
