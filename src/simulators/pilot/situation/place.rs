//! The place of the ship, its surroundings, and the places without use.

use std::collections::BTreeSet;

use serde_json::Value;

use super::outcome::{GameOutcome, ToolNews};

/// The place and the known facts about its surroundings.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct KnownPlace {
    /// The system's id.
    pub(crate) system: Option<String>,
    /// The id of the point of interest.
    pub(crate) poi: Option<String>,
    pub(crate) docked: Option<bool>,
    pub(crate) in_transit: bool,
    /// The chart of the present system. It is dropped when the ship leaves the system.
    pub(crate) chart: Option<SystemChart>,
    /// Whether something was mined here since the arrival.
    pub(crate) is_minable: bool,
    /// Places where there was nothing to mine.
    pub(crate) barren: BTreeSet<String>,
    /// Places without a base, even if the chart shows one.
    pub(crate) baseless: BTreeSet<String>,
    /// Systems that the ship has visited in this conversation.
    pub(crate) visited: BTreeSet<String>,
    /// Places that were queried.
    pub(crate) looked_at: BTreeSet<String>,
}

/// A system's points of interest and lanes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SystemChart {
    pub(crate) system: String,
    pub(crate) pois: Vec<ChartedPoi>,
    /// The ids of the systems that can be jumped to.
    pub(crate) lanes: Vec<String>,
}

/// A point of interest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChartedPoi {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) base: Option<String>,
    pub(crate) has_base: bool,
}

impl ChartedPoi {
    /// Whether a mining laser works there.
    pub(crate) fn is_belt(&self) -> bool {
        self.kind == "asteroid_belt" || self.kind == "asteroid"
    }
}

impl KnownPlace {
    /// Places where the mining laser may find something.
    pub(crate) fn belts(&self) -> impl Iterator<Item = &ChartedPoi> {
        self.pois()
            .filter(|poi| poi.is_belt() && !self.barren.contains(&poi.id))
    }

    /// Whether the mining laser may find something at the present place.
    pub(crate) fn can_mine_here(&self) -> bool {
        let is_belt = |here: &String| self.belts().any(|belt| belt.id == *here);
        self.is_minable || self.poi.as_ref().is_some_and(is_belt)
    }

    /// Places where ships dock.
    pub(crate) fn bases(&self) -> impl Iterator<Item = &ChartedPoi> {
        self.pois()
            .filter(|poi| poi.has_base && !self.baseless.contains(&poi.id))
    }

    fn pois(&self) -> impl Iterator<Item = &ChartedPoi> {
        self.chart.iter().flat_map(|chart| &chart.pois)
    }

    pub(super) fn on_result(&mut self, news: &ToolNews<'_>) {
        match &news.outcome {
            GameOutcome::Done { facts, whole } => self.on_success(news.asked.tool, facts, *whole),
            GameOutcome::Failed { code, message } => self.on_failure(news, code, message),
            GameOutcome::Words => {}
        }
    }

    fn on_success(&mut self, tool: &str, facts: &Value, whole: bool) {
        self.in_transit = facts["in_transit"] == true;
        if self.in_transit {
            return;
        }
        match tool {
            "get_status" | "login" | "register" => {
                self.learn_player(&facts["player"], whole);
                self.learn_system(&facts["system"]);
            }
            "get_system" => {
                self.learn_system(&facts["system"]);
                self.learn_poi(&facts["poi"]);
            }
            "get_poi" => {
                self.learn_poi(&facts["poi"]);
                self.looked_at.extend(self.poi.clone());
            }
            "travel" => self.arrive_at(non_empty_text(&facts["poi_id"])),
            "jump" => {
                self.enter_system(non_empty_text(&facts["system_id"]));
                self.arrive_at(non_empty_text(&facts["poi"]));
            }
            "dock" => self.docked = Some(true),
            "undock" => self.docked = Some(false),
            "mine" => {
                self.docked = Some(false);
                self.is_minable = true;
                if let Some(poi) = &self.poi {
                    self.barren.remove(poi);
                }
            }
            _ => {}
        }
        if facts["auto_docked"] == true {
            self.docked = Some(true);
        }
        if facts["auto_undocked"] == true {
            self.docked = Some(false);
        }
    }

