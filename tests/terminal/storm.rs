//! After many concurrent orders the screen shows what the database contains.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use zoea_rig::until;
use zoea_tui::dashboard::text::figures;

use crate::operating::ask;
use crate::terminal::Terminal;

const RUN: &str = "$ZOEA --home home run --offline --seed 7 --tick 50ms --myses 12";

/// The number of rounds of concurrent orders, each order from a process of its own.
const ROUNDS: usize = 2;

/// Starts a command in another process.
fn give(folder: &Path, words: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_zoea"))
        .arg("--home")
        .arg(folder.join("home/offline"))
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// Gives orders that contradict each other. Some are refused, and which ones depends on timing.
fn storm(folder: &Path, round: usize) {
    let (new, old) = (
        format!("new-{round}"),
        format!("new-{}", round.wrapping_sub(1)),
    );
    let orders: &[&[&str]] = &[
        &["mysis", "stop", "--all"],
        &["mysis", "create", &new],
        &["broadcast", "Sell, then mine."],
        &["mysis", "start", "--state", "stopped"],
        &["mysis", "delete", "--yes", &old],
        &["send", "beta", "what do you see?"],
        &["mysis", "configure", "gamma", "--model", &new],
    ];
    let given: Vec<Child> = orders.iter().map(|words| give(folder, words)).collect();
    for mut order in given {
        order.wait().expect("it ends");
    }
}

/// The row of a Mysis as the table must show it, from left to right.
fn row_of(mysis: &Value) -> [String; 6] {
    let text = |key: &str| mysis[key].as_str().unwrap_or("–").to_string();
    let tokens = ["tokens_in", "tokens_out"].map(|key| mysis[key].as_u64().expect("a number"));
    let turns = mysis["turns"].as_u64().expect("a number");
    [
        text("name"),
        text("state"),
        text("account"),
        text("provider"),
        text("model"),
        format!(
            "{} {}",
            figures::amount(turns),
            figures::amount(tokens.iter().sum())
        ),
    ]
}

/// Whether a line of the screen contains these words in this order.
fn shows(line: &str, row: &[String]) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let line = words.join(" ");
    let mut rest = &*line;
    row.iter().all(|cell| {
        let found = rest.find(&**cell);
        if let Some(place) = found {
            rest = &rest[place + cell.len()..];
        }
        found.is_some()
    })
}

/// The Myses on the screen, after the screen shows every one of them as listed.
fn until_screen_agrees(terminal: &mut Terminal, listed: &Value) -> String {
    let rows: Vec<_> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(row_of)
        .collect();
    terminal.types(":columns name,state,account,provider,model,turns,tokens\r");
    terminal.until("every Mysis is there as listed", |screen| {
        let contents = screen.contents();
        rows.iter()
            .all(|row| contents.lines().any(|line| shows(line, row)))
    });
    terminal.contents()
}

#[test]
fn after_a_storm_of_orders_every_row_is_that_of_the_database() {
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(200, 60, folder.path());
    terminal.types(&format!("{RUN}\r"));
    terminal.sees("12 running");
    for round in 0..ROUNDS {
        // The operator gives orders at the same time.
        terminal.types(":stop all\ry");
        storm(folder.path(), round);
        terminal.types(":start all\r");
    }
    terminal.types(":stop all\ry");
    // The terminal's orders are carried out one after the other, so behind this one nobody is started any more.
    terminal.types(":note alpha the storm is over\r");
    terminal.sees("the storm is over  stored");
    terminal.until("nobody runs or is idle", |screen| {
        let contents = screen.contents();
        let counts = contents.lines().next().unwrap_or_default();
        counts.contains("stopped") && !counts.contains("running") && !counts.contains("idle")
    });
    let listed = with_their_accounts(folder.path());
    let last = until_screen_agrees(&mut terminal, &listed);
    let count = listed.as_array().expect("a list").len();
    assert!(last.contains(&format!(" {count} Myses ")), "{last}");
    terminal.types("q");
    terminal.comes_back();

    // No Mysis runs any more, so this comes from the database.
    let stored = ask(folder.path(), &["mysis", "list", "--json"]);
    let stored = stored.as_array().expect("a list");
    assert_eq!(stored.len(), count);
    for mysis in stored {
        let row = row_of(mysis);
        let is_shown = last.lines().any(|line| shows(line, &row));
        assert!(is_shown, "{row:?} is not on the screen:\n{last}");
    }
}

/// The list of Myses, after each has the account that the store gave it. All Myses are stopped, so
/// nothing changes any more.
fn with_their_accounts(folder: &Path) -> Value {
    let given = ask(folder, &["accounts", "list", "--json"]);
    let given: BTreeSet<String> = pairs(&given, "assigned_to", "username");
    until("every account is shown", || {
        let listed = ask(folder, &["mysis", "list", "--json"]);
        (pairs(&listed, "name", "account") == given).then_some(listed)
    })
}

/// The pairs of two texts of each Mysis that has both.
fn pairs(list: &Value, first: &str, second: &str) -> BTreeSet<String> {
    let list = list.as_array().expect("a list").iter();
    let pairs = list.filter_map(|of| Some((of[first].as_str()?, of[second].as_str()?)));
    pairs
        .map(|(first, second)| format!("{first} {second}"))
        .collect()
}

/// The sum of turns and tokens. It grows while the swarm plays.
fn used(folder: &Path) -> u64 {
    let listed = ask(folder, &["mysis", "list", "--json"]);
    let listed = listed.as_array().expect("a list").iter();
    listed
        .map(|mysis| mysis["tokens_in"].as_u64().expect("a number"))
        .sum()
}

/// The number of whole screens that are not read: far more than a terminal buffers.
const WHOLE_SCREENS: usize = 16;

#[test]
fn a_terminal_that_nobody_reads_holds_nobody_up() {
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(200, 60, folder.path());
    terminal.types(&format!("{RUN}\r"));
    terminal.sees("12 running");
    terminal.hold_back(true);
    for _ in 0..WHOLE_SCREENS {
        let before = used(folder.path());
        terminal.types("\u{c}");
        until("the swarm goes on", || {
            (used(folder.path()) > before).then_some(())
        });
    }

    // Keys are handled and orders carried out although no picture is read.
    terminal.types(":stop alpha\r");
    let is_stopped = |mysis: &Value| mysis["name"] == "alpha" && mysis["state"] == "stopped";
    until("alpha is stopped", || {
        let listed = ask(folder.path(), &["mysis", "list", "--json"]);
        let mut listed = listed.as_array().expect("a list").iter();
        listed.any(is_stopped).then_some(())
    });

    // A terminal that is read again shows the present state, not the pictures in between.
    terminal.hold_back(false);
    terminal.sees("11 running");
    terminal.types(":stop all\ry");
    terminal.sees("12 stopped");
    let listed = ask(folder.path(), &["mysis", "list", "--json"]);
    until_screen_agrees(&mut terminal, &listed);
    terminal.types("q");
    terminal.comes_back();
}
