//! Missions: the offers of the board, and the accepted ones.

use std::collections::BTreeSet;

use zoea_game::Reading;
use zoea_game::reading::{MissionFacts, Objective};
use zoea_spacemolt::ResultFacts;

use super::outcome::ToolNews;

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
    pub(super) fn on_success(&mut self, news: &ToolNews<'_>, facts: &ResultFacts) {
        match news.asked.tool {
            "get_missions" => self.offered = Some(missions_in(facts)),
            "get_active_missions" => {
                self.active = Some(missions_in(facts));
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

fn missions_in(facts: &ResultFacts) -> Vec<KnownMission> {
    let missions = facts.missions().unwrap_or_default().into_iter();
    missions.map(known_mission).collect()
}

fn known_mission(mission: MissionFacts) -> KnownMission {
    let objectives = mission.objectives.unwrap_or_default();
    KnownMission {
        id: mission.id,
        title: mission.title.unwrap_or_else(|| "a mission".to_owned()),
        is_done: !objectives.is_empty() && objectives.iter().all(|one| one.is_done == Some(true)),
        wants: objectives.into_iter().map(known_objective).collect(),
    }
}

fn known_objective(objective: Objective) -> MissionObjective {
    MissionObjective {
        item: objective.item,
        quantity: objective.quantity.unwrap_or(1),
        base: objective.base,
    }
}
