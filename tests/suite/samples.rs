//! Samples agree with the books, whether the program runs or not, and after it was killed.

use serde_json::Value;

use crate::watching::playing;
use zoea_rig::{Home, Server, texts, until};

/// The sum of a member of `zoea books`.
fn booked(home: &Home, key: &str) -> u64 {
    let books = home.json(&["books", "--json"]);
    let entries = books.as_array().expect("entries").iter();
    entries
        .map(|entry| entry[key].as_u64().expect("a number"))
        .sum()
}

/// The samples of the last day, added up by the program.
fn sampled(home: &Home, names: &[&str]) -> Vec<Value> {
    let words = [
        "samples",
        "--since",
        "1d",
        "--resolution",
        "hour",
        "--sum",
        "--json",
    ];
    let printed = home.json(&[&words[..], names].concat());
    let series = printed["series"].as_array().expect("series");
    assert_eq!(
        (series.len(), &series[0]["mysis"]),
        (1, &Value::Null),
        "{printed}"
    );
    series[0]["samples"].as_array().expect("samples").clone()
}

fn sum(samples: &[Value], key: &str) -> u64 {
    samples
        .iter()
        .map(|sample| sample[key].as_u64().expect("a number"))
        .sum()
}

/// The rows of both conversations.
fn rows(home: &Home) -> Vec<Value> {
    let of = |name| home.lines(&["log", name, "--limit", "0", "--json"]);
    ["alpha", "beta"].into_iter().flat_map(of).collect()
}

fn stop_all(home: &Home) {
    home.ok(&["mysis", "stop", "--all"]);
    until("everybody has stopped", || {
        let stopped = |name: &str| home.mysis(name)["state"] == "stopped";
        (stopped("alpha") && stopped("beta")).then_some(())
    });
}

/// Compares the samples with the books.
fn assert_agree(home: &Home) {
    let samples = sampled(home, &[]);
    for (of_sample, of_books) in [
        ("tokens_in", "tokens_in"),
        ("tokens_out", "tokens_out"),
        ("tokens_cached", "tokens_cached"),
    ] {
        assert_eq!(
            sum(&samples, of_sample),
            booked(home, of_books),
            "{of_sample}: {samples:?}"
        );
    }
    let rows = rows(home);
    let count = |is: &dyn Fn(&Value) -> bool| rows.iter().filter(|row| is(row)).count() as u64;
    let has_usage = |row: &Value| !row["metadata"]["usage"].is_null();
    let is_said = |row: &Value| row["kind"] == "reply" || row["kind"] == "call";
    assert_eq!(
        sum(&samples, "model_calls"),
        count(&|row| is_said(row) || has_usage(row))
    );
    assert_eq!(
        sum(&samples, "tool_calls"),
        count(&|row| row["kind"] == "result")
    );
    let of_each = |name| sum(&sampled(home, &[name]), "tool_calls");
    assert_eq!(
        sum(&samples, "tool_calls"),
        of_each("alpha") + of_each("beta")
    );
}

#[test]
fn samples_agree_with_the_books_also_after_a_kill() {
    let (home, swarm, _galaxy, _pilot) = playing("");
    let facts = until("the game told everything", || {
        let alpha = home.mysis("alpha");
        let is_known = [
            "credits",
            "system",
            "poi",
            "fuel",
            "fuel_max",
            "cargo_max",
            "hull",
        ]
        .iter()
        .all(|key| !alpha[*key].is_null());
        is_known.then_some(alpha)
    });
    assert!(
        facts["fuel"].as_u64() <= facts["fuel_max"].as_u64(),
        "{facts}"
    );
    assert!(facts["docked"].is_boolean(), "{facts}");
    swarm.signal("-KILL");
    swarm.wait();
    let swarm = home.fly(&["--resume"]);
    let before = booked(&home, "calls");
    until("they play on", || {
        (booked(&home, "calls") > before + 10).then_some(())
    });
    stop_all(&home);
    assert_agree(&home);
    let table = home.ok(&["samples"]);
    assert!(
        table.starts_with("MYSIS") && table.contains("\nall "),
        "{table}"
    );
    assert!(
        home.ok(&["samples", "alpha", "--since", "10m"])
            .starts_with("AT")
    );
    for (wrong, said) in [
        (&["samples", "nobody"][..], "nobody"),
        (&["samples", "--since", "soon"], "is not a time"),
        (
            &["samples", "--resolution", "day"],
            "possible values: minute, hour",
        ),
        (
            &["samples", "--since", "30d", "--resolution", "minute"],
            "an answer holds 10000",
        ),
        (&["samples", "--since", "1h", "--until", "2h"], "later"),
    ] {
        let (_, error) = home.fails(wrong);
        assert!(error.contains(said), "{error}");
    }
    let while_running = sampled(&home, &[]);
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    assert_agree(&home);
    assert_eq!(
        sum(&sampled(&home, &[]), "tool_calls"),
        sum(&while_running, "tool_calls")
    );
    let checked = home.ok(&["db", "check"]);
    assert!(checked.contains("samples"), "{checked}");
    // A deleted Mysis stays in the sums, as it stays in the books.
    home.ok(&["mysis", "delete", "beta", "--yes"]);
    assert_eq!(
        sum(&sampled(&home, &[]), "tool_calls"),
        sum(&while_running, "tool_calls")
    );
    assert!(home.ok(&["samples", "--since", "1d"]).contains("(deleted)"));
}

#[test]
fn a_time_is_read_by_the_clock_of_the_command() {
    let (galaxy, pilot) = (Server::galaxy(&[]), Server::pilot(&[]));
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    // Where the clock is nine hours behind, this is in the future.
    let lately = chrono::Utc::now() - chrono::TimeDelta::minutes(5);
    let lately = lately.format("%Y-%m-%d %H:%M").to_string();
    let words = ["samples", "--since", &lately];
    let asked = |zone: &str, more: &[&str]| {
        let mut command = home.command(&[&words[..], more].concat());
        let output = command.env("TZ", zone).output().expect("it runs");
        (output.status.success(), texts(&output).1)
    };
    let assert_by_its_clock = || {
        for (zone, more) in [("Etc/GMT+9", &["--utc"][..]), ("Etc/UTC", &[])] {
            let (is_past, error) = asked(zone, more);
            assert!(is_past, "{zone}: {error}");
        }
        let (is_past, error) = asked("Etc/GMT+9", &[]);
        assert!(!is_past && error.contains("later"), "{error}");
    };
    assert_by_its_clock();
    let mut command = home.command(&["run", "--headless", "--json"]);
    command.env("TZ", "Etc/GMT+9");
    let _swarm = home.launch(command);
    assert_by_its_clock();
}
