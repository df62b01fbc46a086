//! Spending: the swarm's figures against the pilot's own record, and budgets that run out.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use zoea_rig::{Home, Server, until, written};

const NAMES: [&str; 3] = ["alpha", "beta", "gamma"];

/// A swarm that has a mission and does not run yet.
struct Scene {
    _galaxy: Server,
    pilot: Server,
    home: Home,
    galaxy_url: String,
}

impl Scene {
    fn new(more: &str, pilot: &[&str]) -> Scene {
        let galaxy = Server::galaxy(&[]);
        let pilot = Server::pilot(&[&["--latency", "5ms", "--seed", "1"], pilot].concat());
        let home = Home::new();
        let scene = Scene {
            galaxy_url: galaxy.url.clone(),
            _galaxy: galaxy,
            pilot,
            home,
        };
        scene.configure(more);
        for name in NAMES {
            scene.home.ok(&["mysis", "create", name]);
        }
        scene.home.ok(&["broadcast", "Mine ore and sell it."]);
        scene
    }

    fn configure(&self, more: &str) {
        self.home.configure(&self.pilot.url, &self.galaxy_url, more);
        let file = self.home.file("zoea.toml");
        let text = std::fs::read_to_string(&file).expect("a configuration");
        let priced = "model = \"pilot\"\nprice = { input = 1.5, output = 2.0 }\n";
        let text = text.replace("model = \"pilot\"\n", priced);
        std::fs::write(file, text).expect("a configuration");
    }

    fn rows(&self, name: &str) -> Vec<Value> {
        self.home.lines(&["log", name, "--limit", "0", "--json"])
    }

    /// The token usage of a Mysis' rows, in their order.
    fn usages(&self, name: &str) -> Vec<Value> {
        let rows = self.rows(name).into_iter();
        rows.map(|row| row["metadata"].clone())
            .filter(|meta| meta["usage"].is_object())
            .collect()
    }

    fn requests(&self) -> u64 {
        self.pilot.requests()
    }

    fn codes(&self, name: &str, code: &str) -> usize {
        let rows = self.rows(name).into_iter();
        rows.filter(|row| row["metadata"]["code"] == code).count()
    }
}

fn tokens(meta: &Value) -> u64 {
    let count = |key: &str| meta["usage"][key].as_u64().expect("tokens");
    count("input") + count("output")
}

/// The number of the provider's reports that are in no row. Every row is one of them, in their
/// order.
fn missing<'r>(rows: &[Value], mut reports: impl Iterator<Item = &'r Value> + Clone) -> usize {
    let mut missing = 0;
    // The fixed text of a trial names no Mysis, so the provider knows not whose it is.
    for row in rows.iter().filter(|row| row["code"] != "trial") {
        let usage = &row["usage"];
        let is_it = |line: &&Value| {
            line["usage"]["prompt_tokens"] == usage["input"]
                && line["usage"]["completion_tokens"] == usage["output"]
        };
        let before = reports.clone().take_while(|line| !is_it(line)).count();
        missing += before;
        assert!(reports.nth(before).is_some(), "{row} was reported");
    }
    missing + reports.count()
}

/// The provider's reports for answers that its callers could read to their end.
fn reports(record: &Path) -> Vec<Value> {
    let is_report = |line: &Value| {
        let fault = line["fault"].as_str().unwrap_or_default();
        line["usage"].is_object() && !fault.contains("drop")
    };
    written(record).into_iter().filter(is_report).collect()
}

