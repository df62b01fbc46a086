//! The login by a link and a code: the client's part by MCP, and the person's part by plain HTTP.

use std::time::Duration;

use serde_json::{Value, json};
use zoea_galaxy::limits::{GalaxyLimits, RateAllowance};
use zoea_galaxy::{GalaxyOptions, LinkRules};

use crate::clients::{OwnClock, Player, fast, http, start};

/// What a person sends by the page. Returns the status and the text of the answer.
async fn decide(url: &str, code: &str, character: &str, answer: &str) -> (u16, String) {
    let form = format!("code={code}&character={character}&answer={answer}");
    let sent = http()
        .post(url.replace("/mcp", "/link"))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(form)
        .send();
    let reply = sent.await.unwrap();
    (reply.status().as_u16(), reply.text().await.unwrap())
}

async fn poll(player: &Player, link: &Value) -> Value {
    let device_code = json!({"device_code": link["device_code"]});
    player.ok("login_link_poll", device_code).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_picks_the_character_that_a_client_plays() {
    let running = start(fast()).await;
    let url = running.galaxy.url();
    let (owner, _) = Player::register(&url, "O'Quill", "solarian").await;
    owner.ok("logout", json!({})).await;
    let player = Player::connect(&url).await;
    let link = player.ok("login_link", json!({})).await;
    let page = url.replace("/mcp", "/link");
    assert_eq!(link["verification_uri"], page);
    assert_eq!(
        (&link["interval"], &link["expires_in"]),
        (&json!(5), &json!(600))
    );
    let code = link["user_code"].as_str().unwrap();
    assert_eq!(
        link["verification_uri_complete"],
        format!("{page}?code={code}")
    );
    let waits = json!({"status": "authorization_pending", "interval": 5});
    assert_eq!(poll(&player, &link).await, waits);
    let refused = player.refused("get_status", json!({})).await;
    assert!(refused.starts_with("Error: session_required"), "{refused}");

    let shown = http().get(link["verification_uri_complete"].as_str().unwrap());
    let shown = shown.send().await.unwrap().text().await.unwrap();
    assert!(shown.contains(code) && shown.contains("O'Quill"), "{shown}");
    assert_eq!(decide(&url, code, "nobody", "allow").await.0, 404);
    let (status, text) = decide(&url, &code.to_lowercase(), "o%27quill", "allow").await;
    assert_eq!(
        (status, text.contains("is logged in")),
        (200, true),
        "{text}"
    );
    assert_eq!(decide(&url, code, "", "deny").await.0, 404, "it is decided");
    let welcome = poll(&player, &link).await;
    assert_eq!(welcome["message"], "Welcome back, O'Quill!");
    assert_eq!(welcome["player"]["username"], "O'Quill");
    player.ok("get_status", json!({})).await;
    assert_eq!(
        poll(&player, &link).await,
        json!({"status": "expired_token"})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_may_deny_and_a_link_ends_by_itself() {
    let time = OwnClock::default();
    let running = start(GalaxyOptions {
        clock: time.clock(),
        links: LinkRules {
            valid: Duration::from_secs(60),
            ..LinkRules::default()
        },
        ..fast()
    })
    .await;
    let url = running.galaxy.url();
    let player = Player::connect(&url).await;
    let [denied, forgotten] = [
        player.ok("login_link", json!({})).await,
        player.ok("login_link", json!({})).await,
    ];
    let code = denied["user_code"].as_str().unwrap();
    assert_eq!(decide(&url, code, "", "deny").await.0, 200);
    assert_eq!(
        poll(&player, &denied).await,
        json!({"status": "access_denied"})
    );
    time.pass(60);
    assert_eq!(
        poll(&player, &forgotten).await,
        json!({"status": "expired_token"})
    );
    let code = forgotten["user_code"].as_str().unwrap();
    assert_eq!(decide(&url, code, "", "deny").await.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_cannot_be_tried_at_will_and_links_count_as_logins() {
    let running = start(GalaxyOptions {
        limits: GalaxyLimits {
            failed_logins: RateAllowance::PerMinute(2),
            logins: RateAllowance::PerMinute(3),
            ..GalaxyLimits::NONE
        },
        ..fast()
    })
    .await;
    let url = running.galaxy.url();
    let wrong = || decide(&url, "AAAA-AAAA", "x", "allow");
    let tried = [wrong().await.0, wrong().await.0, wrong().await.0];
    assert_eq!(tried, [404, 404, 429]);
    // The session itself is the first of three.
    let player = Player::connect(&url).await;
    player.ok("login_link", json!({})).await;
    player.ok("login_link", json!({})).await;
    let params = rmcp::model::CallToolRequestParams::new("login_link");
    assert!(player.mcp.call_tool(params).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_interface_has_it_too_and_answers_the_login_in_text() {
    let running = start(fast()).await;
    let url = running.galaxy.url();
    let (_owner, _) = Player::register(&url, "Quill", "solarian").await;
    let player = Player::connect(&format!("{url}/v2")).await;
    let link = player
        .ok("spacemolt_auth", json!({"action": "login_link"}))
        .await;
    let asks = json!({"action": "login_link_poll", "device_code": link["device_code"]});
    let shown = player.ok("spacemolt_auth", asks.clone()).await;
    assert_eq!(shown["status"], "authorization_pending");
    let code = link["user_code"].as_str().unwrap();
    assert_eq!(decide(&url, code, "Quill", "allow").await.0, 200);
    let welcome = player.raw("spacemolt_auth", asks).await;
    let text = &welcome.content[0].as_text().unwrap().text;
    assert!(
        text.starts_with("Welcome back, Quill! Session ID: "),
        "{text}"
    );
}
