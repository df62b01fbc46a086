//! Missions: the offers of the board, and the accepted ones.

use std::collections::BTreeSet;

use serde_json::Value;

use super::outcome::ToolNews;
use super::ship::whole_number;

/// Missions, as far as they are known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct MissionBoard {
    /// The offers at the present base.
    pub(crate) offered: Option<Vec<KnownMission>>,
    pub(crate) active: Option<Vec<KnownMission>>,
    pub(crate) refused: BTreeSet<String>,
    /// Missions that the server refused to complete, although they looked complete.
    pub(crate) incomplete: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownMission {
    /// The id that calls use: the template's name while offered, the instance's id once accepted.
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) wants: Vec<MissionObjective>,
    /// Whether the server says that every objective is met.
    pub(crate) is_done: bool,
}

/// An objective that asks for goods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MissionObjective {
    /// The item; none where the objective is not about goods.
    pub(crate) item: Option<String>,
    pub(crate) quantity: i64,
    pub(crate) base: Option<String>,
}

impl KnownMission {
    /// Whether a mining laser suffices for it.
    pub(crate) fn is_for_miners(&self) -> bool {
        !self.wants.is_empty()
            && self.wants.iter().all(|want| {
                want.item
                    .as_ref()
                    .is_some_and(|item| item.ends_with("_ore"))
            })
    }
}

impl MissionBoard {
    pub(super) fn on_success(&mut self, news: &ToolNews<'_>, facts: &Value) {
        match news.asked.tool {
            "get_missions" => self.offered = Some(read_missions(&facts["missions"])),
            "get_active_missions" => {
                self.active = Some(read_missions(&facts["missions"]));
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

    pub(super) fn on_failure(&mut self, news: &ToolNews<'_>, code: &str) {
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

fn read_missions(list: &Value) -> Vec<KnownMission> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(read_mission)
        .collect()
}

fn read_mission(mission: &Value) -> Option<KnownMission> {
    let objectives = || mission["objectives"].as_array().into_iter().flatten();
    Some(KnownMission {
        id: mission["mission_id"].as_str()?.to_owned(),
        title: mission["title"].as_str().unwrap_or("a mission").to_owned(),
        wants: objectives().map(read_objective).collect(),
        is_done: objectives().next().is_some()
            && objectives().all(|objective| objective["completed"] == true),
    })
}

fn read_objective(objective: &Value) -> MissionObjective {
    let text = |names: [&str; 2]| {
        names
            .into_iter()
            .find_map(|name| objective[name].as_str())
            .map(str::to_owned)
    };
    MissionObjective {
        item: text(["item_id", "resource_id"]),
        quantity: ["required", "quantity"]
            .into_iter()
            .find_map(|name| whole_number(&objective[name]))
            .unwrap_or(1),
        base: text(["target_base_id", "target_base"]),
    }
}
