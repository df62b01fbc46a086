//! Outages: a provider that fails for a while, with and without a fallback.

use std::time::{Duration, Instant};

use crate::wire::Wire;
use zoea_rig::{Home, Process, Server, until};

const NAMES: [&str; 3] = ["alpha", "beta", "gamma"];

/// A swarm on a provider `first`; `more` is further configuration of it.
fn swarm_on(first: &str, galaxy: &str, more: &str) -> (Home, Process) {
    let home = Home::new();
    home.configure(first, galaxy, "");
    let file = home.file("zoea.toml");
    let text = std::fs::read_to_string(&file).expect("a configuration");
    let text = text.replace("model = \"pilot\"\n", &format!("model = \"pilot\"\n{more}"));
    std::fs::write(file, text).expect("a configuration");
    for name in NAMES {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let swarm = home.fly(&["--start-swarm"]);
    (home, swarm)
}

/// Reads events until one of the whole program has this code. No Mysis may fail meanwhile.
pub(crate) fn until_reported(swarm: &mut Process, code: &str) -> String {
    loop {
        let event = swarm.event();
        assert_ne!(event["to"], "errored", "{event}");
        if event["code"] == code && event["mysis"].is_null() {
            return event["text"].as_str().expect("a text").to_string();
        }
    }
}

/// The providers that answered a Mysis in their order, without repetitions in a row.
fn answered_by(home: &Home, name: &str) -> Vec<String> {
    let rows = home.lines(&["log", name, "--limit", "0", "--json"]);
    let providers = rows
        .iter()
        .filter_map(|row| row["metadata"]["provider"].as_str());
    let mut stretches: Vec<String> = providers.map(str::to_string).collect();
    stretches.dedup();
    stretches
}

/// Another server at the address of a stopped one, without its fault.
fn mended(broken: Server) -> Server {
    let address = broken.address();
    drop(broken);
    Server::pilot_at(&address, &["--latency", "20ms"])
}

#[test]
fn while_a_provider_is_down_another_takes_over_and_then_it_is_used_again() {
    let galaxy = Server::galaxy(&[]);
    let first = Server::pilot(&["--fault", "http-503"]);
    let second = Server::pilot(&["--latency", "20ms"]);
    let more = format!(
        "fallback = \"spare\"\ncircuit_failures = 3\ncircuit_wait = \"400ms\"\n\
         [providers.spare]\nendpoint = \"{}\"\nmodel = \"pilot\"\n",
        second.url
    );
    let (home, mut swarm) = swarm_on(&first.url, &galaxy.url, &more);
    let printed = until_reported(&mut swarm, "circuit_open");
    assert!(
        printed.contains("pilot is down") && printed.contains("spare takes over"),
        "{printed}"
    );
    until("the spare is asked", || {
        (second.requests() > 5).then_some(())
    });
    let first = mended(first);
    let printed = until_reported(&mut swarm, "circuit_closed");
    assert!(printed.contains("pilot works again"), "{printed}");
    let (before, of_spare) = (first.requests(), second.requests());
    until("the first is used again", || {
        (first.requests() > before + 10).then_some(())
    });
    // Calls that were admitted before the end of the trial may still have been under way.
    assert!(second.requests() <= of_spare + NAMES.len() as u64);
    swarm.land();
    let all: Vec<String> = NAMES
        .iter()
        .flat_map(|name| answered_by(&home, name))
        .collect();
    assert!(all.iter().any(|name| name == "spare"), "{all:?}");
    let log = std::fs::read_to_string(home.file("zoea.log")).expect("a log");
    assert!(log.contains("spare takes over") && log.contains("works again"));
}

#[test]
fn a_provider_that_is_not_there_is_left_at_once_where_another_is() {
    let galaxy = Server::galaxy(&[]);
    let second = Server::pilot(&[]);
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let gone = format!("http://{}/v1", nobody.local_addr().expect("an address"));
    drop(nobody);
    let more = format!(
        "fallback = \"spare\"\n[providers.spare]\nendpoint = \"{}\"\nmodel = \"pilot\"\n",
        second.url
    );
    let (home, mut swarm) = swarm_on(&gone, &galaxy.url, &more);
    until_reported(&mut swarm, "circuit_open");
    until("the spare is asked", || {
        (second.requests() > 10).then_some(())
    });
    swarm.land();
    let retries = |name: &&str| {
        let rows = home.lines(&["log", name, "--limit", "0", "--json"]);
        rows.iter()
            .filter(|row| row["metadata"]["code"] == "retry")
            .count()
    };
    let retries: usize = NAMES.iter().map(retries).sum();
    assert!(retries <= NAMES.len(), "{retries}: one try each at most");
}

/// The configuration that `init` writes, except for the addresses.
fn by_default(pilot: &str, galaxy: &str) -> Home {
    let home = Home::new();
    std::fs::create_dir_all(home.path()).expect("a home");
    let text = format!(
        "[providers.local]\nendpoint = \"{pilot}\"\nmodel = \"pilot\"\n\
         [mcp]\nupstream = \"{galaxy}\"\n"
    );
    std::fs::write(home.file("zoea.toml"), text).expect("a configuration");
    home
}

#[test]
fn an_outage_of_forty_seconds_ends_no_lone_mysis_by_default() {
    const OUTAGE: Duration = Duration::from_secs(40);
    /// Twice the promised time, for a busy machine.
    const RETURN: Duration = Duration::from_secs(10);
    let galaxy = Server::galaxy(&[]);
    let begun = Instant::now();
    let pilot = Server::pilot(&["--fault", "outage:0s,40s", "--latency", "20ms"]);
    let home = by_default(&pilot.url, &galaxy.url);
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let mut swarm = home.fly(&["--start-swarm"]);
    let printed = until_reported(&mut swarm, "circuit_open");
    assert!(
        printed.contains("provider local is down; ") && printed.contains(": HTTP 503"),
        "the whole round of tries is over: {printed}"
    );
    assert!(begun.elapsed() > Duration::from_secs(29), "5 + 10 + 15 s");
    let alpha = until("it is shown as waiting", || {
        let alpha = home.mysis("alpha");
        let activity = alpha["activity"].as_str().expect("a text");
        let waits = activity.starts_with("waiting for provider local: HTTP 503");
        waits.then_some(alpha)
    });
    assert_eq!(alpha["state"], "running");
    assert!(alpha["activity_until"].is_string(), "{alpha}");
    let page = home.ok(&["status"]);
    assert!(
        page.contains("away: provider local serves no requests since"),
        "{page}"
    );
    until_reported(&mut swarm, "circuit_closed");
    let lasted = begun.elapsed();
    assert!(lasted < OUTAGE + RETURN, "{lasted:?}");
    let answered = pilot.requests();
    until("it goes on", || {
        (pilot.requests() > answered + 3).then_some(())
    });
    assert_eq!(home.mysis("alpha")["state"], "running");
    let page = home.ok(&["status"]);
    assert!(!page.contains("away:"), "{page}");
}

#[test]
fn a_lone_mysis_asks_the_fallback_after_its_first_round() {
    for fault in ["http-503", "http-429:1"] {
        assert_fallback_after_a_round(fault);
    }
}

fn assert_fallback_after_a_round(fault: &str) {
    let galaxy = Server::galaxy(&[]);
    let first = Server::pilot(&["--fault", fault]);
    let second = Server::pilot(&["--latency", "20ms"]);
    let home = Home::new();
    home.configure(&first.url, &galaxy.url, "");
    let file = home.file("zoea.toml");
    let text = std::fs::read_to_string(&file).expect("a configuration");
    let more = format!(
        "model = \"pilot\"\nfallback = \"spare\"\ncircuit_wait = \"60s\"\n\
         [providers.spare]\nendpoint = \"{}\"\nmodel = \"pilot\"\n",
        second.url
    );
    let text = text.replace("model = \"pilot\"\n", &more);
    std::fs::write(file, text).expect("a configuration");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let mut swarm = home.fly(&["--start-swarm"]);
    let printed = until_reported(&mut swarm, "circuit_open");
    assert!(printed.contains("spare takes over"), "{printed}");
    assert_eq!(first.requests(), 4, "one round: a try, and three more");
    until("the spare is asked", || {
        (second.requests() > 5).then_some(())
    });
    assert_eq!(home.mysis("alpha")["state"], "running");
    assert_eq!(answered_by(&home, "alpha"), ["spare"]);
}

#[test]
fn while_the_game_is_away_its_myses_wait_ask_nothing_and_go_on_with_its_return() {
    let galaxy = Server::galaxy(&[]);
    let mut wire = Wire::to(&galaxy.address());
    let pilot = Server::pilot(&["--latency", "20ms"]);
    let url = format!("http://{}/mcp", wire.address());
    let (home, mut swarm) = swarm_on(&pilot.url, &url, "");
    until("they play", || (pilot.requests() > 10).then_some(()));
    wire.cut();
    until_reported(&mut swarm, "game_away");
    until("all are shown as waiting", || {
        let waits = |name: &&str| {
            let activity = home.mysis(name)["activity"].to_string();
            activity.contains("waiting for the tool server")
        };
        NAMES.iter().all(waits).then_some(())
    });
    let asked = pilot.requests();
    let next_try = || {
        let page = home.ok(&["status"]);
        let away = page.lines().find(|line| line.starts_with("away: "));
        away.expect("it is away").to_string()
    };
    for _ in 0..2 {
        let before = next_try();
        until("it is tried again", || (next_try() != before).then_some(()));
    }
    assert_eq!(pilot.requests(), asked, "no model is asked meanwhile");
    wire.mend();
    until_reported(&mut swarm, "game_back");
    until("they go on", || {
        (pilot.requests() > asked + 10).then_some(())
    });
    for name in NAMES {
        assert_eq!(home.mysis(name)["state"], "running");
    }
    drop(swarm);
    let rows = home.lines(&["log", "alpha", "--limit", "0", "--json"]);
    let printed = |code: &str| {
        let with_code = rows.iter().filter(|row| row["metadata"]["code"] == code);
        with_code.count()
    };
    assert!(printed("mcp_down") <= 1, "an outage is told once: {rows:?}");
}

#[test]
fn without_another_they_wait_and_go_on_when_it_works_again() {
    let galaxy = Server::galaxy(&[]);
    let only = Server::pilot(&["--fault", "http-503"]);
    let more = "circuit_failures = 3\ncircuit_wait = \"400ms\"\n";
    let (home, mut swarm) = swarm_on(&only.url, &galaxy.url, more);
    let printed = until_reported(&mut swarm, "circuit_open");
    assert!(printed.contains("its Myses wait"), "{printed}");
    let asked = only.requests();
    until("it is tried again", || {
        (only.requests() > asked).then_some(())
    });
    let trials = only.requests() - asked;
    assert!(trials <= 1 + NAMES.len() as u64, "{trials} trials at once");
    let only = mended(only);
    until_reported(&mut swarm, "circuit_closed");
    let before = only.requests();
    until("they go on", || {
        (only.requests() > before + 10).then_some(())
    });
    for name in NAMES {
        assert_eq!(home.mysis(name)["state"], "running");
    }
    drop(swarm);
}
