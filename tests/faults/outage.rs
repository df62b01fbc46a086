//! Outages: a provider that fails for a while, with and without another one in its place.

use serde_json::Value;

use crate::rig::{Home, Process, Server, http, until};

const NAMES: [&str; 3] = ["alpha", "beta", "gamma"];

fn requests(server: &Server) -> u64 {
    let (_, stats) = http("GET", &server.url.replace("/v1", "/stats"), &[], "");
    let stats: Value = serde_json::from_str(&stats).expect("JSON");
    stats["requests"].as_u64().expect("a number")
}

/// A swarm on a provider `first`, which `more` says more about.
fn swarm_on(first: &str, galaxy: &Server, more: &str) -> (Home, Process) {
    let home = Home::new();
    home.configure(first, &galaxy.url, "");
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

/// Reads events until one of the whole program has this code; nobody is errored meanwhile.
fn until_told(swarm: &mut Process, code: &str) -> String {
    loop {
        let line = swarm.line().expect("the swarm goes on");
        let event: Value = serde_json::from_str(&line).expect("JSON");
        assert_ne!(event["to"], "errored", "{line}");
        if event["code"] == code {
            return event["text"].as_str().expect("a text").to_string();
        }
    }
}

/// The providers that answered a Mysis, in order, each stretch once.
fn answered_by(home: &Home, name: &str) -> Vec<String> {
    let rows = home.lines(&["log", name, "--limit", "0", "--json"]);
    let providers = rows
        .iter()
        .filter_map(|row| row["metadata"]["provider"].as_str());
    let mut stretches: Vec<String> = providers.map(str::to_string).collect();
    stretches.dedup();
    stretches
}

/// Another server at the address of one that is gone, without its fault.
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
    let (home, mut swarm) = swarm_on(&first.url, &galaxy, &more);
    let told = until_told(&mut swarm, "circuit_open");
    assert!(
        told.contains("pilot is down") && told.contains("spare takes over"),
        "{told}"
    );
    until("the spare is asked", || {
        (requests(&second) > 5).then_some(())
    });
    let first = mended(first);
    let told = until_told(&mut swarm, "circuit_closed");
    assert!(told.contains("pilot works again"), "{told}");
    let (before, of_spare) = (requests(&first), requests(&second));
    until("the first is used again", || {
        (requests(&first) > before + 10).then_some(())
    });
    // Whoever was let in before the trial ended may still have been on its way.
    assert!(requests(&second) <= of_spare + NAMES.len() as u64);
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
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
    let (home, mut swarm) = swarm_on(&gone, &galaxy, &more);
    until_told(&mut swarm, "circuit_open");
    until("the spare is asked", || {
        (requests(&second) > 10).then_some(())
    });
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let retries = |name: &&str| {
        let rows = home.lines(&["log", name, "--limit", "0", "--json"]);
        rows.iter()
            .filter(|row| row["metadata"]["code"] == "retry")
            .count()
    };
    let retries: usize = NAMES.iter().map(retries).sum();
    assert!(retries <= NAMES.len(), "{retries}: one try each at most");
}

#[test]
fn without_another_they_wait_and_go_on_when_it_works_again() {
    let galaxy = Server::galaxy(&[]);
    let only = Server::pilot(&["--fault", "http-503"]);
    let more = "circuit_failures = 3\ncircuit_wait = \"400ms\"\n";
    let (home, mut swarm) = swarm_on(&only.url, &galaxy, more);
    let told = until_told(&mut swarm, "circuit_open");
    assert!(told.contains("its Myses wait"), "{told}");
    let asked = requests(&only);
    until("it is tried again", || {
        (requests(&only) > asked).then_some(())
    });
    let trials = requests(&only) - asked;
    assert!(trials <= 1 + NAMES.len() as u64, "{trials} trials at once");
    let only = mended(only);
    until_told(&mut swarm, "circuit_closed");
    let before = requests(&only);
    until("they go on", || {
        (requests(&only) > before + 10).then_some(())
    });
    for name in NAMES {
        assert_eq!(home.mysis(name)["state"], "running");
    }
    drop(swarm);
}
