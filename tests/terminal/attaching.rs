//! Terminals that are attached to a running program.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use zoea_rig::until;

use crate::operating::ask;
use crate::terminal::Terminal;

pub(crate) const ATTACH: &str = "$ZOEA --home home/offline attach";

/// A headless program with an offline swarm. It is killed when this is dropped.
pub(crate) struct Service {
    child: Child,
}

impl Service {
    /// Starts a program and waits until it can be reached.
    pub(crate) fn start(folder: &Path) -> Service {
        let child = Command::new(env!("CARGO_BIN_EXE_zoea"))
            .arg("--home")
            .arg(folder.join("home"))
            .args(["run", "--offline", "--headless", "--seed", "7"])
            .args(["--tick", "200ms", "--myses", "3"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let service = Service { child };
        until("the service is up", || service.is_at(folder).then_some(()));
        service
    }

    pub(crate) fn is_at(&self, folder: &Path) -> bool {
        let text = std::fs::read(folder.join("home/offline/run.json")).unwrap_or_default();
        let run: Value = serde_json::from_slice(&text).unwrap_or_default();
        run["pid"] == self.child.id()
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("sh")
            .args(["-c", r#"kill "$0" "$1""#, name, &pid])
            .status();
        assert!(sent.expect("kill runs").success());
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // The program may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The output of a command in another process.
fn says(folder: &Path, words: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_zoea"))
        .arg("--home")
        .arg(folder.join("home/offline"))
        .args(words)
        .output()
        .expect("the program starts");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

fn attach(folder: &Path, columns: u16, rows: u16) -> Terminal {
    let mut terminal = Terminal::open(columns, rows, folder);
    terminal.types(&format!("{ATTACH}\r"));
    terminal.sees("3 running");
    terminal
}

/// Checks that the swarm keeps playing.
fn goes_on(folder: &Path) {
    let turns = || -> u64 {
        let listed = ask(folder, &["mysis", "list", "--json"]);
        let listed = listed.as_array().expect("a list").iter();
        listed
            .map(|mysis| mysis["tokens_in"].as_u64().expect("a number"))
            .sum()
    };
    let before = turns();
    until("the swarm goes on", || (turns() > before).then_some(()));
}

#[test]
fn two_terminals_on_one_service_see_the_same_and_leave_it_alone() {
    let folder = TempDir::new().expect("a folder");
    let service = Service::start(folder.path());
    let mut one = attach(folder.path(), 120, 40);
    let mut other = attach(folder.path(), 100, 30);

    // A text typed in one terminal appears in the other. Each terminal has its own view.
    other.types(":open beta\r");
    other.sees_beside(" beta  ", "following");
    one.types(":message beta what is in the hold?\r");
    one.sees_beside("✓", "message beta");
    other.sees("what is in the hold?");
    other.sees("YOU");
    assert!(one.contents().contains("DOING"), "the table stays");

    // The size, the background, files and the history of inputs belong to each terminal.
    one.resize(38, 9);
    one.sees("needs 40×10, has 38×9");
    one.resize(120, 40);
    one.sees("beta");
    one.types("\u{1a}");
    one.comes_back();
    one.types("fg\r");
    one.sees("3 running");
    one.types("P");
    one.sees("the screen is saved in");
    let pictures = std::fs::read_dir(folder.path().join("home/offline/screens")).expect("a folder");
    assert_eq!(pictures.count(), 2, "as text and as a picture");
    one.types("b");
    one.types("Sell it all.\r");
    other.goes_back_to("DOING");
    other.sees_beside("MISSION", "Sell it all.");
    other.types(":export md\r");
    other.sees("md");

    // One terminal quits without a question. Everything else continues.
    one.types("b");
    one.types("Later.");
    one.sees_beside("▸", "Later.");
    one.types("\u{1b}");
    one.sees_no("Enter send");
    one.types("q");
    one.comes_back();
    assert!(service.is_at(folder.path()));
    goes_on(folder.path());

    // A new terminal has the history of inputs of the earlier ones, and what they did not send.
    one.types(&format!("clear; {ATTACH}\r"));
    one.sees("3 running");
    one.types("b");
    one.types("\u{1b}[A");
    one.sees_beside("▸", "Later.");
    one.types("\u{1b}[A");
    one.sees_no("Later.");
    one.sees_beside("▸", "Sell it all.");
    one.types("\u{1b}");
    one.sees_no("Enter send");

    // The program closes in good order and tells both terminals.
    service.signal("-TERM");
    for terminal in [&mut one, &mut other] {
        terminal.sees("note: the running program is closing");
        terminal.comes_back();
    }
}

#[test]
fn a_service_that_is_killed_leaves_a_sane_terminal_that_says_so() {
    let folder = TempDir::new().expect("a folder");
    let service = Service::start(folder.path());
    let mut terminal = attach(folder.path(), 120, 40);
    service.signal("-KILL");
    terminal.sees("error: the running program is gone");
    terminal.sees("zoea run --resume");
    terminal.comes_back();
}

#[test]
fn without_a_service_it_says_how_to_get_one() {
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(120, 40, folder.path());
    terminal.types(&format!("{ATTACH}; echo \"status $?\"\r"));
    terminal.sees("error: no swarm is running in");
    terminal.sees("zoea run --headless");
    terminal.sees("status 1");
    terminal.comes_back();
}

/// The number of whole screens that are not read: far more than a terminal buffers.
const WHOLE_SCREENS: usize = 16;

#[test]
fn a_terminal_that_nobody_reads_and_one_that_is_gone_hold_nobody_up() {
    let folder = TempDir::new().expect("a folder");
    let service = Service::start(folder.path());
    let mut deaf = attach(folder.path(), 200, 60);
    let mut other = attach(folder.path(), 120, 40);
    deaf.hold_back(true);
    for _ in 0..WHOLE_SCREENS {
        deaf.types("\u{c}");
        goes_on(folder.path());
    }
    // The keys of a terminal that does not read still have an effect.
    deaf.types(":stop alpha\r");
    other.sees("2 running");
    deaf.hold_back(false);
    deaf.sees("2 running");
    // The end of this terminal ends nothing else.
    drop(deaf);
    other.types(":start alpha\r");
    other.sees("3 running");
    assert!(service.is_at(folder.path()));
    other.types("q");
    other.comes_back();
}

#[test]
fn what_happened_before_is_shown_to_whoever_comes_later_also_after_a_kill() {
    let folder = TempDir::new().expect("a folder");
    let running = |myses: &Value| {
        let myses = myses.as_array().expect("a list");
        myses
            .iter()
            .filter(|mysis| mysis["state"] == "running")
            .count()
    };
    let service = Service::start(folder.path());
    until("all run", || {
        let listed = ask(folder.path(), &["mysis", "list", "--json"]);
        (running(&listed) == 3).then_some(())
    });
    let mut terminal = attach(folder.path(), 120, 40);
    terminal.sees("LATELY");
    terminal.types("L");
    terminal.sees("LOG  all events");
    terminal.sees("idle → running");
    terminal.sees("the mission: ");
    terminal.sees("(first start)");
    terminal.goes_back_to("DOING");
    terminal.types("b");
    terminal.types("Sell it all.\r");
    until("the order is recorded", || {
        let events = says(folder.path(), &["events"]);
        let order = "Sell it all. (stored for 3) (by attached terminal)";
        events.contains(order).then_some(())
    });
    service.signal("-KILL");
    drop(service);
    drop(terminal);

    let _service = Service::start(folder.path());
    let mut terminal = attach(folder.path(), 120, 40);
    terminal.sees("DOING");
    terminal.types("L");
    terminal.sees("LOG  all events");
    terminal.sees("(first start)");
}

#[test]
fn a_terminal_of_any_reported_size_is_drawn_and_left() {
    let folder = TempDir::new().expect("a folder");
    let _service = Service::start(folder.path());
    let mut terminal = Terminal::open(80, 24, folder.path());
    for (columns, rows) in [
        (65535, 65535),
        (0, 0),
        (65535, 1),
        (1, 65535),
        (1, 1),
        (1001, 999),
    ] {
        terminal.types(&format!(
            "\u{15}clear; stty cols {columns} rows {rows}; {ATTACH}; echo left-$? of {columns}x{rows}; stty cols 80 rows 24\r"
        ));
        terminal.until("it is attached", |screen| screen.alternate_screen());
        // Before the first picture is there.
        terminal.types("q");
        terminal.until("it is left", |screen| {
            !screen.alternate_screen()
                && screen
                    .contents()
                    .contains(&format!("left-0 of {columns}x{rows}"))
        });
    }
}
