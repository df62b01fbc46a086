//! Reminders at the command line: taken, listed, cancelled, refused, exported, imported, deleted and brought
//! back.

use serde_json::{Value, json};
use zoea_rig::{Home, Server, lines, postgres, until};

use crate::watching::playing;

/// A home whose database is a file, and one whose database is on a server, each with two Myses at rest.
fn homes() -> Vec<Home> {
    let server = postgres::database();
    let server = server.map(|url| format!("[store]\ndatabase_url = \"{url}\"\n"));
    let stores = [Some(String::new()), server].into_iter().flatten();
    stores
        .map(|store| {
            let home = Home::new();
            home.configure("http://127.0.0.1:9/v1", "http://127.0.0.1:9/mcp", &store);
            for name in ["alpha", "beta"] {
                home.ok(&["mysis", "create", name]);
            }
            home
        })
        .collect()
}

fn listed(home: &Home) -> Vec<Value> {
    let all = home.json(&["reminders", "--json"]);
    all.as_array().expect("a list").clone()
}

fn ids(home: &Home) -> Vec<String> {
    let all = listed(home);
    let ids = all
        .iter()
        .map(|one| one["id"].as_str().expect("an id").to_string());
    ids.collect()
}

#[test]
fn reminders_are_listed_by_their_times_and_cancelled_by_their_ids() {
    for home in homes() {
        assert_eq!(listed(&home), [json!(null); 0]);
        let said = home.ok(&["remind", "alpha", "sell the ore", "--in", "2h"]);
        assert!(said.starts_with("alpha:1: alpha gets it at "), "{said}");
        assert!(
            said.contains("in 1h59m") || said.contains("in 2h00m"),
            "{said}"
        );
        home.ok(&["remind", "beta", "look", "--in", "1h30m"]);
        home.ok(&["remind", "alpha", "sleep", "--at", "2027-01-01T00:00:00Z"]);
        home.ok(&["remind", "alpha", "now and then", "--at", "22:00"]);
        let all = listed(&home);
        assert_eq!(all.len(), 4);
        let times: Vec<&str> = all
            .iter()
            .map(|one| one["at"].as_str().expect("a time"))
            .collect();
        assert!(times.is_sorted(), "{times:?}");
        let beta = all.iter().find(|one| one["id"] == "beta:1").expect("it");
        assert_eq!(
            (&beta["mysis"], &beta["text"], &beta["state"]),
            (&json!("beta"), &json!("look"), &json!("idle"))
        );
        let table = home.ok(&["reminders"]);
        assert!(
            table.contains("alpha:1") && table.contains("sell the ore"),
            "{table}"
        );
        let said = home.ok(&["reminders", "cancel", "alpha:1", "beta:1"]);
        assert_eq!(said, "alpha:1 is cancelled\nbeta:1 is cancelled\n");
        let (status, refused) = home.fails(&["reminders", "cancel", "alpha:1"]);
        assert!(
            status == 1 && refused.contains("no reminder alpha:1 waits"),
            "{refused}"
        );
        assert_eq!(listed(&home).len(), 2);
        let said = home.ok(&["remind", "alpha", "more", "--in", "5m"]);
        assert!(
            said.starts_with("alpha:4:"),
            "no number is used twice: {said}"
        );
        let events = home.ok(&["events", "--limit", "50"]);
        assert!(
            events.contains("a reminder for ") && events.contains("sell the ore"),
            "{events}"
        );
    }
}

#[test]
fn what_is_no_reminder_is_refused_with_the_reason() {
    let home = &homes()[0];
    for (arguments, status, why) in [
        (
            &["remind", "alpha", "x", "--at", "25:00"][..],
            2,
            "`25:00` is not a time; write one as 22:00",
        ),
        (
            &["remind", "alpha", "x", "--at", "2020-01-01T00:00"],
            2,
            "`2020-01-01T00:00` is past",
        ),
        (&["remind", "alpha", "x", "--in", "-5m"], 2, "-5m"),
        (
            &["remind", "alpha", "x", "--in", "0s"],
            2,
            "is not a future time",
        ),
        (
            &["remind", "alpha", "x", "--in", "soon"],
            2,
            "a duration looks like",
        ),
        (
            &["remind", "alpha", "x", "--in", "500d"],
            2,
            "366 days ahead at most",
        ),
        (&["remind", "alpha", "x"], 2, "--in"),
        (
            &["remind", "alpha", "x", "--in", "1h", "--at", "22:00"],
            2,
            "cannot be used with",
        ),
        (
            &["remind", "alpha", "", "--in", "1h"],
            1,
            "there is nothing in the reminder",
        ),
        (
            &["remind", "alpha", " \n ", "--in", "1h"],
            1,
            "there is nothing in the reminder",
        ),
        (
            &["remind", "alpa", "x", "--in", "1h"],
            1,
            "no mysis is called `alpa`; did you mean alpha?",
        ),
        (
            &["reminders", "cancel", "alpha"],
            1,
            "`alpha` is not an id of a reminder",
        ),
        (
            &["reminders", "cancel", "nobody:1"],
            1,
            "no mysis is called `nobody`",
        ),
    ] {
        let (code, refused) = home.fails(arguments);
        assert!(
            code == status && refused.contains(why),
            "{arguments:?}: {refused}"
        );
    }
    let long = "x".repeat(5000);
    let (_, refused) = home.fails(&["remind", "alpha", &long, "--in", "1h"]);
    assert!(
        refused.contains("5000 bytes long; 4096 are allowed"),
        "{refused}"
    );
    assert_eq!(listed(home), [json!(null); 0]);
}

