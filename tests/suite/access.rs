//! An MCP server that wants a token and a header of every request.

use std::time::{Duration, Instant};

use crate::flight::until_all_have;
use crate::receiver::Receiver;
use zoea_rig::{Home, Server, until};

const TOKEN: &str = "tok-7f3a9c51d2";
const TENANT: &str = "north-4471";
const SETTINGS: &str =
    "token_env = \"GAME_TOKEN\"\n[mcp.headers]\nX-Tenant = { name = \"tenant\" }\n";

fn guarded_galaxy() -> Server {
    let header = format!("X-Tenant={TENANT}");
    Server::galaxy(&["--token", TOKEN, "--header", &header])
}

fn home_with(pilot: &Server, galaxy: &str, more: &str) -> Home {
    let home = Home::new();
    home.configure(&pilot.url, galaxy, more);
    let credentials = format!(r#"{{"secrets": {{"tenant": "{TENANT}"}}}}"#);
    std::fs::write(home.file("credentials.json"), credentials).expect("credentials");
    home
}

#[test]
fn a_swarm_with_the_token_and_the_header_plays_and_shows_neither() {
    let (galaxy, pilot) = (guarded_galaxy(), Server::pilot(&[]));
    let home = home_with(&pilot, &galaxy.url, SETTINGS);
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let mut command = home.command(&["--debug", "run", "--headless", "--json", "--start-swarm"]);
    command.env("GAME_TOKEN", TOKEN);
    let mut swarm = home.launch(command);
    until_all_have(&mut swarm, 1, &["mine", "sell"]);
    let printed = home.ok(&["log", "alpha", "--json", "--limit", "0"]) + &home.ok(&["status"]);
    let mut command = home.command(&["doctor"]);
    let doctor = command.env("GAME_TOKEN", TOKEN).output().expect("it runs");
    let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(doctor.contains("✓ mcp: "), "{doctor}");
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let log = std::fs::read_to_string(home.file("zoea.log")).expect("a log");
    for secret in [TOKEN, TENANT] {
        assert!(
            ![&printed, &doctor, &log]
                .iter()
                .any(|text| text.contains(secret))
        );
    }
}

#[test]
fn without_the_token_the_operator_is_told_which_setting_to_mend_and_nothing_storms() {
    let refusing = Receiver::start(&[401; 1000]);
    let (hook, pilot) = (Receiver::start(&[]), Server::pilot(&[]));
    let more = format!("{SETTINGS}[alerts]\nwebhook = \"{}/hook\"\n", hook.url);
    let home = home_with(&pilot, &format!("{}/mcp", refusing.url), &more);
    for name in ["alpha", "beta", "gamma"] {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let _swarm = home.fly(&["--start-swarm"]);
    let alert = until("an alert names the setting", || {
        let mut brought = hook.brought().into_iter().map(|brought| brought.body);
        brought.find(|alert| alert["cause"] == "no access")
    });
    assert!(
        alert["why"].as_str().expect("a text").contains("token_env"),
        "{alert}"
    );
    let away = until("the server counts as away", || {
        let text = home.ok(&["status"]);
        text.contains("HTTP 401").then_some(text)
    });
    assert!(away.contains("token_env"), "{away}");
    let status = home.json(&["status", "--json"]);
    let outage = &status["away"][0];
    assert_eq!(
        (&outage["server"], &outage["needs_operator"]),
        (&"the tool server".into(), &true.into()),
        "{status}"
    );
    let at = |text: &str| chrono::DateTime::parse_from_rfc3339(text).expect("a time");
    let next = at(outage["next_try"].as_str().expect("a time"));
    assert!(next.to_utc() > chrono::Utc::now(), "{status}");
    home.recorded("it is recorded", |event| {
        event.to_string().contains("zoea tries it again in 30s")
    });
    // At most one request of each Mysis was on its way when the first was refused, and none asks
    // again before half a minute is over. Those that were admitted together come back together.
    let begun = Instant::now();
    let mut at_first = 0;
    let asked = until("it is asked again", || {
        let asked = refusing.brought().len();
        if begun.elapsed() < Duration::from_secs(20) {
            at_first = asked;
        }
        (asked > at_first).then_some(asked)
    });
    assert!(at_first <= 6 && asked <= at_first + 3, "{at_first} {asked}");
    let log = std::fs::read_to_string(home.file("zoea.log")).expect("a log");
    assert!(log.contains("GAME_TOKEN holds no usable value"), "{log}");
}

#[test]
fn a_header_that_is_missing_is_told_like_a_token() {
    let (galaxy, pilot) = (guarded_galaxy(), Server::pilot(&[]));
    let home = home_with(&pilot, &galaxy.url, "token_env = \"GAME_TOKEN\"\n");
    let mut command = home.command(&["doctor"]);
    let doctor = command.env("GAME_TOKEN", TOKEN).output().expect("it runs");
    let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(
        doctor.contains("✗ mcp: ") && doctor.contains("HTTP 403"),
        "{doctor}"
    );
    assert!(doctor.contains("headers under [mcp]"), "{doctor}");
}
