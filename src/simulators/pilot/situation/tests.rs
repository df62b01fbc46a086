//! Tests of the facts that a conversation tells, and of those that it does not.

use serde_json::{Value, json};

use super::*;

fn after(prompt: &str, loops: &[(&str, Value, Value)]) -> Situation {
    let mut messages = vec![
        json!({"role": "system", "content": prompt}),
        json!({"role": "user", "content": "Mine."}),
    ];
    for (place, (tool, arguments, result)) in loops.iter().enumerate() {
        let id = place.to_string();
        let text = match result.as_str() {
            Some(text) => text.to_owned(),
            None => result.to_string(),
        };
        messages.push(json!({"role": "assistant", "tool_calls": [
            {"id": id, "function": {"name": tool, "arguments": arguments.to_string()}}]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": text}));
    }
    Situation::read(&PilotRequest::read(&json!({ "messages": messages })))
}

fn status() -> (&'static str, Value, Value) {
    let player = json!({"username": "QuillArdent", "empire": "solarian", "credits": 136,
        "current_system": "sol", "current_poi": "main_belt"});
    let ship = json!({"fuel": 97, "max_fuel": 100, "cargo_used": 16, "cargo_capacity": 70,
        "cargo": [{"item_id": "iron_ore", "quantity": 12}, {"item_id": "fuel_cell", "quantity": 4}]});
    (
        "get_status",
        json!({}),
        json!({"player": player, "ship": ship, "modules": []}),
    )
}

fn system() -> (&'static str, Value, Value) {
    let pois = json!([
        {"id": "sol_star", "type": "sun", "has_base": false},
        {"id": "sol_central", "type": "station", "has_base": true, "base_id": "command"},
        {"id": "main_belt", "type": "asteroid_belt", "has_base": false},
    ]);
    let lanes = json!([{"system_id": "sirius", "distance": 412}, "alpha_centauri"]);
    (
        "get_system",
        json!({}),
        json!({"system": {"id": "sol", "pois": pois, "connections": lanes}, "poi": {"id": "main_belt"}}),
    )
}

fn mined(item: &str, quantity: i64) -> (&'static str, Value, Value) {
    (
        "mine",
        json!({}),
        json!({"resource_id": item, "quantity": quantity}),
    )
}

#[test]
fn a_status_tells_place_purse_tank_and_hold() {
    let known = after("", &[status()]);
    assert!(known.is_clear());
    assert_eq!(known.account.standing, AccountStanding::Active);
    assert_eq!(known.place.poi.as_deref(), Some("main_belt"));
    assert_eq!(known.place.docked, Some(false));
    assert_eq!(known.trades.credits, Some(136));
    assert_eq!((known.ship.fuel, known.ship.room()), (Some(97), Some(54)));
    assert_eq!(known.ship.goods().collect::<Vec<_>>(), [("iron_ore", 12)]);
}

#[test]
fn a_chart_tells_belts_bases_and_lanes() {
    let known = after("", &[system()]);
    let ids =
        |pois: Vec<&place::ChartedPoi>| pois.iter().map(|poi| poi.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(known.place.belts().collect()), ["main_belt"]);
    assert_eq!(ids(known.place.bases().collect()), ["sol_central"]);
    assert_eq!(
        known.place.chart.unwrap().lanes,
        ["sirius", "alpha_centauri"]
    );
}

#[test]
fn later_results_change_what_earlier_ones_told() {
    let known = after(
        "",
        &[
            status(),
            system(),
            mined("iron_ore", 3),
            (
                "travel",
                json!({"target_poi": "sol_central"}),
                json!({"poi_id": "sol_central"}),
            ),
            ("dock", json!({}), json!({"base": "x"})),
            (
                "sell",
                json!({"item_id": "iron_ore", "quantity": 15}),
                json!({"item_id": "iron_ore", "quantity_sold": 15, "total_earned": 45}),
            ),
            (
                "refuel",
                json!({}),
                json!({"fuel": 4, "fuel_now": 100, "fuel_max": 100, "cost": 4}),
            ),
        ],
    );
    assert_eq!(known.place.docked, Some(true));
    assert_eq!(known.trades.credits, Some(136 + 45 - 4));
    assert_eq!(known.ship.used, Some(16 + 3 - 15));
    assert_eq!(known.ship.goods().count(), 0);
    assert_eq!(known.ship.fuel, Some(100));
}

#[test]
fn a_jump_makes_the_chart_useless() {
    let jump = (
        "jump",
        json!({"target_system": "sirius"}),
        json!({"system_id": "sirius", "poi": "sirius_star"}),
    );
    let known = after("", &[status(), system(), jump]);
    assert_eq!(known.place.chart, None);
    assert_eq!(known.place.system.as_deref(), Some("sirius"));
    assert!(known.place.visited.contains("sol") && known.place.visited.contains("sirius"));
}

#[test]
fn errors_about_the_game_are_facts() {
    let fails = |tool, arguments: Value, text: &str| {
        after("", &[status(), system(), (tool, arguments, json!(text))])
    };
    let none = json!({});
    assert!(
        fails(
            "mine",
            none.clone(),
            "Error: cargo_full: Cargo hold is full"
        )
        .ship
        .is_crowded()
    );
    let barren = fails(
        "mine",
        none.clone(),
        "Error: no_resources: Nothing to mine here",
    );
    assert_eq!(barren.place.belts().count(), 0);
    let dry = fails(
        "travel",
        json!({"target_poi": "sol_central"}),
        "Error: no_fuel: Not enough fuel. Need 2, have 1.",
    );
    assert!(dry.ship.is_dry() && dry.ship.fuel == Some(1));
    let docked = fails(
        "dock",
        none.clone(),
        "Error: already_docked: Already docked",
    );
    assert_eq!(docked.place.docked, Some(true));
    let moving = fails(
        "travel",
        none.clone(),
        "Error: in_transit: Your ship is mid-travel",
    );
    assert!(moving.must_wait());
    let gone = fails(
        "travel",
        json!({"target_poi": "main_belt"}),
        "Error: invalid_poi: Unknown destination: main_belt",
    );
    assert_eq!(gone.place.chart, None);
}

#[test]
fn errors_about_the_call_are_no_facts() {
    let before = after("", &[status(), system()]);
    for text in [
        "Error: invalid_payload: Unknown parameter(s): [destination]. Requires 'target_poi'.",
        "Error: unknown_command: Unknown command: fly.",
        "Error: rate_limited: Game actions limited to 1 per tick (10.0 seconds)",
        "not called: the arguments are no JSON object",
    ] {
        let known = after(
            "",
            &[
                status(),
                system(),
                ("travel", json!({"destination": "x"}), json!(text)),
            ],
        );
        assert_eq!(
            (&known.place, &known.ship, &known.trades),
            (&before.place, &before.ship, &before.trades),
            "{text}"
        );
    }
}

#[test]
fn a_cut_status_does_not_tell_what_it_lacks() {
    let (_, _, whole) = status();
    let text = whole.to_string();
    let cut = text.find("\"ship\"").unwrap();
    let known = after(
        "",
        &[(
            "get_status",
            json!({}),
            json!(format!("{}… cut", &text[..cut])),
        )],
    );
    assert_eq!(known.place.poi.as_deref(), Some("main_belt"));
    assert_eq!(known.place.docked, None);
    assert!(!known.is_clear());
}

#[test]
fn the_way_to_an_account_is_followed() {
    let standing =
        |prompt: &str, loops: &[(&str, Value, Value)]| after(prompt, loops).account.standing;
    let lost = (
        "get_status",
        json!({}),
        json!("Error: session_required: You must provide a session_id."),
    );
    let refused = (
        "login",
        json!({}),
        json!("Error: auth_failed: Invalid username or password."),
    );
    let have = (
        "register",
        json!({}),
        json!("Error: Already have account. Use login()."),
    );
    let invented = (
        "get_status",
        json!({"session_id": "session_12345"}),
        json!("Error: session_invalid: Session not found"),
    );
    assert_eq!(standing("You are alpha.", &[]), AccountStanding::Unknown);
    assert_eq!(standing("Account: `none`", &[]), AccountStanding::Missing);
    assert_eq!(
        standing("If you have no account, call register.", &[]),
        AccountStanding::Unknown
    );
    assert_eq!(
        standing("You are not registered yet.", &[status()]),
        AccountStanding::Active
    );
    assert_eq!(
        standing("", std::slice::from_ref(&lost)),
        AccountStanding::Locked
    );
    assert_eq!(
        standing("", &[lost.clone(), refused.clone()]),
        AccountStanding::Missing
    );
    assert_eq!(
        standing("", &[lost, refused.clone(), have.clone()]),
        AccountStanding::Missing
    );
    assert_eq!(standing("No account", &[have]), AccountStanding::Locked);
    assert_eq!(standing("", &[refused, status()]), AccountStanding::Active);
    assert_eq!(standing("", &[status(), invented]), AccountStanding::Active);
}

#[test]
fn failures_are_forgotten_with_the_next_order() {
    let body = json!({"messages": [
        {"role": "user", "content": "Mine."},
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "dock", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "Error: no_base: No station at this location"},
        {"role": "user", "content": "Go on."},
    ]});
    let known = Situation::read(&PilotRequest::read(&body));
    assert!(known.failures.is_empty());
    assert_eq!(known.last_failure.unwrap().code, "no_base");
}

/// The situation after a note of the caller at the end of a message.
fn with_note(loops: &[(&str, Value, Value)], note: &str) -> Situation {
    let mut facts = loops.to_vec();
    let (tool, arguments, result) = facts.pop().expect("a result");
    let text = format!(
        "{result}\n\n[from the runtime, not an order]\nKnown of the game, at about tick 9:\n{note}"
    );
    facts.push((tool, arguments, Value::String(text)));
    after("", &facts)
}

#[test]
fn the_note_of_the_caller_fills_what_is_not_known_and_replaces_nothing() {
    let digest = "player.credits 136, player.docked_at_base command, player.current_system sol, \
                  player.current_poi sol_central, ship.fuel 95, ship.max_fuel 100, \
                  ship.cargo_used 4, ship.cargo_capacity 70";
    let fresh =
        format!("- get_cargo (this tick): as shown above\n- get_status (2 ticks ago): {digest}");
    let known = with_note(&[mined("iron_ore", 3)], &fresh);
    assert!(known.is_clear());
    assert_eq!(known.place.poi.as_deref(), Some("sol_central"));
    assert_eq!(
        known.place.docked,
        Some(false),
        "a ship that mines is not docked"
    );
    assert_eq!((known.ship.fuel, known.ship.room()), (Some(95), Some(66)));
    assert_eq!(known.trades.credits, Some(136));

    let old = format!("- get_status (9 ticks ago; travel may have changed it since): {digest}");
    let known = with_note(&[mined("iron_ore", 3)], &old);
    assert_eq!((known.place.poi, known.ship.fuel), (None, None));
    assert_eq!(
        (known.ship.max_fuel, known.ship.capacity),
        (Some(100), Some(70))
    );

    let other = digest.replace("ship.fuel 95", "ship.fuel 1");
    let known = with_note(&[status()], &format!("- get_status (now): {other}"));
    assert_eq!(known.ship.fuel, Some(97), "a result outweighs the note");
    let known = with_note(&[status()], "- get_status (this tick): as shown above");
    assert_eq!(known.place.poi.as_deref(), Some("main_belt"));
}

#[test]
fn the_report_of_a_routine_tells_where_it_led_and_that_it_may_begin_again() {
    let report = |end: &str, now: &str| {
        let text = format!(
            "The routine mining made 10 of 10 rounds with 300 calls.\nIt ended because {end}.\n\
             Now: {now}.\nIt starts again, from its first step, with {{\"name\":\"mining\"}}."
        );
        let routine = (ROUTINE_TOOL, json!({"name": "mining"}), Value::String(text));
        [system(), status(), routine]
    };
    let base = "at sol_central (docked), fuel 98/100, cargo 0/70, hull 80/80, credits 900";
    let known = after("", &report("its rounds are over", base));
    assert!(known.is_clear() && known.routine_is_over);
    assert!(known.turn.iter().all(|call| call.is_done));
    assert_eq!(known.place.poi.as_deref(), Some("sol_central"));
    assert_eq!(known.place.docked, Some(true));
    assert_eq!((known.ship.fuel, known.ship.used), (Some(98), Some(0)));
    assert_eq!(known.trades.credits, Some(900));
    let known = after("", &report("an order came", base));
    assert!(known.is_clear() && !known.routine_is_over && !known.routine_can_go_on);
    let known = after(
        "",
        &report("its rounds are over", "nothing is known of the ship"),
    );
    assert!(!known.is_clear(), "it has to look");
    let mut moved = report("its rounds are over", base).to_vec();
    moved.push((
        "travel",
        json!({"target_poi": "main_belt"}),
        json!({"poi_id": "main_belt"}),
    ));
    assert!(!after("", &moved).routine_is_over);
}

#[test]
fn a_routine_that_a_message_ended_can_go_on_until_the_player_acts() {
    let text = "It ended because an order came.\nNow: at main_belt, fuel 90/100.\n\
                It goes on where it stopped, in round 3, with {\"name\":\"mining\"}, as long as you do nothing";
    let routine = (
        ROUTINE_TOOL,
        json!({"name": "mining"}),
        Value::String(text.to_owned()),
    );
    let mut news = vec![system(), routine, status()];
    assert!(after("", &news).routine_can_go_on);
    news.push(("mine", json!({}), json!({"quantity": 3})));
    assert!(!after("", &news).routine_can_go_on);
}
