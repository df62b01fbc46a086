//! Steps for each mission that is done.

use super::*;

fn delivering() -> Json {
    json!({
        "name": "deliver",
        "steps": [
            {"tool": "accept_mission", "arguments": {"mission_id": "iron_supply_run"}, "may_fail": true},
            {"tool": "get_active_missions"},
            {"tool": "complete_mission", "each": "missions", "may_fail": true,
             "arguments": {"mission_id": "{mission}"}},
            {"tool": "travel", "arguments": {"target_poi": "belt"}}
        ],
        "rounds": 9
    })
}

/// Plays up to the steps that follow the look.
fn after_looking(told: &Json) -> Played {
    let mut played = Played::of(delivering());
    assert_eq!(played.next(), "r1.1.1 accept_mission");
    // What is told of one mission says nothing of those that are done.
    played.done(r#"{"mission_id": "0c1"}"#);
    assert_eq!(played.next(), "r1.2.1 get_active_missions");
    played.done(&told.to_string());
    played
}

fn mission(id: &str, completed: [bool; 2]) -> Json {
    let objectives = completed.map(|completed| json!({"completed": completed}));
    json!({"mission_id": id, "percent_complete": 50, "objectives": objectives})
}

#[test]
fn it_is_made_for_each_mission_that_is_done_and_for_no_other() {
    let missions = [
        mission("0a", [true, true]),
        mission("0b", [true, false]),
        json!({"mission_id": "0c", "percent_complete": 100}),
        json!({"mission_id": "0d", "percent_complete": 20}),
        json!({"mission_id": "0e"}),
        json!({"title": "nameless"}),
    ];
    let mut played = after_looking(&json!({ "missions": missions }));
    for (made, id) in [(1, "0a"), (2, "0c"), (3, "0e")] {
        assert_eq!(played.next(), format!("r1.3.{made} complete_mission"));
        assert_eq!(*played.arguments, json!({"mission_id": id}).to_string());
        match id {
            "0c" => played.fails(CallStatus::Failed, "Objective incomplete"),
            _ => played.done(r#"{"credits_earned": 1500}"#),
        }
    }
    assert_eq!(played.next(), "r1.4.1 travel");
}

#[test]
fn nothing_is_asked_for_where_no_mission_is_done() {
    for told in [json!({"missions": []}), json!({"message": "none"})] {
        assert_eq!(after_looking(&told).next(), "r1.4.1 travel");
    }
}

#[test]
fn the_offers_of_a_board_are_no_missions_that_are_done() {
    let mut given = delivering();
    given["steps"][1]["tool"] = json!("get_missions");
    let mut played = Played::of(given);
    assert_eq!(played.next(), "r1.1.1 accept_mission");
    played.done("{}");
    assert_eq!(played.next(), "r1.2.1 get_missions");
    played.done(r#"{"missions": [{"mission_id": "iron_supply_run"}]}"#);
    assert_eq!(played.next(), "r1.4.1 travel");
}

#[test]
fn a_run_that_was_stored_before_missions_were_known_goes_on() {
    let mut played = Played::of(mining());
    for (step, told) in [
        ("r1.1.1 travel", "{}"),
        ("r1.2.1 mine", "{}"),
        ("r1.2.2 mine", "{}"),
        ("r1.2.3 mine", "{}"),
        (
            "r1.3.1 get_cargo",
            r#"{"cargo": [{"item_id": "iron", "quantity": 3}, {"item_id": "ice", "quantity": 1}]}"#,
        ),
        ("r1.4.1 sell", "{}"),
    ] {
        assert_eq!(played.next(), step);
        played.done(told);
    }
    let memo = RoutineMemo {
        run: Some(played.run.clone()),
        ..RoutineMemo::default()
    };
    let mut stored: Json = serde_json::from_str(&memo.to_text()).expect("JSON");
    let run = stored["run"].as_object_mut().expect("a run");
    run.remove("missions");
    let due = run.remove("due").expect("what is due");
    run.insert("goods".to_string(), due);
    played.run = RoutineMemo::restore(&stored.to_string())
        .run
        .expect("a run");
    assert_eq!(played.next(), "r1.4.2 sell");
    assert_eq!(*played.arguments, *r#"{"item_id":"ice","quantity":1}"#);
}

#[test]
fn the_word_for_a_mission_stands_only_in_a_step_for_each_of_them() {
    let mut given = delivering();
    given["steps"][2]["each"] = json!("cargo");
    let told = read_routine(&object(given.clone())).unwrap_err().join("");
    assert!(told.contains("{mission} stands for nothing"), "{told}");
    given["steps"][2]["each"] = json!("ships");
    let told = read_routine(&object(given)).unwrap_err().join("");
    assert!(
        told.contains("each is \"cargo\", \"missions\" or left out"),
        "{told}"
    );
}
