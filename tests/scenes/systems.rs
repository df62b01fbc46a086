//! Looks at a made-up galaxy, and ships that are in it.

use std::sync::Arc;

use actors::domain::ids::Timestamp;
use serde_json::{Value, json};

use crate::swarm::Swarm;

/// The neighbours of a system in the made-up galaxy.
const NEIGHBOURS: usize = 2;
/// Every so many systems, only a look from inside tells of one, which tells no place in the galaxy.
const EVERY_UNTOLD: usize = 4;
const NAMES: [&str; 6] = ["sol", "krynn", "haven", "frontier", "nexus_prime", "sirius"];

pub fn id_of(number: usize) -> String {
    let known = NAMES.get(number);
    known.map_or_else(|| format!("gsc_{number:04}"), ToString::to_string)
}

fn name_of(number: usize) -> String {
    let id = id_of(number).replace('_', " ");
    let mut letters = id.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Systems stand on a spiral, which fills a disc evenly.
fn position(number: usize) -> (f64, f64) {
    let (turn, distance) = (number as f64 * 2.4, (number as f64).sqrt() * 300.0);
    (
        (turn.cos() * distance).round(),
        (turn.sin() * distance).round(),
    )
}

/// The nearest systems further inside, so that all hang together.
fn neighbours(number: usize) -> Vec<usize> {
    let (x, y) = position(number);
    let mut inner: Vec<usize> = (0..number).collect();
    inner.sort_by(|a, b| {
        let distance = |other: &usize| {
            let there = position(*other);
            (there.0 - x).hypot(there.1 - y)
        };
        distance(a).total_cmp(&distance(b))
    });
    inner.truncate(NEIGHBOURS);
    inner
}

/// Results with their commands, newest first: of so many systems, one look each at every fourth, and a map of the others.
pub fn looks(systems: usize) -> Vec<(String, &'static str)> {
    let mut map: Vec<Value> = Vec::new();
    let mut looks = Vec::new();
    for number in 0..systems {
        let lanes = neighbours(number);
        if number % EVERY_UNTOLD == EVERY_UNTOLD - 1 {
            let lanes: Vec<Value> = lanes
                .iter()
                .map(|to| json!({"system_id": id_of(*to), "name": name_of(*to), "distance": 300}))
                .collect();
            let look = json!({"action": "get_system", "system": {
            "id": id_of(number), "name": name_of(number), "connections": lanes, "pois": [
                {"id": "star", "name": "The Star", "type": "sun", "has_base": false},
                {"id": "belt", "name": "Long Belt", "type": "asteroid_belt", "has_base": false},
                {"id": "base", "name": "Old Harbour", "type": "station", "has_base": true},
            ]}});
            looks.push((look.to_string(), "get_system"));
            continue;
        }
        let (x, y) = position(number);
        let lanes: Vec<String> = lanes.into_iter().map(id_of).collect();
        map.push(json!({
            "system_id": id_of(number), "name": name_of(number), "position": {"x": x, "y": y}, "connections": lanes,
        }));
    }
    if !map.is_empty() {
        looks.push((json!({"systems": map}).to_string(), "get_map"));
    }
    looks
}

/// The system of a ship: each system has one ship fewer than the one before it, over and over.
fn system_of(ship: usize, systems: usize) -> usize {
    let mut left = ship % (systems * (systems + 1) / 2).max(1);
    let fits = |room: &usize| match left.checked_sub(*room) {
        Some(less) => {
            left = less;
            false
        }
        None => true,
    };
    let mut rooms = (1..=systems).rev();
    systems - rooms.find(fits).unwrap_or(systems)
}

impl Swarm {
    /// Spreads all ships over so many systems, most of them in the first ones. What they earn falls from system to system;
    /// in each sixth one they lose.
    pub fn spread_over_systems(&mut self, systems: usize, at: Timestamp) {
        for (number, id) in self.ids().into_iter().enumerate() {
            let system = system_of(number, systems);
            let earned = 4_000 - i64::try_from(system % 6).unwrap_or(0) * 900;
            self.has_earned(id, 12_000, &[(30, earned), (5, earned / 2)], at);
            let status = self.statuses.get_mut(&id).expect("it stands");
            let figures = Arc::make_mut(&mut status.figures);
            figures.facts.system = Some(id_of(system).into());
        }
    }
}
