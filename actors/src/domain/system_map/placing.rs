//! Placing: lays out the systems whose place in the galaxy nobody told.
//!
//! Systems are laid out so that the distances on the map come close to the lengths of the ways
//! between them (stress majorization, in a fixed order and with a fixed number of steps), part by
//! part of the net of lanes. What the game told stands where it told it, and what hangs on it is laid
//! out around it; parts without any told place stand below.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlacedLane {
    pub(super) ends: (usize, usize),
    /// The length, if a result told it.
    pub(super) length: Option<f64>,
}

/// The length of a lane where no result tells any.
const USUAL_LENGTH: f64 = 350.0;
/// The most steps of the layout, counted in pairs of systems.
const MAX_PAIR_STEPS: usize = 20_000_000;
const MAX_ROUNDS: usize = 120;
/// The turn from one system around another to the next: the golden angle, which never repeats.
const TURN: f64 = 2.399_963_229_728_653;

/// How much wider than high all parts without told places together are, as terminals are.
const ASPECT: f64 = 1.4;

type Point = (f64, f64);

/// The positions of all systems; those that were told are kept.
pub(super) fn place_systems(known: &[Option<Point>], lanes: &[PlacedLane]) -> Vec<Point> {
    let usual = usual_length(known, lanes);
    let net = Net::new(known.len(), lanes, usual);
    let mut positions: Vec<Point> = known
        .iter()
        .map(|known| known.unwrap_or_default())
        .collect();
    let mut loose = Vec::new();
    for part in net.parts() {
        if part
            .iter()
            .any(|system| known.get(*system).is_some_and(Option::is_some))
        {
            surround(&net, &part, known, &mut positions);
            relax(&net, &part, known, &mut positions);
        } else {
            spread(&net, &part, &mut positions);
            relax(&net, &part, known, &mut positions);
            loose.push(part);
        }
    }
    stack(loose, known, usual, &mut positions);
    positions
}

/// The mean length of a lane, on the scale of the told positions if there are any.
fn usual_length(known: &[Option<Point>], lanes: &[PlacedLane]) -> f64 {
    let mean = |lengths: Vec<f64>| {
        let sum: f64 = lengths.iter().sum();
        (sum > 0.0).then(|| sum / lengths.len() as f64)
    };
    let between = lanes.iter().filter_map(|lane| {
        let (from, to) = (known.get(lane.ends.0)?, known.get(lane.ends.1)?);
        Some(distance((*from)?, (*to)?))
    });
    let named = lanes.iter().filter_map(|lane| lane.length);
    mean(between.collect())
        .or_else(|| mean(named.collect()))
        .unwrap_or(USUAL_LENGTH)
}

struct Net {
    /// Of each system its neighbours and the lengths of the lanes to them.
    neighbours: Vec<Vec<(usize, u32)>>,
}

impl Net {
    fn new(systems: usize, lanes: &[PlacedLane], usual: f64) -> Net {
        let mut neighbours = vec![Vec::new(); systems];
        for lane in lanes {
            let (from, to) = lane.ends;
            // Whole numbers have an order, which ways are found by.
            let length = lane.length.unwrap_or(usual).clamp(1.0, 1e6).round() as u32;
            for (from, to) in [(from, to), (to, from)] {
                if let Some(neighbours) = neighbours.get_mut(from) {
                    neighbours.push((to, length));
                }
            }
        }
        Net { neighbours }
    }

    fn of(&self, system: usize) -> &[(usize, u32)] {
        self.neighbours.get(system).map_or(&[], Vec::as_slice)
    }

    /// The parts that hang together, each in the order of a walk from its first system.
    fn parts(&self) -> Vec<Vec<usize>> {
        let mut is_seen = vec![false; self.neighbours.len()];
        let mut parts = Vec::new();
        for first in 0..self.neighbours.len() {
            let mut part = Vec::new();
            let mut open = std::collections::VecDeque::from([first]);
            while let Some(system) = open.pop_front() {
                if std::mem::replace(&mut is_seen[system], true) {
                    continue;
                }
                part.push(system);
                open.extend(self.of(system).iter().map(|(to, _)| *to));
            }
            if !part.is_empty() {
                parts.push(part);
            }
        }
        parts
    }

    fn ways_from(&self, from: usize) -> Vec<u32> {
        let mut ways = vec![u32::MAX; self.neighbours.len()];
        let mut open = BinaryHeap::from([Reverse((0_u32, from))]);
        while let Some(Reverse((way, system))) = open.pop() {
            if ways.get(system).is_none_or(|known| *known <= way) {
                continue;
            }
            ways[system] = way;
            for (to, length) in self.of(system) {
                open.push(Reverse((way.saturating_add(*length), *to)));
            }
        }
        ways
    }
}

/// A first layout of a part without told places: by the ways to three systems far from each other.
fn spread(net: &Net, part: &[usize], positions: &mut [Point]) {
    let Some(first) = part.first() else {
        return;
    };
    let farthest = |ways: &dyn Fn(usize) -> u32| {
        let by_way = |system: &usize| (ways(*system), Reverse(*system));
        part.iter().copied().max_by_key(by_way).unwrap_or(*first)
    };
    let from_first = net.ways_from(*first);
    let west = farthest(&|system| from_first[system]);
    let from_west = net.ways_from(west);
    let east = farthest(&|system| from_west[system]);
    let from_east = net.ways_from(east);
    let north = farthest(&|system| from_west[system].min(from_east[system]));
    let from_north = net.ways_from(north);
    for (order, system) in part.iter().enumerate() {
        let of = |ways: &[u32]| f64::from(ways[*system]);
        let x = of(&from_west) - of(&from_east);
        let y = (of(&from_west) + of(&from_east)) / 2.0 - of(&from_north);
        // No two systems begin at the same point.
        let (aside, turn) = (1.0 + order as f64 / 8.0, TURN * order as f64);
        positions[*system] = (x / 2.0 + aside * turn.cos(), y + aside * turn.sin());
    }
}

