//! The listeners: control and metrics withstand crowds, and serve this machine only.

use std::fs;
use std::net::TcpStream;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use zoea_rig::{Home, http, try_http, until};

const METRICS: &str = "[metrics]\nlisten = \"127.0.0.1:0\"\n";

/// The address of a listener of the running program.
fn listener_address(home: &Home, key: &str) -> String {
    let run = fs::read_to_string(home.file("run.json")).expect("a run file");
    let run: Value = serde_json::from_str(&run).expect("JSON");
    run[key].as_str().expect("an address").to_string()
}

fn address(url: &str) -> &str {
    let rest = url.trim_start_matches("http://");
    rest.split('/').next().expect("an address")
}

/// A command of the program with this limit of open files.
fn limited(home: &Home, descriptors: u32, arguments: &[&str]) -> Command {
    prepared(home, &format!("ulimit -n {descriptors}"), arguments)
}

/// A command of the program in a process that a shell has prepared so.
pub(crate) fn prepared(home: &Home, words: &str, arguments: &[&str]) -> Command {
    let plain = home.command(arguments);
    let mut command = Command::new("sh");
    let script = format!("{words}; exec \"$0\" \"$@\"");
    command.args(["-c", &script]).arg(plain.get_program());
    command.args(plain.get_args());
    command.current_dir(std::env::temp_dir());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

#[test]
fn a_crowd_of_silent_strangers_keeps_nobody_out() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", METRICS);
    home.ok(&["mysis", "list"]);
    let run = limited(&home, 200, &["run", "--headless", "--json"]);
    let swarm = home.launch(run);
    let (control, metrics) = (
        listener_address(&home, "control"),
        listener_address(&home, "metrics"),
    );
    let mut crowd = Vec::new();
    for url in [&control, &metrics] {
        for _ in 0..250 {
            crowd.push(TcpStream::connect(address(url)).expect("a connection"));
        }
    }
    let started = Instant::now();
    home.ok(&["status"]);
    // Where the kernel's queue was full, some of the crowd arrive behind the owner, who may be cut off for them once.
    let (status, _) = until("the metrics", || try_http("GET", &metrics, &[], "").ok());
    assert_eq!(status, 200);
    let waited = started.elapsed();
    assert!(waited.as_secs() < 10, "the owner waited {waited:?}");
    drop(crowd);
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}

#[test]
fn what_names_another_machine_is_turned_away_at_both_listeners() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", METRICS);
    let _swarm = home.fly(&[]);
    let token = fs::read_to_string(home.file("control.token")).expect("a token");
    let bearer = format!("Authorization: Bearer {}", token.trim());
    let control = listener_address(&home, "control");
    let metrics = listener_address(&home, "metrics");
    let ask_control = |more: &[&str]| {
        let usual = [
            &*bearer,
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
        ];
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
        http(
            "POST",
            &control,
            &[&usual, more].concat(),
            &body.to_string(),
        )
        .0
    };
    let ask_metrics = |more: &[&str]| http("GET", &metrics, more, "").0;
    for ours in [
        "Host: localhost",
        "Host: [::1]:80",
        "Origin: http://localhost:3000",
    ] {
        assert_eq!(
            (ask_control(&[ours]), ask_metrics(&[ours])),
            (200, 200),
            "{ours}"
        );
    }
    for other in [
        "Host: evil.example",
        "Host: [::1]evil",
        "Host: localhost.evil.example",
        "Origin: https://evil.example",
        "Origin: http://[::1]evil",
        "Origin: null",
    ] {
        assert_eq!(
            (ask_control(&[other]), ask_metrics(&[other])),
            (403, 403),
            "{other}"
        );
    }
}

#[test]
fn metrics_that_others_can_read_are_refused_or_told() {
    let home = Home::new();
    let remote = "[metrics]\nlisten = \"0.0.0.0:0\"\n";
    home.configure("http://127.0.0.1:9/v1", "", remote);
    let (status, error) = home.fails(&["run", "--headless"]);
    assert_eq!(status, 2);
    assert!(error.contains("metrics.allow_remote = true"), "{error}");
    let allowed = format!("{remote}allow_remote = true\n");
    home.configure("http://127.0.0.1:9/v1", "", &allowed);
    let mut swarm = home.fly(&[]);
    loop {
        let line = swarm.line().expect("the swarm goes on");
        let event: Value = serde_json::from_str(&line).expect("JSON");
        if event["code"] == "metrics_remote" {
            break;
        }
    }
    let metrics = listener_address(&home, "metrics").replace("0.0.0.0", "127.0.0.1");
    assert_eq!(
        http("GET", &metrics, &["Host: box.example:9464"], "").0,
        200
    );
    assert_eq!(
        http("GET", &metrics, &["Origin: http://evil.example"], "").0,
        403
    );
    let doctor = home.run(&["doctor", "--json"]);
    let printed = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(printed.contains("without a password"), "{printed}");
}

