//! Limits: too many calls in too short a time.

use std::time::Duration;

use serde_json::json;
use zoea_galaxy::{
    GalaxyOptions,
    limits::{GalaxyLimits, RateAllowance},
};

use crate::clients::{OwnClock, Player, Wire, fast, start};

#[tokio::test]
async fn an_address_that_logs_in_too_often_gets_http_429() {
    let time = OwnClock::default();
    let limits = GalaxyLimits {
        logins: RateAllowance::PerMinute(3),
        ..GalaxyLimits::NONE
    };
    let running = start(GalaxyOptions {
        limits,
        clock: time.clock(),
        ..fast()
    })
    .await;
    let url = running.galaxy.url();
    let wire = Wire::open(&url).await;
    let login = || wire.tool("login", json!({ "username": "Nobody", "password": "x" }));
    for _ in 0..2 {
        assert!(
            login()
                .await
                .unwrap()
                .words()
                .starts_with("Error: auth_failed: ")
        );
    }
    time.pass(20);
    let answer = login().await.unwrap();
    assert_eq!(
        (answer.status, answer.retry_after.as_deref()),
        (429, Some("40"))
    );
    assert_eq!(
        answer.json(),
        json!({
            "error": "rate_limited",
            "message": "Too many requests. Please slow down.",
            "retry_after": 40,
        })
    );
    assert_eq!(wire.initialize("2025-03-26").await.unwrap().status, 429);
    assert_eq!(wire.tool("help", json!({})).await.unwrap().status, 200);
    time.pass(40);
    assert_eq!(login().await.unwrap().status, 200);
}

#[tokio::test]
async fn guessing_passwords_is_slowed_down() {
    let time = OwnClock::default();
    let limits = GalaxyLimits {
        failed_logins: RateAllowance::PerMinute(2),
        ..GalaxyLimits::NONE
    };
    let running = start(GalaxyOptions {
        limits,
        clock: time.clock(),
        ..fast()
    })
    .await;
    let (player, welcome) = Player::register(&running.galaxy.url(), "Quill", "solarian").await;
    let guess = json!({ "username": "Quill", "password": "guess" });
    for _ in 0..2 {
        assert!(
            player
                .refused("login", guess.clone())
                .await
                .starts_with("Error: auth_failed: ")
        );
    }
    let right = json!({ "username": "Quill", "password": welcome["password"] });
    assert_eq!(
        player.refused("login", right.clone()).await,
        "Error: rate_limited: Too many failed logins. Retry in 60 seconds."
    );
    time.pass(60);
    player.ok("login", right).await;
}

#[tokio::test]
async fn limits_of_accounts_follow_the_tick() {
    let time = OwnClock::default();
    let options = GalaxyOptions {
        tick: Duration::from_secs(2),
        limits: GalaxyLimits {
            queries: RateAllowance::PerMinute(5),
            refusals: RateAllowance::PerMinute(2),
            ..GalaxyLimits::NONE
        },
        clock: time.clock(),
        ..fast()
    };
    let running = start(options).await;
    let (player, _) = Player::register(&running.galaxy.url(), "Quill", "solarian").await;
    for _ in 0..5 {
        player.ok("get_cargo", json!({})).await;
    }
    time.pass(2);
    for _ in 0..3 {
        assert_eq!(
            player.refused("get_cargo", json!({})).await,
            "Error: rate_limited: Too many requests. Please slow down. Retry in 10 seconds."
        );
    }
    // The third refusal exceeds the limit, so the address is blocked.
    let wire = Wire::new(&running.galaxy.url());
    let answer = wire.initialize("2025-03-26").await.unwrap();
    assert_eq!(
        (answer.status, answer.retry_after.as_deref()),
        (429, Some("24"))
    );
    time.pass(24);
    player.ok("get_cargo", json!({})).await;
}