    fn learn_player(&mut self, player: &Value, whole: bool) {
        if let Some(system) = non_empty_text(&player["current_system"]) {
            self.enter_system(Some(system));
        }
        if let Some(poi) = non_empty_text(&player["current_poi"]) {
            self.stand_at(poi);
        }
        let base = non_empty_text(&player["docked_at_base"]);
        if player.is_object() && (whole || base.is_some()) {
            self.docked = Some(base.is_some());
        }
    }

    fn learn_system(&mut self, system: &Value) {
        let Some(id) = non_empty_text(&system["id"]) else {
            return;
        };
        self.enter_system(Some(id.clone()));
        self.chart = Some(SystemChart {
            system: id,
            pois: array_elements(&system["pois"])
                .filter_map(read_poi)
                .collect(),
            lanes: array_elements(&system["connections"])
                .filter_map(|lane| {
                    non_empty_text(&lane["system_id"]).or_else(|| non_empty_text(lane))
                })
                .collect(),
        });
    }

    fn learn_poi(&mut self, poi: &Value) {
        if let Some(system) = non_empty_text(&poi["system_id"]) {
            self.enter_system(Some(system));
        }
        if let Some(id) = non_empty_text(&poi["id"]) {
            self.stand_at(id);
        }
    }

    /// Notes that the ship has moved to this place.
    fn arrive_at(&mut self, poi: Option<String>) {
        self.docked = Some(false);
        self.is_minable = false;
        self.poi = poi;
    }

    /// Notes that the ship is at this place.
    fn stand_at(&mut self, poi: String) {
        if self.poi.as_ref().is_some_and(|known| *known != poi) {
            self.is_minable = false;
        }
        self.poi = Some(poi);
    }

    fn enter_system(&mut self, system: Option<String>) {
        if self.chart.as_ref().map(|chart| &chart.system) != system.as_ref() {
            self.chart = None;
        }
        self.visited.extend(system.clone());
        self.system = system;
    }

    fn on_failure(&mut self, news: &ToolNews<'_>, code: &str, message: &str) {
        let told = message.to_lowercase();
        match (news.asked.tool, code) {
            (_, "in_transit" | "already_traveling" | "already_jumping") => self.in_transit = true,
            ("travel", _)
                if ["already at", "already here", "already there"]
                    .iter()
                    .any(|words| told.contains(words)) =>
            {
                self.arrive_at(news.text_argument("target_poi"));
            }
            ("travel", "invalid_poi") => {
                let target = news.text_argument("target_poi");
                let is_charted = self.pois().any(|poi| Some(&poi.id) == target.as_ref());
                if is_charted {
                    self.chart = None;
                }
            }
            ("jump", "not_connected") => self.chart = None,
            // The server may have undocked the ship before it refused the move for lack of fuel.
            ("travel" | "jump", "no_fuel") => self.docked = None,
            (_, "already_docked" | "docked") => self.docked = Some(true),
            (_, "not_docked") => self.docked = Some(false),
            ("dock", "no_base") => self.baseless.extend(self.poi.clone()),
            ("mine", "no_resources" | "deposit_too_sparse") => self.mark_barren(),
            ("mine", _) if told.contains("module") => self.mark_barren(),
            _ => {}
        }
    }

    /// Notes that this place has nothing to mine. The refusal does not tell whether the ship was
    /// undocked for it.
    fn mark_barren(&mut self) {
        self.is_minable = false;
        self.docked = None;
        self.barren.extend(self.poi.clone());
    }
}

fn read_poi(poi: &Value) -> Option<ChartedPoi> {
    let base = non_empty_text(&poi["base_id"]);
    Some(ChartedPoi {
        id: non_empty_text(&poi["id"])?,
        kind: non_empty_text(&poi["type"]).unwrap_or_default(),
        has_base: poi["has_base"] == true || base.is_some(),
        base,
    })
}

/// A text that is not empty.
fn non_empty_text(value: &Value) -> Option<String> {
    value
        .as_str()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

fn array_elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
