//! The map of systems: what the swarm's stored looks tell of systems and the lanes between them.
//!
//! The newest look at a system counts, and what it does not tell is taken from older ones. A system
//! is on the map if a result named it or a ship is there. Where the game does not tell where a
//! system is, `placing` lays it out by its lanes.

mod placing;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use zoea_game::systems::SystemFacts;

use super::game::{GameReading, GameRef};
use super::ids::Timestamp;

pub use zoea_game::systems::PointFacts;

/// The most systems of a map. Beyond that, those that were named longest ago are left out.
pub const MAX_MAPPED_SYSTEMS: usize = 1_000;
const MAX_LANES: usize = 32;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemMapQuery {
    /// The systems where ships are. They are on the map in any case.
    pub occupied: Vec<Arc<str>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemMap {
    pub systems: Vec<MappedSystem>,
    /// The lanes, each once, as places in `systems`.
    pub lanes: Vec<(usize, usize)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MappedSystem {
    pub id: Arc<str>,
    /// Its display name; the id if no result told a name.
    pub name: Arc<str>,
    /// Where it is on the map; the second value grows upwards.
    pub position: (f64, f64),
    pub points: Arc<[PointFacts]>,
    /// When the newest result that tells all its lanes came; `None` if it was only named.
    pub seen_at: Option<Timestamp>,
}

impl SystemMap {
    /// The place of a system in `systems`.
    pub fn find(&self, id: &str) -> Option<usize> {
        let found = self.systems.binary_search_by(|system| (*system.id).cmp(id));
        found.ok()
    }
}

/// What looks have told of a system so far, the newest first.
#[derive(Clone, Debug, Default)]
struct KnownSystem {
    name: Option<Arc<str>>,
    position: Option<(f64, f64)>,
    lanes: BTreeMap<Arc<str>, Option<f64>>,
    points: Option<Arc<[PointFacts]>>,
    seen_at: Option<Timestamp>,
}

/// Makes a map of results, which have to come newest first.
#[derive(Clone, Debug, Default)]
pub struct SystemMapBuilder {
    systems: BTreeMap<Arc<str>, KnownSystem>,
}

impl SystemMapBuilder {
    /// A map of what the query names: the systems where ships are have room on it in any case.
    pub fn new(query: &SystemMapQuery) -> SystemMapBuilder {
        let mut builder = SystemMapBuilder::default();
        for id in &query.occupied {
            let _ = builder.known(id);
        }
        builder
    }

    /// Adds a result that was stored without the word of another game, however long it is.
    pub fn add_result(&mut self, command: &str, text: &str, at: Timestamp) {
        for system in GameReading::of(GameRef::of_key(None), text)
            .whole()
            .systems(command)
        {
            self.add_system(system, at);
        }
    }

    fn add_system(&mut self, text: SystemFacts, at: Timestamp) {
        for lane in &text.lanes {
            let _ = self.known(&lane.to);
        }
        let Some(known) = self.known(&text.id) else {
            return;
        };
        known.name = known.name.take().or(text.name.map(Into::into));
        known.position = known.position.or(text.position);
        known.points = known.points.take().or(text.points.map(Into::into));
        // An older look may tell a lane that is gone since.
        let is_newest = known.seen_at.is_none();
        for lane in text.lanes {
            let is_full = known.lanes.len() >= MAX_LANES;
            match known.lanes.get_mut(&*lane.to) {
                Some(length) => *length = length.or(lane.length),
                None if is_newest && !is_full => {
                    known.lanes.insert(lane.to.into(), lane.length);
                }
                None => {}
            }
        }
        if text.is_whole {
            known.seen_at = known.seen_at.or(Some(at));
        }
    }

    /// What is known of a system; `None` if the map is full.
    fn known(&mut self, id: &str) -> Option<&mut KnownSystem> {
        if !self.systems.contains_key(id) {
            if self.systems.len() >= MAX_MAPPED_SYSTEMS {
                return None;
            }
            self.systems.insert(id.into(), KnownSystem::default());
        }
        self.systems.get_mut(id)
    }

    #[must_use]
    pub fn finish(self) -> SystemMap {
        let places: BTreeMap<Arc<str>, usize> = self.systems.keys().cloned().zip(0..).collect();
        let lanes = self.lanes(&places);
        let text: Vec<_> = self.systems.values().map(|known| known.position).collect();
        let positions = placing::place_systems(&text, &lanes);
        let systems = self.systems.into_iter().zip(positions);
        let systems = systems.map(|((id, known), position)| MappedSystem {
            name: known.name.unwrap_or_else(|| id.clone()),
            id,
            position,
            points: known.points.unwrap_or_default(),
            seen_at: known.seen_at,
        });
        SystemMap {
            systems: systems.collect(),
            lanes: lanes.iter().map(|lane| lane.ends).collect(),
        }
    }

    /// The lanes, each once, although both of its ends may tell of it.
    fn lanes(&self, places: &BTreeMap<Arc<str>, usize>) -> Vec<placing::PlacedLane> {
        let mut lengths: BTreeMap<(usize, usize), Option<f64>> = BTreeMap::new();
        let mut gone: BTreeSet<(usize, usize)> = BTreeSet::new();
        for (from, (id, known)) in self.systems.iter().enumerate() {
            for (to, length) in &known.lanes {
                let Some(other) = places.get(to).filter(|other| **other != from) else {
                    continue;
                };
                let ends = (from.min(*other), from.max(*other));
                let known_length = lengths.entry(ends).or_default();
                *known_length = known_length.or(*length);
                // A newer look from the other end does not tell of it any more.
                let there = self.systems.get(to);
                if there.is_some_and(|there| {
                    !there.lanes.contains_key(id) && there.seen_at > known.seen_at
                }) {
                    gone.insert(ends);
                }
            }
        }
        lengths.retain(|ends, _| !gone.contains(ends));
        let lanes = lengths.into_iter();
        lanes
            .map(|(ends, length)| placing::PlacedLane { ends, length })
            .collect()
    }
}
