//! The atlas: the systems, lanes, places and bases that never change, laid out by the seed.

mod growth;
mod named;
mod names;
mod places;
mod route;
mod wild;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

pub(crate) use self::names::title_case;
use super::{
    catalogue::CatalogueItem,
    dice::{Dice, hash_text},
    empire::Empire,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct SystemIx(u16);

/// The index of a place in the atlas. The game calls a place a POI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct PoiIx(u16);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct BaseIx(u16);

#[derive(Debug)]
pub(super) struct System {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) empire: Option<Empire>,
    pub(super) police_level: u8,
    pub(super) is_stronghold: bool,
    /// In galactic units.
    pub(super) position: Position,
    pub(super) lanes: Vec<SystemIx>,
    pub(super) pois: Vec<PoiIx>,
}

/// A point; within a system in astronomical units, between systems in galactic units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Position {
    pub(super) x: f64,
    pub(super) y: f64,
}

#[derive(Debug)]
pub(super) struct AtlasPoi {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) kind: PoiKind,
    pub(super) system: SystemIx,
    pub(super) position: Position,
    pub(super) class: Option<&'static str>,
    pub(super) base: Option<BaseIx>,
    pub(super) deposits: Vec<Deposit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(super) enum PoiKind {
    Sun,
    Planet,
    Station,
    AsteroidBelt,
    GasCloud,
    IceField,
    Nebula,
    Relic,
}

/// A deposit as it is before anybody mines it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deposit {
    pub(super) item: CatalogueItem,
    /// 1 to 100. A richer deposit comes up more often.
    pub(super) richness: u64,
    pub(super) full: u64,
}

#[derive(Debug)]
pub(super) struct Base {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) poi: PoiIx,
    pub(super) empire: Option<Empire>,
    pub(super) defense_level: u8,
    /// Whether it is an empire's capital station.
    pub(super) is_home: bool,
}

/// Everything about the galaxy of one seed that never changes.
#[derive(Debug)]
pub(super) struct Atlas {
    systems: Vec<System>,
    pois: Vec<AtlasPoi>,
    bases: Vec<Base>,
    systems_by_id: BTreeMap<String, SystemIx>,
}

impl Atlas {
    fn set_description(&mut self, system: SystemIx, description: String) {
        self.systems[usize::from(system.0)].description = description;
    }

    fn add_poi(&mut self, poi: AtlasPoi) -> PoiIx {
        let ix = PoiIx(atlas_index(self.pois.len()));
        self.systems[usize::from(poi.system.0)].pois.push(ix);
        self.pois.push(poi);
        ix
    }

    pub(super) fn new(dice: Dice) -> Self {
        let mut atlas = Self {
            systems: growth::grow_systems(dice),
            pois: Vec::new(),
            bases: Vec::new(),
            systems_by_id: BTreeMap::new(),
        };
        for number in 0..atlas.systems.len() {
            let system = SystemIx(atlas_index(number));
            atlas
                .systems_by_id
                .insert(atlas.systems[number].id.clone(), system);
            places::furnish_system(&mut atlas, system, dice);
        }
        atlas
    }

    pub(super) fn system(&self, system: SystemIx) -> &System {
        &self.systems[usize::from(system.0)]
    }

    pub(super) fn poi(&self, poi: PoiIx) -> &AtlasPoi {
        &self.pois[usize::from(poi.0)]
    }

    pub(super) fn base(&self, base: BaseIx) -> &Base {
        &self.bases[usize::from(base.0)]
    }

    pub(super) fn systems(&self) -> impl Iterator<Item = (SystemIx, &System)> {
        (0..).map(SystemIx).zip(&self.systems)
    }

    pub(super) fn find_system(&self, id: &str) -> Option<SystemIx> {
        self.systems_by_id.get(id).copied()
    }

    pub(super) fn find_poi(&self, system: SystemIx, id: &str) -> Option<PoiIx> {
        let pois = &self.system(system).pois;
        pois.iter().copied().find(|poi| self.poi(*poi).id == id)
    }

    pub(super) fn find_base(&self, id: &str) -> Option<BaseIx> {
        let at = self.bases.iter().position(|base| base.id == id)?;
        Some(BaseIx(atlas_index(at)))
    }

    /// The system with this id, or with the place or base of this id.
    pub(super) fn locate_system(&self, id: &str) -> Option<SystemIx> {
        let by_base = || {
            let base = self.base(self.find_base(id)?);
            Some(self.poi(base.poi).system)
        };
        let by_poi = || {
            self.pois
                .iter()
                .find(|poi| poi.id == id)
                .map(|poi| poi.system)
        };
        self.find_system(id).or_else(by_base).or_else(by_poi)
    }

