//! A text that a model's server refuses, where two processes share a database: one conversation of all
//! tries it, and all of them hold it back.

use std::time::Duration;

use serde_json::Value;

use zoea_rig::odd_model::{OddModel, Oddity};
use zoea_rig::{Home, Process, Server, postgres, until};

const NAMES: [&str; 4] = ["nova-a", "nova-b", "nova-c", "nova-d"];

/// The most trials of an hour, of all processes.
const MOST_TRIALS: usize = 12;

struct Fleet {
    url: String,
    model: OddModel,
    homes: [Home; 2],
    _swarms: [Process; 2],
    _galaxy: Server,
}

/// Two processes with two Myses each, which play; `None` without a database server.
fn fleet() -> Option<Fleet> {
    let url = postgres::database()?;
    let galaxy = Server::galaxy(&[]);
    let model = OddModel::poisoned(Oddity::status(400, "Content Exists Risk"));
    let homes = [&NAMES[..2], &NAMES[2..]].map(|names| {
        let home = Home::new();
        let mut more = format!("[store]\ndatabase_url = \"{url}\"\n");
        for name in names {
            more.push_str(&format!("[[myses]]\nname = \"{name}\"\n"));
        }
        home.configure(&model.url, &galaxy.url, &more);
        home
    });
    let swarms = [0, 1].map(|place: usize| homes[place].fly(&["--start-swarm"]));
    homes[0].ok(&["broadcast", "Mine ore and sell it."]);
    let fleet = Fleet {
        url,
        model,
        homes,
        _swarms: swarms,
        _galaxy: galaxy,
    };
    fleet.until_all_play();
    until("each process has its own", || {
        let holders =
            "SELECT DISTINCT process.name FROM lease JOIN process ON process.owner = lease.owner";
        (postgres::column(&fleet.url, holders).len() == 2).then_some(())
    });
    Some(fleet)
}

impl Fleet {
    fn until_all_play(&self) {
        let since = self.model.now();
        until("all of them play", || {
            let served = self.model.served_since(since);
            let plays = |name: &&str| served.get(&name[5..]).is_some_and(|count| *count > 2);
            NAMES.iter().all(plays).then_some(())
        });
    }

    fn refused_since(&self, since: Duration) -> Vec<String> {
        let requests = self.model.requests().into_iter();
        let refused = requests.filter(|one| one.is_refused && one.at >= since);
        refused.map(|one| one.who).collect()
    }

    fn held(&self, place: usize) -> Vec<Value> {
        let held = self.homes[place].json(&["held", "--json"]);
        held.as_array().expect("a list").clone()
    }

    fn trials(&self) -> usize {
        postgres::column(&self.url, "SELECT texts FROM trial").len()
    }

    /// Texts that were tried again within the minute in which the others wait for what a trial finds out.
    fn tried_at_once(&self) -> Vec<String> {
        let again = "SELECT later.texts FROM trial AS later JOIN trial AS first ON later.texts = first.texts \
            AND later.texts <> '' AND later.began > first.began AND later.began < first.began + interval '1 minute'";
        postgres::column(&self.url, again)
    }

    fn notices(&self, name: &str, code: &str) -> Vec<String> {
        let log = self.homes[0].lines(&["log", name, "--limit", "0", "--json"]);
        let notices = log.iter().filter(|row| row["metadata"]["code"] == code);
        let texts = notices.filter_map(|row| row["content"].as_str());
        texts.map(str::to_string).collect()
    }
}

#[test]
fn of_two_processes_one_conversation_tries_a_text_and_all_hold_it_back() {
    let Some(fleet) = fleet() else {
        return;
    };
    let since = fleet.model.now();
    fleet.homes[0].ok(&["broadcast", "Rex says POISON, so mine"]);
    until("all of them are told", || {
        let printed = |name: &&str| fleet.homes[1].mysis(name)["not_delivered"].is_string();
        NAMES.iter().all(printed).then_some(())
    });
    fleet.until_all_play();
    let refused = fleet.refused_since(since);
    for name in NAMES {
        let own = refused.iter().filter(|who| **who == name[5..]);
        assert!(own.count() <= 1, "each meets it once at most: {refused:?}");
    }
    assert_eq!(fleet.tried_at_once(), [""; 0], "one of them tried it");
    assert_eq!((fleet.held(0).len(), fleet.held(1).len()), (1, 1));
    let printed = NAMES.iter().flat_map(|name| fleet.notices(name, "trial"));
    let tried: Vec<String> = printed.filter(|text| text.contains("; tried")).collect();
    assert!(!tried.is_empty());
    // Where a trial takes more than a minute, another one follows it.
    assert_eq!(
        tried.len(),
        fleet.trials(),
        "who is not admitted tells of none: {tried:?}"
    );
    // What the operator forgets in one process is tried again by one of all.
    let id = fleet.held(0)[0]["id"].as_str().expect("an id").to_string();
    let since = fleet.model.now();
    fleet.homes[1].ok(&["held", "forget", &id]);
    until("it is tried, and held back again", || {
        let again = fleet.held(0).first()?["tried_at"].is_string();
        (again && !fleet.refused_since(since).is_empty()).then_some(())
    });
    fleet.until_all_play();
    let refused = fleet.refused_since(since);
    assert!(refused.len() <= NAMES.len(), "{refused:?}");
}

#[test]
fn the_trials_of_an_hour_are_those_of_all_processes() {
    let Some(fleet) = fleet() else {
        return;
    };
    let since = fleet.model.now();
    // Each of these texts costs one trial, in turns in each process.
    let texts = MOST_TRIALS + 3;
    for number in 0..texts {
        let name = NAMES[number % NAMES.len()];
        let text = format!("Rex number {number} says POISON");
        fleet.homes[0].ok(&["send", name, &text]);
        until("it is held back, or waits", || {
            let is_held = fleet.held(1).len() > number;
            (is_held || !fleet.notices(name, "waits").is_empty()).then_some(())
        });
    }
    assert_eq!(fleet.trials(), MOST_TRIALS);
    let refused = fleet.refused_since(since).len();
    assert!(refused <= 2 * texts, "{refused} refused requests");
    let name = NAMES[MOST_TRIALS % NAMES.len()];
    assert_eq!(fleet.homes[0].mysis(name)["state"], "running");
}
