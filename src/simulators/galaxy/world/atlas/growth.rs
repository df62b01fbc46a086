//! The growth of the galaxy: named systems first, then generated systems around them, then lanes
//! and police.

use std::collections::{BTreeMap, VecDeque};

use fastrand::Rng;

use super::{Dice, Empire, Position, System, SystemIx, atlas_index, names};

/// The lanes that captures of the real galaxy show. The lane to Trader's Rest is made up, as
/// captures name that system without its lanes.
pub(super) const LANES: [(&str, &str); 28] = [
    ("sol", "alpha_centauri"),
    ("sol", "sirius"),
    ("sirius", "nova_terra"),
    ("nova_terra", "furud"),
    ("furud", "homam"),
    ("homam", "antares"),
    ("haven", "market_prime"),
    ("haven", "traders_rest"),
    ("market_prime", "cargo_lanes"),
    ("market_prime", "gold_run"),
    ("cargo_lanes", "gold_run"),
    ("cargo_lanes", "bunda"),
    ("gold_run", "bunda"),
    ("gold_run", "copernicus"),
    ("gold_run", "wealth_lane"),
    ("bunda", "copernicus"),
    ("bunda", "alrakis"),
    ("copernicus", "wealth_lane"),
    ("wealth_lane", "the_levy"),
    ("the_levy", "ogma"),
    ("ogma", "gliese_436"),
    ("gliese_436", "caph"),
    ("gliese_436", "khambalia"),
    ("alrakis", "alula"),
    ("alula", "farpoint"),
    ("farpoint", "alrescha"),
    ("alrescha", "ashford"),
    ("krynn", "the_anvil"),
];

const CAPITALS: [(Empire, &str, &str, f64, f64); 5] = [
    (Empire::Solarian, "sol", "Sol", 0.0, 0.0),
    (
        Empire::Voidborn,
        "nexus_prime",
        "Nexus Prime",
        2100.0,
        700.0,
    ),
    (Empire::Crimson, "krynn", "Krynn", 900.0, -2200.0),
    (Empire::Nebula, "haven", "Haven", -2200.0, -900.0),
    (Empire::Outerrim, "frontier", "Frontier", -700.0, 2300.0),
];

const SYSTEM_COUNT: usize = 500;
const STRONGHOLD_COUNT: usize = 9;
const POLICED_PER_EMPIRE: usize = 8;
const LANE_LENGTHS: std::ops::RangeInclusive<f64> = 320.0..=420.0;
const MIN_SYSTEM_DISTANCE: f64 = 250.0;
const MAX_LANES: usize = 5;

struct Growth {
    systems: Vec<System>,
    by_id: BTreeMap<String, SystemIx>,
    roll: Rng,
}

/// All systems with their lanes and police levels, without places.
pub(super) fn grow_systems(dice: Dice) -> Vec<System> {
    let mut growth = Growth {
        systems: Vec::with_capacity(SYSTEM_COUNT),
        by_id: BTreeMap::new(),
        roll: dice.roll("galaxy", &[]),
    };
    for (_, id, name, x, y) in CAPITALS {
        growth.add_system(id.to_owned(), name.to_owned(), Position { x, y });
    }
    growth.add_named();
    growth.add_random_systems(dice);
    growth.add_lanes();
    growth.join_islands();
    growth.assign_police();
    growth.systems
}

impl Growth {
    fn add_system(&mut self, id: String, name: String, position: Position) -> SystemIx {
        let ix = SystemIx(atlas_index(self.systems.len()));
        self.by_id.insert(id.clone(), ix);
        self.systems.push(System {
            id,
            name,
            description: String::new(),
            empire: None,
            police_level: 0,
            is_stronghold: false,
            position,
            lanes: Vec::new(),
            pois: Vec::new(),
        });
        ix
    }

    fn system_mut(&mut self, ix: SystemIx) -> &mut System {
        &mut self.systems[usize::from(ix.0)]
    }

    fn link_systems(&mut self, a: SystemIx, b: SystemIx) {
        if a == b || self.system_mut(a).lanes.contains(&b) {
            return;
        }
        self.system_mut(a).lanes.push(b);
        self.system_mut(b).lanes.push(a);
    }

    /// Adds the systems of the captured lanes in the order of the list. The first end of each lane
    /// exists by then.
    fn add_named(&mut self) {
        for (from, to) in LANES {
            let from = self.by_id[from];
            let to = match self.by_id.get(to) {
                Some(to) => *to,
                None => {
                    let position = self
                        .free_spot_near(from, 300)
                        .unwrap_or_else(|| self.spot_outside());
                    self.add_system(to.to_owned(), names::title_case(to), position)
                }
            };
            self.link_systems(from, to);
        }
    }

