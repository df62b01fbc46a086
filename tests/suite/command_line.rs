//! Commands: the same words and answers with and without a running swarm, and every failure clear.

use crate::rig::{Home, Server, until};

#[test]
fn orders_without_a_swarm_are_kept_for_the_next_run() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    assert_eq!(home.ok(&["mysis", "create", "alpha"]), "created alpha\n");
    let sent = home.ok(&["send", "alpha", "hello"]);
    assert!(sent.contains("kept for the next run"), "{sent}");
    let (status, error) = home.fails(&["mysis", "start", "alpha"]);
    assert_eq!(
        (status, error.as_str()),
        (1, "error: no swarm is running here\n")
    );

    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    home.configure(&pilot.url, &galaxy.url, "");
    let _swarm = home.fly(&[]);
    until("the message starts it", || {
        (home.mysis("alpha")["turns"] != 0).then_some(())
    });
}

#[test]
fn a_running_swarm_takes_every_order() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    let swarm = home.fly(&[]);
    home.ok(&["mysis", "create", "alpha", "--model", "other"]);
    home.ok(&["mysis", "create", "beta"]);
    home.ok(&["mysis", "start", "alpha", "beta"]);
    let (_, error) = home.fails(&["mysis", "start", "alpha"]);
    assert_eq!(error, "error: mysis already running\n");
    home.ok(&["mysis", "stop", "--all"]);
    assert_eq!(home.mysis("alpha")["state"], "stopped");
    let (_, error) = home.fails(&["send", "alpha", "hello"]);
    assert_eq!(error, "error: mysis stopped - press 'r' to relaunch\n");
    home.ok(&["mysis", "configure", "alpha", "--temperature", "0"]);
    let (_, error) = home.fails(&["mysis", "configure", "alpha", "--provider", "nowhere"]);
    assert!(error.contains("the configuration has pilot"), "{error}");
    let reached = home.ok(&["broadcast", "wait"]);
    assert!(reached.contains("did not reach alpha, beta"), "{reached}");
    assert_eq!(home.ok(&["mission", "show"]), "wait\n");
    home.ok(&["mission", "clear"]);
    assert_eq!(home.ok(&["mission", "show"]), "there is no mission\n");
    home.ok(&["mysis", "start", "--state", "stopped"]);
    home.ok(&["note", "alpha", "never sell the ship"]);
    home.ok(&["note", "alpha", "--clear"]);
    home.ok(&["mysis", "delete", "beta", "--yes"]);
    let (_, error) = home.fails(&["mysis", "stop", "beta"]);
    assert_eq!(error, "error: no mysis is called `beta`\n");
    let status = home.ok(&["status"]);
    assert!(status.contains(&format!("pid {}", swarm.pid())), "{status}");
    let rows = home.lines(&["log", "alpha", "--limit", "0", "--json"]);
    let places: Vec<i64> = rows.iter().filter_map(|row| row["seq"].as_i64()).collect();
    assert!(
        places.windows(2).all(|pair| pair[0] < pair[1]),
        "{places:?}"
    );
    let notes = home.lines(&["log", "alpha", "--kind", "note", "--json"]);
    assert_eq!(notes.len(), 1);
}

#[test]
fn wrong_usage_says_what_is_right() {
    let home = Home::new();
    assert_eq!(home.fails(&["mysis", "start"]).0, 2);
    assert_eq!(home.fails(&["frobnicate"]).0, 2);
    let (status, error) = home.fails(&["mysis", "create", "a b"]);
    assert_eq!(status, 1);
    assert!(error.contains("will not do as a name"), "{error}");
    let (_, error) = home.fails(&["log", "nobody"]);
    assert_eq!(error, "error: no mysis is called `nobody`\n");
    let (_, error) = home.fails(&["search", ""]);
    assert_eq!(error, "error: query cannot be empty\n");
    home.ok(&["mysis", "create", "alpha"]);
    let (_, error) = home.fails(&["log", "alpha", "--kind", "hologram"]);
    assert!(error.contains("there are prompt, mission"), "{error}");
    let (_, error) = home.fails(&["mysis", "delete", "alpha"]);
    assert!(error.contains("--yes"), "{error}");
}

#[test]
fn the_doctor_tells_good_from_bad() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    let report = home.json(&["doctor", "--json"]);
    assert_eq!(report["ok"], true, "{report}");
    home.configure("http://127.0.0.1:9/v1", &galaxy.url, "");
    let output = home.run(&["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["ok"], false);
    let bad: Vec<_> = report["checks"]
        .as_array()
        .expect("checks")
        .iter()
        .filter(|check| check["ok"] == false)
        .collect();
    assert_eq!(bad.len(), 1, "{bad:?}");
    assert_eq!(bad[0]["name"], "provider pilot");
}
