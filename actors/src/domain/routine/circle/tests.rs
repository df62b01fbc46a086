//! Tests of circles: what is recognised, what is not, and the routine that is made of it.

use serde_json::{Value, json};

use crate::game::{GameReading, GameRef};
use crate::ids::CallKey;
use crate::samples::{GameFacts, Gauge};

use super::*;

/// A Mysis whose calls are watched.
struct Player {
    watch: CircleWatch,
    facts: GameFacts,
    seq: i64,
}

fn stored(watch: &CircleWatch) -> String {
    serde_json::to_string(watch).expect("it has a form in JSON")
}

impl Player {
    fn new() -> Player {
        let gauge = |now| Gauge {
            now: Some(now),
            most: Some(100),
        };
        Player {
            watch: CircleWatch::default(),
            facts: GameFacts {
                fuel: gauge(80),
                hull: gauge(95),
                cargo: gauge(40),
                ..GameFacts::default()
            },
            seq: 0,
        }
    }

    fn ends(&mut self, tool: &str, arguments: Value, text: &str, status: CallStatus, earned: i64) {
        self.seq += 1;
        let call = CallRecord {
            id: "c".into(),
            name: tool.into(),
            arguments: arguments.to_string().into(),
            status,
            read_only: tool.starts_with("get_"),
            routine: None,
        };
        let reading = GameReading::of(GameRef::SpaceMolt, text);
        self.watch.take(&EndedCall {
            seq: Seq(self.seq),
            key: CallKey {
                seq: Seq(self.seq),
                position: 0,
            },
            call: &call,
            status,
            reading: &reading,
            earned,
            before: &self.facts,
            now: &self.facts,
            is_settled: true,
        });
        // A restart between any two calls changes nothing but the goods of the last look.
        let stored = stored(&self.watch);
        let mut restored: CircleWatch = serde_json::from_str(&stored).expect("it is understood");
        restored.find_again();
        restored.hold = self.watch.hold.clone();
        assert_eq!(restored, self.watch);
    }

    fn done(&mut self, tool: &str, arguments: Value) {
        self.ends(tool, arguments, "{}", CallStatus::Done, 0);
    }

    fn sell(&mut self, item: &str, quantity: i64, earned: i64) {
        let given = json!({"item_id": item, "quantity": quantity});
        self.ends("sell", given, "{}", CallStatus::Done, earned);
    }

    fn look(&mut self, cargo: &[(&str, i64)]) {
        let cargo = cargo.iter();
        let cargo: Vec<Value> = cargo
            .map(|(item, quantity)| json!({"item_id": item, "quantity": quantity}))
            .collect();
        let text = json!({"cargo": cargo}).to_string();
        self.ends("get_cargo", json!({}), &text, CallStatus::Done, 0);
    }

    /// A miner's round: so many pulls, and goods that differ from round to round.
    fn mine_and_sell(&mut self, pulls: usize, goods: &[(&str, i64)], earned: i64) {
        self.done("travel", json!({"target_poi": "belt"}));
        for _ in 0..pulls {
            self.done("mine", json!({}));
        }
        self.done("travel", json!({"target_poi": "base"}));
        self.done("dock", json!({}));
        self.look(goods);
        for (item, quantity) in goods {
            self.sell(item, *quantity, earned);
        }
    }

    fn routine(&self) -> Value {
        let circle = self.watch.circle().expect("a circle");
        let mut text = json!(circle.routine);
        let words = text.as_object_mut().expect("an object");
        words.remove("rounds");
        text
    }
}

#[test]
fn three_rounds_that_earned_are_a_routine_whatever_their_goods() {
    let mut player = Player::new();
    player.mine_and_sell(3, &[("iron", 9), ("gold", 2)], 50);
    player.done("refuel", json!({}));
    player.mine_and_sell(5, &[("iron", 12)], 90);
    assert_eq!(player.watch.circle(), None, "two rounds are chance");
    player.mine_and_sell(4, &[("iron", 7), ("ice", 1)], 40);
    let circle = player.watch.circle().expect("a circle").clone();
    assert_eq!(circle.offer.calls, 26);
    assert_eq!((circle.offer.earned, circle.offer.rounds), (270, 3));
    assert_eq!(
        &*circle.offer.steps,
        "get_cargo, sell all, refuel, travel belt, mine ×5, travel base, dock"
    );
    assert_eq!(
        player.routine(),
        json!({
            "name": "mine-sell",
            "earns": 90,
            "guards": [
                {"value": "fuel", "op": ">=", "number": 40},
                {"value": "hull", "op": ">=", "number": 95}
            ],
            "steps": [
                {"tool": "get_cargo"},
                {"tool": "sell", "arguments": {"item_id": "{item}", "quantity": "{quantity}"}, "may_fail": true, "each": "cargo"},
                {"tool": "refuel", "may_fail": true},
                {"tool": "travel", "arguments": {"target_poi": "belt"}},
                {"tool": "mine", "most": 5, "may_fail": true},
                {"tool": "travel", "arguments": {"target_poi": "base"}},
                {"tool": "dock"},
                {"tool": "get_status"}
            ]
        })
    );
    let mut watch = player.watch.clone();
    assert_eq!(
        watch.take_news().map(|offer| offer.name.to_string()),
        Some("mine-sell".into())
    );
    assert_eq!(watch.take_news(), None, "it is reported once");
}

