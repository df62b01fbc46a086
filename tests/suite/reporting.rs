//! Reports agree with `zoea books`, with and without a running program.

use std::fs;

use crate::watching::playing;
use zoea_rig::{Home, texts, until};

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
    // | name | credits | gained | turns | errors | calls | tokens in | cached | out | cost |
    let (calls, tokens_in, tokens_out) = (&cells[6], &cells[7], &cells[9]);
    assert_eq!(*calls, booked(&home, "calls").to_string(), "{report}");
    assert_eq!(*tokens_in, booked(&home, "tokens_in").to_string());
    assert_eq!(*tokens_out, booked(&home, "tokens_out").to_string());
    let turns = |name: &str| home.mysis(name)["turns"].as_u64().expect("a number");
    let printed: u64 = cells[4].parse().expect("a number");
    // A stopped turn is not a finished turn, and the model spoke in it.
    let ended = turns("alpha") + turns("beta");
    assert!((ended..=ended + 2).contains(&printed), "{printed} {ended}");
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
    assert!(said.contains("is not a day"), "{said}");

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

#[test]
fn a_report_is_of_any_time_by_the_operators_clock() {
    let (home, swarm, _galaxy, _pilot) = playing("");
    until("both have played", || {
        let turns = |name: &str| home.mysis(name)["turns"].as_u64().unwrap_or(0);
        (turns("alpha") > 1 && turns("beta") > 1).then_some(())
    });
    home.ok(&["mysis", "stop", "--all"]);
    let in_zone = |zone: &str, arguments: &[&str]| {
        let output = home
            .command(arguments)
            .env("TZ", zone)
            .output()
            .expect("it runs");
        let (out, error) = texts(&output);
        assert!(output.status.success(), "{arguments:?}: {error}");
        out
    };
    // The last hour costs what the books have, and its times are those of the clock.
    let report = in_zone("Etc/GMT-9", &["report", "--since", "1h"]);
    assert_eq!(
        totals(&report)[6],
        booked(&home, "calls").to_string(),
        "{report}"
    );
    assert!(report.contains("## Over time (UTC+09:00)"), "{report}");
    let utc = in_zone("Etc/GMT-9", &["report", "--since", "1h", "--utc"]);
    assert!(utc.contains("## Over time (UTC)"), "{utc}");
    let title = report.lines().next().expect("a title");
    let japan = chrono::Utc::now() + chrono::TimeDelta::hours(9);
    assert!(
        title.contains(&japan.format("%Y-%m-%d").to_string()),
        "{title}"
    );
    // Days begin at the midnight of the clock, also where one has 23 or 25 hours.
    let today = in_zone("Etc/GMT-9", &["report"]);
    let day = japan.format("%Y-%m-%d").to_string();
    assert_eq!(today.lines().next(), Some(&*format!("# Zoea Nova, {day}")));
    for day in ["2026-03-29", "2026-10-25"] {
        let zone = "CET-1CEST,M3.5.0,M10.5.0/3";
        let text = in_zone(zone, &["report", "--day", day]);
        assert!(text.contains("Nothing was done on this day."), "{text}");
        let night = in_zone(
            zone,
            &[
                "report",
                "--since",
                &format!("{day} 02:30"),
                "--until",
                &format!("{day} 04:00"),
            ],
        );
        assert!(
            night.starts_with(&format!("# Zoea Nova, {day} 0")),
            "{night}"
        );
    }
    // What was done today was not done a day before: there is nothing to compare with.
    assert!(!report.contains("the same hours before"), "{report}");
    for (arguments, printed) in [
        (&["--since", "sunset"][..], "`sunset` is not a time"),
        (&["--since", "2199-01-01"], "is not in the past"),
        (&["--since", "60d"], "31 days at most"),
        (&["--since", "1h", "--until", "2h"], "cannot end before"),
        (&["--day", "2199-01-01"], "is in the future"),
        (&["--since", "1h", "--day", "today"], "cannot be used with"),
        (&["--since", "looked"], "no key was pressed at a screen"),
    ] {
        let (status, error) = home.fails(&[&["report"], arguments].concat());
        assert!(
            status == 2 && error.contains(printed),
            "{arguments:?}: {error}"
        );
    }
    let minute_ago = chrono::Utc::now().timestamp_millis() - 60_000;
    fs::write(
        home.file("zoea.views.json"),
        format!("{{\"looked\":{minute_ago}}}"),
    )
    .expect("a file");
    assert!(
        home.ok(&["report", "--since", "looked"])
            .starts_with("# Zoea Nova, ")
    );
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let closed = in_zone("Etc/GMT-9", &["report", "--since", "1h"]);
    assert_eq!(
        totals(&closed)[6],
        totals(&report)[6],
        "the program runs no more"
    );
    let nothing = Home::new();
    nothing.configure("http://127.0.0.1:9/v1", "http://127.0.0.1:9/mcp", "");
    let empty = nothing.ok(&["report", "--since", "22:00"]);
    assert!(empty.contains("Nothing was done in this time."), "{empty}");
}
