//! An operator's work during a day, and events that the terminal must survive.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::terminal::Terminal;

const RUN: &str = "$ZOEA --home home run --offline --seed 7 --tick 200ms --myses 3";

/// A terminal in which the program runs, after its swarm has started.
fn bridge(folder: &Path) -> Terminal {
    let mut terminal = Terminal::open(120, 40, folder);
    terminal.types(&format!("{RUN}\r"));
    terminal.sees("3 running");
    terminal
}

fn quit(terminal: &mut Terminal) {
    terminal.types("q");
    terminal.sees("Quit?");
    terminal.types("y");
    terminal.comes_back();
}

/// The answer of a command in another process.
pub(crate) fn ask(folder: &Path, words: &[&str]) -> Value {
    let done = Command::new(env!("CARGO_BIN_EXE_zoea"))
        .arg("--home")
        .arg(folder.join("home/offline"))
        .args(words)
        .output()
        .expect("the program starts");
    assert!(done.status.success(), "{words:?}: {done:?}");
    serde_json::from_slice(&done.stdout).expect("JSON")
}

/// Opens the conversation of the Mysis with this name.
fn open(terminal: &mut Terminal, name: &str) {
    terminal.types(&format!(":open {name}\r"));
    terminal.sees_beside(&format!(" {name}  "), "following");
}

#[test]
fn what_a_terminal_answers_late_gives_no_orders() {
    let folder = TempDir::new().expect("a folder");
    let mut terminal = bridge(folder.path());
    terminal.types("\u{1b}]11;rgb:1d1d/2b2b/3d3d\u{7}");
    terminal.types("\u{1b}P>|XTerm(390)\u{1b}\\");
    terminal.types("m");
    terminal.sees("MESSAGE to");
    let seen = terminal.contents();
    assert!(!seen.contains("already running"), "{seen}");
    assert!(!seen.contains("GRAPHS"), "{seen}");
    terminal.types("\u{1b}");
    terminal.sees_no("MESSAGE to");
    quit(&mut terminal);
}

