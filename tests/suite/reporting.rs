//! Reports agree with `zoea books`, with and without a running program.

use std::fs;

use crate::watching::playing;
use zoea_rig::{Home, until};

/// The cells of the line with the sums of all Myses.
fn totals(report: &str) -> Vec<String> {
    let line = report
        .lines()
        .find(|line| line.starts_with("| all |"))
        .expect("a line of all");
    line.split('|')
        .map(|cell| cell.trim().to_string())
        .collect()
}

/// The sum of a member of `zoea books`.
fn booked(home: &Home, key: &str) -> u64 {
    let books = home.json(&["books", "--json"]);
    let entries = books.as_array().expect("entries").iter();
    let sum = entries.map(|entry| entry[key].as_u64().expect("a number"));
    sum.sum()
}

#[test]
fn a_report_agrees_with_the_books_while_the_program_runs_and_when_it_does_not() {
    let (home, swarm, _galaxy, _pilot) = playing("[reports]\ndaily = \"html\"\n");
    home.ok(&["mysis", "stop", "--all"]);
    until("everybody has stopped", || {
        let stopped = |name: &str| home.mysis(name)["state"] == "stopped";
        (stopped("alpha") && stopped("beta")).then_some(())
    });
    let report = home.ok(&["report"]);
    let cells = totals(&report);
    // | name | credits | gained | turns | faults | calls | tokens in | cached | out | cost |
    let (calls, tokens_in, tokens_out) = (&cells[6], &cells[7], &cells[9]);
    assert_eq!(*calls, booked(&home, "calls").to_string(), "{report}");
    assert_eq!(*tokens_in, booked(&home, "tokens_in").to_string());
    assert_eq!(*tokens_out, booked(&home, "tokens_out").to_string());
    let turns = |name: &str| home.mysis(name)["turns"].as_u64().expect("a number");
    let told: u64 = cells[4].parse().expect("a number");
    // A stopped turn is not a finished turn, and the model spoke in it.
    let ended = turns("alpha") + turns("beta");
    assert!((ended..=ended + 2).contains(&told), "{told} {ended}");
    assert!(
        report.contains("| alpha |") && report.contains("| beta |"),
        "{report}"
    );

    let page = home.path().with_file_name("report.html");
    let page = page.to_str().expect("letters");
    home.ok(&["report", "--format", "html", "--out", page]);
    let html = fs::read_to_string(page).expect("a page");
    assert!(
        html.contains("<svg") && html.contains(">alpha<"),
        "no chart"
    );
    let (status, said) = home.fails(&["report", "--format", "html", "--out", page]);
    assert!(status == 1 && said.contains("exists"), "{said}");
    let (_, said) = home.fails(&["report", "--day", "tomorrow"]);
    assert!(said.contains("is no day"), "{said}");

    // The day before was over when the program started.
    let written = until("yesterday's report is written", || {
        let mut reports = fs::read_dir(home.file("reports")).ok()?.flatten();
        let html = reports.find(|file| file.path().extension().is_some_and(|end| end == "html"));
        html.map(|file| file.path())
    });
    let yesterday = fs::read_to_string(written).expect("a report");
    assert!(yesterday.contains("</html>"));
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    assert_eq!(
        home.ok(&["report"]),
        report,
        "nobody runs, and it is the same"
    );
    let empty = home.ok(&["report", "--day", "2001-01-01"]);
    assert_eq!(totals(&empty)[6], "0", "{empty}");
}
