//! The game's second interface through the program: it plays there, and the operator allows and
//! denies tools.

use serde_json::Value;

use crate::flight::{pilot_stats, until_all_have};
use zoea_rig::{Home, Process, Server, until};

/// The address of a galaxy's second interface.
fn second_interface(galaxy: &Server) -> String {
    format!("{}/v2", galaxy.url)
}

/// The results of a command in the log of a Mysis.
fn results(home: &Home, name: &str, command: &str) -> Vec<String> {
    let rows = home.lines(&["log", name, "--limit", "0", "--kind", "result", "--json"]);
    let of_it = rows
        .iter()
        .filter(|row| row["metadata"]["tool"] == command && row["metadata"]["is_error"] == false);
    of_it
        .filter_map(|row| row["content"].as_str().map(str::to_string))
        .collect()
}

#[test]
fn a_swarm_earns_credits_by_tools_with_actions() {
    let galaxy = Server::galaxy(&["--registration-code", "REG-7301-X"]);
    let pilot = Server::pilot(&["--nonsense", "0.05"]);
    let home = Home::new();
    let code = "registration_code_name = \"spacemolt\"\n";
    home.configure(&pilot.url, &second_interface(&galaxy), code);
    let credentials = r#"{"games": {"spacemolt": {"registration_code": "REG-7301-X"}}}"#;
    std::fs::write(home.file("credentials.json"), credentials).expect("credentials");
    for name in ["alpha", "beta"] {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&[
        "broadcast",
        "Mine ore, sell it at your station, refuel and go again.",
    ]);
    let mut swarm = home.fly(&[]);
    let commands = ["register", "get_status", "mine", "dock", "sell"];
    let events = until_all_have(&mut swarm, 2, &commands);
    let errored: Vec<&Value> = events
        .iter()
        .filter(|event| event["to"] == "errored")
        .collect();
    assert!(errored.is_empty(), "{errored:?}");
    for name in ["alpha", "beta"] {
        let sold = results(&home, name, "sell");
        let earned = |text: &&String| text.starts_with("Sold ") && !text.starts_with("Sold 0 ");
        assert!(sold.iter().any(|text| earned(&text)), "{name}: {sold:?}");
        let status = results(&home, name, "get_status");
        assert!(
            status.iter().any(|text| text.contains("cr | ")),
            "{status:?}"
        );
    }
    let calls = home.ok(&["log", "alpha", "--limit", "0", "--kind", "call", "--json"]);
    assert!(calls.contains("\"name\":\"spacemolt\""), "{calls}");
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let stats = pilot_stats(&pilot.url);
    assert_eq!(stats["refused"], 0, "every request was valid: {stats}");
    let log = home.ok(&["log", "alpha", "--limit", "0", "--json"]);
    assert!(!log.contains("REG-7301-X"), "no model sees the code");
    assert!(
        !log.contains("Session ID: 0"),
        "the session's id is a secret"
    );
    let report = home.ok(&["report"]);
    assert!(report.contains("alpha"), "{report}");
}

/// Reads events until the reload is told.
fn until_reloaded(swarm: &mut Process) {
    loop {
        let line = swarm.line().expect("the swarm goes on");
        if line.contains("\"reloaded\"") {
            return;
        }
    }
}

#[test]
fn what_is_not_allowed_is_neither_offered_nor_called_until_a_reload_allows_it() {
    for path in ["", "/v2"] {
        let galaxy = Server::galaxy(&[]);
        let pilot = Server::pilot(&["--nonsense", "0"]);
        let home = Home::new();
        let upstream = format!("{}{path}", galaxy.url);
        let mysis = |name: &str, more: &str| format!("[[myses]]\nname = \"{name}\"\n{more}\n");
        let configure = |deny: &str| {
            let more = format!(
                "deny_tools = [{deny}]\n{}{}",
                mysis("alpha", "tools = [\"get_*\", \"register\", \"login\"]"),
                mysis("beta", "")
            );
            home.configure(&pilot.url, &upstream, &more);
        };
        configure("\"mine\"");
        let mut swarm = home.fly(&[]);
        until("both are there", || {
            let myses = home.json(&["mysis", "list", "--json"]);
            (myses.as_array().map(Vec::len) == Some(2)).then_some(())
        });
        home.ok(&["broadcast", "Mine ore and sell it."]);
        // The model calls nothing that is not offered, and says so.
        for name in ["alpha", "beta"] {
            until("it learns what it lacks", || {
                let rows = home.ok(&["log", name, "--limit", "0", "--json"]);
                rows.contains("is not among my tools").then_some(())
            });
        }
        assert_eq!(results(&home, "beta", "mine"), Vec::<String>::new());
        configure("");
        swarm.signal("-HUP");
        until_reloaded(&mut swarm);
        until("beta mines", || {
            (!results(&home, "beta", "mine").is_empty()).then_some(())
        });
        for command in ["travel", "mine", "undock"] {
            let done = results(&home, "alpha", command);
            assert!(done.is_empty(), "alpha's own list still holds: {done:?}");
        }
        swarm.signal("-TERM");
        assert!(swarm.wait().success());
    }
}