#[test]
fn a_round_that_no_guard_can_stop_is_not_repeated() {
    let none = Gauge::default();
    for is_fuel in [true, false] {
        let mut player = Player::new();
        let facts = &mut player.facts;
        (facts.fuel, facts.hull) = if is_fuel {
            (none, facts.hull)
        } else {
            (facts.fuel, none)
        };
        for _ in 0..3 {
            player.mine_and_sell(3, &[("iron", 9)], 50);
        }
        assert_eq!(player.watch.circle(), None);
    }
    let mut player = Player::new();
    player.facts.hull.now = Some(0);
    for _ in 0..3 {
        player.mine_and_sell(3, &[("iron", 9)], 50);
    }
    assert_eq!(
        player.routine()["guards"][1]["number"],
        1,
        "0 is never missed"
    );
}

#[test]
fn it_begins_with_the_step_that_comes_next() {
    let mut player = Player::new();
    for _ in 0..3 {
        player.mine_and_sell(2, &[("iron", 9)], 50);
    }
    player.done("travel", json!({"target_poi": "belt"}));
    assert_eq!(player.routine()["steps"][0]["tool"], "mine");
    player.done("mine", json!({}));
    assert_eq!(
        player.routine()["steps"][0]["tool"],
        "mine",
        "one pull of two"
    );
    player.done("mine", json!({}));
    assert_eq!(
        player.routine()["steps"][0]["arguments"]["target_poi"],
        "base"
    );
    player.done("jump", json!({"target_system": "sol"}));
    assert_eq!(player.watch.circle(), None, "something else is done");
}

#[test]
fn what_is_said_or_looked_at_belongs_to_no_round() {
    let mut player = Player::new();
    for round in 0..3 {
        player.mine_and_sell(2, &[("iron", 9)], 50);
        player.done("chat", json!({"content": format!("round {round}")}));
        player.done("get_status", json!({}));
        player.done("get_notifications", json!({}));
    }
    assert!(player.watch.circle().is_some());
}

#[test]
fn rounds_that_differ_or_earn_nothing_are_no_circle() {
    let mut player = Player::new();
    for place in ["a", "b", "c", "d"] {
        player.done("travel", json!({"target_poi": place}));
        player.sell("iron", 5, 50);
    }
    assert_eq!(player.watch.circle(), None, "the places differ");
    let mut player = Player::new();
    for earned in [50, 0, 50] {
        player.mine_and_sell(2, &[("iron", 9)], earned);
    }
    assert_eq!(player.watch.circle(), None, "a round earned nothing");
    let mut player = Player::new();
    for _ in 0..3 {
        player.done("travel", json!({"target_poi": "base"}));
        player.look(&[("iron", 9)]);
        player.sell("iron", 4, 50);
        player.done("travel", json!({"target_poi": "belt"}));
    }
    assert_eq!(
        player.watch.circle(),
        None,
        "a part of the goods is a decision"
    );
}

#[test]
fn a_round_in_which_the_model_keeps_goods_is_not_one_that_hands_all_over() {
    let mut player = Player::new();
    for _ in 0..4 {
        player.done("travel", json!({"target_poi": "base"}));
        player.look(&[("iron", 9), ("fuel_cell", 5)]);
        player.sell("iron", 9, 50);
        player.done("travel", json!({"target_poi": "belt"}));
    }
    assert_eq!(player.watch.circle(), None);
    for _ in 0..4 {
        player.done("travel", json!({"target_poi": "base"}));
        player.look(&[("iron", 9), ("gold", 5)]);
        player.sell("iron", 9, 50);
        player.sell("gold", 5, 50);
        player.done("travel", json!({"target_poi": "belt"}));
    }
    assert!(player.watch.circle().is_some(), "all of it");
}

