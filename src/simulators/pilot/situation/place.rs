//! The place of the ship, its surroundings, and the places without use.

use std::collections::BTreeSet;

use zoea_game::Reading;
use zoea_spacemolt::ResultFacts;

use super::outcome::{GameOutcome, ToolNews};

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct KnownPlace {
    pub(crate) system: Option<String>,
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
    pub(crate) visited: BTreeSet<String>,
    pub(crate) looked_at: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SystemChart {
    pub(crate) system: String,
    pub(crate) pois: Vec<ChartedPoi>,
    pub(crate) lanes: Vec<String>,
}

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

    pub(crate) fn bases(&self) -> impl Iterator<Item = &ChartedPoi> {
        self.pois()
            .filter(|poi| poi.has_base && !self.baseless.contains(&poi.id))
    }

    fn pois(&self) -> impl Iterator<Item = &ChartedPoi> {
        self.chart.iter().flat_map(|chart| &chart.pois)
    }

    pub(super) fn on_result(&mut self, news: &ToolNews<'_>) {
        match &news.outcome {
            GameOutcome::Done { facts, whole } => self.on_success(news, facts, *whole),
            GameOutcome::Failed { code, message } => self.on_failure(news, code, message),
            GameOutcome::Words => {}
        }
    }

    fn on_success(&mut self, news: &ToolNews<'_>, facts: &ResultFacts, whole: bool) {
        self.in_transit = facts.is_under_way();
        if self.in_transit {
            return;
        }
        let standing = news.standing(facts);
        match news.asked.tool {
            "get_status" | "login" | "register" | "get_system" | "get_poi" => {
                if standing.system.is_some() {
                    self.enter_system(standing.system);
                }
                self.learn_chart(facts);
                if let Some(poi) = standing.poi {
                    self.stand_at(poi);
                }
                if news.asked.tool == "get_poi" {
                    self.looked_at.extend(self.poi.clone());
                }
            }
            "travel" => self.arrive_at(standing.poi),
            "jump" => {
                self.enter_system(standing.system);
                self.arrive_at(standing.poi);
            }
            "mine" => {
                self.is_minable = true;
                if let Some(poi) = &self.poi {
                    self.barren.remove(poi);
                }
            }
            _ => {}
        }
        // What a cut result does not tell may only be cut away.
        if standing.docked == Some(true) || whole && standing.docked.is_some() {
            self.docked = standing.docked;
        }
    }

    fn learn_chart(&mut self, facts: &ResultFacts) {
        let Some(system) = facts.systems("get_system").pop() else {
            return;
        };
        let points = system.points.unwrap_or_default().into_iter();
        let points = points.filter_map(|point| {
            Some(ChartedPoi {
                id: point.id?,
                kind: point.kind.unwrap_or_default(),
                base: point.base,
                has_base: point.has_base,
            })
        });
        self.enter_system(Some(system.id.clone()));
        self.chart = Some(SystemChart {
            system: system.id,
            pois: points.collect(),
            lanes: system.lanes.into_iter().map(|lane| lane.to).collect(),
        });
    }

    fn arrive_at(&mut self, poi: Option<String>) {
        self.docked = Some(false);
        self.is_minable = false;
        self.poi = poi;
    }

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
        let facts = message.to_lowercase();
        match (news.asked.tool, code) {
            (_, "in_transit" | "already_traveling" | "already_jumping") => self.in_transit = true,
            ("travel", _)
                if ["already at", "already here", "already there"]
                    .iter()
                    .any(|words| facts.contains(words)) =>
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
            ("mine", _) if facts.contains("module") => self.mark_barren(),
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