    fn add_random_systems(&mut self, dice: Dice) {
        let mut names = names::SystemNames::new(dice);
        while self.systems.len() < SYSTEM_COUNT {
            let parent = SystemIx(atlas_index(self.roll.usize(..self.systems.len())));
            if self.system_mut(parent).lanes.len() >= MAX_LANES {
                continue;
            }
            let Some(position) = self.free_spot_near(parent, 6) else {
                continue;
            };
            let (id, name) = names.next_name(|id| !self.by_id.contains_key(id));
            let system = self.add_system(id, name, position);
            self.link_systems(parent, system);
        }
    }

    /// A free position at the end of a lane from here, found within `tries` attempts.
    fn free_spot_near(&mut self, from: SystemIx, tries: usize) -> Option<Position> {
        let centre = self.system_mut(from).position;
        let reach = *LANE_LENGTHS.end();
        for _ in 0..tries {
            let offset = |roll: &mut Rng| ((roll.f64() * 2.0 - 1.0) * reach * 10.0).round() / 10.0;
            let spot = Position {
                x: centre.x + offset(&mut self.roll),
                y: centre.y + offset(&mut self.roll),
            };
            let crowded = |other: &System| other.position.distance(spot) < MIN_SYSTEM_DISTANCE;
            if LANE_LENGTHS.contains(&centre.distance(spot)) && !self.systems.iter().any(crowded) {
                return Some(spot);
            }
        }
        None
    }

    /// A position outside of all systems, for the rare system without room beside its neighbour.
    fn spot_outside(&self) -> Position {
        let far = self
            .systems
            .iter()
            .fold(0.0_f64, |far, system| far.max(system.position.x));
        Position {
            x: far + *LANE_LENGTHS.end(),
            y: 0.0,
        }
    }

    /// Adds lanes between generated systems that happen to lie a lane's length apart.
    fn add_lanes(&mut self) {
        for a in 0..self.systems.len() {
            for b in a + 1..self.systems.len() {
                let (first, second) = (&self.systems[a], &self.systems[b]);
                let is_free = first.lanes.len() < 4 && second.lanes.len() < 4;
                if is_free
                    && LANE_LENGTHS.contains(&first.position.distance(second.position))
                    && self.roll.u8(..10) < 3
                {
                    self.link_systems(SystemIx(atlas_index(a)), SystemIx(atlas_index(b)));
                }
            }
        }
    }

    fn join_islands(&mut self) {
        loop {
            let hops = self.count_hops(&[SystemIx(0)]);
            let (near, far): (Vec<usize>, Vec<usize>) =
                (0..self.systems.len()).partition(|at| hops[*at].is_some());
            let gap = |a: &usize, b: &usize| {
                self.systems[*a]
                    .position
                    .distance(self.systems[*b].position)
            };
            let pairs = near.iter().flat_map(|a| far.iter().map(move |b| (*a, *b)));
            let closest = pairs.min_by(|(a, b), (c, d)| gap(a, b).total_cmp(&gap(c, d)));
            let Some((a, b)) = closest else {
                return;
            };
            self.link_systems(SystemIx(atlas_index(a)), SystemIx(atlas_index(b)));
        }
    }

    /// The number of jumps from the nearest start to each system.
    fn count_hops(&self, starts: &[SystemIx]) -> Vec<Option<u8>> {
        let mut hops: Vec<Option<u8>> = vec![None; self.systems.len()];
        let mut open = VecDeque::new();
        for start in starts {
            hops[usize::from(start.0)] = Some(0);
            open.push_back(*start);
        }
        while let Some(here) = open.pop_front() {
            let next_hop = hops[usize::from(here.0)].map(|hop| hop.saturating_add(1));
            for lane in &self.systems[usize::from(here.0)].lanes {
                if hops[usize::from(lane.0)].is_none() {
                    hops[usize::from(lane.0)] = next_hop;
                    open.push_back(*lane);
                }
            }
        }
        hops
    }

    /// Assigns police around the capitals, and strongholds far from all of them.
    fn assign_police(&mut self) {
        for (empire, id, ..) in CAPITALS {
            let hops = self.count_hops(&[self.by_id[id]]);
            let mut nearest: Vec<(u8, usize)> = hops
                .into_iter()
                .enumerate()
                .filter_map(|(at, hop)| Some((hop?, at)))
                .filter(|(_, at)| self.systems[*at].empire.is_none())
                .collect();
            nearest.sort_unstable();
            for (hop, at) in nearest.into_iter().take(POLICED_PER_EMPIRE) {
                let system = &mut self.systems[at];
                system.empire = Some(empire);
                system.police_level = 100_u8.saturating_sub(hop.saturating_mul(20)).max(20);
            }
        }
        let capitals: Vec<SystemIx> = CAPITALS.iter().map(|(_, id, ..)| self.by_id[*id]).collect();
        let hops = self.count_hops(&capitals);
        let mut farthest: Vec<usize> = (0..self.systems.len()).collect();
        farthest.sort_by_key(|at| (std::cmp::Reverse(hops[*at]), *at));
        for at in farthest.into_iter().take(STRONGHOLD_COUNT) {
            self.systems[at].is_stronghold = true;
        }
    }
}
