//! The proof, as its users run it: it asks before it spends, its exit status is the verdict, and the
//! swarm begins with what was learnt.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};
use zoea_rig::{Home, Process, Server, http, texts, until, written};

const PROVE: [&str; 4] = ["doctor", "--prove", "--yes", "--json"];

fn proven(home: &Home) -> (Option<i32>, Value, String) {
    let output = home.run(&PROVE);
    let report = serde_json::from_slice(&output.stdout).expect("JSON");
    (output.status.code(), report, texts(&output).1)
}

/// The requests of a pilot that records them.
fn recorded(file: &Path) -> Vec<Value> {
    written(file)
}

#[test]
fn nothing_is_spent_where_nobody_agrees() {
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, "", "");
    let (status, said) = home.fails(&["doctor", "--prove"]);
    assert_eq!(status, 1);
    assert!(
        said.contains("at most 20000 tokens") && said.contains("give --yes"),
        "{said}"
    );
    let stats = format!("http://{}/stats", pilot.address());
    let (_, stats) = http("GET", &stats, &[], "");
    let stats: Value = serde_json::from_str(&stats).expect("JSON");
    assert_eq!(stats["requests"], 0, "{stats}");
    let (status, said) = home.fails(&["doctor", "--yes"]);
    assert_eq!(status, 2, "{said}");
    let (_, said) = home.fails(&["doctor", "--prove", "--yes", "--provider", "nobody"]);
    assert!(
        said.contains("there is no provider `nobody`; there are pilot"),
        "{said}"
    );
}

#[test]
fn nothing_is_proven_while_frozen_and_a_freeze_breaks_a_proof_off() {
    let pilot = Server::pilot(&["--nonsense", "0", "--latency", "1s"]);
    let home = Home::new();
    home.configure(&pilot.url, "", "");
    let requests = || {
        let stats = format!("http://{}/stats", pilot.address());
        let (_, stats) = http("GET", &stats, &[], "");
        let stats: Value = serde_json::from_str(&stats).expect("JSON");
        stats["requests"].as_u64().expect("a number")
    };
    home.ok(&["freeze"]);
    let (_, said) = home.fails(&PROVE);
    assert!(said.contains("the swarm is frozen"), "{said}");
    let (_, said) = home.fails(&["setup", "--yes", "--provider", &pilot.url, "--no-start"]);
    assert!(said.contains("the swarm is frozen"), "{said}");
    assert_eq!(requests(), 0);
    assert!(home.ok(&["thaw"]).contains("the next start is not frozen"));

    let proof = Process::spawn(home.command(&PROVE));
    until("it asks", || (requests() > 1).then_some(()));
    home.ok(&["freeze"]);
    let ended = proof.wait();
    assert!(!ended.success());
    let asked = requests();
    let begun = std::time::Instant::now();
    until("a while has passed", || {
        assert_eq!(requests(), asked);
        (begun.elapsed().as_secs() >= 2).then_some(())
    });
    assert!(!home.file("proofs.json").exists(), "nothing is kept");
}

#[test]
fn the_exit_status_is_the_verdict() {
    let home = Home::new();
    let pilot = Server::pilot(&["--nonsense", "0"]);
    home.configure(&pilot.url, "", "");
    let (status, report, _) = proven(&home);
    assert_eq!(
        (status, &report["verdict"]),
        (Some(0), &json!("plays")),
        "{report}"
    );
    assert!(report.get("why").is_none(), "{report}");
    let said = home.ok(&["doctor", "--prove", "--yes", "--model", "another"]);
    assert!(
        said.contains("✓ call: ") && said.ends_with("verdict: plays\n"),
        "{said}"
    );

    let writes = Server::pilot(&["--nonsense", "0", "--fault", "prose-calls"]);
    home.configure(&writes.url, "", "");
    let (status, report, said) = proven(&home);
    assert_eq!(
        (status, &report["verdict"]),
        (Some(1), &json!("cannot_play")),
        "{report}"
    );
    assert!(
        said.contains("cannot play: it writes its calls as text"),
        "{said}"
    );
    assert!(
        report["remedy"]
            .as_str()
            .is_some_and(|remedy| remedy.contains("--jinja"))
    );
}

#[test]
fn the_swarm_begins_with_what_a_proof_learnt() {
    let home = Home::new();
    let record = home.file("record.jsonl");
    let record_name = record.display().to_string();
    std::fs::create_dir_all(home.path()).expect("a home");
    let pilot = Server::pilot(&[
        "--nonsense",
        "0",
        "--fault",
        "no-system",
        "--record",
        &record_name,
        "--keep-bodies",
    ]);
    home.configure(&pilot.url, "", "");
    assert_eq!(proven(&home).0, Some(0));
    let kept = home.file("proofs.json");
    let mode = std::fs::metadata(&kept)
        .expect("it is kept")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let kept: Value = serde_json::from_slice(&std::fs::read(&kept).unwrap()).expect("JSON");
    assert_eq!(kept["version"], 1);
    assert_eq!(kept["proofs"][0]["no_system_role"], true, "{kept}");

    let said = home.ok(&["doctor"]);
    assert!(said.contains("requests adapted: no system role"), "{said}");
    let proofs = recorded(&record).len();
    home.ok(&["mysis", "create", "alpha"]);
    let _swarm = home.fly(&["--start-swarm"]);
    let first = until("the swarm asks", || {
        recorded(&record).into_iter().nth(proofs)
    });
    assert_eq!(first["body"]["messages"][0]["role"], "user", "{first}");
    assert_eq!(first["status"], 200, "{first}");
}

#[test]
fn what_is_kept_and_cannot_be_read_is_told_and_left_out() {
    let home = Home::new();
    let pilot = Server::pilot(&["--nonsense", "0"]);
    home.configure(&pilot.url, "", "");
    std::fs::write(home.file("proofs.json"), "{\"version\": 9}").expect("written");
    let _swarm = home.fly(&[]);
    let printed = until("it is reported", || {
        let events = home.lines(&["events", "--json"]);
        let mut texts = events
            .into_iter()
            .filter_map(|event| Some(event["text"].as_str()?.to_string()));
        texts.find(|text| text.contains("proofs.json"))
    });
    assert!(
        printed.contains("holds no test results that this version can read"),
        "{printed}"
    );
    let (_, _, said) = proven(&home);
    assert!(said.contains("replaces it"), "{said}");
    let kept = std::fs::read_to_string(home.file("proofs.json")).expect("it is written anew");
    assert!(kept.contains("\"version\": 1"), "{kept}");
}
