//! Properties over random plays: goods and credits balance whatever is called.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Game, order};
use crate::{
    tools,
    world::{CommandKind, PlayerId, World, catalogue::CatalogueItem, command_kind},
};

#[derive(Clone, Debug)]
struct Step {
    pilot: usize,
    tool: usize,
    arguments: Value,
    ticks: u64,
}

/// Commands that move goods and credits. They are drawn more often than the table alone would give.
const BUSY: [&str; 16] = [
    "mine",
    "mine",
    "mine",
    "sell",
    "buy",
    "travel",
    "travel",
    "dock",
    "undock",
    "deposit_items",
    "withdraw_items",
    "jettison",
    "craft",
    "refuel",
    "accept_mission",
    "complete_mission",
];

fn text() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just("main_belt"),
        Just("sol_central"),
        Just("earth"),
        Just("sirius"),
        Just("alpha_centauri"),
        Just("iron_ore"),
        Just("copper_ore"),
        Just("fuel_cell"),
        Just("steel_plate"),
        Just("repair_kit"),
        Just("refine_steel"),
        Just("craft_fuel_cell"),
        Just("iron_supply_run"),
        Just("first_haul"),
        Just("system"),
        Just("private"),
        Just("Pilot 1"),
        Just("storage"),
        Just("items"),
        Just(""),
        Just("🚀"),
    ]
    .prop_map(|text| json!(text))
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => text(),
        4 => (0_i64..40).prop_map(|number| json!(number)),
        1 => prop_oneof![
            Just(json!(-1)), Just(json!(i64::MAX)), Just(json!(u64::MAX)), Just(json!(1e300)),
            Just(json!(2.5)), Just(json!(null)), Just(json!(true)), Just(json!([])), Just(json!({})),
        ],
    ]
}

fn arguments() -> impl Strategy<Value = Value> {
    let keys = prop_oneof![
        4 => Just("item_id"), 4 => Just("quantity"), 4 => Just("target_poi"), 2 => Just("target_system"),
        2 => Just("recipe_id"), 2 => Just("mission_id"), 1 => Just("channel"), 1 => Just("content"),
        1 => Just("target_id"), 1 => Just("index"), 1 => Just("limit"), 1 => Just("page"),
        1 => Just("deliver_to"), 1 => Just("entry"), 1 => Just("type"), 1 => Just("types"),
    ];
    let random = proptest::collection::btree_map(keys, value(), 0..4).prop_map(|map| {
        map.into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect()
    });
    let goods = (text(), 1_u64..30)
        .prop_map(|(item, quantity)| json!({ "item_id": item, "quantity": quantity }));
    let place = prop_oneof![Just("main_belt"), Just("sol_central")];
    prop_oneof![
        2 => random,
        2 => goods,
        2 => place.prop_map(|poi| json!({ "target_poi": poi })),
        1 => text().prop_map(|id| json!({ "mission_id": id })),
        1 => text().prop_map(|id| json!({ "recipe_id": id })),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let tool = 0..tools::all().len() + 4 * BUSY.len();
    (0_usize..3, tool, arguments(), 0_u64..3).prop_map(|(pilot, tool, arguments, ticks)| Step {
        pilot,
        tool,
        arguments,
        ticks,
    })
}

fn command(number: usize) -> &'static str {
    match tools::all().get(number) {
        Some(tool) => &tool.name,
        None => BUSY[number % BUSY.len()],
    }
}

/// Plays the steps. Returns every answer with its tick.
fn play(game: &mut Game, steps: &[Step]) -> Vec<String> {
    let pilots: Vec<PlayerId> = (0..3)
        .map(|number| game.register(&format!("Pilot {number}"), "solarian"))
        .collect();
    let mut answers = Vec::new();
    for step in steps {
        let (pilot, name) = (pilots[step.pilot], command(step.tool));
        let answer = match command_kind(name) {
            Some(CommandKind::Act) => {
                let queued = game
                    .world
                    .submit(order(pilot, name, step.arguments.clone()));
                queued.map(|answer_id| json!(format!("{answer_id:?}")))
            }
            Some(CommandKind::Reference | CommandKind::Look | CommandKind::Write) => {
                game.call(pilot, name, step.arguments.clone())
            }
            None => continue,
        };
        if let Err(refusal) = &answer {
            assert_ne!(refusal.code, "internal_error", "{name} {}", step.arguments);
        }
        answers.push(format!("{answer:?}"));
        for _ in 0..step.ticks {
            let turn = game.world.tick();
            for (_, answer) in &turn.answers {
                let broke = answer
                    .as_ref()
                    .err()
                    .is_some_and(|refusal| refusal.code == "internal_error");
                assert!(!broke, "something panicked: {:?}", turn.records);
            }
            answers.push(format!("{:?}", turn.answers));
        }
    }
    answers
}

/// The units in all holds and storages.
fn owned(world: &World) -> u64 {
    let holds = world.players.values().flat_map(|player| {
        player
            .storage
            .values()
            .chain(std::iter::once(&player.ship.cargo))
    });
    holds
        .flat_map(|hold| hold.items())
        .map(|(_, count)| count)
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn no_play_panics_or_makes_something_out_of_nothing(
        steps in proptest::collection::vec(step(), 1..120),
    ) {
        let mut game = Game::new(1);
        play(&mut game, &steps);
        for player in game.world.players.values() {
            let stats = &player.stats;
            prop_assert_eq!(player.credits + stats.credits_spent, 100 + stats.credits_earned);
            prop_assert!(player.ship.cargo.used() <= player.ship.class().cargo);
            prop_assert!(player.ship.fuel <= player.ship.class().fuel);
        }
        // Goods come from belts, from asks and from the workshop only.
        let world = &game.world;
        let mined: u64 = world.players.values().map(|player| player.stats.ore_mined).sum();
        let made: u64 = world.players.values().map(|player| player.stats.items_crafted).sum();
        let spent: u64 = world.players.values().map(|player| player.stats.credits_spent).sum();
        let cheapest = CatalogueItem::all().map(CatalogueItem::value).min().unwrap_or(1);
        prop_assert!(owned(world) <= mined + made + spent / (cheapest / 2));
        prop_assert!(World::load(world.rules.clone(), &world.save()).is_ok());
    }

    #[test]
    fn the_same_calls_give_the_same_answers(
        steps in proptest::collection::vec(step(), 1..40),
        seed in 0_u64..3,
    ) {
        let (mut first, mut second) = (Game::new(seed), Game::new(seed));
        prop_assert_eq!(play(&mut first, &steps), play(&mut second, &steps));
        prop_assert_eq!(first.world.save(), second.world.save());
    }
}
