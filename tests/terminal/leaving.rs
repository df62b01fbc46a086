//! The last minute: what the shell shows after the terminal, and a swarm that goes on without one.

use std::path::Path;

use tempfile::TempDir;
use zoea_rig::{until, zoea};

use crate::terminal::Terminal;

#[test]
fn a_swarm_that_is_left_running_goes_on_without_the_terminal() {
    let folder = TempDir::new().expect("a folder");
    let home = folder.path().join("home/offline");
    let status = || status_of(&home);
    let mut terminal = Terminal::open(120, 30, folder.path());
    terminal.types("$ZOEA --home home run --offline --tick 100ms --seed 5\r");
    terminal.sees("5 running");
    let first = until("the program", || status()["pid"].as_u64());
    wait_for_samples(&home);
    terminal.types("q");
    terminal.sees("5 Myses run, and stop with the program.");
    terminal.types("h");
    // What the run came to, and how the swarm is reached.
    terminal.sees(" tokens, ");
    terminal.sees("the swarm continues without a terminal (pid ");
    terminal.sees("`zoea attach --home ");
    terminal.sees_no("of the Myses were running");
    terminal.comes_back();
    // Its end hangs up on whatever is left in it.
    drop(terminal);
    let second = status();
    let pid = second["pid"].as_u64().expect("a process");
    assert_ne!(pid, first);
    assert_eq!(second["states"]["running"], 5, "{second}");
    let turns = |status: &serde_json::Value| -> u64 {
        let myses = status["myses"].as_array().expect("myses").iter();
        myses.filter_map(|mysis| mysis["turns"].as_u64()).sum()
    };
    until("it plays on", || {
        let now = status();
        let is_same = now["pid"].as_u64() == Some(pid);
        (is_same && turns(&now) > turns(&second)).then_some(())
    });
    end(pid, &home);
}

#[test]
fn a_program_whose_file_was_replaced_goes_on_without_the_terminal() {
    let folder = TempDir::new().expect("a folder");
    let home = folder.path().join("home/offline");
    let mut terminal = Terminal::open(120, 30, folder.path());
    terminal.types("cp $ZOEA zoea; ./zoea --home home run --offline --tick 100ms\r");
    terminal.sees("5 running");
    std::fs::remove_file(folder.path().join("zoea")).expect("a program");
    std::fs::write(folder.path().join("zoea"), "another version").expect("a file");
    terminal.types("q");
    terminal.sees("5 Myses run, and stop with the program.");
    terminal.types("h");
    terminal.sees("the swarm continues without a terminal (pid ");
    terminal.comes_back();
    let status = until("all run again", || {
        let status = status_of(&home);
        (status["states"]["running"] == 5).then_some(status)
    });
    end(status["pid"].as_u64().expect("a process"), &home);
}

fn status_of(home: &Path) -> serde_json::Value {
    let mut command = zoea();
    command.arg("--home").arg(home).args(["status", "--json"]);
    let printed = command.output().expect("the program").stdout;
    serde_json::from_slice(&printed).expect("JSON")
}

/// Ends the program that runs without a terminal.
fn end(pid: u64, home: &Path) {
    let ended = std::process::Command::new("kill")
        .arg(pid.to_string())
        .status();
    assert!(ended.expect("kill").success());
    until("an orderly end", || {
        (!home.join("run.json").exists()).then_some(())
    });
}

/// Waits until something is stored of what the run comes to.
fn wait_for_samples(home: &Path) {
    until("a sample", || {
        let mut command = zoea();
        command.arg("--home").arg(home);
        let printed = command.args(["samples", "--sum", "--json"]).output();
        let samples = serde_json::from_slice::<serde_json::Value>(&printed.expect("it").stdout);
        let steps = samples.ok()?["series"][0]["samples"].as_array()?.clone();
        let has_calls = |step: &serde_json::Value| step["model_calls"].as_u64() > Some(0);
        steps.iter().any(has_calls).then_some(())
    });
}

#[test]
fn whoever_quits_reads_what_the_run_came_to_and_how_it_goes_on() {
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(120, 30, folder.path());
    terminal.types("$ZOEA --home home run --offline --tick 100ms --seed 5 --myses 3\r");
    terminal.sees("3 running");
    wait_for_samples(&folder.path().join("home/offline"));
    terminal.types("q");
    terminal.sees("Quit?");
    terminal.types("y");
    terminal.sees(" tokens, $0.0000");
    terminal
        .sees("3 of the Myses were running; `zoea run --offline --home home` starts them again");
    terminal.comes_back();
}