    /// The base where an empire's new players start.
    pub(super) fn home_base(&self, empire: Empire) -> BaseIx {
        self.find_base(empire.home_base())
            .expect("every empire's home is laid out; a test looks at all five")
    }

    /// The length of the lane between two systems, in galactic units.
    pub(super) fn lane_length(&self, from: SystemIx, to: SystemIx) -> f64 {
        self.system(from)
            .position
            .distance(self.system(to).position)
    }

    /// The systems of a shortest way, both ends included.
    pub(super) fn find_route(&self, from: SystemIx, to: SystemIx) -> Option<Vec<SystemIx>> {
        route::shortest_route(&self.systems, from, to)
    }

    /// A number that changes with the layout. A saved world with another number is refused.
    pub(super) fn fingerprint(&self) -> u64 {
        let ids = self
            .systems
            .iter()
            .map(|system| &system.id)
            .chain(self.pois.iter().map(|poi| &poi.id))
            .chain(self.bases.iter().map(|base| &base.id));
        ids.fold(0, |all, id| hash_text(&format!("{all:x}{id}")))
    }
}

impl BaseIx {
    pub(super) fn roll_key(self) -> u64 {
        u64::from(self.0)
    }
}

impl Position {
    pub(super) fn distance(self, other: Self) -> f64 {
        let (dx, dy) = (self.x - other.x, self.y - other.y);
        (dx * dx + dy * dy).sqrt()
    }
}

impl PoiKind {
    pub(super) fn id(self) -> &'static str {
        self.into()
    }
}

impl System {
    pub(super) fn security_text(&self) -> &'static str {
        match self.police_level {
            60.. => "High Security (active police patrols)",
            1..60 => "Low Security (slow police response)",
            0 => "Lawless (no police protection)",
        }
    }
}

/// Converts an index. Atlas indices are short, as a galaxy has a few thousand places.
fn atlas_index(number: usize) -> u16 {
    u16::try_from(number).expect("the atlas is laid out by us, with far fewer than 65536 places")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atlas(seed: u64) -> Atlas {
        Atlas::new(Dice::new(seed))
    }

    #[test]
    fn every_home_is_where_the_game_has_it() {
        let atlas = atlas(1);
        for empire in Empire::ALL {
            let base = atlas.base(atlas.home_base(empire));
            let home = atlas.poi(base.poi).system;
            assert_eq!(atlas.system(home).id, empire.home_system());
            assert_eq!(atlas.system(home).police_level, 100);
            let kinds: Vec<_> = atlas
                .system(home)
                .pois
                .iter()
                .map(|poi| atlas.poi(*poi).kind)
                .collect();
            for kind in [
                PoiKind::AsteroidBelt,
                PoiKind::GasCloud,
                PoiKind::IceField,
                PoiKind::Sun,
            ] {
                assert!(kinds.contains(&kind), "{empire:?} has no {kind:?}");
            }
        }
    }

    #[test]
    fn every_system_can_be_reached_from_every_other() {
        for seed in 1..4 {
            let atlas = atlas(seed);
            let sol = atlas.find_system("sol").unwrap();
            assert!((487..=505).contains(&atlas.systems.len()));
            for (system, _) in atlas.systems() {
                assert!(atlas.find_route(sol, system).is_some());
            }
        }
    }

    #[test]
    fn ids_are_unique_and_lanes_go_both_ways() {
        let atlas = atlas(2);
        assert_eq!(atlas.systems_by_id.len(), atlas.systems.len());
        let mut pois: Vec<&str> = atlas.pois.iter().map(|poi| poi.id.as_str()).collect();
        pois.sort_unstable();
        pois.dedup();
        assert_eq!(pois.len(), atlas.pois.len());
        for (ix, system) in atlas.systems() {
            assert!(!system.pois.is_empty());
            for lane in &system.lanes {
                assert_ne!(*lane, ix);
                assert!(atlas.system(*lane).lanes.contains(&ix));
            }
        }
    }

    #[test]
    fn the_lanes_of_the_facts_are_there() {
        let atlas = atlas(3);
        for (from, to) in growth::LANES {
            let from = atlas.find_system(from).unwrap();
            let to = atlas.find_system(to).unwrap();
            assert!(atlas.system(from).lanes.contains(&to));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_galaxy_and_another_does_not() {
        assert_eq!(atlas(5).fingerprint(), atlas(5).fingerprint());
        assert_ne!(atlas(5).fingerprint(), atlas(6).fingerprint());
    }
}
