//! The cap of a day, which the operator raises while the swarm pauses for it.

use serde_json::Value;
use zoea_rig::{Home, Server, until};

const BUDGET: &str = "[budget]\ntokens_per_day = 60_000\n";

/// The need that a spent budget is.
fn budget_need(home: &Home) -> Option<Value> {
    let status = home.json(&["status", "--json"]);
    let needs = status["needs"].as_array().cloned().unwrap_or_default();
    needs.into_iter().find(|need| need["cause"] == "budget")
}

#[test]
fn a_spent_cap_is_a_need_and_a_typed_amount_lets_all_go_on_today() {
    let (galaxy, pilot) = (Server::galaxy(&[]), Server::pilot(&["--latency", "20ms"]));
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, BUDGET);
    for name in ["alpha", "beta"] {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let refused = home.fails(&["budget", "20"]);
    assert!(
        refused.1.contains("no swarm is running here"),
        "{}",
        refused.1
    );
    let swarm = home.fly(&["--start-swarm"]);
    let need = until("both pause", || {
        budget_need(&home).filter(|need| need["count"] == 2)
    });
    assert_eq!(need["help"], "allow more", "{need}");
    let printed = home.ok(&["status"]);
    assert!(printed.contains("`zoea budget AMOUNT`"), "{printed}");

    for (amount, why) in [
        ("20", "the swarm has no cap in US dollars today"),
        ("50k tokens", "today's cap is 60000 tokens already"),
    ] {
        let (status, printed) = home.fails(&["budget", amount]);
        assert_eq!(status, 1, "{printed}");
        assert!(printed.contains(why), "{printed}");
    }
    assert_eq!(home.fails(&["budget", "much"]).0, 2);
    assert!(budget_need(&home).is_some(), "nothing was raised");

    let printed = home.ok(&["budget", "100M tokens"]);
    assert!(printed.contains("raised to 100000000 tokens"), "{printed}");
    until("they go on", || budget_need(&home).is_none().then_some(()));
    let spent = || home.json(&["status", "--json"])["today"]["tokens_in"].as_u64();
    let before = spent();
    until("more is spent", || (spent() > before).then_some(()));
    let events = home.ok(&["events"]);
    assert!(
        events.contains("today's cap is raised to 100000000 tokens"),
        "{events}"
    );
    // Read again without a change, the configuration does not take it back.
    swarm.signal("-HUP");
    until("it is read again", || {
        let events = home.lines(&["events", "--limit", "0", "--json"]);
        events
            .iter()
            .any(|event| event["code"] == "reloaded")
            .then_some(())
    });
    let refused = |why: &str| {
        let (_, printed) = home.fails(&["budget", "60M tokens"]);
        assert!(printed.contains(why), "{printed}");
    };
    refused("100000000 tokens already");
    // What was acknowledged outlives a kill.
    swarm.signal("-KILL");
    swarm.wait();
    let swarm = home.fly(&["--resume"]);
    refused("100000000 tokens already");
    let before = spent();
    until("more is spent", || (spent() > before).then_some(()));
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    // Another cap of the configuration ends it.
    let other = BUDGET.replace("60_000", "50_000");
    home.configure(&pilot.url, &galaxy.url, &other);
    let swarm = home.fly(&["--resume"]);
    until("both pause again", || budget_need(&home));
    // So it is over, also where the former cap comes back.
    let kept = |what: &str| {
        until("it is stored", || {
            let text = std::fs::read_to_string(home.file("zoea.raised")).expect("a file");
            text.contains(what).then_some(())
        });
    };
    kept("\"raised\":null");
    home.ok(&["budget", "200M tokens"]);
    kept("200000000");
    home.configure(&pilot.url, &galaxy.url, BUDGET);
    swarm.signal("-HUP");
    kept("\"raised\":null");
    swarm.signal("-KILL");
    swarm.wait();
    home.configure(&pilot.url, &galaxy.url, &other);
    let _swarm = home.fly(&["--resume"]);
    let refused = home.fails(&["budget", "50k tokens"]).1;
    assert!(refused.contains("cap is 50000 tokens already"), "{refused}");
}
