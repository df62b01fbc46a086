//! The control interface: for clients with the token on this machine, and for nobody else.

use std::net::Ipv4Addr;

use actors::domain::life::Mode;
use serde_json::{Map, Value};
use zoea::host::home::{self, RunFile};
use zoea::interface::control::ControlServer;
use zoea::interface::control::client::{ControlClient, ControlError};
use zoea::wiring::{LaunchOptions, Observers, RunningSwarm};
use zoea_settings::{ConfigSource, Environment, Settings};

use zoea_rig::{Home, http, until};

/// Requests the list of tools. Returns the status and the body.
fn post(url: &str, headers: &[&str]) -> (u16, String) {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    let usual = [
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
    ];
    http("POST", url, &[&usual, headers].concat(), body)
}

#[test]
fn only_the_token_opens_it_and_foreign_hosts_and_origins_do_not() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    let _swarm = home.fly(&[]);
    let run: Value =
        serde_json::from_str(&std::fs::read_to_string(home.file("run.json")).expect("run.json"))
            .expect("JSON");
    let url = run["control"].as_str().expect("an address");
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
    let token = std::fs::read_to_string(home.file("control.token")).expect("a token");
    let bearer = format!("Authorization: Bearer {}", token.trim());

    let (status, body) = post(url, &[&bearer]);
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("list_myses"), "{body}");
    assert_eq!(post(url, &[]).0, 401);
    assert_eq!(post(url, &["Authorization: Bearer guess"]).0, 401);
    assert_eq!(post(url, &[&bearer, "Origin: https://evil.example"]).0, 403);
    assert_eq!(post(url, &[&bearer, "Host: evil.example"]).0, 403);
    assert_eq!(
        post(url, &[&bearer, "Origin: http://localhost:3000"]).0,
        200
    );
}

#[cfg(unix)]
#[test]
fn files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    let _swarm = home.fly(&[]);
    let mode = |path: std::path::PathBuf| {
        // Another thread writes the log's first line and creates the file.
        let found = until("it is there", || std::fs::metadata(&path).ok());
        found.permissions().mode() & 0o777
    };
    assert_eq!(mode(home.path()), 0o700);
    for name in ["zoea.db", "run.json", "control.token", "zoea.log"] {
        assert_eq!(mode(home.file(name)), 0o600, "{name}");
    }
}

#[tokio::test]
async fn whoever_comes_while_it_closes_is_told_so() {
    let folder = Home::new();
    folder.configure("http://127.0.0.1:9/v1", "", "");
    let home = home::Home::open(folder.path()).expect("a home");
    let source = ConfigSource::new(None, &folder.path());
    let loaded = Settings::load(&source, &Environment::default()).expect("a configuration");
    let options = LaunchOptions {
        resume: false,
        start_idle: false,
        mode: Mode::Live,
        secrets: actors::secrets::Secrets::default(),
    };
    let flight = RunningSwarm::start(
        home.lock().expect("the lock"),
        &loaded.settings,
        options,
        Observers::default(),
    );
    let flight = flight.await.expect("a swarm");
    let listener = ControlServer::bind((Ipv4Addr::LOCALHOST, 0).into()).await;
    let control = flight.open_control(listener.expect("a port")).await;
    let (control, _run_file) = control.expect("a control interface");
    let running = RunFile::read(&home).expect("it runs");
    let token = home.control_token().expect("readable").expect("a token");
    let client = ControlClient::connect(&running, &token, |_| {}).await;
    let client = client.expect("a connection");
    let listed = async || client.call("list_myses", Map::new()).await;

    listed().await.expect("a list");
    control.close().await;
    match listed().await {
        Err(ControlError::Refused(why)) => assert!(why.contains("is closing"), "{why}"),
        other => panic!("it was answered with {other:?}"),
    }
    control.stop().await;
    flight.shutdown().await;
    assert!(matches!(listed().await, Err(ControlError::Unreachable(_))));
}
