//! The program itself: its first line, its signals, and the state that a killed one leaves.

use std::{
    path::Path,
    process::{ExitStatus, Stdio},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

use crate::clients::{PATIENCE, Player};

struct Program {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    url: String,
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zoea"));
    command
        .args(["galaxy", "--addr", ":0"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

impl Program {
    async fn start(arguments: &[&str]) -> Self {
        let fast = ["--tick", "5ms", "--logins-per-minute", "unlimited"];
        let mut child = command(&[&fast, arguments].concat()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = tokio::time::timeout(PATIENCE, lines.next_line())
            .await
            .unwrap();
        let line = line.unwrap().expect("it says where it listens");
        let url = line.strip_prefix("galaxy listening on ").unwrap();
        let (url, rest) = url.split_once(' ').unwrap();
        assert!(
            rest.starts_with("(seed ") && rest.ends_with(", tick 5ms)"),
            "{line}"
        );
        Self {
            child,
            lines,
            url: url.to_owned(),
        }
    }

    /// Sends a signal with the shell's own `kill`, which every system has.
    async fn end(&mut self, signal: &str) -> ExitStatus {
        let id = self.child.id().unwrap().to_string();
        let sent = Command::new("sh")
            .args(["-c", r#"kill "$0" "$1""#, signal, &id])
            .status()
            .await
            .unwrap();
        assert!(sent.success());
        tokio::time::timeout(PATIENCE, self.child.wait())
            .await
            .unwrap()
            .unwrap()
    }
}

#[tokio::test]
async fn signals_stop_it_in_good_order() {
    for signal in ["-TERM", "-INT"] {
        let mut program = Program::start(&["--fault", "slow:1ms", "--seed", "7"]).await;
        let player = Player::connect(&program.url).await;
        player.ok("help", json!({})).await;
        let status = program.end(signal).await;
        assert!(status.success(), "{signal}: {status}");
        let last = program.lines.next_line().await.unwrap().unwrap();
        assert!(last.starts_with("faults struck: slow "), "{last}");
    }
}

#[tokio::test]
async fn wrong_usage_is_explained() {
    for (arguments, words) in [
        (
            ["--fault", "explode"],
            "there is no fault `explode`; there are http-500",
        ),
        (["--tick", "0s"], "a tick lasts from 1ms to 1h"),
        (
            ["--chats-per-minute", "few"],
            "give a number or `unlimited`",
        ),
    ] {
        let mut child = command(&arguments).spawn().unwrap();
        let mut stderr = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .await
            .unwrap();
        assert_eq!(child.wait().await.unwrap().code(), Some(2));
        assert!(stderr.contains(words), "{stderr}");
    }
}

/// The state that a player would miss.
async fn affairs(player: &Player) -> Value {
    let mut affairs = json!({
        "status": player.ok("get_status", json!({})).await,
        "log": player.ok("captains_log_get", json!({ "index": 0 })).await,
        "missions": player.ok("get_active_missions", json!({})).await,
        "storage": player.ok("view_storage", json!({ "station_id": "confederacy_central_command" })).await,
        "map": player.ok("get_map", json!({ "system_id": "sol" })).await["visited_at"],
        "said": player.ok("get_chat_history", json!({ "channel": "system" })).await,
    });
    // Game time goes on, and so do the values that depend on it.
    for key in [
        "last_login_at",
        "last_active_at",
        "last_chat_check",
        "stats",
    ] {
        affairs["status"]["player"]
            .as_object_mut()
            .unwrap()
            .remove(key);
    }
    affairs["missions"]["missions"][0]
        .as_object_mut()
        .unwrap()
        .remove("expires_in_ticks");
    affairs
}

#[tokio::test]
async fn killed_and_started_again_everything_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let (data, ledger) = (dir.path().join("data"), dir.path().join("ledger.jsonl"));
    let arguments = [
        "--data",
        data.to_str().unwrap(),
        "--ledger",
        ledger.to_str().unwrap(),
    ];
    let mut program = Program::start(&arguments).await;
    let (player, welcome) = Player::register(&program.url, "Quill", "solarian").await;
    player
        .ok("accept_mission", json!({ "mission_id": "iron_supply_run" }))
        .await;
    player
        .ok("buy", json!({ "item_id": "iron_ore", "quantity": 3 }))
        .await;
    player
        .ok(
            "deposit_items",
            json!({ "item_id": "iron_ore", "quantity": 2 }),
        )
        .await;
    player
        .ok("travel", json!({ "target_poi": "main_belt" }))
        .await;
    for _ in 0..5 {
        player.ok("mine", json!({})).await;
    }
    player
        .ok("captains_log_add", json!({ "entry": "the belt pays" }))
        .await;
    player
        .ok("chat", json!({ "channel": "system", "content": "anyone?" }))
        .await;
    let before = affairs(&player).await;
    assert!(!program.end("-KILL").await.success());

    let program = Program::start(&arguments).await;
    let again = Player::connect(&program.url).await;
    let credentials = json!({ "username": "Quill", "password": welcome["password"] });
    let back = again.ok("login", credentials).await;
    assert_eq!(back["captains_log"][0]["entry"], "the belt pays");
    assert_ne!(back["session_id"], welcome["session_id"]);
    assert_eq!(affairs(&again).await, before);
    again.ok("mine", json!({})).await;
    assert_eq!(
        mutations(&ledger),
        [
            "accept_mission",
            "buy",
            "deposit_items",
            "travel",
            "mine",
            "mine",
            "mine",
            "mine",
            "mine",
            "mine",
        ]
    );
}

/// The commands in a ledger whose lines are all whole and successful.
fn mutations(ledger: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(ledger).unwrap();
    text.lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            assert_eq!(line["ok"], true, "{line}");
            assert!(line["tick"].as_u64().unwrap() > 270_000 && line["player"].is_string());
            line["command"].as_str().unwrap().to_owned()
        })
        .collect()
}