#[test]
fn no_number_is_too_large_to_be_answered() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    let huge = "18446744073709551615";
    for command in [
        &["log", "alpha", "--limit", huge][..],
        &["search", "ore", "--limit", huge],
        &["books", "--days", huge],
        &["run", "--headless", "--for", "18446744073709551615s"],
        &["run", "--offline", "--myses", "4294967295"],
    ] {
        let (status, error) = home.fails(command);
        assert_eq!(status, 2, "{error}");
    }
    let _swarm = home.fly(&[]);
    let token = fs::read_to_string(home.file("control.token")).expect("a token");
    let bearer = format!("Authorization: Bearer {}", token.trim());
    let headers = [
        &*bearer,
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
    ];
    for (tool, key) in [
        ("read_log", "limit"),
        ("read_log", "after_seq"),
        ("search", "limit"),
        ("get_books", "days"),
    ] {
        for number in [u64::MAX, i64::MAX as u64] {
            let mut arguments = json!({key: number});
            match tool {
                "read_log" => arguments["name"] = "alpha".into(),
                "search" => arguments["query"] = "ore".into(),
                _ => {}
            }
            let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": tool, "arguments": arguments}});
            let url = listener_address(&home, "control");
            let (status, body) = http("POST", &url, &headers, &call.to_string());
            assert_eq!(status, 200, "{body}");
            let answer: Value = serde_json::from_str(&body).expect("JSON");
            assert_eq!(answer["result"]["isError"], true, "{body}");
            assert!(body.contains("is a whole number from 0 to"), "{body}");
        }
    }
}

#[test]
fn a_pipe_or_a_device_is_read_as_no_file_and_holds_nobody_up() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "list"]);
    let pipe = home.file("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    let pipe = pipe.to_str().expect("text");
    let refused = |arguments: &[&str]| {
        let (_, error) = home.fails(arguments);
        assert!(
            error.contains("not a regular file"),
            "{arguments:?}: {error}"
        );
    };
    for file in [pipe, "/dev/full", "/dev/zero"] {
        refused(&["accounts", "import", file]);
        refused(&["import", file]);
        refused(&["db", "restore", file]);
        refused(&["--config", file, "mysis", "list"]);
    }
    let swarm = home.fly(&[]);
    refused(&["accounts", "import", pipe]);
    refused(&["accounts", "import", "/dev/full"]);
    let started = Instant::now();
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    home.configure(
        "http://127.0.0.1:9/v1",
        "",
        "[providers.keyed]\nendpoint = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n\
         api_key_name = \"keyed\"\n",
    );
    for name in ["credentials.json", "system-prompt.md"] {
        let file = home.file(name);
        let made = Command::new("mkfifo").arg(&file).status();
        assert!(made.expect("mkfifo runs").success());
        let output = home.run(&["run", "--headless", "--for", "1ms"]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains("not a regular file"), "{name}: {error}");
        fs::remove_file(file).expect("it goes");
    }
}

#[test]
fn a_want_of_descriptors_is_told_as_what_it_is_and_blamed_on_nobody() {
    let galaxy = zoea_rig::Server::galaxy(&[]);
    let pilot = zoea_rig::Server::pilot(&["--latency", "2s"]);
    let home = Home::new();
    let myses = (0..60).map(|number| format!("[[myses]]\nname = \"m{number}\"\n"));
    home.configure(&pilot.url, &galaxy.url, &myses.collect::<String>());
    home.ok(&["broadcast", "Mine ore."]);
    let mut swarm = home.launch(limited(
        &home,
        72,
        &["run", "--headless", "--json", "--start-swarm"],
    ));
    let (mut is_announced, mut wanting) = (false, 0);
    while !is_announced || wanting < 10 {
        let line = swarm.line().expect("the swarm goes on");
        let event: Value = serde_json::from_str(&line).expect("JSON");
        let text = event["text"].as_str().unwrap_or_default();
        is_announced |= event["code"] == "few_descriptors" && text.contains("LimitNOFILE=");
        if event["code"] == "no_descriptor" {
            assert!(text.contains("LimitNOFILE="), "{event}");
            wanting += 1;
        }
        assert_ne!(event["to"], "errored", "{event}");
        assert_ne!(event["code"], "circuit_open", "{event}");
        assert_ne!(event["code"], "retry", "{event}");
    }
    let myses = until("the owner is let in", || {
        let output = home.run(&["mysis", "list", "--json"]);
        serde_json::from_slice::<Value>(&output.stdout).ok()
    });
    for mysis in myses.as_array().expect("a list") {
        assert_eq!(mysis["state"], "running", "{mysis}");
    }
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}