#[test]
fn killed_again_and_again_the_books_are_what_the_provider_reported() {
    const KILLS: usize = 4;
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("record.jsonl");
    let scene = Scene::new("", &["--record", record.to_str().expect("a path")]);
    let home = &scene.home;
    let mut dice = fastrand::Rng::new();
    let mut seen = 0;
    for kill in 0..KILLS {
        let how = if kill == 0 {
            "--start-swarm"
        } else {
            "--resume"
        };
        let process = home.fly(&[how]);
        until("the model is asked", || {
            (scene.requests() > seen).then_some(())
        });
        let started = Instant::now();
        let length = Duration::from_millis(dice.u64(50..700));
        until("the instant of the kill", || {
            (started.elapsed() >= length).then_some(())
        });
        process.signal("-KILL");
        process.wait();
        seen = scene.requests();
    }
    let printed = reports(&record);
    let books = home.json(&["books", "--days", "0", "--json"]);
    let books = books.as_array().expect("a list");
    let (mut sum, mut lost) = (0, 0);
    for name in NAMES {
        let rows = scene.usages(name);
        // Each kill may lose at most the one answer that was on its way.
        let missing = missing(&rows, printed.iter().filter(|line| line["agent"] == name));
        assert!(missing <= KILLS, "{name}: {missing} reports are not booked");
        lost += missing;
        let of = |key: &str| -> u64 {
            let usages = rows
                .iter()
                .map(|row| row["usage"][key].as_u64().expect("tokens"));
            usages.sum()
        };
        let mine = books.iter().filter(|entry| entry["mysis"] == name);
        let booked = |key: &str| -> u64 {
            mine.clone()
                .map(|entry| entry[key].as_u64().expect("a number"))
                .sum()
        };
        assert_eq!(booked("calls"), rows.len() as u64, "{name}");
        assert_eq!(
            (booked("tokens_in"), booked("tokens_out")),
            (of("input"), of("output"))
        );
        assert_eq!(booked("tokens_cached"), of("cached"));
        let mysis = home.mysis(name);
        assert_eq!(mysis["tokens_in"], of("input"), "{name}");
        assert_eq!(mysis["tokens_out"], of("output"), "{name}");
        let micros = |row: &Value| row["cost_micros"].as_u64().expect("a cost");
        for row in &rows {
            let usage = |key: &str| row["usage"][key].as_u64().expect("tokens");
            assert_eq!(
                micros(row),
                (usage("input") * 3).div_ceil(2) + usage("output") * 2
            );
        }
        let cost = rows.iter().map(micros).sum::<u64>();
        assert_eq!(mysis["cost"], json!(cost as f64 / 1e6));
        sum += of("input") + of("output");
    }
    println!("{KILLS} kills: {sum} tokens booked, {lost} answers lost on their way");
    assert!(sum > 0);
}

#[test]
fn a_spent_budget_pauses_and_lifts_when_the_operator_allows_more() {
    let limit = 150_000;
    let budget = |limit: u64| format!("[budget]\ntokens_per_mysis_per_day = {limit}\n");
    let scene = Scene::new(&budget(limit), &[]);
    let home = &scene.home;
    let is_paused = |name: &str| {
        let mysis = home.mysis(name);
        assert_eq!(mysis["state"], "running", "a pause is no error: {mysis}");
        (mysis["activity"] == "paused: budget spent, resumes 00:00 UTC").then_some(mysis)
    };
    let swarm = home.fly(&["--start-swarm"]);
    for name in NAMES {
        let mysis = until("it pauses", || is_paused(name));
        let until = mysis["activity_until"].as_str().expect("a time");
        assert!(until.ends_with("T00:00:00.000Z"), "{until}");
        let usages = scene.usages(name);
        let spent: u64 = usages.iter().map(tokens).sum();
        let before = spent - usages.last().map_or(0, tokens);
        assert!(
            before < limit && spent >= limit,
            "{before} and then {spent}"
        );
        assert_eq!(scene.codes(name, "budget_low"), 1);
        assert_eq!(scene.codes(name, "budget_spent"), 1);
        assert_eq!(scene.codes(name, "errored"), 0);
    }
    let status = home.ok(&["status"]);
    assert!(status.contains("; budget 1"), "{status}");
    let asked = scene.requests();
    swarm.land();

    // Another process knows the spending.
    let swarm = home.fly(&["--resume"]);
    for name in NAMES {
        until("it runs again", || {
            (home.mysis(name)["state"] == "running").then_some(())
        });
        until("it pauses again", || is_paused(name));
    }
    assert_eq!(scene.requests(), asked, "nothing was asked");
    swarm.land();

    scene.configure(&budget(limit * 100));
    let swarm = home.fly(&["--resume"]);
    until("they go on", || {
        (scene.requests() > asked + 5).then_some(())
    });
    swarm.land();
}