#[test]
fn goods_are_all_that_there_are_where_a_look_or_an_empty_hold_tells_so() {
    let mut player = Player::new();
    for quantity in [3, 8, 5] {
        player.done("mine", json!({}));
        player.facts.cargo.now = Some(0);
        player.sell("iron", quantity, 50);
        player.facts.cargo.now = Some(40);
        player.done("mine", json!({}));
        player.facts.cargo.now = Some(0);
        player.sell("iron", quantity, 50);
        player.facts.cargo.now = Some(40);
        player.done("travel", json!({"target_poi": "belt"}));
    }
    assert!(player.watch.circle().is_some());
}

#[test]
fn a_quantity_that_follows_the_ship_stands_as_its_word() {
    let mut player = Player::new();
    for free in [60, 45, 70] {
        player.facts.cargo.now = Some(100 - free);
        player.done("buy", json!({"item_id": "iron", "quantity": free}));
        player.done("travel", json!({"target_poi": "far"}));
        player.look(&[("iron", 9)]);
        player.sell("iron", 9, 50);
        player.done("travel", json!({"target_poi": "near"}));
    }
    let routine = player.routine();
    assert_eq!(routine["steps"][0]["arguments"]["quantity"], "{cargo_free}");
    assert_eq!(routine["name"], "buy-sell");
}

#[test]
fn what_failed_now_and_then_may_fail_and_what_never_worked_is_left_out() {
    let mut player = Player::new();
    for _ in 0..3 {
        let full = CallStatus::Failed;
        player.ends("undock", json!({}), "not docked", full, 0);
        player.done("mine", json!({}));
        player.done("mine", json!({}));
        player.ends("mine", json!({}), "cargo_full", full, 0);
        player.look(&[("iron", 9)]);
        player.sell("iron", 9, 50);
        player.done("travel", json!({"target_poi": "belt"}));
    }
    let steps = player.routine()["steps"].clone();
    assert_eq!(
        steps[0],
        json!({"tool": "mine", "most": 2, "may_fail": true})
    );
    assert!(!steps.to_string().contains("undock"), "{steps}");
}

#[test]
fn an_outcome_that_nobody_knows_begins_anew() {
    let mut player = Player::new();
    for _ in 0..3 {
        player.mine_and_sell(2, &[("iron", 9)], 50);
    }
    assert!(player.watch.circle().is_some());
    player.ends("travel", json!({}), "unknown", CallStatus::Unknown, 0);
    assert_eq!(player.watch.circle(), None);
    assert!(!player.watch.forget(), "nothing is left");
}

#[test]
fn a_round_that_uses_fuel_up_keeps_enough_for_two() {
    let mut player = Player::new();
    for fuel in [80, 74, 68] {
        player.facts.fuel.now = Some(fuel);
        player.mine_and_sell(2, &[("iron", 9)], 50);
    }
    assert_eq!(player.routine()["guards"][0]["number"], 12);
}

#[test]
fn it_does_not_grow_without_end() {
    let mut player = Player::new();
    for number in 0..200 {
        player.done("travel", json!({"target_poi": format!("p{number}")}));
    }
    player.done("travel", json!({"target_poi": "x".repeat(1000)}));
    assert!(
        player.watch.candidates.is_empty(),
        "long arguments belong to no circle"
    );
    for number in 0..200 {
        player.done("travel", json!({"target_poi": format!("p{number}")}));
    }
    assert_eq!(player.watch.candidates.len(), MAX_CANDIDATES);
    assert!(stored(&player.watch).len() < 10_000);
}

#[test]
fn a_mission_that_is_taken_again_has_another_id_each_time() {
    let mut player = Player::new();
    for id in ["0a17", "0b52", "0c99"] {
        player.done("accept_mission", json!({"mission_id": "iron_supply_run"}));
        player.done("mine", json!({}));
        player.done("dock", json!({}));
        let given = json!({ "mission_id": id });
        player.ends("complete_mission", given, "{}", CallStatus::Done, 1500);
    }
    let routine = player.routine();
    assert_eq!(routine["name"], "accept_mission-complete_mission-mine");
    assert_eq!(routine["earns"], 1500);
    assert_eq!(
        routine["steps"].as_array().expect("steps")[..2],
        [
            json!({"tool": "get_active_missions"}),
            json!({"tool": "complete_mission", "arguments": {"mission_id": "{mission}"}, "may_fail": true, "each": "missions"}),
        ]
    );
    // Another mission is a decision.
    player.done(
        "accept_mission",
        json!({"mission_id": "copper_requisition"}),
    );
    assert_eq!(player.watch.circle(), None);
}
