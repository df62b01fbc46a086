//! Roles: what the provider received because of them, how they are given, changed and taken away, and
//! what is told of one that is not configured.

use std::path::Path;

use serde_json::{Value, json};

use zoea_rig::{Home, Process, Server, until, written};

/// A swarm of three Myses whose model server keeps its requests.
struct Scene {
    home: Home,
    swarm: Process,
    _galaxy: Server,
    pilot: Server,
    _other: Server,
    record: String,
    /// The requests of the second provider.
    record_of_other: String,
}

const MINER: &str = "[roles.miner]\nprompt = \"You are a miner of this test.\"\n\
                     tools = [\"get_*\", \"mine\", \"undock\", \"captains_log_add\"]\n\
                     routines = [\"dig\"]\nprovider = \"other\"\n";

fn requests(record: &str) -> Vec<Value> {
    // It is made with the first request.
    let is_there = Path::new(record).exists();
    if is_there {
        written(Path::new(record))
    } else {
        Vec::new()
    }
}

/// The first user message and the names of the tools of the last request of a Mysis.
fn last_of(record: &str, name: &str) -> Option<(String, Vec<String>)> {
    let of = format!("\nYou are {name}, ");
    requests(record).into_iter().rev().find_map(|request| {
        let messages = request["body"]["messages"].as_array()?;
        let first = messages[1]["content"].as_str()?;
        let last = messages.last()?["content"].as_str()?;
        let tools = request["body"]["tools"].as_array()?.iter();
        let names = tools.filter_map(|tool| tool["function"]["name"].as_str());
        let names = names.map(str::to_string).collect();
        last.contains(&of).then(|| (first.to_string(), names))
    })
}

impl Scene {
    fn new() -> Scene {
        let home = Home::new();
        std::fs::create_dir_all(home.file("routines")).expect("a folder");
        let dig = json!({"name": "dig", "rounds": 2, "steps": [{"tool": "mine"}]});
        std::fs::write(home.file("routines/dig.json"), dig.to_string()).expect("a file");
        let recorded = |name: &str| home.file(name).to_str().expect("a path").to_string();
        let (record, record_of_other) = (recorded("asked"), recorded("asked-other"));
        let pilot = |record: &str| Server::pilot(&["--record", record, "--keep-bodies"]);
        let (pilot, other) = (pilot(&record), pilot(&record_of_other));
        let galaxy = Server::galaxy(&[]);
        home.configure(&pilot.url, &galaxy.url, &more(&other.url, MINER));
        for name in ["alpha", "beta"] {
            home.ok(&["mysis", "create", name]);
        }
        home.ok(&[
            "mysis",
            "create",
            "gamma",
            "--role",
            "miner",
            "--provider",
            "pilot",
        ]);
        home.ok(&["broadcast", "Mine ore and sell it."]);
        let swarm = home.fly(&["--start-swarm"]);
        Scene {
            home,
            swarm,
            _galaxy: galaxy,
            pilot,
            _other: other,
            record,
            record_of_other,
        }
    }

    fn role_of(&self, name: &str) -> Value {
        self.home.mysis(name)["role"].clone()
    }

    fn reload_with(&self, roles: &str) {
        let file = self.home.file("zoea.toml");
        let text = std::fs::read_to_string(&file).expect("a configuration");
        let (before, _) = text.split_once("# roles\n").expect("the roles");
        std::fs::write(&file, format!("{before}# roles\n{roles}")).expect("a configuration");
        self.swarm.signal("-HUP");
    }
}

/// The second provider, and these roles at the end.
fn more(other: &str, roles: &str) -> String {
    format!(
        "[providers.other]\nendpoint = \"{other}\"\nmodel = \"pilot\"\nmax_concurrency = 64\n# roles\n{roles}"
    )
}