#[test]
fn the_swarms_budget_is_overshot_by_the_calls_in_flight_and_no_more() {
    let scene = Scene::new("[budget]\nusd_per_day = 0.15\n", &[]);
    let home = &scene.home;
    let mut swarm = home.fly(&["--start-swarm"]);
    let mut printed = BTreeMap::new();
    while printed.len() < 2 {
        let event = swarm.event();
        let code = event["code"].as_str().unwrap_or_default();
        if event["mysis"].is_null() && code.starts_with("budget_") {
            *printed.entry(code.to_string()).or_insert(0) += 1;
        }
    }
    for name in NAMES {
        until("it pauses", || {
            let mysis = home.mysis(name);
            let activity = mysis["activity"].as_str().unwrap_or_default();
            activity.contains("the swarm's budget spent").then_some(())
        });
    }
    let costs = NAMES.map(|name| {
        let of_row = |meta: &Value| meta["cost_micros"].as_u64().expect("a cost");
        scene.usages(name).iter().map(of_row).collect::<Vec<u64>>()
    });
    let spent: u64 = costs.iter().flatten().sum();
    let last: u64 = costs.iter().filter_map(|costs| costs.last()).sum();
    assert!(
        spent >= 150_000 && spent - last < 150_000,
        "{spent}, {last} of it last"
    );
    assert!(printed.values().all(|times| *times == 1), "{printed:?}");
    drop(swarm);
}

#[test]
fn streams_that_are_cut_are_asked_for_again_and_stand_in_no_book() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("record.jsonl");
    let record_to = record.to_str().expect("a path");
    let scene = Scene::new("", &["--record", record_to, "--fault", "drop@0.15"]);
    let home = &scene.home;
    let swarm = home.fly(&["--start-swarm"]);
    // After three in a row, whole answers are requested; those are cut as well.
    let troubles = || {
        let of_one = |name| scene.codes(name, "retry") + scene.codes(name, "adapted");
        NAMES.map(of_one).iter().sum::<usize>()
    };
    until("answers were cut", || {
        (scene.requests() > 80 && troubles() > 5).then_some(())
    });
    swarm.land();
    let printed = reports(&record);
    let mut booked = 0;
    for name in NAMES {
        let rows = scene.usages(name);
        let missing = missing(&rows, printed.iter().filter(|line| line["agent"] == name));
        assert!(
            missing <= 1,
            "{name}: {missing}, and one may have been on its way"
        );
        assert_eq!(scene.codes(name, "errored"), 0);
        booked += rows.len();
    }
    let rows = NAMES.map(|name| scene.rows(name)).concat();
    let texts = rows.iter().filter_map(|row| row["content"].as_str());
    let cut = texts.filter(|text| text.starts_with("the answer's stream was cut"));
    let cut = cut.count();
    println!("{booked} answers booked, {cut} streams cut");
    assert!(cut > 0);
}

#[test]
fn a_slow_model_that_speaks_is_heard_out_and_seen_at_work() {
    let scene = Scene::new("", &["--fault", "slow:6s"]);
    let home = &scene.home;
    let file = home.file("zoea.toml");
    let text = std::fs::read_to_string(&file).expect("a configuration");
    // Far less than an answer takes, and more than any of its pieces.
    let text = text.replace(
        "model = \"pilot\"\n",
        "model = \"pilot\"\ntimeout = \"3s\"\n",
    );
    std::fs::write(file, text).expect("a configuration");
    let swarm = home.fly(&["--start-swarm"]);
    let seen = until("an answer is seen to grow", || {
        let activity = home.mysis("alpha")["activity"].clone();
        let activity = activity.as_str()?.to_string();
        (activity.starts_with("thinking, ") || activity.starts_with("answering, "))
            .then_some(activity)
    });
    assert!(seen.ends_with(" KB"), "{seen}");
    until("it is stored", || {
        (!scene.usages("alpha").is_empty()).then_some(())
    });
    let ms = scene.usages("alpha")[0]["ms"].as_u64().expect("a time");
    assert!(ms > 3_000, "{ms}");
    assert_eq!(scene.codes("alpha", "retry"), 0);
    swarm.land();
}
