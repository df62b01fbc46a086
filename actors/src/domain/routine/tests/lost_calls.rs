//! Tests of calls whose answers are lost: what looks prove, and what stays unknown.

use super::*;

/// A run whose next call is lost.
fn lost(step: Json, known: GameFacts) -> Played {
    let steps = json!([step, {"tool": "scan"}]);
    let mut played = Played::of(json!({"name": "x", "steps": steps}));
    played.facts = known;
    assert!(played.next().starts_with("r1.1.1 "));
    played.fails(CallStatus::Unknown, "outcome unknown");
    played
}

fn at(poi: &str, docked: bool) -> GameFacts {
    GameFacts {
        poi: Some(poi.into()),
        docked: Some(docked),
        ..facts(50, 0, 90, 5)
    }
}

#[test]
fn what_a_look_shows_decides_what_became_of_a_lost_call() {
    let travel = json!({"tool": "travel", "arguments": {"target_poi": "base"}});
    let there = r#"{"poi":{"id":"base","system_id":"sol"}}"#;
    let here = r#"{"poi":{"id":"belt","system_id":"sol"}}"#;
    let flying = r#"{"in_transit":true,"poi":{"id":"belt"}}"#;
    let docked = r#"{"player":{"current_system":"sol","current_poi":"base","docked_at_base":"b"}}"#;
    let full = r#"{"ship":{"fuel":100,"max_fuel":100}}"#;
    for (step, known, look, text) in [
        (travel.clone(), at("belt", false), "get_poi", there),
        (
            json!({"tool": "dock"}),
            at("base", false),
            "get_status",
            docked,
        ),
        (
            json!({"tool": "refuel"}),
            at("base", true),
            "get_status",
            full,
        ),
    ] {
        let mut played = lost(step, known);
        assert_eq!(played.next(), format!("look1.1 {look}"));
        played.done(text);
        assert_eq!(played.next(), "r1.2.1 scan", "it goes on at the next step");
        let confirmed = played.confirmed.pop().expect("a proof");
        assert!(
            confirmed.describe().ends_with("was carried out"),
            "{confirmed:?}"
        );
    }
    // Under way, then there.
    let mut played = lost(travel.clone(), at("belt", false));
    for number in 1..4 {
        assert_eq!(played.next(), format!("look1.{number} get_poi"));
        played.done(flying);
    }
    assert_eq!(played.next(), "look1.4 get_poi");
    played.done(there);
    assert_eq!(played.next(), "r1.2.1 scan");
    // Where it was for long: nothing proves that it was not carried out, so it is not made again.
    let mut played = lost(travel, at("belt", false));
    let mut looks = 0;
    while played.next().starts_with("look") {
        assert_eq!(played.confirmed, []);
        looks += 1;
        played.done(here);
    }
    assert!((5..12).contains(&looks), "{looks}");
    assert_eq!(played.confirmed, []);
    assert_eq!(
        played.next(),
        "a step did not succeed: the outcome of travel is unknown, and no look proves it"
    );
    assert_eq!(played.run.calls, 0);
}

