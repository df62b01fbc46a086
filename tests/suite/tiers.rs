//! Tiers: a Mysis whose calls fail goes up to a dearer model, keeps that over a kill, and comes down on
//! success.

use serde_json::{Value, json};

use zoea_rig::{Home, Process, Server, until};

/// A dear model whose turns last, so that a test sees them.
const SLOW: [&str; 4] = ["--nonsense", "0", "--latency", "1s"];

/// A cheap model, all of whose calls may fail, and a dear one that plays well.
struct Scene {
    home: Home,
    _galaxy: Server,
    _cheap: Server,
    dear: Option<Server>,
}

impl Scene {
    fn new(cheap: &[&str]) -> Scene {
        let galaxy = Server::galaxy(&[]);
        let (cheap, dear) = (Server::pilot(cheap), Server::pilot(&SLOW));
        let home = Home::new();
        let more = format!(
            "[providers.cheap]\nendpoint = \"{}\"\nmodel = \"small\"\ntier = 1\nmax_concurrency = 64\n\
             [providers.dear]\nendpoint = \"{}\"\nmodel = \"large\"\ntier = 3\nmax_concurrency = 64\n\
             [roles.player]\ntier = 1\n",
            cheap.url, dear.url
        );
        home.configure("http://127.0.0.1:9/v1", &galaxy.url, &more);
        home.ok(&["mysis", "create", "alpha", "--role", "player"]);
        home.ok(&["broadcast", "Mine ore and sell it."]);
        Scene {
            home,
            _galaxy: galaxy,
            _cheap: cheap,
            dear: Some(dear),
        }
    }

    /// The dear model answers at once from now on.
    fn make_dear_fast(&mut self) {
        let slow = self.dear.take().expect("a server");
        let address = slow.address();
        drop(slow);
        self.dear = Some(Server::pilot_at(&address, &["--nonsense", "0"]));
    }

    fn fly(&self, arguments: &[&str]) -> Process {
        self.home.fly(arguments)
    }

    /// The tier of alpha, its provider and why it has it.
    fn place(&self) -> (Value, Value, String) {
        let alpha = self.home.mysis("alpha");
        let why = alpha["tier"]["why"]
            .as_str()
            .unwrap_or_default()
            .to_string();
        (
            alpha["tier"]["tier"].clone(),
            alpha["provider"].clone(),
            why,
        )
    }

    fn until_at(&self, tier: u8, provider: &str, why: &str) {
        until(&format!("alpha is at tier {tier} because {why}"), || {
            let (at, of, because) = self.place();
            (at == json!(tier) && of == json!(provider) && because.ends_with(why)).then_some(())
        });
    }

    fn dear_was_asked(&self) -> bool {
        let stats = format!(
            "http://{}/stats",
            self.dear.as_ref().expect("a server").address()
        );
        let (_, stats) = zoea_rig::http("GET", &stats, &[], "");
        let stats: Value = serde_json::from_str(&stats).expect("JSON");
        stats["requests"].as_u64() > Some(0)
    }
}

#[test]
fn failed_plans_lead_up_a_kill_keeps_the_tier_and_success_leads_down() {
    let mut scene = Scene::new(&["--persona", "arguer"]);
    let swarm = scene.fly(&["--start-swarm"]);
    scene.until_at(3, "dear", "calls of a turn failed");
    until("the dear model is asked", || {
        scene.dear_was_asked().then_some(())
    });
    scene.home.ok(&["mysis", "stop", "alpha"]);
    swarm.signal("-KILL");
    swarm.wait();

    scene.make_dear_fast();
    let swarm = scene.fly(&[]);
    let (tier, provider, why) = until("alpha is there", || {
        let place = scene.place();
        (place.0 == json!(3)).then_some(place)
    });
    assert_eq!((tier, provider), (json!(3), json!("dear")), "{why}");
    scene.home.ok(&["mysis", "start", "alpha"]);
    // It may go up again at once, so the log tells.
    let printed = until("success leads down", || {
        let log = ["log", "alpha", "--limit", "0", "--kind", "host"];
        let printed = scene.home.ok(&log);
        printed
            .contains("tier 1 (cheap): 4 turns")
            .then_some(printed)
    });
    for expected in ["tier 1 (cheap): its role begins there", "tier 3 (dear): "] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    drop(swarm);
}

#[test]
fn who_has_a_provider_of_its_own_has_no_tier() {
    let mut scene = Scene::new(&["--nonsense", "0"]);
    scene.make_dear_fast();
    scene
        .home
        .ok(&["mysis", "configure", "alpha", "--provider", "dear"]);
    let swarm = scene.fly(&["--start-swarm"]);
    until("alpha plays", || {
        let alpha = scene.home.mysis("alpha");
        (alpha["turns"].as_u64() > Some(1)).then_some(())
    });
    assert_eq!(scene.place(), (Value::Null, json!("dear"), String::new()));
    drop(swarm);
}
