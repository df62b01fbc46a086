//! Registration: however a game tells the password of a new account, it is stored before the model
//! sees it. If nobody can read it, nothing is registered again.

use std::sync::Arc;

use serde_json::json;

use crate::parrot::Parrot;
use zoea_rig::{Home, sqlite};

const PASSWORD: &str = "0a1b2c3d4e5f60718293";

/// A home whose game answers `register` like this, after its first turn, and the requests.
fn registered(answer: &str) -> (Home, Parrot) {
    let parrot = Parrot::start(2, answer, Arc::new(|place, _| place.to_string()));
    let home = Home::new();
    std::fs::create_dir_all(home.path()).expect("a home");
    let address = parrot.address;
    let text = format!(
        "[budget]\nusd_per_day = \"unlimited\"\n[swarm]\nturn_pause = \"1ms\"\ndefault_provider = \"whole\"\n\
         [providers.whole]\nendpoint = \"http://{address}/whole\"\nmodel = \"m\"\nstream = false\n\
         retry = [\"1ms\", \"1ms\", \"1ms\"]\n\
         [mcp]\nupstream = \"http://{address}/mcp\"\nlogins_per_minute = 100000\nretry = [\"1ms\"]\n\
         [supervision]\nrelaunch = \"always\"\nbackoff = [\"1ms\", \"2ms\"]\nmax_relaunches = 1000\n"
    );
    std::fs::write(home.file("zoea.toml"), text).expect("a configuration");
    home.ok(&["mysis", "create", "alpha"]);
    let swarm = home.fly(&[]);
    home.ok(&["broadcast", "Register."]);
    // The model registers in two turns of each round.
    parrot.speak_in(&home, &[0]);
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    (home, parrot)
}

fn times_registered(parrot: &Parrot) -> usize {
    let brought = parrot.brought();
    let of_game = brought.iter().filter(|(whom, _)| whom == "game");
    of_game
        .filter(|(_, what)| what.contains(r#""name":"register""#))
        .count()
}

fn for_model(parrot: &Parrot) -> String {
    let brought = parrot.brought();
    let of_model = brought.into_iter().filter(|(whom, _)| whom == "model");
    of_model.map(|(_, what)| what).collect()
}

#[test]
fn the_password_is_kept_and_hidden_wherever_the_answer_tells_it() {
    let pair = json!({"username": "Quill", "password": PASSWORD});
    let answers = [
        json!({ "result": pair }).to_string(),
        json!({"account": pair.to_string(), "ok": true}).to_string(),
        format!("Welcome! You are registered.\nUsername: Quill\nPassword: {PASSWORD}\nKeep it."),
    ];
    std::thread::scope(|scope| {
        for answer in &answers {
            scope.spawn(|| is_kept_and_hidden(answer));
        }
    });
}

fn is_kept_and_hidden(answer: &str) {
    let (home, parrot) = registered(answer);
    let file = home.file("zoea.db");
    let kept = sqlite::column(&file, "SELECT username || ' ' || password FROM account");
    assert_eq!(kept, [format!("Quill {PASSWORD}")], "{answer}");
    assert_eq!(times_registered(&parrot), 1, "{answer}");
    assert_eq!(home.mysis("alpha")["account"], "Quill");
    let for_model = for_model(&parrot);
    assert!(
        for_model.contains("[redacted]") && !for_model.contains(PASSWORD),
        "{answer}"
    );
    let listed = sqlite::all_texts(&file)
        .into_iter()
        .filter(|(name, _)| name != "account.password");
    let listed: Vec<_> = listed.filter(|(_, text)| text.contains(PASSWORD)).collect();
    assert!(listed.is_empty(), "{listed:?}");
}

#[test]
fn an_account_that_nobody_can_read_is_told_and_not_made_again() {
    let (home, parrot) = registered("You are in. The word is where you know it.");
    assert_eq!(times_registered(&parrot), 1);
    let log = home.ok(&["log", "alpha", "--kind", "host", "--limit", "0"]);
    assert!(log.contains("no password was found in the answer"), "{log}");
    let for_model = for_model(&parrot);
    assert!(for_model.contains("Do not register again"), "{for_model}");
}
