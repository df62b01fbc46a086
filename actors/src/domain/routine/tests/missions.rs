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
fn after_looking(text: &Json) -> Played {
    let mut played = Played::of(delivering());
    assert_eq!(played.next(), "r1.1.1 accept_mission");
    // What is told of one mission says nothing of those that are done.
    played.done(r#"{"mission_id": "0c1"}"#);
    assert_eq!(played.next(), "r1.2.1 get_active_missions");
    played.done(&text.to_string());
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

/// An answer of the real game (March 2026), and the same with its ore in the hold.
#[test]
fn the_games_own_answer_tells_what_is_done() {
    let text = |current: u64| {
        json!({"max_missions": 5, "total_count": 1, "missions": [{
            "mission_id": "5d0e9b37c1a84f62b0d3e7f18a246c95", "template_id": "iron_supply_run", "type": "mining",
            "title": "Iron Supply Run", "description": "Bring 30 Iron Ore to Confederacy Central Command.",
            "difficulty": 1, "accepted_at": "2026-03-11T18:42:07Z", "expires_in_ticks": 8611,
            "percent_complete": current as f64 / 0.3, "issuing_base": "Confederacy Central Command",
            "issuing_base_id": "confederacy_central_command",
            "objectives": [{"type": "deliver_item", "description": "Deliver 30 Iron Ore", "item_id": "iron_ore",
                "item_name": "Iron Ore", "required": 30, "current": current, "in_cargo": current, "in_storage": 0,
                "completed": current >= 30, "target_base": "confederacy_central_command",
                "target_base_name": "Confederacy Central Command"}],
            "rewards": {"credits": 1500, "skill_xp": {"mining": 20}}}]})
    };
    assert_eq!(after_looking(&text(12)).next(), "r1.4.1 travel");
    let mut played = after_looking(&text(30));
    assert_eq!(played.next(), "r1.3.1 complete_mission");
    let id = json!({"mission_id": "5d0e9b37c1a84f62b0d3e7f18a246c95"});
    assert_eq!(*played.arguments, id.to_string());
}

#[test]
fn nothing_is_asked_for_where_no_mission_is_done() {
    // The text of the second interface tells titles alone.
    let titles = json!({"missions": [{"title": "Iron Supply Run", "percent_complete": null}]});
    for text in [json!({"missions": []}), json!({"message": "none"}), titles] {
        assert_eq!(after_looking(&text).next(), "r1.4.1 travel");
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
fn the_word_for_a_mission_stands_only_in_a_step_for_each_of_them() {
    let mut given = delivering();
    given["steps"][2]["each"] = json!("cargo");
    let text = read_routine(&object(given.clone())).unwrap_err().join("");
    assert!(text.contains("{mission} stands for nothing"), "{text}");
    given["steps"][2]["each"] = json!("ships");
    let text = read_routine(&object(given)).unwrap_err().join("");
    assert!(
        text.contains("each is \"cargo\", \"missions\" or left out"),
        "{text}"
    );
}
