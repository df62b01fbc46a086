//! Levels: how full the hold and the tank are, by what looks tell and by what calls do in between.
//!
//! A look tells a level. A call that moves goods tells their units, and looks tell the size of a unit: where both are
//! known, the level follows. Where something changed and nothing tells by how much, the level is an old one: shown,
//! and not passed for that of now.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use zoea_game::standing::{GoodsChange, Standing};

use crate::game::GameReading;
use crate::message::{CallRecord, CallStatus};

use super::super::GameFacts;

const MAX_SIZES: usize = 128;
/// The most results that are read again for the levels after a restart.
const MAX_RECALLED: usize = 32;
/// The looks that tell both levels.
const LOOKS: [&str; 3] = ["get_ship", "get_state", "get_status"];

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct UnitSizes(BTreeMap<String, u32>);

impl UnitSizes {
    fn learn(&mut self, shown: Vec<(String, u32)>) {
        for (item, size) in shown {
            if self.0.len() < MAX_SIZES || self.0.contains_key(&item) {
                self.0.insert(item, size);
            }
        }
    }

    /// The space that units of an item use; `None` if their size is not known.
    fn space_of(&self, item: &str, units: i64) -> Option<i64> {
        match units {
            0 => Some(0),
            units => i64::from(*self.0.get(item)?).checked_mul(units),
        }
    }
}

/// The results from which the levels follow: the newest look that told both, and what was done since.
#[derive(Debug, Default)]
pub(super) struct LevelResults<'a>(VecDeque<(&'a CallRecord, CallStatus, GameReading<'a>)>);

impl<'a> LevelResults<'a> {
    pub(super) fn note(
        &mut self,
        call: &'a CallRecord,
        status: CallStatus,
        reading: GameReading<'a>,
    ) {
        let command = call.command();
        if !status.may_have_acted() {
            return;
        }
        if LOOKS.contains(&&*command) && status == CallStatus::Done {
            self.0.clear();
        } else if call.read_only && &*command != "get_cargo" {
            return;
        }
        if self.0.len() == MAX_RECALLED {
            self.0.pop_front();
        }
        self.0.push_back((call, status, reading));
    }

    pub(super) fn all(
        &self,
    ) -> impl Iterator<Item = &(&'a CallRecord, CallStatus, GameReading<'a>)> {
        self.0.iter()
    }
}

impl GameFacts {
    /// Takes what a result tells, except for credits.
    pub(super) fn take(&mut self, shown: Standing, sizes: &mut UnitSizes) {
        let is_other = |shown: &Option<String>, known: &Option<Arc<str>>| {
            shown.is_some() && shown.as_deref() != known.as_deref()
        };
        if is_other(&shown.system, &self.system) {
            self.system = shown.system.as_deref().map(Arc::from);
            // Elsewhere nothing is known but what is told with it.
            self.poi = None;
        }
        if is_other(&shown.poi, &self.poi) {
            self.poi = shown.poi.as_deref().map(Arc::from);
        }
        self.docked = shown.docked.or(self.docked);
        self.hull = shown.hull.or(self.hull);
        self.take_fuel(&shown);
        self.take_cargo(&shown, sizes);
        sizes.learn(shown.sizes);
    }

    fn take_fuel(&mut self, shown: &Standing) {
        let before = self.fuel.now;
        self.fuel = shown.fuel.or(self.fuel);
        if shown.fuel.now.is_some() {
            self.is_fuel_old = false;
            return;
        }
        self.is_fuel_old |= shown.has_other_fuel && before.is_some();
        if let Some((added, fuel)) = shown.fuel_added.zip(before) {
            let most = self.fuel.most.unwrap_or(u32::MAX);
            self.fuel.now = Some(fuel.saturating_add(added).min(most));
        }
    }

    fn take_cargo(&mut self, shown: &Standing, sizes: &UnitSizes) {
        let before = self.cargo.now;
        self.cargo = shown.cargo.or(self.cargo);
        let free = shown.cargo_free.zip(self.cargo.most);
        let shown_level = shown.cargo.now;
        if let Some(level) = shown_level.or(free.map(|(free, most)| most.saturating_sub(free))) {
            self.cargo.now = Some(level);
            self.is_cargo_old = false;
            return;
        }
        let Some(before) = before else {
            return;
        };
        let moved = match &shown.goods {
            GoodsChange::None => return,
            GoodsChange::Moved { item, units } => sizes.space_of(item, *units),
            GoodsChange::Unknown => None,
        };
        let level = moved.and_then(|moved| i64::from(before).checked_add(moved));
        let level = level.and_then(|level| u32::try_from(level).ok());
        let most = self.cargo.most.unwrap_or(u32::MAX);
        match level.filter(|level| *level <= most) {
            Some(level) => self.cargo.now = Some(level),
            // A level that cannot be is no level.
            None => self.is_cargo_old = true,
        }
    }
}