#[test]
fn goods_prove_a_call_where_the_hold_was_known_exactly() {
    let steps = json!([
        {"tool": "get_cargo"},
        {"tool": "mine", "most": 3},
        {"tool": "sell", "each": "cargo", "arguments": {"item_id": "{item}", "quantity": "{quantity}"}}
    ]);
    let cargo = |iron: i64, ice: i64| {
        json!({"cargo": [{"item_id": "iron", "quantity": iron}, {"item_id": "ice", "quantity": ice}]})
            .to_string()
    };
    let mut played = Played::of(json!({"name": "x", "steps": steps}));
    assert_eq!(played.next(), "r1.1.1 get_cargo");
    played.done(&cargo(5, 2));
    assert_eq!(played.next(), "r1.2.1 mine");
    played.done(r#"{"resource_id":"iron","quantity":3}"#);
    assert_eq!(played.next(), "r1.2.2 mine");
    played.fails(CallStatus::Unknown, "lost");
    assert_eq!(played.next(), "look1.1 get_cargo");
    played.done(&cargo(8, 3));
    assert_eq!(
        played.next(),
        "r1.2.3 mine",
        "one ice more: that pull was made"
    );
    played.done(r#"{"resource_id":"iron","quantity":1}"#);
    assert_eq!(played.next(), "r1.3.1 sell");
    played.fails(CallStatus::Unknown, "lost");
    assert_eq!(played.next(), "look1.1 get_cargo");
    played.done(&cargo(9, 3));
    assert_eq!(played.next(), "look1.2 get_cargo", "nothing is sold so far");
    played.done(&cargo(2, 1));
    assert_eq!(
        played.next(),
        "a step did not succeed: the outcome of sell is unknown, and no look proves it",
        "two kinds are fewer, so that no look can tell any more"
    );
}

#[test]
fn looks_end_with_the_first_one_that_shows_that_none_can_tell() {
    let travel = json!({"tool": "travel", "arguments": {"target_poi": "base"}});
    let dock = json!({"tool": "dock"});
    for (step, blind) in [
        (&travel, r#"{"somewhere":"else"}"#),
        (&travel, "You are at the belt."),
        (&dock, r#"{"weather":"fine"}"#),
        (&dock, "[]"),
    ] {
        let mut played = lost(step.clone(), at("belt", false));
        assert!(played.next().starts_with("look1.1 "));
        played.done(blind);
        let end = played.next();
        assert!(
            end.contains("is unknown, and no look proves it"),
            "{blind}: {end}"
        );
    }
    for why in [
        "Error: unknown_tool: there is no tool",
        "Error: not_allowed: no",
    ] {
        let mut played = lost(dock.clone(), at("belt", false));
        assert!(played.next().starts_with("look1.1 "));
        played.fails(CallStatus::NotExecuted, why);
        assert!(played.next().contains("no look proves it"), "{why}");
    }
    // A look that is lost itself is made again, and so is one at a ship elsewhere, for 30 s.
    let mut played = lost(dock, at("belt", false));
    for number in 1..4 {
        assert_eq!(played.next(), format!("look1.{number} get_status"));
        played.fails(CallStatus::Failed, "Error: no answer: timed out");
    }
    let mut played = lost(travel, at("belt", false));
    let mut looks = 0;
    while played.next().starts_with("look") {
        looks += 1;
        played.done(r#"{"poi":{"id":"elsewhere"}}"#);
    }
    assert!((5..12).contains(&looks), "{looks}");
}

#[test]
fn a_lost_call_that_no_look_can_prove_ends_the_run() {
    for (step, known) in [
        (json!({"tool": "mine"}), at("belt", false)),
        (json!({"tool": "craft"}), at("base", true)),
        (json!({"tool": "dock"}), at("base", true)),
        (
            json!({"tool": "travel", "arguments": {"target_poi": "belt"}}),
            at("belt", false),
        ),
    ] {
        let mut played = lost(step, known);
        let end = played.next();
        assert!(end.starts_with("a step did not succeed"), "{end}");
    }
}

#[test]
fn an_order_during_looks_tells_that_the_outcome_is_unknown() {
    let mut played = lost(json!({"tool": "dock"}), at("base", false));
    played.run.end(RoutineEnd::Order);
    let report = played.run.report(&played.facts);
    assert!(
        report.contains("The outcome of its last call, dock, is unknown"),
        "{report}"
    );
}

/// Iron and ice in the hold, as a look at it tells them.
fn hold(iron: i64, ice: i64) -> String {
    json!({"cargo": [{"item_id": "iron", "quantity": iron}, {"item_id": "ice", "quantity": ice}]})
        .to_string()
}

#[test]
fn the_first_step_that_only_goods_prove_waits_for_one_look_at_the_hold() {
    let steps = json!([{"tool": "dock"}, {"tool": "mine"}, {"tool": "undock"}]);
    let mut played = Played::anew(json!({"name": "x", "steps": steps}));
    assert_eq!(played.next(), "r1.1.1 dock", "a berth needs no goods");
    played.done("{}");
    assert_eq!(played.next(), "look1.0 get_cargo");
    played.done(&hold(5, 2));
    assert_eq!(played.run.calls, 1, "a look is no step");
    assert_eq!(played.next(), "r1.2.1 mine");
    played.fails(CallStatus::Unknown, "lost");
    assert_eq!(played.next(), "look1.1 get_cargo");
    played.done(&hold(8, 2));
    assert_eq!(played.next(), "r1.3.1 undock");
    assert_eq!(played.confirmed.len(), 1);
    played.done("{}");
    assert_eq!(played.next(), "r2.1.1 dock");
    played.done("{}");
    assert_eq!(played.next(), "r2.2.1 mine", "the hold is still known");
}

#[test]
fn a_look_at_the_hold_that_tells_nothing_is_made_again_and_then_given_up_for_a_time() {
    let steps = json!([{"tool": "mine", "most": 100}]);
    let mut played = Played::anew(json!({"name": "x", "steps": steps}));
    for _ in 0..3 {
        assert_eq!(played.next(), "look1.0 get_cargo");
        played.fails(CallStatus::NotExecuted, "not executed");
    }
    assert_eq!(played.next(), "r1.1.1 mine");
    played.done("{}");
    assert_eq!(played.next(), "r1.1.2 mine");
    played.run.add_time(600_000);
    assert_eq!(played.next(), "look1.0 get_cargo", "after ten minutes");
    played.done(&hold(1, 0));
    assert_eq!(played.next(), "r1.1.2 mine");
}

#[test]
fn the_look_at_the_hold_changes_nothing_that_the_routine_does() {
    let steps = json!([
        {"tool": "mine"},
        {"tool": "sell", "each": "cargo", "arguments": {"item_id": "{item}"}},
        {"tool": "undock"}
    ]);
    let mut played = Played::anew(json!({"name": "x", "steps": steps}));
    assert_eq!(played.next(), "look1.0 get_cargo");
    played.done(&hold(5, 2));
    assert_eq!(played.next(), "r1.1.1 mine");
    played.done("{}");
    assert_eq!(played.next(), "r1.3.1 undock", "it never looked itself");
}

#[test]
fn nothing_is_proven_while_an_earlier_lost_call_may_be_on_its_way() {
    let steps = json!([{"tool": "travel", "arguments": {"target_poi": "base"}}, {"tool": "scan"}]);
    let mut played = Played::of(json!({"name": "x", "steps": steps}));
    assert_eq!(played.next(), "r1.1.1 travel");
    played.is_settled = false;
    played.fails(CallStatus::Unknown, "lost");
    let end = played.next();
    assert!(end.contains("step 1 (travel): lost"), "{end}");
}