/// A first layout of what hangs on told places: each system around one of its neighbours.
fn surround(net: &Net, part: &[usize], known: &[Option<Point>], positions: &mut [Point]) {
    let has_place = |system: usize| known.get(system).is_some_and(Option::is_some);
    let mut is_placed: Vec<bool> = (0..positions.len()).map(has_place).collect();
    let begin = part.iter().copied().filter(|system| has_place(*system));
    let mut open: std::collections::VecDeque<usize> = begin.collect();
    let mut order = 0.0;
    while let Some(system) = open.pop_front() {
        for (to, length) in net.of(system) {
            if std::mem::replace(&mut is_placed[*to], true) {
                continue;
            }
            order += 1.0;
            let (x, y) = positions[system];
            let (turn, length) = (TURN * order, f64::from(*length));
            positions[*to] = (x + length * turn.cos(), y + length * turn.sin());
            open.push_back(*to);
        }
    }
}

/// Moves the systems of a part whose places were not told until distances come close to ways.
fn relax(net: &Net, part: &[usize], known: &[Option<Point>], positions: &mut [Point]) {
    let free: Vec<usize> = part
        .iter()
        .copied()
        .filter(|system| known.get(*system).is_some_and(Option::is_none))
        .collect();
    let pairs = free.len() * part.len();
    if part.len() < 3 && free.len() == part.len() || pairs == 0 {
        return;
    }
    let ways: Vec<Vec<u32>> = free
        .iter()
        .map(|system| {
            let ways = net.ways_from(*system);
            part.iter().map(|other| ways[*other]).collect()
        })
        .collect();
    let rounds = (MAX_PAIR_STEPS / pairs).clamp(8, MAX_ROUNDS);
    for _ in 0..rounds {
        for (system, ways) in free.iter().zip(&ways) {
            positions[*system] = better_place(*system, part, ways, positions);
        }
    }
}

/// The place of a system that fits its ways to the others best, as they stand now. Near ones count
/// most.
fn better_place(system: usize, part: &[usize], ways: &[u32], positions: &[Point]) -> Point {
    let here = positions[system];
    let (mut sum, mut weights) = ((0.0, 0.0), 0.0);
    for (other, way) in part.iter().zip(ways) {
        if *other == system || *way == u32::MAX {
            continue;
        }
        let (there, way) = (positions[*other], f64::from(*way));
        let weight = 1.0 / (way * way);
        let pull = way / distance(here, there).max(0.001);
        sum.0 += weight * (there.0 + pull * (here.0 - there.0));
        sum.1 += weight * (there.1 + pull * (here.1 - there.1));
        weights += weight;
    }
    match weights > 0.0 {
        true => (sum.0 / weights, sum.1 / weights),
        false => here,
    }
}

/// Stands the parts without told places in rows below what was told, the largest first.
fn stack(mut parts: Vec<Vec<usize>>, known: &[Option<Point>], gap: f64, positions: &mut [Point]) {
    parts.sort_by_key(|part| (Reverse(part.len()), part.first().copied()));
    let fixed: Vec<Point> = known.iter().flatten().copied().collect();
    let (least, most) = bounds(&fixed).unwrap_or_default();
    let sizes: Vec<Point> = parts
        .iter()
        .filter_map(|part| {
            let points: Vec<Point> = part.iter().map(|system| positions[*system]).collect();
            let (low, high) = bounds(&points)?;
            Some((high.0 - low.0, high.1 - low.1))
        })
        .collect();
    let space: f64 = sizes
        .iter()
        .map(|size| (size.0 + gap) * (size.1 + gap))
        .sum();
    let widest = sizes.iter().map(|size| size.0).fold(0.0, f64::max);
    let width = widest.max(most.0 - least.0).max(space.sqrt() * ASPECT);
    let (mut x, mut top) = (least.0, least.1 - gap);
    if fixed.is_empty() {
        top = 0.0;
    }
    let mut height: f64 = 0.0;
    for part in parts {
        let points: Vec<Point> = part.iter().map(|system| positions[*system]).collect();
        let Some((low, high)) = bounds(&points) else {
            continue;
        };
        if x > least.0 && x + (high.0 - low.0) > least.0 + width {
            (x, top, height) = (least.0, top - height - gap, 0.0);
        }
        for system in part {
            let (old_x, old_y) = positions[system];
            positions[system] = (x + old_x - low.0, top + old_y - high.1);
        }
        x += high.0 - low.0 + gap;
        height = height.max(high.1 - low.1);
    }
}

/// The least and the greatest coordinates; `None` of no point.
fn bounds(points: &[Point]) -> Option<(Point, Point)> {
    let first = *points.first()?;
    let all = points.iter().fold((first, first), |(low, high), point| {
        (
            (low.0.min(point.0), low.1.min(point.1)),
            (high.0.max(point.0), high.1.max(point.1)),
        )
    });
    Some(all)
}

fn distance(a: Point, b: Point) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}
