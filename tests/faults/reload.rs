//! Reload: a headless program reads its configuration again on command.

use crate::outage::until_reported;
use zoea_rig::{Home, Server, until};

#[test]
fn what_can_be_reloaded_is_and_a_broken_file_changes_nothing() {
    let galaxy = Server::galaxy(&[]);
    let first = Server::pilot(&["--latency", "5ms"]);
    let key = "sk-new-0123456789abcdef";
    let second = Server::pilot(&["--latency", "5ms", "--api-key", key]);
    let home = Home::new();
    let budget = |tokens: u64| format!("[budget]\ntokens_per_mysis_per_day = {tokens}\n");
    home.configure(&first.url, &galaxy.url, &budget(50_000));
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let mut swarm = home.fly(&["--start-swarm"]);
    let is_paused = || {
        let activity = home.mysis("alpha")["activity"].clone();
        activity.as_str()?.contains("budget spent").then_some(())
    };
    until("its budget is spent", is_paused);
    let asked = first.requests();

    home.configure(&first.url, &galaxy.url, "[budgit]\nusd = 1\n");
    swarm.signal("-HUP");
    let printed = until_reported(&mut swarm, "reload_failed");
    assert!(
        printed.contains("is unchanged") && printed.contains("budgit"),
        "{printed}"
    );
    assert!(is_paused().is_some() && first.requests() == asked);
    // These would end a program that does not handle them.
    for (signal, name) in [("-USR1", "SIGUSR1"), ("-USR2", "SIGUSR2")] {
        swarm.signal(signal);
        until("the log has it", || {
            let log = std::fs::read_to_string(home.file("zoea.log")).unwrap_or_default();
            log.contains(name).then_some(())
        });
    }

    home.configure(&first.url, "http://127.0.0.1:9/mcp", &budget(100_000_000));
    swarm.signal("-HUP");
    let printed = until_reported(&mut swarm, "needs_restart");
    assert!(printed.contains("mcp.upstream"), "{printed}");
    let printed = until_reported(&mut swarm, "reloaded");
    assert!(printed.contains("[budget]"), "{printed}");
    until("it goes on", || {
        (first.requests() > asked + 5).then_some(())
    });

    let credentials = format!("{{\"providers\": {{\"new\": {{\"api_key\": \"{key}\"}}}}}}");
    std::fs::write(home.file("credentials.json"), credentials).expect("credentials");
    home.configure(&second.url, &galaxy.url, &budget(100_000_000));
    let file = home.file("zoea.toml");
    let text = std::fs::read_to_string(&file).expect("a configuration");
    let text = text.replace(
        "model = \"pilot\"\n",
        "model = \"pilot\"\napi_key_name = \"new\"\n",
    );
    std::fs::write(&file, text).expect("a configuration");
    swarm.signal("-HUP");
    let printed = until_reported(&mut swarm, "reloaded");
    assert!(printed.contains("providers.pilot"), "{printed}");
    until("the new one is asked", || {
        (second.requests() > 5).then_some(())
    });
    home.ok(&["send", "alpha", &format!("the key is {key}")]);
    let rows = home.ok(&["log", "alpha", "--limit", "0", "--json"]);
    assert!(
        !rows.contains(key) && rows.contains("the key is"),
        "it is a secret by now"
    );
    assert_eq!(home.mysis("alpha")["state"], "running");
    swarm.land();
}

#[test]
fn a_file_that_is_gone_is_no_reason_to_go_on_with_the_defaults() {
    let home = Home::new();
    let more = "deny_tools = [\"sell\"]\n[providers.second]\nendpoint = \"http://127.0.0.1:9/v1\"\nmodel = \"second\"\n";
    home.configure("http://127.0.0.1:9/v1", "", more);
    let mut swarm = home.fly(&[]);
    let moved = home.file("zoea.toml.moved");
    std::fs::rename(home.file("zoea.toml"), &moved).expect("a configuration");
    swarm.signal("-HUP");
    let printed = until_reported(&mut swarm, "reload_failed");
    assert!(
        printed.contains("is unchanged")
            && printed.contains("zoea.toml: the configuration cannot be read"),
        "{printed}"
    );
    home.ok(&["mysis", "create", "alpha", "--provider", "second"]);
    std::fs::rename(&moved, home.file("zoea.toml")).expect("a configuration");
    swarm.signal("-HUP");
    until_reported(&mut swarm, "reloaded");
    swarm.land();
    // So it is for a file that was not there at the start.
    std::fs::rename(home.file("zoea.toml"), &moved).expect("a configuration");
    let mut swarm = home.fly(&[]);
    std::fs::rename(&moved, home.file("zoea.toml")).expect("a configuration");
    swarm.signal("-HUP");
    until_reported(&mut swarm, "reloaded");
    std::fs::rename(home.file("zoea.toml"), &moved).expect("a configuration");
    swarm.signal("-HUP");
    until_reported(&mut swarm, "reload_failed");
}
