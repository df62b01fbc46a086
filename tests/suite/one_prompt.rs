//! One prompt for all: what the requests of two Myses of a role have in common (decision 470).

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use zoea_rig::{Home, Server, until, written};

const ROLE: &str = "[roles.miner]\nprompt = \"You dig.\\n\\nYou sell what you dig.\"\n";

/// The requests of a Mysis: the tools, and the messages.
fn asked_by(record: &str, name: &str) -> Vec<[String; 2]> {
    if !Path::new(record).exists() {
        return Vec::new();
    }
    let of = format!("[from the runtime, not an order]\nYou are {name}, ");
    let requests: Vec<Value> = written(Path::new(record));
    let mine = requests.iter().filter_map(|request| {
        let body = &request["body"];
        let last = body["messages"].as_array()?.last()?["content"].as_str()?;
        let parts = ["tools", "messages"].map(|part| body[part].to_string());
        last.contains(&of).then_some(parts)
    });
    mine.collect()
}

/// What the messages of a request say.
fn texts(messages: &str) -> Vec<String> {
    let messages: Vec<Value> = serde_json::from_str(messages).expect("messages");
    let texts = messages.iter().map(|message| message["content"].as_str());
    texts.map(|text| text.unwrap_or_default().into()).collect()
}

/// A new note stands behind the system prompt, which stays as it is, and before the mission, also over the
/// next note and after both are cleared. Another Mysis has neither.
fn a_note_keeps_what_stands_before_it(home: &Home, record: &str, before: &str) {
    let prompt = &texts(before)[0];
    let newest = |is_meant: &dyn Fn(&str) -> bool| {
        until("such a request", || {
            let [_, newest] = asked_by(record, "alpha").pop()?;
            let texts = texts(&newest);
            is_meant(&texts[0]).then_some(texts)
        })
    };
    let mut known = prompt.clone();
    for note in ["Beware of pirates.", "Trust Rex."] {
        home.ok(&["note", "alpha", note]);
        let now = newest(&|system| system.contains(note));
        assert!(now[0].starts_with(&known), "{}", now[0]);
        assert!(now[1].starts_with("Find osmium."), "{}", now[1]);
        known.clone_from(&now[0]);
    }
    home.ok(&["note", "alpha", "--clear"]);
    assert_eq!(&newest(&|system| !system.contains("Rex"))[0], prompt);
    let [_, other] = asked_by(record, "beta").pop().expect("it asks");
    assert_eq!(&texts(&other)[0], prompt);
}

fn common(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes());
    same.take_while(|(a, b)| a == b).count()
}

#[test]
fn two_myses_of_a_role_share_all_but_who_they_are_and_a_new_mission_keeps_what_stands_before_it() {
    let home = Home::new();
    std::fs::create_dir_all(home.path()).expect("a folder");
    let record = home.file("asked").to_str().expect("a path").to_string();
    let pilot = Server::pilot(&["--record", &record, "--keep-bodies"]);
    let galaxy = Server::galaxy(&[]);
    home.configure(&pilot.url, &galaxy.url, ROLE);
    for name in ["alpha", "beta"] {
        home.ok(&["mysis", "create", name, "--role", "miner"]);
    }
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let _swarm = home.fly(&["--start-swarm"]);
    let [alpha, beta] = ["alpha", "beta"]
        .map(|name| until("it asks", || asked_by(&record, name).into_iter().next()))
        .map(|parts| parts.concat());
    let same = common(&alpha, &beta);
    let shorter = alpha.len().min(beta.len());
    assert!(
        same * 100 >= shorter * 95,
        "{same} of {shorter} bytes: {}",
        &alpha[same..]
    );
    for text in [&alpha, &beta] {
        assert_eq!(text.matches("Mine ore and sell it.").count(), 1, "{text}");
        let places = [
            "You play",
            "Mine ore",
            "[your role]",
            "You dig.",
            "[end of your role]",
            "You are ",
        ];
        let places = places
            .iter()
            .map(|part| text.rfind(part).expect("it is there"));
        assert!(places.is_sorted(), "{text}");
    }
    let [_, before] = until("it goes on", || asked_by(&record, "alpha").pop());
    let place = before.find("Mine ore").expect("the mission");
    home.ok(&["broadcast", "Find osmium."]);
    let after = until("the new mission", || {
        let [_, newest] = asked_by(&record, "alpha").pop()?;
        (newest.find("Find osmium.")? == place).then_some(newest)
    });
    assert_eq!(before[..place], after[..place]);
    a_note_keeps_what_stands_before_it(&home, &record, &after);
    // Accounts were made, tools were used and a mission was given: the list of tools is still the first one.
    let all = ["alpha", "beta"]
        .map(|name| asked_by(&record, name))
        .concat();
    let tools: BTreeSet<&String> = all.iter().map(|[tools, _]| tools).collect();
    assert!(all.len() > 4 && tools.len() == 1, "{tools:?}");
}
