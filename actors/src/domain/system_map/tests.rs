//! The map of systems from results.

use serde_json::{Value, json};

use super::*;

fn look(id: &str, lanes: &[&str]) -> String {
    let lanes: Vec<Value> = lanes
        .iter()
        .map(|to| json!({"system_id": to, "name": to.to_uppercase()}))
        .collect();
    json!({"action": "get_system", "system": {"id": id, "name": id.to_uppercase(), "connections": lanes}})
        .to_string()
}

/// The map of looks, given newest first with their times.
fn map_of(looks: &[(i64, &str, &[&str])], occupied: &[&str]) -> SystemMap {
    let mut builder = SystemMapBuilder::new(&SystemMapQuery {
        occupied: occupied.iter().map(|id| (*id).into()).collect(),
    });
    for (at, id, lanes) in looks {
        builder.add_result("get_system", &look(id, lanes), Timestamp(*at));
    }
    builder.finish()
}

fn lanes_of(map: &SystemMap) -> Vec<(&str, &str)> {
    let id = |place: usize| &*map.systems[place].id;
    map.lanes
        .iter()
        .map(|(from, to)| (id(*from), id(*to)))
        .collect()
}

fn position(map: &SystemMap, id: &str) -> (f64, f64) {
    map.systems[map.find(id).expect("it is there")].position
}

fn distance(map: &SystemMap, from: &str, to: &str) -> f64 {
    let (a, b) = (position(map, from), position(map, to));
    (a.0 - b.0).hypot(a.1 - b.1)
}

#[test]
fn what_was_seen_or_named_or_is_occupied_is_on_the_map_and_nothing_else() {
    let map = map_of(&[(5, "b", &["a", "c"])], &["z"]);
    let ids: Vec<&str> = map.systems.iter().map(|system| &*system.id).collect();
    assert_eq!(ids, ["a", "b", "c", "z"]);
    assert_eq!(lanes_of(&map), [("a", "b"), ("b", "c")]);
    let seen: Vec<_> = map.systems.iter().map(|system| system.seen_at).collect();
    assert_eq!(seen, [None, Some(Timestamp(5)), None, None]);
    assert_eq!(&*map.systems[0].name, "A");
    assert_eq!(&*map.systems[3].name, "z");
    assert_eq!(map_of(&[], &[]), SystemMap::default());
}

#[test]
fn the_newest_look_at_a_system_counts() {
    let map = map_of(&[(9, "a", &["b"]), (3, "a", &["b", "old"])], &[]);
    assert_eq!(lanes_of(&map), [("a", "b")]);
    assert_eq!(map.systems[0].seen_at, Some(Timestamp(9)));
    // What the other end told before is gone as well.
    let map = map_of(&[(9, "a", &["c"]), (3, "b", &["a"])], &[]);
    assert_eq!(lanes_of(&map), [("a", "c")]);
    // A neighbour that was only named says nothing against a lane.
    let map = map_of(&[(3, "b", &["a"])], &[]);
    assert_eq!(lanes_of(&map), [("a", "b")]);
}

#[test]
fn told_places_are_kept_and_the_others_stand_around_them() {
    let mut builder = SystemMapBuilder::default();
    builder.add_result("get_system", &look("a", &["b", "x"]), Timestamp(2));
    let map = json!({"systems": [
        {"system_id": "a", "position": {"x": 0, "y": 0}, "connections": ["b"]},
        {"system_id": "b", "position": {"x": 100, "y": 0}, "connections": ["a"]},
    ]});
    builder.add_result("get_map", &map.to_string(), Timestamp(1));
    builder.add_result("get_system", &look("lost", &[]), Timestamp(1));
    let map = builder.finish();
    assert_eq!(position(&map, "a"), (0.0, 0.0));
    assert_eq!(position(&map, "b"), (100.0, 0.0));
    assert!((80.0..120.0).contains(&distance(&map, "a", "x")), "{map:?}");
    assert!(
        position(&map, "lost").1 < -50.0,
        "below the others: {map:?}"
    );
}

/// A grid of so many systems a side: results tell lanes only.
fn grid(side: usize, occupied: &[&str]) -> SystemMapBuilder {
    let mut builder = SystemMapBuilder::new(&SystemMapQuery {
        occupied: occupied.iter().map(|id| (*id).into()).collect(),
    });
    for x in 0..side {
        for y in 0..side {
            let beside = [
                (x + 1 < side).then(|| format!("s{:02}-{y:02}", x + 1)),
                (y + 1 < side).then(|| format!("s{x:02}-{:02}", y + 1)),
            ];
            let beside: Vec<&str> = beside.iter().flatten().map(String::as_str).collect();
            let id = format!("s{x:02}-{y:02}");
            builder.add_result("get_system", &look(&id, &beside), Timestamp(1));
        }
    }
    builder
}

#[test]
fn what_has_no_told_place_is_laid_out_by_its_lanes_the_same_way_every_time() {
    let map = grid(8, &[]).finish();
    assert_eq!(map, grid(8, &[]).finish());
    let lengths: Vec<f64> = map
        .lanes
        .iter()
        .map(|(from, to)| {
            let (a, b) = (map.systems[*from].position, map.systems[*to].position);
            (a.0 - b.0).hypot(a.1 - b.1)
        })
        .collect();
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    let is_near = |length: &&f64| (mean * 0.5..mean * 1.7).contains(*length);
    let near = lengths.iter().filter(is_near).count();
    assert!(near * 10 >= lengths.len() * 9, "{lengths:?}");
    assert!(
        distance(&map, "s00-00", "s07-07") > mean * 5.0,
        "far ends stay apart"
    );
}

#[test]
fn a_map_has_bounds() {
    let mut builder = grid(40, &["elsewhere"]);
    assert_eq!(builder.systems.len(), MAX_MAPPED_SYSTEMS);
    let many: Vec<String> = (0..400).map(|to| format!("t{to}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    builder.add_result("get_system", &look("s00-00", &many), Timestamp(0));
    let map = builder.finish();
    assert!(map.find("elsewhere").is_some(), "where a ship is");
    assert_eq!(map.systems.len(), MAX_MAPPED_SYSTEMS);
    let is_finite = |system: &MappedSystem| system.position.0.is_finite();
    assert!(map.systems.iter().all(is_finite));
}

#[test]
fn what_is_no_look_adds_nothing() {
    let mut builder = SystemMapBuilder::default();
    builder.add_result("get_system", "Error: not_found: nothing", Timestamp(1));
    builder.add_result("mine", &look("a", &["b"]), Timestamp(1));
    builder.add_result("get_system", "{\"system\": 7}", Timestamp(1));
    assert_eq!(builder.finish(), SystemMap::default());
}
