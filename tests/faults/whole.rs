//! What is read of a fleet is whole, wherever it is read: at each of its processes and in a home in which
//! nothing runs, also of Myses whose process stands still, and of those created or deleted a moment before.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::shared::{MISSION, scene};
use zoea_rig::{Home, lines, postgres, until};

/// The values of a member of all entries, without those that have none.
fn values_of<'a>(entries: &'a [Value], key: &str) -> BTreeSet<&'a str> {
    entries
        .iter()
        .filter_map(|entry| entry[key].as_str())
        .collect()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// Reads everything in a home, and checks that all Myses are in it.
fn check_all(home: &Home, all: &[&str]) {
    let wanted: BTreeSet<&str> = all.iter().copied().collect();
    let exported = lines(&home.ok(&["export"]));
    let is_mysis = |line: &&Value| line["record"] == "mysis";
    let myses: Vec<Value> = exported.iter().filter(is_mysis).cloned().collect();
    assert_eq!(values_of(&myses, "name"), wanted, "export");
    let with_rows: BTreeSet<&str> = exported
        .iter()
        .filter(|line| line["record"] == "row")
        .filter_map(|line| line["mysis_id"].as_str())
        .collect();
    assert_eq!(with_rows.len(), all.len(), "export has rows of each");
    let readable = home.ok(&["export", "--format", "md"]);
    for name in all {
        assert!(readable.contains(name), "export as Markdown has no {name}");
    }
    // One of each process.
    for name in [all[0], all[2]] {
        let of_one = lines(&home.ok(&["export", "--mysis", name]));
        let rows = of_one.iter().filter(|line| line["record"] == "row").count();
        assert!(rows > 0, "export --mysis {name} has no rows");
        let log = home.lines(&["log", name, "--limit", "1", "--json"]);
        assert_eq!(log.len(), 1, "log {name}");
        let found = home.lines(&["search", "needle", "--mysis", name, "--json"]);
        assert_eq!(values_of(&found, "mysis"), [name].into(), "search --mysis");
    }
    let found = home.lines(&["search", "needle", "--limit", "0", "--json"]);
    assert_eq!(values_of(&found, "mysis"), wanted, "search");
    let books = home.json(&["books", "--json"]);
    assert_eq!(values_of(array(&books), "mysis"), wanted, "books");
    let samples = home.json(&["samples", "--json"]);
    let series = array(&samples["series"]);
    assert_eq!(values_of(series, "mysis"), wanted, "samples");
    let accounts = home.json(&["accounts", "list", "--json"]);
    assert_eq!(
        values_of(array(&accounts), "assigned_to"),
        wanted,
        "accounts"
    );
    let listed = home.json(&["mysis", "list", "--json"]);
    assert_eq!(values_of(array(&listed), "name"), wanted, "mysis list");
    let status = home.json(&["status", "--json"]);
    assert_eq!(values_of(array(&status["myses"]), "name"), wanted, "status");
    let report = home.ok(&["report"]);
    for name in all {
        assert!(report.contains(name), "the report has no {name}: {report}");
    }
}

#[test]
fn what_is_read_of_a_fleet_is_whole_wherever_it_is_read() {
    let Some((scene, _files)) = scene() else {
        return;
    };
    let all = ["m1", "m2", "m3", "m4"];
    let homes = [
        scene.home(&all[..2]),
        scene.home(&all[2..]),
        scene.home(&[]),
    ];
    let first = homes[0].fly(&["--start-swarm"]);
    homes[0].ok(&["broadcast", MISSION]);
    let second = homes[1].fly(&["--start-swarm"]);
    for (what, query) in [
        (
            "call tools",
            "SELECT count(DISTINCT mysis_id)::text FROM tool_call",
        ),
        (
            "have books",
            "SELECT count(DISTINCT mysis_id)::text FROM spending",
        ),
        (
            "have samples",
            "SELECT count(DISTINCT mysis_id)::text FROM sample",
        ),
        (
            "have accounts",
            "SELECT count(assigned_to)::text FROM account",
        ),
    ] {
        until(&format!("all {what}"), || {
            (postgres::column(&scene.url, query).concat() == "4").then_some(())
        });
    }
    crate::shared::until_held(&scene.url, &["2", "2"]);
    for name in all {
        homes[0].ok(&["note", name, "keep the needle"]);
    }
    for home in &homes {
        check_all(home, &all);
    }

    // One that another process created or deleted a moment before.
    homes[1].ok(&["mysis", "create", "late"]);
    for home in [&homes[0], &homes[2]] {
        let exported = lines(&home.ok(&["export", "--mysis", "late"]));
        assert_eq!(values_of(&exported, "name"), ["late"].into());
    }
    homes[1].ok(&["mysis", "delete", "late", "--yes"]);
    for home in [&homes[0], &homes[2]] {
        let (_, error) = home.fails(&["export", "--mysis", "late"]);
        assert!(error.contains("no mysis is called `late`"), "{error}");
    }

    // What is held elsewhere is not ordered about from a home in which nothing runs, and that is said.
    let (_, error) = homes[2].fails(&["send", "m1", "hello"]);
    assert!(error.contains("runs in the process"), "{error}");

    // One whose process stands still, and later is gone.
    second.signal("-STOP");
    check_all(&homes[0], &all);
    check_all(&homes[2], &all);
    second.signal("-KILL");
    check_all(&homes[2], &all);
    drop((first, second));
}
