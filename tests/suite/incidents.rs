//! A failure that is handed on: one program keeps an exchange that failed, another one serves it again.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use zoea_grammar::incident::MAX_INCIDENT_BYTES;
use zoea_rig::{Home, Process, Server, until};

fn sample(name: &str) -> String {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/incidents");
    directory.join(name).to_string_lossy().into_owned()
}

/// A Mysis that plays on these servers.
fn playing(pilot: &Server, galaxy: &Server) -> (Home, Process) {
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&[
        "broadcast",
        "Mine ore, sell it at your station, refuel and go again.",
    ]);
    let swarm = home.fly(&["--start-swarm"]);
    (home, swarm)
}

/// The newest incident of a home, once there is one of this kind, written to a file for others.
fn handed_on(home: &Home, kind: &str) -> (Value, PathBuf) {
    let text = until("an exchange is kept", || {
        let output = home.run(&["incident", "last"]);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let is_meant = output.status.success() && text.contains(&format!("\"kind\": \"{kind}\""));
        is_meant.then_some(text)
    });
    let file = home.file("handed-on.json");
    std::fs::write(&file, &text).expect("a file");
    (serde_json::from_str(&text).expect("JSON"), file)
}

/// That each file of an incident is closed to others, and not too long.
fn check_files(home: &Home) {
    let files = std::fs::read_dir(home.file("incidents")).expect("incidents");
    for file in files.map(|file| file.expect("a file")) {
        let facts = file.metadata().expect("facts");
        assert_eq!(facts.permissions().mode() & 0o777, 0o600);
        assert!(facts.len() <= MAX_INCIDENT_BYTES as u64);
    }
}

fn results(home: &Home) -> Vec<String> {
    let rows = home.lines(&["log", "alpha", "--kind", "result", "--limit", "0", "--json"]);
    let text = |row: &Value| row["content"].as_str().expect("a text").to_string();
    rows.iter().map(text).collect()
}

#[test]
fn a_call_that_a_game_failed_is_kept_and_fails_elsewhere_in_the_same_way() {
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let galaxy = Server::galaxy(&["--replay", &sample("tool-text-code.json")]);
    let (home, swarm) = playing(&pilot, &galaxy);
    let (incident, file) = handed_on(&home, "tool");
    assert_eq!(incident["answer"]["status"], 200, "{incident}");
    let failure = incident["failure"].as_str().expect("a text");
    assert!(failure.contains("the hold is full"), "{failure}");
    let request = incident["request"].as_str().expect("a text");
    assert!(
        request.contains("\"mine\"") && request.contains("tools/call"),
        "{request}"
    );
    let listed = home.ok(&["incident", "list"]);
    assert!(
        listed.contains("  tool  ") && listed.contains("the hold is full"),
        "{listed}"
    );
    check_files(&home);
    drop(swarm);

    // Somebody else has the file, and gets the failure of it.
    let galaxy = Server::galaxy(&["--replay", &file.to_string_lossy()]);
    let (other, _swarm) = playing(&pilot, &galaxy);
    until("it fails there, too", || {
        let printed = results(&other);
        printed
            .iter()
            .any(|text| text.contains("the hold is full"))
            .then_some(())
    });
}

#[test]
fn a_request_that_a_model_server_refused_is_kept_and_refused_elsewhere_in_the_same_way() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&["--nonsense", "0", "--replay", &sample("risk400.json")]);
    let (home, swarm) = playing(&pilot, &galaxy);
    until("it plays", || (results(&home).len() > 2).then_some(()));
    home.ok(&["send", "alpha", "Rex says POISON"]);
    let (incident, file) = handed_on(&home, "model");
    assert!(
        incident["failure"]
            .as_str()
            .expect("a text")
            .contains("Content Exists Risk")
    );
    check_files(&home);
    drop(swarm);

    // Redaction and cuts leave what matters: the text without which a request is served.
    let text = std::fs::read_to_string(&file).expect("the file");
    let text = text.replace("\"only_with\": \"\"", "\"only_with\": \"POISON\"");
    std::fs::write(&file, text).expect("the file");
    let pilot = Server::pilot(&["--nonsense", "0", "--replay", &file.to_string_lossy()]);
    let (other, _swarm) = playing(&pilot, &galaxy);
    until("it plays there", || {
        (results(&other).len() > 2).then_some(())
    });
    other.ok(&["send", "alpha", "Rex says POISON"]);
    until("it is held back there, too", || {
        let log = other.lines(&["log", "alpha", "--limit", "0", "--json"]);
        let code = |row: &Value| row["metadata"]["code"] == "not_delivered";
        log.iter().any(code).then_some(())
    });
    let before = results(&other).len();
    until("it plays on", || {
        (results(&other).len() > before + 2).then_some(())
    });
}

#[test]
fn a_file_that_is_no_incident_is_refused_by_its_name() {
    let home = Home::new();
    std::fs::create_dir_all(home.path()).expect("a home");
    let file = home.file("no-incident.json");
    std::fs::write(&file, "{}").expect("a file");
    for server in ["pilot", "galaxy"] {
        let (status, printed) = home.fails(&[server, "--replay", &file.to_string_lossy()]);
        assert_eq!(status, 2, "{printed}");
        assert!(
            printed.contains("no-incident.json") && printed.contains("zoea_incident"),
            "{printed}"
        );
    }
    let (_, printed) = home.fails(&["incident", "last"]);
    assert!(printed.contains("no failed call"), "{printed}");
}
