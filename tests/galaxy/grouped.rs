//! The second interface over HTTP, by rmcp's client.

use actors::domain::game::GameRef;
use actors::domain::message::CallStatus;
use actors::domain::result_words::result_in_words;
use serde_json::{Value, json};
use zoea_galaxy::GalaxyOptions;
use zoea_spacemolt::commands;

use crate::clients::{Player, assert_readable, fast, start};

/// The address of the second interface.
fn second(url: &str) -> String {
    format!("{url}/v2")
}

async fn text(player: &Player, tool: &str, arguments: Value) -> Result<String, String> {
    let command = commands::command(tool, arguments.as_object().unwrap()).to_string();
    let result = player.raw(tool, arguments).await;
    let text = result.content[0].as_text().unwrap().text.clone();
    let is_error = result.is_error == Some(true);
    assert_readable(&command, is_error, &text);
    match is_error {
        true => Err(text),
        false => Ok(text),
    }
}

async fn act(player: &Player, action: &str, mut arguments: Value) -> Result<String, String> {
    arguments["action"] = action.into();
    text(player, "spacemolt", arguments).await
}

async fn register(url: &str, name: &str) -> Player {
    let player = Player::connect(url).await;
    let arguments = json!({"action": "register", "username": name, "empire": "solarian",
        "registration_code": "CODE"});
    text(&player, "spacemolt_auth", arguments).await.unwrap();
    player
}

#[tokio::test(flavor = "multi_thread")]
async fn one_world_is_played_by_both_interfaces() {
    let running = start(fast()).await;
    let url = running.galaxy.url();
    let player = register(&second(&url), "Quill").await;
    let status = act(&player, "get_status", json!({})).await.unwrap();
    assert!(status.starts_with("Quill [solarian] | "), "{status}");
    let system = act(&player, "get_system", json!({})).await.unwrap();
    let belt = system
        .lines()
        .find(|line| line.contains("\tasteroid_belt\t"))
        .and_then(|line| line.split('\t').next())
        .unwrap();
    act(&player, "undock", json!({})).await.unwrap();
    let arrived = act(&player, "travel", json!({"id": belt})).await.unwrap();
    assert!(arrived.contains("\"details\""), "{arrived}");
    let mined = act(&player, "mine", json!({})).await.unwrap();
    let mined: Value = serde_json::from_str(&mined).unwrap();
    let ore = mined["details"]["resource_id"].as_str().unwrap();
    assert_eq!(mined["cargo"][0]["item_id"], ore);
    let text = mined.to_string();
    let shown = result_in_words(GameRef::SpaceMolt, "mine", CallStatus::Done, &text);
    let quantity = mined["details"]["quantity"].as_u64().unwrap();
    let goods = ore.replace('_', " ");
    assert_eq!(
        shown,
        format!("mined {quantity} {goods}, hold {quantity}/70")
    );

    // Another player of the first interface sees this one.
    let (other, _) = Player::register(&url, "Vane", "solarian").await;
    let login = json!({"username": "Quill", "password": "wrong"});
    assert!(other.call("login", login).await.is_err());
    other.ok("undock", json!({})).await;
    other.ok("travel", json!({"target_poi": belt})).await;
    let nearby = other.ok("get_nearby", json!({})).await;
    assert_eq!(nearby["nearby"][0]["username"], "Quill");
    let state = other.call("get_state", json!({})).await;
    assert!(
        state.unwrap_err().contains("unknown_command"),
        "it is the second's alone"
    );
    running.shutdown.cancel();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_exist_is_refused_as_the_live_server_does() {
    let running = start(GalaxyOptions {
        registration_code: Some("RIGHT".to_owned()),
        ..fast()
    })
    .await;
    let url = second(&running.galaxy.url());
    let player = Player::connect(&url).await;
    let listed = player.mcp.list_all_tools().await.unwrap();
    assert_eq!(listed.len(), 9);
    let arguments = |code: &str| {
        json!({"action": "register", "username": "Quill", "empire": "solarian",
            "registration_code": code})
    };
    let wrong = text(&player, "spacemolt_auth", arguments("WRONG")).await;
    assert!(wrong.unwrap_err().contains("invalid_registration_code"));
    text(&player, "spacemolt_auth", arguments("RIGHT"))
        .await
        .unwrap();
    let odd = act(&player, "mine", json!({"poi": "belt"})).await;
    assert_eq!(
        odd.unwrap_err(),
        "Error: invalid_payload: Unknown parameter(s): poi"
    );
    let invented = act(&player, "get_status", json!({"session_id": "invented"})).await;
    assert!(invented.unwrap_err().contains("session_invalid"));
    let unknown = player
        .mcp
        .call_tool(rmcp::model::CallToolRequestParams::new("mine"))
        .await;
    let shown = unknown.unwrap_err().to_string();
    assert!(
        shown.contains("-32602") && shown.contains("Unknown tool: mine"),
        "{shown}"
    );
    let full = Player::connect(&format!("{url}?preset=full&exclude=drone&panels=off")).await;
    assert_eq!(full.mcp.list_all_tools().await.unwrap().len(), 18);
    running.shutdown.cancel();
}
