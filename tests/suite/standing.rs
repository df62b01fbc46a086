//! What concerns the whole program is told where an operator looks, for as long as it lasts (rows H1 and S2).

use std::fs::File;

use serde_json::Value;
use zoea_rig::{Home, http, until};

use crate::receiver::Receiver;

/// A configuration in which every kind of secret is named.
const NAMED: &str = "token_env = \"GAME_TOKEN\"\nregistration_code_env = \"CODE\"\n\
    [mcp.headers]\nX-Tenant = { env = \"TENANT\" }\n\
    [providers.other]\nendpoint = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\napi_key_env = \"OTHER_KEY\"\n\
    headers = { X-Org = { env = \"ORG\" } }\n\
    [providers.third]\nendpoint = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\napi_key_name = \"third\"\n\
    [traces]\nendpoint = \"http://127.0.0.1:9\"\nheaders_env = \"TRACES_HEADERS\"\n\
    [metrics]\nlisten = \"127.0.0.1:0\"\n";
/// What is said of each of them.
const MISSING: [&str; 8] = [
    "mcp.token: GAME_TOKEN holds no",
    "mcp.registration_code_env: CODE holds no",
    "mcp.headers.x-tenant: TENANT holds no",
    "providers.other.api_key_env: OTHER_KEY is not set",
    "providers.other.headers.x-org: ORG holds no",
    "providers.third.api_key_name: ",
    "traces.headers_env: TRACES_HEADERS is not set",
    "alerts.token_env: ALERTS_TOKEN holds no",
];
const VARIABLES: [&str; 6] = [
    "GAME_TOKEN",
    "CODE",
    "TENANT",
    "OTHER_KEY",
    "ORG",
    "TRACES_HEADERS",
];

fn home(webhook: &str) -> Home {
    let home = Home::new();
    let alerts = format!("[alerts]\nwebhook = \"{webhook}/hook\"\ntoken_env = \"ALERTS_TOKEN\"\n");
    home.configure(
        "http://127.0.0.1:9/v1",
        "http://127.0.0.1:9/mcp",
        &(NAMED.to_owned() + &alerts),
    );
    home
}

fn tells_all(what: &str, text: &str) {
    for missing in MISSING {
        assert!(text.contains(missing), "{what} lacks {missing}: {text}");
    }
}

#[test]
fn a_secret_that_is_missing_is_told_at_the_first_start_everywhere() {
    for is_empty in [false, true] {
        let webhook = Receiver::start(&[]);
        let home = home(&webhook.url);
        let mut command = home.command(&["run", "--headless", "--json"]);
        for name in VARIABLES.iter().chain(&["ALERTS_TOKEN"]) {
            // An empty value is none, and so are blanks.
            match is_empty {
                true => command.env(name, "  "),
                false => command.env_remove(name),
            };
        }
        let complaints = home.path().join("complaints");
        command.stderr(File::create(&complaints).expect("a file"));
        let swarm = home.launch(command);
        let printed = until("all is reported", || {
            let printed = std::fs::read_to_string(&complaints).expect("a file");
            MISSING
                .iter()
                .all(|it| printed.contains(it))
                .then_some(printed)
        });
        tells_all("stderr", &printed);
        let events = home.lines(&["events", "--json"]);
        let event = events
            .iter()
            .find(|event| event["code"] == "secret_missing");
        let event = event.expect("an event");
        assert_eq!(event["severity"], "warn");
        tells_all("events", event["text"].as_str().expect("a text"));
        let status = home.json(&["status", "--json"]);
        assert_eq!(status["warnings"][0]["code"], "secret_missing");
        tells_all("status", &home.ok(&["status"]));
        tells_all(
            "doctor",
            &String::from_utf8_lossy(&home.run(&["doctor"]).stdout),
        );
        let run = std::fs::read_to_string(home.file("run.json")).expect("a run file");
        let run: Value = serde_json::from_str(&run).expect("JSON");
        let (_, metrics) = http("GET", run["metrics"].as_str().expect("an address"), &[], "");
        assert!(
            metrics.contains("zoea_needs{cause=\"secret_missing\"} 1"),
            "{metrics}"
        );
        let alert = until("the webhook is told", || {
            let mut brought = webhook.brought().into_iter();
            brought.find(|alert| alert.body["cause"] == "secret_missing")
        });
        tells_all("the alert", alert.body["why"].as_str().expect("a reason"));
        swarm.signal("-TERM");
        assert!(swarm.wait().success());
    }
}

#[test]
fn where_all_secrets_are_there_none_is_said_to_be_missing() {
    let webhook = Receiver::start(&[]);
    let home = home(&webhook.url);
    let credentials = r#"{"providers": {"third": {"api_key": "sk-third"}}}"#;
    std::fs::write(home.file("credentials.json"), credentials).expect("credentials");
    let mut command = home.command(&["run", "--headless", "--json"]);
    for name in VARIABLES.iter().chain(&["ALERTS_TOKEN"]) {
        command.env(name, "authorization=something");
    }
    let _swarm = home.launch(command);
    let status = home.json(&["status", "--json"]);
    assert_eq!(status["warnings"], serde_json::json!([]));
    let events = home.lines(&["events", "--json"]);
    assert!(
        events.iter().all(|event| event["code"] != "secret_missing"),
        "{events:?}"
    );
}

#[test]
fn a_secret_that_a_reload_finds_ends_the_warning() {
    let home = Home::new();
    let key = "[providers.third]\nendpoint = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\napi_key_name = \"third\"\n";
    home.configure("http://127.0.0.1:9/v1", "", key);
    let swarm = home.fly(&[]);
    assert_eq!(
        home.json(&["status", "--json"])["warnings"][0]["code"],
        "secret_missing"
    );
    let credentials = r#"{"providers": {"third": {"api_key": "sk-third"}}}"#;
    std::fs::write(home.file("credentials.json"), credentials).expect("credentials");
    swarm.signal("-HUP");
    until("the warning is over", || {
        let status = home.json(&["status", "--json"]);
        (status["warnings"] == serde_json::json!([])).then_some(())
    });
}
