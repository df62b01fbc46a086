//! Trips: the calls that a model makes all day, over the wire.

use std::time::Duration;

use serde_json::{Value, json};
use zoea_galaxy::{GalaxyOptions, TickPace};

use crate::clients::{PATIENCE, Player, Wire, fast, start};

#[tokio::test]
async fn rmcp_lists_every_tool_with_words_schema_and_hint() {
    let running = start(fast()).await;
    let player = Player::connect(&running.galaxy.url()).await;
    let server = player.mcp.peer_info().unwrap();
    assert_eq!(server.protocol_version.as_str(), "2025-03-26");
    let tools = player.mcp.list_all_tools().await.unwrap();
    assert_eq!(tools.len(), 164);
    for tool in &tools {
        assert!(
            !tool.description.as_deref().unwrap_or_default().is_empty(),
            "{}",
            tool.name
        );
        assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
    }
    let hint = |name: &str| {
        let tool = tools.iter().find(|tool| tool.name == name).unwrap();
        tool.annotations.as_ref().unwrap().read_only_hint
    };
    assert_eq!(hint("get_status"), Some(true));
    assert_eq!(hint("mine"), Some(false));
    assert_eq!(hint("captains_log_add"), Some(false));
}

#[tokio::test]
async fn a_whole_mining_trip_earns_money() {
    let running = start(fast()).await;
    let (player, welcome) = Player::register(&running.galaxy.url(), "Quill", "solarian").await;
    assert_eq!(welcome["player"]["credits"], 100);
    assert_eq!(welcome["session_id"].as_str().unwrap().len(), 32);
    let session = &welcome["session_id"];
    let there = player
        .ok(
            "travel",
            json!({ "target_poi": "main_belt", "session_id": session }),
        )
        .await;
    assert_eq!(there["action"], "arrived");
    assert_eq!(there["auto_undocked"], true);
    let full = loop {
        if let Err(words) = player
            .call("mine", json!({ "resource_id": "gold_ore" }))
            .await
        {
            break words;
        }
    };
    assert_eq!(full, "Error: cargo_full: Cargo hold is full");
    player
        .ok("travel", json!({ "target_poi": "sol_central" }))
        .await;
    let cargo = player.ok("get_cargo", json!({})).await;
    let mut earned = 0;
    for item in cargo["cargo"].as_array().unwrap() {
        let goods = json!({ "item_id": item["item_id"], "quantity": item["quantity"] });
        earned += player.ok("sell", goods).await["total_earned"]
            .as_u64()
            .unwrap();
    }
    assert!(earned > 100, "{earned}");
    let fuel = player.ok("refuel", json!({})).await;
    assert_eq!(fuel["fuel_now"], 100);
    let status = player.ok("get_status", json!({})).await;
    assert_eq!(
        status["player"]["credits"],
        100 + earned - fuel["cost"].as_u64().unwrap()
    );
    let shown = player
        .ok("get_notifications", json!({ "types": ["system"] }))
        .await;
    assert!(shown["current_tick"].as_u64().unwrap() > 270_000);
}

#[tokio::test]
async fn refusals_are_tool_errors_and_not_protocol_errors() {
    let running = start(fast()).await;
    let (player, _) = Player::register(&running.galaxy.url(), "Quill", "solarian").await;
    assert_eq!(
        player
            .refused("travel", json!({ "destination": "main_belt" }))
            .await,
        "Error: invalid_payload: Unknown parameter(s): [destination]. Requires 'target_poi'. \
         Example: {\"target_poi\": \"main_belt\"}"
    );
    assert_eq!(
        player.refused("analysis<|channel|>", json!({})).await,
        "Error: unknown_command: Unknown command: analysis<|channel|>. Use the 'help' command to \
         see available commands."
    );
    let stranger = Player::connect(&running.galaxy.url()).await;
    assert_eq!(
        stranger.refused("mine", json!({})).await,
        "Error: session_required: You must provide a session_id. Get one by calling login() or \
         register() first."
    );
    assert!(
        stranger
            .refused("register", json!({ "username": "x" }))
            .await
            .contains("invalid_username")
    );
}

#[tokio::test]
async fn two_players_meet_over_two_sessions() {
    let running = start(fast()).await;
    let url = running.galaxy.url();
    let (ann, _) = Player::register(&url, "Ann", "nebula").await;
    let (ben, _) = Player::register(&url, "Ben", "nebula").await;
    let (a, b) = tokio::join!(
        ann.ok("travel", json!({ "target_poi": "commerce_fields" })),
        ben.ok("travel", json!({ "target_poi": "commerce_fields" })),
    );
    assert_eq!(
        (&a["poi_id"], &b["poi_id"]),
        (&json!("commerce_fields"), &json!("commerce_fields"))
    );
    let near = ann.ok("get_nearby", json!({})).await;
    assert_eq!(near["nearby"][0]["username"], "Ben");
    ann.ok(
        "chat",
        json!({ "channel": "local", "content": "sharing this rock?" }),
    )
    .await;
    let shown = ben
        .ok("get_notifications", json!({ "types": ["chat"] }))
        .await;
    assert_eq!(
        shown["notifications"][0]["data"]["content"],
        "sharing this rock?"
    );
}

/// A galaxy whose ticks the test triggers.
fn by_hand() -> GalaxyOptions {
    GalaxyOptions {
        tick: Duration::from_secs(10),
        pace: TickPace::ByHand,
        ..fast()
    }
}

