//! Routines of the operator, at the command line, with a real game's tools.

use serde_json::json;

use crate::watching::playing;
use zoea_rig::{Home, until};

/// A round that goes on for long: it looks again and again, and acts once.
fn write_routine(home: &Home) {
    std::fs::create_dir(home.file("routines")).expect("a folder");
    let routine = json!({
        "name": "watch",
        "rounds": 200,
        "steps": [
            {"tool": "get_status", "most": 50},
            {"tool": "dock", "may_fail": true},
            {"tool": "undock", "may_fail": true}
        ]
    });
    std::fs::write(home.file("routines/watch.json"), routine.to_string()).expect("a file");
}

#[test]
fn a_routine_of_the_operator_is_listed_recorded_and_stopped() {
    let (home, swarm, _galaxy, _pilot) = playing("");
    write_routine(&home);
    assert!(
        home.ok(&["routine", "list"]).contains("watch: a file in "),
        "the file is listed"
    );
    let said = home.ok(&["routine", "start", "alpha", "watch"]);
    assert_eq!(said, "started watch of alpha\n");
    until("it is listed as running", || {
        let listed = home.ok(&["routine", "list"]);
        let is_it =
            listed.contains("alpha: routine watch of the operator: ") && listed.contains(" of 200");
        is_it.then_some(())
    });
    let (status, refused) = home.fails(&["routine", "start", "alpha", "watch"]);
    assert!(
        status == 1 && refused.contains("the routine watch runs already"),
        "{refused}"
    );
    until("its steps are recorded as its own", || {
        let rows = home.ok(&["log", "alpha", "--limit", "0", "--json"]);
        rows.contains("\"routine\":\"watch\"").then_some(())
    });
    let (_, refused) = home.fails(&["routine", "edit", "alpha", "{\"rounds\": 0}"]);
    assert!(
        refused.contains("the routine is unchanged: rounds: a number from 1"),
        "{refused}"
    );
    let said = home.ok(&["routine", "edit", "alpha", "{\"rounds\": 150}"]);
    assert_eq!(said, "changed watch of alpha\n");
    assert_eq!(home.json(&["routine", "show", "alpha"])["rounds"], 150);
    until("its run has the change", || {
        let listed = home.ok(&["routine", "list"]);
        listed.contains(" of 150").then_some(())
    });
    home.ok(&["routine", "stop", "alpha"]);
    until("it has ended", || {
        let listed = home.ok(&["routine", "list"]);
        let is_over = !listed.contains("alpha: routine watch");
        (is_over && listed.contains("alpha: its routines saved ")).then_some(())
    });
    for text in [
        "a routine: watch",
        "the routine that runs is changed: rounds",
    ] {
        home.recorded("it is recorded", |event| event.to_string().contains(text));
    }
    drop(swarm);
}

#[test]
fn all_mistakes_of_a_routine_are_told_at_once_and_nothing_starts() {
    let (home, swarm, _galaxy, _pilot) = playing("");
    let file = home.file("bad.json");
    let bad = json!({
        "name": "bad",
        "steps": [
            {"tool": "teleport"},
            {"tool": "mine", "until": {"value": "gold", "op": "<", "number": 1}}
        ]
    });
    std::fs::write(&file, bad.to_string()).expect("a file");
    let file = file.to_str().expect("a path");
    let (status, refused) = home.fails(&["routine", "start", "alpha", file]);
    assert!(
        status == 1
            && refused.contains("steps 1: there is no tool teleport")
            && refused.contains("steps 2 until"),
        "{refused}"
    );
    let (status, refused) = home.fails(&["routine", "start", "nobody", file]);
    assert!(
        status == 1 && refused.contains("no mysis is called `nobody`"),
        "{refused}"
    );
    let (_, refused) = home.fails(&["routine", "start", "alpha", "unheard"]);
    assert!(
        refused.contains("it knows no routine unheard (it knows none yet)"),
        "{refused}"
    );
    let (_, refused) = home.fails(&["routine", "start", "alpha", &bad.to_string()]);
    assert!(refused.contains("no tool teleport"), "{refused}");
    let (_, refused) = home.fails(&["routine", "start", "alpha", "{\"name\""]);
    assert!(refused.contains("read the JSON"), "{refused}");
    let (_, refused) = home.fails(&["routine", "start", "alpha", "/no/such.json"]);
    assert!(refused.contains("read /no/such.json"), "{refused}");
    assert_eq!(home.mysis("alpha")["routine"], serde_json::Value::Null);
    drop(swarm);
}