#[test]
fn a_mysis_keeps_a_hundred_reminders_and_no_more() {
    let (home, swarm, _galaxy, _pilot) = playing("");
    for number in 0..100 {
        let text = format!("reminder {number}");
        home.ok(&["remind", "alpha", &text, "--in", "5h"]);
    }
    let (_, refused) = home.fails(&["remind", "alpha", "one more", "--in", "5h"]);
    assert!(refused.contains("100 reminders wait for it"), "{refused}");
    assert_eq!(listed(&home).len(), 100);
    let alpha = home.mysis("alpha");
    assert_eq!(alpha["reminders"].as_array().map(Vec::len), Some(100));
    assert_eq!(alpha["reminders"][99]["text"], "reminder 99");
    drop(swarm);
}

#[test]
fn odd_texts_arrive_as_they_were_written_and_print_nothing_odd() {
    for home in homes() {
        let odd = "\u{1b}[31mred\u{7}\n\"{}\\ \u{202e}emit\u{0}";
        let without_nul = odd.replace('\0', "");
        home.ok(&["remind", "alpha", &without_nul, "--in", "1h"]);
        let table = home.ok(&["reminders"]);
        assert!(
            !table.contains('\u{1b}') && !table.contains('\u{7}') && !table.contains('\u{202e}')
        );
        assert_eq!(table.lines().count(), 2, "{table}");
        let all = listed(&home);
        let text = all[0]["text"].as_str().expect("a text");
        assert!(text.contains("\"{}\\"), "{text:?}");
    }
}

#[test]
fn reminders_go_with_their_mysis_and_come_back_with_it() {
    for home in homes() {
        home.ok(&["remind", "alpha", "sell the ore", "--in", "2h"]);
        home.ok(&["remind", "beta", "look", "--in", "2h"]);
        let before = listed(&home);
        let file = home.file("export.jsonl");
        let file = file.to_str().expect("a path");
        home.ok(&["export", "--out", file]);
        home.ok(&["mysis", "delete", "alpha", "--yes"]);
        assert_eq!(ids(&home), ["beta:1"]);
        home.ok(&["mysis", "undelete", "alpha"]);
        let sorted = |mut all: Vec<Value>| {
            all.sort_by_key(|one| one["id"].to_string());
            all
        };
        assert_eq!(sorted(listed(&home)), sorted(before.clone()));
        home.ok(&["mysis", "delete", "alpha", "--yes", "--now"]);
        home.ok(&["mysis", "create", "alpha"]);
        assert_eq!(ids(&home), ["beta:1"], "another one of its name has none");

        // Into another home.
        let other = Home::new();
        other.configure("http://127.0.0.1:9/v1", "http://127.0.0.1:9/mcp", "");
        other.ok(&["import", file]);
        assert_eq!(sorted(listed(&other)), sorted(before));
        let written = std::fs::read_to_string(file).expect("an export");
        let memo = lines(&written)
            .into_iter()
            .find(|line| line["kind"] == "reminders")
            .expect("a line of reminders");
        for (member, value) in [
            ("memo", json!("{}")),
            ("kind", json!("dreams")),
            ("memo", json!(7)),
        ] {
            let mut wrong = memo.clone();
            wrong[member] = value;
            let bad = written.replace(&memo.to_string(), &wrong.to_string());
            assert_ne!(bad, written);
            let path = home.file("bad.jsonl");
            std::fs::write(&path, bad).expect("a file");
            let empty = Home::new();
            empty.configure("http://127.0.0.1:9/v1", "http://127.0.0.1:9/mcp", "");
            let (_, refused) = empty.fails(&["import", path.to_str().expect("a path")]);
            assert!(refused.contains("line "), "{refused}");
        }
    }
}

#[test]
fn what_is_due_reaches_a_mysis_that_plays() {
    let (home, swarm, _galaxy, _pilot) = playing("");
    let said = home.ok(&["remind", "alpha", "The bell rings.", "--in", "2s"]);
    assert!(!said.contains("no swarm is running"), "{said}");
    until("it is delivered", || {
        let rows = home.ok(&["log", "alpha", "--limit", "0", "--kind", "prompt", "--json"]);
        rows.contains("The bell rings.").then_some(())
    });
    assert_eq!(listed(&home), [json!(null); 0]);
    home.recorded("it is recorded", |event| {
        event.to_string().contains("delivered the reminder alpha:1")
    });
    drop(swarm);
}

#[test]
fn what_came_due_while_nothing_ran_is_delivered_by_the_next_run() {
    let (galaxy, pilot) = (Server::galaxy(&[]), Server::pilot(&["--latency", "10ms"]));
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    let said = home.ok(&["remind", "alpha", "The bell rings.", "--in", "1s"]);
    assert!(said.contains("kept for the next run"), "{said}");
    until("it is due", || {
        home.ok(&["reminders"]).contains("now").then_some(())
    });
    assert_eq!(ids(&home), ["alpha:1"], "a command delivers nothing");
    let swarm = home.fly(&[]);
    until("it is delivered", || {
        let rows = home.ok(&["log", "alpha", "--limit", "0", "--kind", "prompt", "--json"]);
        rows.contains("The bell rings.").then_some(())
    });
    assert_eq!(listed(&home), [json!(null); 0]);
    drop(swarm);
}