#[test]
fn a_role_is_in_what_the_provider_receives_and_is_given_reloaded_and_taken_away() {
    let scene = Scene::new();
    let home = &scene.home;
    let (first, tools) = until("gamma asks the provider that was named for it", || {
        last_of(&scene.record, "gamma").filter(|(_, tools)| tools.iter().any(|of| of == "mine"))
    });
    let role =
        "Mine ore and sell it.\n\n[your role]\nYou are a miner of this test.\n[end of your role]";
    assert!(first.starts_with(role), "{first}");
    assert!(
        !tools.iter().any(|tool| tool == "sell" || tool == "travel"),
        "{tools:?}"
    );
    assert!(
        tools.iter().any(|tool| tool == "captains_log_add"),
        "{tools:?}"
    );
    let (first, tools) = until("alpha asks", || last_of(&scene.record, "alpha"));
    assert!(!first.contains("miner of this test"), "{first}");
    assert!(tools.iter().any(|tool| tool == "sell"), "{tools:?}");

    let said = home.ok(&[
        "mysis",
        "configure",
        "--where",
        "name=a*",
        "--role",
        "miner",
    ]);
    assert_eq!(said, "configured alpha\n");
    until("alpha asks the provider of its role", || {
        last_of(&scene.record_of_other, "alpha")
            .filter(|(first, _)| first.contains("miner of this test"))
    });
    let alpha = home.mysis("alpha");
    assert_eq!(
        (&alpha["role"], &alpha["provider"]),
        (&json!("miner"), &json!("other"))
    );
    assert!(
        last_of(&scene.record_of_other, "gamma").is_none(),
        "it has its own"
    );
    let listed = home.ok(&["mysis", "list"]);
    assert!(
        listed.contains("ROLE") && listed.contains("miner"),
        "{listed}"
    );

    scene.reload_with(&MINER.replace("of this test", "of ice"));
    until("the other words are in the next requests", || {
        last_of(&scene.record_of_other, "alpha")
            .filter(|(system, _)| system.contains("miner of ice"))
    });

    home.ok(&["mysis", "configure", "alpha", "--role", "none"]);
    until("alpha asks its own provider again", || {
        let (first, tools) = last_of(&scene.record, "alpha")?;
        let is_plain = !first.contains("miner of") && home.mysis("alpha")["provider"] == "pilot";
        (is_plain && tools.iter().any(|tool| tool == "sell")).then_some(())
    });
    assert_eq!(scene.role_of("alpha"), Value::Null);
    let (_, refused) = home.fails(&["mysis", "configure", "alpha", "--role", "pirate"]);
    assert!(
        refused.contains("no role is called `pirate`; the configuration has miner"),
        "{refused}"
    );
    drop(scene.pilot);
}

#[test]
fn a_role_that_is_not_configured_is_told_and_its_mysis_plays_on_over_a_restart() {
    let scene = Scene::new();
    let home = &scene.home;
    until("gamma plays", || last_of(&scene.record, "gamma"));
    scene.reload_with("");
    let printed = "roles.miner is not in the configuration, and these play on without it: gamma";
    until("the role that is gone is reported", || {
        home.ok(&["events"]).contains(printed).then_some(())
    });
    until("gamma plays on without it", || {
        let (first, tools) = last_of(&scene.record, "gamma")?;
        (!first.contains("miner") && tools.iter().any(|of| of == "sell")).then_some(())
    });
    let gamma = home.mysis("gamma");
    assert_eq!(
        (&gamma["role"], &gamma["role_known"]),
        (&json!("miner"), &json!(false))
    );
    assert_eq!(gamma["state"], "running");
    let listed = home.ok(&["mysis", "list"]);
    assert!(listed.contains("miner (not configured)"), "{listed}");
    let Scene {
        home,
        swarm,
        _galaxy,
        pilot: _pilot,
        _other,
        ..
    } = scene;
    swarm.signal("-KILL");
    swarm.wait();
    let again = home.fly(&["--resume"]);
    until("it is reported at the start", || {
        let events = home.ok(&["events"]);
        (events.matches(printed).count() >= 2).then_some(())
    });
    until("gamma runs", || {
        (home.mysis("gamma")["state"] == "running").then_some(())
    });
    drop(again);
}
