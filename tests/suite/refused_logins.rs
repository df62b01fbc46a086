//! A game that refuses all logins, as after a wipe, or more than so many in a minute.

use serde_json::Value;

use zoea_rig::{Home, Process, Server, until};

/// The need of this kind in `status`, once it holds up so many Myses.
fn until_needed(home: &Home, what: &str, count: u64) -> Value {
    until(what, || {
        let status = home.json(&["status", "--json"]);
        let needs = status["needs"].as_array()?;
        let found = needs.iter().find(|need| need["what"] == what)?;
        (found["count"] == count).then(|| found.clone())
    })
}

fn until_waiting(home: &Home, name: &str) -> Value {
    until("it waits to be logged in", || {
        let mysis = home.mysis(name);
        let activity = mysis["activity"].as_str()?;
        let waits = activity.starts_with("waiting to be logged in: ");
        waits.then(|| mysis.clone())
    })
}

fn replies(home: &Home, name: &str) -> usize {
    let rows = home.lines(&["log", name, "--limit", "0", "--kind", "reply", "--json"]);
    rows.len()
}

fn end(swarm: Process) {
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}

#[test]
fn after_a_wipe_no_model_is_asked_and_a_direct_message_is_answered_in_words() {
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let galaxy = Server::galaxy(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["mysis", "create", "bravo"]);
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let swarm = home.fly(&["--start-swarm"]);
    for name in ["alpha", "bravo"] {
        until("it has an account", || {
            home.mysis(name)["account"].as_str().map(str::to_string)
        });
    }
    // The game begins anew without any player.
    let address = galaxy.address();
    drop(galaxy);
    let _galaxy = Server::galaxy_at(&address, &[]);
    let need = until_needed(&home, "login refused", 2);
    assert_eq!(
        (&need["cause"], &need["help"]),
        (&"login".into(), &"try now".into())
    );
    let why = need["why"].as_str().expect("a reason");
    assert!(why.starts_with("the game refuses the login: "), "{why}");
    assert!(why.contains("`zoea accounts list`"), "{why}");
    let page = home.ok(&["status"]);
    assert_eq!(
        page.matches("needs you: 2 Myses: login refused since ")
            .count(),
        1,
        "{page}"
    );

    let before = until_waiting(&home, "alpha");
    assert_eq!(before["mcp"], "login_refused");
    until_waiting(&home, "bravo");
    let said = replies(&home, "bravo");
    home.ok(&["send", "bravo", "Mine ore and sell it."]);
    until("the message is answered", || {
        (replies(&home, "bravo") > said).then_some(())
    });
    until_waiting(&home, "bravo");
    // The other one was asked nothing meanwhile.
    let after = until_waiting(&home, "alpha");
    assert_eq!(after["tokens_in"], before["tokens_in"]);
    assert_eq!(
        until_needed(&home, "login refused", 2)["since"],
        need["since"]
    );
    // The operator may have it tried at once, and is told no more of the same words.
    home.ok(&["mysis", "retry", "alpha"]);
    until_waiting(&home, "alpha");
    end(swarm);
    let printed = home.ok(&["log", "alpha", "--kind", "host", "--limit", "0"]);
    assert_eq!(
        printed.matches("the game refuses the login: ").count(),
        1,
        "{printed}"
    );
}

#[test]
fn where_the_game_limits_logins_it_is_in_doubt_and_nothing_is_estimated_by_our_own_limit() {
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let galaxy = Server::galaxy(&["--logins-per-minute", "4"]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    let names: Vec<String> = (0..10).map(|n| format!("m{n}")).collect();
    for name in &names {
        home.ok(&["mysis", "create", name]);
    }
    let swarm = home.fly(&["--start-swarm"]);
    let status = until("the game lets nobody in", || {
        let status = home.json(&["status", "--json"]);
        let arrival = status["arrival"].as_str()?;
        let is_paused = arrival.starts_with("logging in: ") && arrival.contains(", the next in ");
        is_paused.then_some(status)
    });
    let doubtful = status["doubtful"].to_string();
    assert!(doubtful.contains("HTTP 429: too many requests"), "{status}");
    assert_eq!(status["away"], Value::Array(Vec::new()), "it is not away");
    end(swarm);
}
