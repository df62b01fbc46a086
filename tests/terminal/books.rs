//! The books and the search across the swarm: what the terminal shows is what the commands say.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use zoea_rig::{until, zoea};

use crate::operating::ask;
use crate::terminal::Terminal;

const RUN: &str = "$ZOEA --home home run --offline --seed 7 --tick 50ms --myses 3";
const ATTACH: &str = "$ZOEA --home home/offline attach";

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups = groups.map(|group| String::from_utf8_lossy(group).into_owned());
    groups.collect::<Vec<_>>().join(",")
}

/// The figures of each Mysis as `zoea books` has them: calls, tokens in, cached and out.
fn figures_of_command(folder: &Path) -> BTreeMap<String, [u64; 4]> {
    let books = ask(folder, &["books", "--days", "2", "--json"]);
    let mut sums = BTreeMap::new();
    for entry in books.as_array().expect("a list") {
        let name = entry["mysis"].as_str().expect("a name").to_string();
        let sum: &mut [u64; 4] = sums.entry(name).or_default();
        let keys = ["calls", "tokens_in", "tokens_cached", "tokens_out"];
        for (sum, key) in sum.iter_mut().zip(keys) {
            *sum += entry[key].as_u64().expect("a number");
        }
    }
    sums
}

/// Opens the books of two days, so that a midnight meanwhile changes nothing, and compares each line.
fn compare_books(terminal: &mut Terminal, expected: &BTreeMap<String, [u64; 4]>) {
    terminal.types("$[");
    terminal.sees_beside("BOOKS  by Mysis", "2 days since");
    let mut total = [0; 4];
    for (name, figures) in expected {
        let figures = figures.map(grouped);
        terminal.until(&format!("{name} {figures:?}"), |screen| {
            let contents = screen.contents();
            let mut lines = contents.lines().map(|line| {
                let line = line.trim_start_matches('▌').split_whitespace();
                line.map(str::to_string).collect::<Vec<_>>()
            });
            lines.any(|words| words.first() == Some(name) && words[1..].starts_with(&figures))
        });
    }
    for figures in expected.values() {
        for (sum, figure) in total.iter_mut().zip(figures) {
            *sum += figure;
        }
    }
    let total = total.map(grouped);
    terminal.sees_beside("the swarm", &total[1]);
    terminal.sees_beside("the swarm", &total[3]);
}

/// The rows that `zoea search` finds, oldest first.
fn found_by_command(folder: &Path, text: &str) -> Vec<Value> {
    let mut command = zoea();
    let home = folder.join("home/offline");
    let done = command.arg("--home").arg(home);
    let done = done.args(["search", text, "--json"]).output();
    let text = String::from_utf8(done.expect("the program").stdout).expect("text");
    let rows = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    rows.collect()
}

#[test]
fn the_books_agree_with_the_command_and_a_search_jumps_to_its_row() {
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(120, 40, folder.path());
    terminal.types(&format!("{RUN}\r"));
    terminal.sees("3 running");
    terminal.types(":message beta look for the wormhole\r");
    terminal.sees_beside("✓", "message beta");
    // The conversation goes on until the message is far above.
    terminal.types(":open beta\r");
    // The table tells the message, too.
    terminal.sees("following");
    terminal.sees("look for the wormhole");
    terminal.until("the message is out of sight", |screen| {
        !screen.contents().contains("look for the wormhole")
    });
    terminal.goes_back_to("DOING");
    until("everybody asks a model", || {
        (figures_of_command(folder.path()).len() >= 3).then_some(())
    });
    terminal.types("*s");
    terminal.sees("Stop 3 Myses?");
    terminal.types("y");
    terminal.sees("3 stopped");

    let expected = figures_of_command(folder.path());
    assert_eq!(expected.len(), 3, "{expected:?}");
    compare_books(&mut terminal, &expected);
    let mut attached = Terminal::open(120, 40, folder.path());
    attached.types(&format!("{ATTACH}\r"));
    attached.sees("3 stopped");
    compare_books(&mut attached, &expected);
    attached.goes_back_to("DOING");
    attached.types("q");
    attached.comes_back();

    // A line of the books opens its conversation, and Esc leads back.
    terminal.types("\r");
    terminal.sees("following");
    terminal.types("\u{1b}");
    terminal.sees("BOOKS  by Mysis");
    terminal.goes_back_to("DOING");

    let rows = found_by_command(folder.path(), "the wormhole");
    let prompt = rows.iter().find(|row| row["kind"] == "prompt");
    let prompt = prompt.expect("the message is stored");
    assert_eq!(prompt["mysis"], "beta");
    terminal.types("Sthe wormhole\r");
    terminal.sees_beside(" SEARCH ", "match");
    // The oldest match is the message itself.
    terminal.types("\u{1b}[F");
    terminal.sees(&format!(" beta #{} prompt ", prompt["seq"]));
    terminal.types("\r");
    terminal.sees_beside(" beta  ", "End follows");
    terminal.sees("YOU");
    terminal.sees("look for the wormhole");
    terminal.goes_back_to("Enter open");
    terminal.sees(&format!(" beta #{} prompt ", prompt["seq"]));
    terminal.goes_back_to("DOING");
    terminal.types("Sno such text\r");
    terminal.sees("No matches.");
    terminal.goes_back_to("DOING");
    terminal.types("q");
    terminal.comes_back();
}