#[test]
fn a_day_at_the_bridge() {
    let folder = TempDir::new().expect("a folder");
    let mut terminal = bridge(folder.path());

    // A new Mysis joins and plays.
    terminal.types("n");
    terminal.sees("new Mysis");
    terminal.types("zulu\r");
    terminal.sees("4 running");
    terminal.sees_beside("▌", "zulu");

    // A message: the input field clears at once, and the receipt shows the progress up to the
    // answer.
    terminal.types("m");
    terminal.types("what is in the hold?\r");
    terminal.sees_beside("✓", "message zulu");
    open(&mut terminal, "zulu");
    terminal.sees("what is in the hold?");
    terminal.sees("YOU");

    // The last request.
    terminal.sees("x shows it");
    terminal.types("x");
    terminal.sees_beside("LAST REQUEST OF zulu", "as sent");
    terminal.sees("▸ 1 system");
    terminal.types("\u{1b}");
    terminal.sees_no("LAST REQUEST");

    // A search finds the message from another view.
    terminal.types("/in the hold\r");
    terminal.sees("of `in the hold`");
    terminal.goes_back_to("DOING");

    // A mission for all Myses.
    terminal.types("b");
    terminal.types("Sell everything at once.\r");
    terminal.sees_beside("MISSION", "Sell everything at once.");
    open(&mut terminal, "alpha");
    terminal.sees("YOU (BROADCAST)");
    terminal.goes_back_to("DOING");

    // A stopped Mysis takes no message, shows the reason, and keeps the typed text.
    terminal.types(":stop zulu\r");
    terminal.sees_beside("zulu", "■ stopped");
    terminal.types(":open zulu\r");
    terminal.types("mare you there?\r");
    terminal.sees("mysis stopped - press 'r' to relaunch");
    terminal.goes_back_to("following");
    terminal.types("m");
    terminal.sees("are you there?");
    terminal.types("\u{1b}");
    terminal.sees_no("are you there?");
    terminal.types("r");
    terminal.sees("4 running");
    terminal.goes_back_to("DOING");

    // A Mysis is deleted, after a question.
    terminal.types("/zulu\r");
    terminal.sees("1 of 4");
    terminal.types("d");
    terminal.sees("Delete the running zulu?");
    terminal.types("n");
    terminal.sees_no("Delete the running zulu?");
    terminal.types("dy");
    terminal.sees("type 1, then Enter");
    terminal.types("1\r");
    terminal.sees("No Mysis matches the filter.");
    terminal.types("\u{1b}");
    terminal.sees_no("No Mysis matches the filter.");
    terminal.sees(" 3 Myses");

    // When nothing runs, the screen shows what the database contains.
    terminal.types("*s");
    terminal.sees("Stop 3 Myses?");
    terminal.types("y");
    terminal.sees("3 stopped");
    let stored = ask(folder.path(), &["mysis", "list", "--json"]);
    let stored = stored.as_array().expect("a list");
    assert_eq!(stored.len(), 3);
    for mysis in stored {
        let name = mysis["name"].as_str().expect("a name");
        let state = mysis["state"].as_str().expect("a state");
        terminal.sees_beside(&format!(" {name} "), &format!(" {state} "));
    }

    // The screen is written to files.
    terminal.types("P");
    terminal.sees("the screen is saved in");
    let picture = written(folder.path(), ".txt");
    let text = std::fs::read_to_string(&picture).expect("a picture");
    assert!(text.contains("3 stopped"), "{text}");
    let drawn = std::fs::read_to_string(written(folder.path(), ".svg")).expect("a picture");
    assert!(drawn.starts_with("<svg"), "{drawn}");

    // No Mysis runs, so the program closes without a question.
    terminal.types("q");
    terminal.comes_back();

    // The next day the history of inputs is still there.
    terminal.types(&format!("clear; {RUN} --theme light --ascii\r"));
    terminal.sees("3 stopped");
    terminal.types("b");
    terminal.types("\u{1b}[A");
    terminal.sees("are you there?");
    terminal.types("\u{1b}[A");
    terminal.sees_beside(">", "Sell everything at once.");
    terminal.types("\u{1b}");
    terminal.sees_no("Enter send");
    terminal.types("q");
    terminal.comes_back();
}

/// The written picture with this file extension.
fn written(folder: &Path, ending: &str) -> PathBuf {
    let entries = std::fs::read_dir(folder.join("home/offline/screens")).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.to_string_lossy().ends_with(ending))
        .expect("a picture")
}

#[test]
fn a_small_window_the_background_and_a_signal_leave_a_sane_terminal() {
    let folder = TempDir::new().expect("a folder");
    let mut terminal = bridge(folder.path());

    // A terminal that is too small says so. The view returns when it is large enough.
    open(&mut terminal, "beta");
    terminal.resize(38, 9);
    terminal.sees("needs 40×10, has 38×9");
    terminal.resize(80, 20);
    terminal.sees_beside(" beta  ", "following");
    terminal.resize(200, 60);
    terminal.sees("SHIP");
    terminal.resize(120, 40);
    terminal.sees("SHIP");

    // Suspended and resumed twice. The shell has a sane terminal in between. The first key only says
    // what that means for the Myses.
    for _ in 0..2 {
        terminal.types("\u{1a}");
        terminal.sees("This stops all 3 Myses that run here until `fg`");
        terminal.types("\u{1a}");
        terminal.comes_back();
        terminal.types("fg\r");
        terminal.sees_beside(" beta  ", "following");
        assert!(terminal.screen().alternate_screen());
    }

    // A signal closes the program in good order.
    let running: Value = serde_json::from_slice(
        &std::fs::read(folder.path().join("home/offline/run.json")).expect("it runs"),
    )
    .expect("JSON");
    let pid = running["pid"].to_string();
    let sent = Command::new("sh")
        .args(["-c", r#"kill "$0" "$1""#, "-TERM", &pid])
        .status();
    assert!(sent.expect("kill runs").success());
    terminal.comes_back();
    assert!(!folder.path().join("home/offline/run.json").exists());

    // The Myses that ran before run again.
    terminal.types(&format!("clear; {RUN}\r"));
    terminal.sees("3 running");
    quit(&mut terminal);
}
