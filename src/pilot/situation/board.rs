//! Missions: what the board offers and what we have accepted.

use std::collections::BTreeSet;

use serde_json::Value;

use super::outcome::{News, Outcome};
use super::ship::whole;

/// Missions, as far as they are known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Board {
    /// What the board of the base offers.
    pub(crate) offered: Option<Vec<Mission>>,
    /// What we have accepted.
    pub(crate) active: Option<Vec<Mission>>,
    /// Missions that the server has refused to let us accept.
    pub(crate) refused: BTreeSet<String>,
    /// Missions that the server does not count as done, whatever we think.
    pub(crate) incomplete: BTreeSet<String>,
}

/// A mission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mission {
    /// The id that works: the template's name while offered, the instance's id once accepted.
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) wants: Vec<Want>,
    /// The server says that every objective is met.
    pub(crate) is_done: bool,
}

/// An objective that asks for goods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Want {
    /// The item; none where the objective asks for something else.
    pub(crate) item: Option<String>,
    pub(crate) quantity: i64,
    pub(crate) base: Option<String>,
}

impl Mission {
    /// Whether a mining laser is all that it takes.
    pub(crate) fn is_for_miners(&self) -> bool {
        !self.wants.is_empty()
            && self.wants.iter().all(|want| {
                want.item
                    .as_ref()
                    .is_some_and(|item| item.ends_with("_ore"))
            })
    }
}

impl Board {
    pub(super) fn hear(&mut self, news: &News<'_>) {
        match &news.outcome {
            Outcome::Done { facts, .. } => self.learn(news, facts),
            Outcome::Failed { code, .. } => self.rue(news, code),
            Outcome::Words => {}
        }
    }

    fn learn(&mut self, news: &News<'_>, facts: &Value) {
        match news.asked.tool {
            "get_missions" => self.offered = Some(missions(&facts["missions"])),
            "get_active_missions" => {
                self.active = Some(missions(&facts["missions"]));
                self.incomplete.clear();
            }
            "accept_mission" => {
                self.active = None;
                let taken = news.text_argument("mission_id");
                if let Some(offered) = &mut self.offered {
                    offered.retain(|mission| Some(&mission.id) != taken.as_ref());
                }
            }
            "complete_mission" | "abandon_mission" => {
                let gone = news.text_argument("mission_id");
                if let Some(active) = &mut self.active {
                    active.retain(|mission| Some(&mission.id) != gone.as_ref());
                }
                self.offered = None;
            }
            "dock" => {
                self.offered = None;
                self.incomplete.clear();
            }
            "jump" => self.offered = None,
            _ => {}
        }
    }

    fn rue(&mut self, news: &News<'_>, code: &str) {
        match (news.asked.tool, code) {
            ("accept_mission", "not_docked") => {}
            ("accept_mission", _) => self.refused.extend(news.text_argument("mission_id")),
            ("complete_mission", "mission_not_found") => self.active = None,
            ("complete_mission", "not_docked") => {}
            ("complete_mission", _) => {
                self.incomplete.extend(news.text_argument("mission_id"));
            }
            ("get_missions", "no_base" | "no_missions") => self.offered = Some(Vec::new()),
            _ => {}
        }
    }
}

fn missions(list: &Value) -> Vec<Mission> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(mission)
        .collect()
}

fn mission(mission: &Value) -> Option<Mission> {
    let objectives = || mission["objectives"].as_array().into_iter().flatten();
    Some(Mission {
        id: mission["mission_id"].as_str()?.to_owned(),
        title: mission["title"].as_str().unwrap_or("a mission").to_owned(),
        wants: objectives().map(want).collect(),
        is_done: objectives().next().is_some()
            && objectives().all(|objective| objective["completed"] == true),
    })
}

fn want(objective: &Value) -> Want {
    let text = |names: [&str; 2]| {
        names
            .into_iter()
            .find_map(|name| objective[name].as_str())
            .map(str::to_owned)
    };
    Want {
        item: text(["item_id", "resource_id"]),
        quantity: ["required", "quantity"]
            .into_iter()
            .find_map(|name| whole(&objective[name]))
            .unwrap_or(1),
        base: text(["target_base_id", "target_base"]),
    }
}
