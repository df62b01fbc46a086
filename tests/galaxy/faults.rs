//! Faults: each kind, as a client meets it.

use serde_json::{Value, json};
use zoea_galaxy::GalaxyOptions;

use crate::clients::{OwnClock, Running, Wire, fast, start};

/// A galaxy that injects these faults once its clock has been moved.
async fn faulty(faults: &[&str]) -> Running {
    let faults = faults.iter().map(|fault| fault.parse().unwrap()).collect();
    start(GalaxyOptions { faults, ..fast() }).await
}

/// The fault counts that the galaxy reports.
async fn counted(wire: &Wire) -> Value {
    wire.page("/faults").await
}

#[tokio::test]
async fn http_errors_are_answered_without_executing_anything() {
    for (fault, status, retry_after) in [
        ("http-500", 500, None),
        ("http-429:7", 429, Some("7")),
        ("outage:0s,1h", 503, None),
    ] {
        let running = faulty(&[fault]).await;
        let wire = Wire::new(&running.galaxy.url());
        let answer = wire.initialize("2025-03-26").await.unwrap();
        assert_eq!(
            (answer.status, answer.retry_after.as_deref()),
            (status, retry_after)
        );
        let name = fault.split(':').next().unwrap();
        assert_eq!(counted(&wire).await, json!({ name: 1 }));
    }
}

#[tokio::test]
async fn an_rpc_error_carries_the_id_of_the_request() {
    let running = faulty(&["rpc-error"]).await;
    let wire = Wire::new(&running.galaxy.url());
    let answer = wire.initialize("2025-03-26").await.unwrap();
    assert_eq!(answer.json()["error"]["code"], -32603);
    assert_eq!(answer.json()["id"], "q-1");
}

#[tokio::test]
async fn an_outage_ends() {
    let time = OwnClock::default();
    let faults = vec!["outage:60s,10s".parse().unwrap()];
    let running = start(GalaxyOptions {
        faults,
        clock: time.clock(),
        ..fast()
    })
    .await;
    let wire = Wire::open(&running.galaxy.url()).await;
    time.pass(60);
    assert_eq!(wire.tool("help", json!({})).await.unwrap().status, 503);
    time.pass(10);
    assert_eq!(wire.tool("help", json!({})).await.unwrap().status, 200);
}

#[tokio::test]
async fn tools_are_missing_for_a_while() {
    let time = OwnClock::default();
    let faults = vec!["tools-missing:5s".parse().unwrap()];
    let running = start(GalaxyOptions {
        faults,
        clock: time.clock(),
        ..fast()
    })
    .await;
    let wire = Wire::open(&running.galaxy.url()).await;
    let list = || wire.request("tools/list", json!({}));
    assert_eq!(list().await.unwrap().json()["result"]["tools"], json!([]));
    time.pass(5);
    let tools = list().await.unwrap().json();
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 164);
}

#[tokio::test]
async fn tools_change_in_the_interface_that_is_asked() {
    for (path, one, another) in [
        ("", "get_weather", "mine"),
        ("/v2", "spacemolt_weather", "spacemolt"),
    ] {
        let running = faulty(&["tools-changed:1"]).await;
        let wire = Wire::open(&format!("{}{path}", running.galaxy.url())).await;
        let mut lists = Vec::new();
        for _ in 0..2 {
            let list = wire.request("tools/list", json!({})).await.unwrap().json();
            let tools = list["result"]["tools"].as_array().unwrap().clone();
            let names = tools
                .iter()
                .map(|tool| tool["name"].as_str().unwrap().to_owned());
            lists.push(names.collect::<Vec<_>>());
        }
        let has = |list: usize, name: &str| lists[list].iter().any(|known| known == name);
        assert_eq!((has(0, one), has(1, one)), (false, true), "{path}");
        assert!(has(0, another) && has(1, another), "{path}");
        assert_eq!(
            lists[0].len(),
            lists[1].len(),
            "{path}: one more and one less"
        );
    }
}

#[tokio::test]
async fn dropped_and_hanging_and_garbled_requests_are_executed() {
    for fault in ["drop", "hang:1ms", "garbage"] {
        let running = faulty(&[fault]).await;
        let wire = Wire::new(&running.galaxy.url());
        // The answer with the new session is lost. The health page shows whether register was
        // executed.
        let answer = wire.initialize("2025-03-26").await;
        match fault {
            "garbage" => {
                let answer = answer.unwrap();
                assert_eq!(answer.status, 200);
                assert!(serde_json::from_str::<Value>(&answer.text).is_err());
            }
            _ => assert!(answer.is_err(), "{fault} answered"),
        }
        let name = fault.split(':').next().unwrap();
        assert_eq!(counted(&wire).await, json!({ name: 1 }));
    }
}

#[tokio::test]
async fn a_dropped_registration_has_made_the_account() {
    // Half of the requests are cut. The seed decides which, so the test tries until both have
    // happened.
    let running = faulty(&["drop@0.5"]).await;
    let wire = loop {
        let mut wire = Wire::new(&running.galaxy.url());
        if let Ok(answer) = wire.initialize("2025-03-26").await {
            wire.session = answer.session;
            break wire;
        }
    };
    let mut cut = 0;
    for number in 0..20 {
        let name = format!("Pilot {number}");
        let application =
            json!({ "username": name, "empire": "crimson", "registration_code": "C" });
        cut += u32::from(wire.tool("register", application).await.is_err());
    }
    assert!((1..20).contains(&cut), "{cut}");
    assert_eq!(wire.page("/health").await["players"], 20);
}

#[tokio::test]
async fn sessions_are_lost_on_purpose() {
    let running = faulty(&["game-session@0.5"]).await;
    let wire = Wire::open(&running.galaxy.url()).await;
    let application = json!({ "username": "Quill", "empire": "crimson", "registration_code": "C" });
    let mut words = Vec::new();
    wire.tool("register", application).await.unwrap();
    for _ in 0..20 {
        words.push(wire.tool("get_cargo", json!({})).await.unwrap().words());
    }
    assert!(
        words
            .last()
            .unwrap()
            .starts_with("Error: session_invalid: ")
    );
    let running = faulty(&["mcp-session"]).await;
    let wire = Wire::open(&running.galaxy.url()).await;
    let answer = wire.tool("help", json!({})).await.unwrap();
    assert_eq!(answer.json()["error"]["message"], "Session not initialized");
}

#[tokio::test]
async fn a_restart_is_announced() {
    let running = faulty(&["restart-warning", "slow:1ms"]).await;
    let wire = Wire::open(&running.galaxy.url()).await;
    let application = json!({ "username": "Quill", "empire": "crimson", "registration_code": "C" });
    wire.tool("register", application).await.unwrap();
    let shown = wire
        .tool("get_notifications", json!({}))
        .await
        .unwrap()
        .words();
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(
        shown["notifications"][0]["msg_type"],
        "server_restart_warning"
    );
    assert_eq!(
        shown["notifications"][0]["data"]["seconds_until_restart"],
        60
    );
    let counts = counted(&wire).await;
    assert_eq!(counts["restart-warning"], counts["slow"]);
    assert!(
        running
            .galaxy
            .faults()
            .iter()
            .any(|(name, count)| name == "slow" && count > 0)
    );
}
