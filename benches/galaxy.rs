//! The cost of the simulated world: a query, a mutation, a tick, a start.

use divan::{Bencher, black_box};
use serde_json::{Map, Value, json};
use zoea_galaxy::world::{GameOrder, PlayerId, World, WorldRules};

const PLAYERS: usize = 2_000;

fn main() {
    divan::main();
}

fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    }
}

fn order(player: PlayerId, command: &str, arguments: Value) -> GameOrder {
    GameOrder {
        player,
        command: command.to_owned(),
        arguments: map(arguments),
        call: None,
    }
}

/// A world with `count` solarian pilots, all at the belt.
fn crowd(count: usize) -> (World, Vec<PlayerId>) {
    let mut world = World::new(WorldRules::new(1));
    let pilots: Vec<PlayerId> = (0..count)
        .filter_map(|number| {
            let name = format!("Pilot {number}");
            let application =
                json!({ "username": name, "empire": "solarian", "registration_code": "C" });
            world.register(&map(application)).ok()
        })
        .map(|(pilot, _)| pilot)
        .collect();
    for pilot in &pilots {
        let belt = json!({ "target_poi": "main_belt" });
        let _ = world.submit(order(*pilot, "travel", belt));
    }
    for _ in 0..8 {
        world.tick();
    }
    (world, pilots)
}

#[divan::bench(args = ["get_status", "get_cargo", "get_system", "get_poi", "get_nearby", "get_map"])]
fn query(bencher: Bencher, command: &str) {
    let (mut world, pilots) = crowd(PLAYERS);
    let none = Map::new();
    bencher.bench_local(|| black_box(world.query(pilots[7], command, &none)).is_ok());
}

/// One pilot mines and throws the ore away, so that the hold never fills: two mutations, two ticks.
#[divan::bench]
fn mine_and_jettison(bencher: Bencher) {
    let (mut world, pilots) = crowd(1);
    bencher.bench_local(|| {
        let _ = world.submit(order(pilots[0], "mine", json!({})));
        let turn = world.tick();
        let pulled = turn.answers.into_iter().find_map(|(_, answer)| answer.ok());
        let item = pulled.map(|pull| (pull["resource_id"].clone(), pull["quantity"].clone()));
        if let Some((item, quantity)) = item {
            let goods = json!({ "item_id": item, "quantity": quantity });
            let _ = world.submit(order(pilots[0], "jettison", goods));
        }
        black_box(world.tick())
    });
}

/// All pilots mine in the same tick. Holds fill after a while; a refusal costs about the same.
#[divan::bench]
fn tick_in_which_2000_mine(bencher: Bencher) {
    let (mut world, pilots) = crowd(PLAYERS);
    bencher.bench_local(|| {
        for pilot in &pilots {
            let _ = world.submit(order(*pilot, "mine", json!({})));
        }
        black_box(world.tick())
    });
}

#[divan::bench]
fn tick_in_which_2000_do_nothing(bencher: Bencher) {
    let (mut world, _) = crowd(PLAYERS);
    bencher.bench_local(|| black_box(world.tick()));
}

#[divan::bench]
fn new_world() -> World {
    World::new(WorldRules::new(black_box(1)))
}

#[divan::bench]
fn save_2000_players(bencher: Bencher) {
    let (world, _) = crowd(PLAYERS);
    bencher.bench_local(|| black_box(world.save()).len());
}
