//! An MCP server of the revision 2026-07-28, which has no sessions, and whose tools change.

use crate::flight::until_all_have;
use serde_json::Value;
use zoea_rig::{Home, Process, Server, until};

fn swarm_of(names: &[&str], galaxy: &Server, pilot: &Server) -> (Home, Process) {
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    for name in names {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let swarm = home.fly(&["--start-swarm"]);
    (home, swarm)
}

/// The notices of a kind so far.
fn notices(home: &Home, code: &str) -> Vec<String> {
    let events = home.lines(&["events", "--json", "--limit", "0"]);
    let is_it = |event: &&Value| event["code"] == code;
    let text = |event: &Value| event["text"].as_str().expect("a text").to_string();
    events.iter().filter(is_it).map(text).collect()
}

/// Lets the swarm play until the change of the tools is told. What it prints is read, so that it
/// never waits for its reader.
fn until_reported(swarm: &mut Process, home: &Home) -> Vec<String> {
    until("the change is reported", || {
        for _ in 0..50 {
            swarm.line().expect("the swarm goes on");
        }
        let printed = notices(home, "tools_changed");
        (!printed.is_empty()).then_some(printed)
    })
}

#[test]
fn a_swarm_plays_on_a_server_without_sessions() {
    let galaxy = Server::galaxy(&["--stateless"]);
    let pilot = Server::pilot(&[]);
    let (home, mut swarm) = swarm_of(&["alpha", "beta"], &galaxy, &pilot);
    until_all_have(&mut swarm, 2, &["register", "mine", "dock", "sell"]);
    assert_eq!(home.mysis("alpha")["mcp"], "ok");
}

#[test]
fn changed_tools_are_told_by_name_once_for_all_and_hold_from_the_next_turn_on() {
    let galaxy = Server::galaxy(&[
        "--stateless",
        "--list-ttl",
        "1s",
        "--fault",
        // Each Mysis can have listed the tools of before.
        "tools-changed:3",
    ]);
    let pilot = Server::pilot(&[]);
    let (home, mut swarm) = swarm_of(&["alpha", "beta", "gamma"], &galaxy, &pilot);
    until_all_have(&mut swarm, 3, &["mine"]);
    let printed = until_reported(&mut swarm, &home);
    let text =
        "the game server's tools have changed: +1 (get_weather), -1 (agentlogs), 1 changed (help)";
    assert_eq!(printed, [text]);
    until_all_have(&mut swarm, 3, &["mine"]);
    assert_eq!(notices(&home, "tools_changed"), [text], "once");
    assert_eq!(home.mysis("alpha")["state"], "running");
}

#[test]
fn tools_that_changed_while_a_server_with_sessions_was_away_are_told() {
    // Every session is lost once in a while, and a new one lists the tools.
    let galaxy = Server::galaxy(&["--fault", "tools-changed:1", "--fault", "mcp-session@0.05"]);
    let pilot = Server::pilot(&[]);
    let (home, mut swarm) = swarm_of(&["alpha"], &galaxy, &pilot);
    let printed = until_reported(&mut swarm, &home);
    assert!(
        printed[0].ends_with("+1 (get_weather), -1 (agentlogs), 1 changed (help)"),
        "{printed:?}"
    );
}