#[tokio::test]
async fn an_aborted_travel_request_does_not_stop_the_ship() {
    let running = start(by_hand()).await;
    let (player, _) = Player::register(&running.galaxy.url(), "Quill", "solarian").await;
    {
        let travel = player.call("travel", json!({ "target_poi": "main_belt" }));
        tokio::pin!(travel);
        let mut place = Value::Null;
        while place["in_transit"] != true {
            // The request is under way while the test triggers ticks.
            tokio::select! {
                biased;
                _ = &mut travel => panic!("answered before it arrived"),
                seen = player.ok("get_system", json!({})) => place = seen,
            }
            running.galaxy.tick().await;
        }
        assert_eq!(place["transit_type"], "travel");
        let words = player.refused("mine", json!({})).await;
        assert!(
            words.starts_with("Error: in_transit: Your ship is mid-travel to Main Belt (~")
                && words.ends_with("s until arrival). Resubmit after arrival."),
            "{words}"
        );
    }
    for _ in 0..5 {
        running.galaxy.tick().await;
    }
    let poi = player.ok("get_poi", json!({})).await;
    assert_eq!(poi["poi"]["id"], "main_belt");
}

#[tokio::test]
async fn a_mutation_blocks_until_its_tick_and_a_second_one_is_refused() {
    let running = start(by_hand()).await;
    let (player, _) = Player::register(&running.galaxy.url(), "Quill", "solarian").await;
    let first = player.call("undock", json!({}));
    let second = player.call("repair", json!({}));
    tokio::pin!(first, second);
    let refused = tokio::select! {
        words = &mut first => words,
        words = &mut second => words,
    };
    assert_eq!(
        refused.unwrap_err(),
        "Error: action_pending: Another action is already in progress for this player"
    );
    running.galaxy.tick().await;
    let status = player.ok("get_status", json!({})).await;
    assert_eq!(status["player"]["credits"], 100);
}

#[tokio::test]
async fn a_galaxy_stops_within_a_second_whoever_waits() {
    let running = start(by_hand()).await;
    let (player, _) = Player::register(&running.galaxy.url(), "Quill", "solarian").await;
    let travel = async {
        let params = rmcp::model::CallToolRequestParams::new("travel")
            .with_arguments(serde_json::from_value(json!({ "target_poi": "main_belt" })).unwrap());
        player.mcp.call_tool(params).await
    };
    let stop = async {
        while running.galaxy.tick().await.unwrap() < 270_003 {}
        running.shutdown.cancel();
    };
    let begun = std::time::Instant::now();
    let (answer, ()) = tokio::join!(tokio::time::timeout(PATIENCE, travel), stop);
    assert!(answer.unwrap().is_err(), "nobody arrived");
    running.galaxy.join().await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_callers_own_name_for_a_call_reaches_the_ledger() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = dir.path().join("ledger.jsonl");
    let running = start(GalaxyOptions {
        ledger: Some(ledger.clone()),
        ..fast()
    })
    .await;
    let wire = Wire::open(&running.galaxy.url()).await;
    let application = json!({ "username": "Quill", "empire": "crimson", "registration_code": "C" });
    let welcome = wire.tool("register", application).await.unwrap().words();
    let welcome: Value = serde_json::from_str(&welcome).unwrap();
    for (tool, call) in [("undock", "call-1"), ("mine", "call-2")] {
        let params = json!({ "name": tool, "arguments": {}, "_meta": { "zoea/call": call } });
        wire.request("tools/call", params).await.unwrap();
    }
    let text = std::fs::read_to_string(ledger).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let outline: Vec<Value> = lines
        .iter()
        .map(|line| {
            json!([
                line["player"],
                line["command"],
                line["ok"],
                line["code"],
                line["call"]
            ])
        })
        .collect();
    let player = &welcome["player_id"];
    assert_eq!(
        outline,
        [
            json!([player, "undock", true, null, "call-1"]),
            json!([player, "mine", false, "no_resources", "call-2"]),
        ]
    );
}

/// Plays a fixed script. Returns every answer.
async fn script(seed: u64) -> Vec<String> {
    let running = start(GalaxyOptions {
        seed: Some(seed),
        ..by_hand()
    })
    .await;
    let (player, welcome) = Player::register(&running.galaxy.url(), "Quill", "voidborn").await;
    let wire = Wire::new(&running.galaxy.url());
    let mut answers = vec![welcome.to_string()];
    for (tool, arguments) in [
        ("travel", json!({ "target_poi": "material_harvesters" })),
        ("mine", json!({})),
        ("mine", json!({})),
        ("get_notifications", json!({})),
        ("travel", json!({ "target_poi": "the_core" })),
        ("dock", json!({})),
        ("view_market", json!({})),
        ("get_map", json!({})),
        ("get_status", json!({})),
    ] {
        let answer = player.call(tool, arguments);
        tokio::pin!(answer);
        let answer = loop {
            tokio::select! {
                biased;
                answer = &mut answer => break answer,
                // Queries return at once. A tick passes only for a mutation that waits for it.
                health = wire.page("/health") => {
                    if health["waiting"] == 1 {
                        running.galaxy.tick().await;
                    }
                }
            }
        };
        answers.push(format!("{answer:?}"));
    }
    answers
}

#[tokio::test]
async fn one_seed_gives_the_same_answers_byte_for_byte() {
    let (first, second, other) = tokio::join!(script(5), script(5), script(6));
    assert_eq!(first, second);
    assert_ne!(first[0], other[0], "another seed, another password");
}
