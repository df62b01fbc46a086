//! Exports: read back without loss, and readable.

use std::path::Path;

use zoea_rig::sqlite;
use zoea_rig::{Home, Server, until};

/// A home with a few of all kinds of rows.
fn played() -> Home {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&["--nonsense", "0.3"]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["mysis", "create", "beta", "--model", "other"]);
    home.ok(&["mysis", "configure", "beta", "--temperature", "0.3"]);
    home.ok(&["broadcast", "First ```mission``` |with:pipes|"]);
    home.ok(&["mission", "clear"]);
    home.ok(&["note", "alpha", "an old note"]);
    home.ok(&["note", "alpha", "--clear"]);
    home.ok(&["note", "alpha", "never sell the ship"]);
    home.ok(&["send", "beta", "Grüße \u{1f680} \"quoted\"\nsecond line"]);
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let swarm = home.fly(&[]);
    // What the test compares must be there: how many turns pass before the first query for a state
    // of the game is the simulated model's choice.
    until("there is something of every kind to export", || {
        let rows = home.lines(&["log", "alpha", "--limit", "0", "--json"]);
        let seen = sqlite::column(&home.file("zoea.db"), "SELECT tool FROM sighting");
        (rows.len() > 30 && !seen.is_empty()).then_some(())
    });
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    // Calls under way get their results when the Mysis next runs. A query waits for the next run,
    // which repeats it.
    until("nothing is left open", || {
        home.ok(&["mysis", "list"]);
        let open = "SELECT name FROM tool_call WHERE status IN ('recorded', 'sent') \
                    AND NOT read_only";
        sqlite::column(&home.file("zoea.db"), open)
            .is_empty()
            .then_some(())
    });
    sqlite::execute(
        &home.file("zoea.db"),
        "UPDATE message SET kind = 'hologram' WHERE kind = 'prompt'; \
         UPDATE message SET metadata = '{' WHERE kind = 'result' AND seq = \
         (SELECT MIN(seq) FROM message WHERE kind = 'result');",
    );
    home
}

/// Fails at the first line that differs, and shows only that one.
fn assert_same(first: &str, second: &str) {
    for (number, (one, other)) in (1..).zip(first.lines().zip(second.lines())) {
        assert_eq!(one, other, "line {number}");
    }
    assert_eq!(first.lines().count(), second.lines().count());
    assert!(first == second);
}

fn text(file: &Path) -> String {
    std::fs::read_to_string(file).expect("a file")
}

#[test]
fn an_export_imports_into_a_new_home_and_exports_the_same_bytes() {
    let home = played();
    let first = home.file("first.jsonl");
    let name = first.to_str().expect("text");
    home.ok(&["export", "--out", name]);
    assert_same(&home.ok(&["export"]), &text(&first));
    assert!(text(&first).contains("\"record\":\"sighting\""));
    let (_, error) = home.fails(&["export", "--out", name]);
    assert!(error.contains("exists"), "{error}");

    let other = Home::new();
    other.configure("http://127.0.0.1:9/v1", "", "");
    let taken = other.ok(&["import", name]);
    assert!(taken.contains("2 myses"), "{taken}");
    let second = other.file("second.jsonl");
    other.ok(&["export", "--out", second.to_str().expect("text")]);
    assert_same(&text(&second), &text(&first));
    let log = |home: &Home| home.lines(&["log", "alpha", "--limit", "0", "--json"]);
    assert_eq!(log(&home), log(&other));
    assert_eq!(other.ok(&["mission", "show"]), "Mine ore and sell it.\n");

    let again = other.ok(&["import", name]);
    assert!(again.contains("taken over: 0 myses, 0 rows"), "{again}");
    assert!(again.contains("2 myses are here already"), "{again}");
    assert_eq!(
        other.ok(&["export"]),
        text(&first),
        "importing again changes nothing"
    );

    // A single conversation contains what it needs and no more.
    let one = home.file("one.jsonl");
    home.ok(&[
        "export",
        "--mysis",
        "beta",
        "--out",
        one.to_str().expect("text"),
    ]);
    let third = Home::new();
    third.configure("http://127.0.0.1:9/v1", "", "");
    third.ok(&["import", one.to_str().expect("text")]);
    assert_same(&third.ok(&["export"]), &text(&one));
}

#[test]
fn samples_stay_thinned_and_count_no_rows_that_are_not_there() {
    let home = played();
    // The same hour may be in both tables, if the clock was set back. Rows were written while the
    // export ran.
    sqlite::execute(
        &home.file("zoea.db"),
        "INSERT INTO sample_hour SELECT mysis_id, hour, packed FROM sample; \
         INSERT INTO sample_hour SELECT mysis_id, hour - 400, packed FROM sample; \
         UPDATE sample SET upto = upto + 1000;",
    );
    let export = home.ok(&["export"]);
    let marked = ["\"thinned\":true,", "\"thinned\":false,"];
    assert!(marked.iter().all(|mark| export.contains(mark)));
    let older = marked
        .iter()
        .fold(export.clone(), |text, mark| text.replace(mark, ""));
    let samples = |home: &Home, table: &str| {
        let query =
            format!("SELECT mysis_id || ' ' || hour || ' ' || hex(packed) FROM {table} ORDER BY 1");
        sqlite::column(&home.file("zoea.db"), &query)
    };
    let mut others = Vec::new();
    for text in [&export, &older] {
        let other = Home::new();
        other.configure("http://127.0.0.1:9/v1", "", "");
        let file = other.file("export.jsonl");
        std::fs::write(&file, text).expect("written");
        other.ok(&["import", file.to_str().expect("text")]);
        for table in ["sample", "sample_hour"] {
            assert_eq!(samples(&other, table), samples(&home, table), "{table}");
        }
        // Rows that were broken for this test are mistakes of another check.
        let (checked, _) = zoea_rig::texts(&other.run(&["db", "check", "--json"]));
        let checked: serde_json::Value = serde_json::from_str(&checked).expect("JSON");
        let mut checks = checked["checks"].as_array().expect("checks").iter();
        let of_samples = checks.find(|check| check["name"] == "samples");
        assert_eq!(of_samples.expect("the check")["ok"], true, "{checked}");
        others.push((other, file));
    }
    // Samples of a deleted Mysis stayed, and are newer than those of an old export.
    let (other, file) = &others[0];
    other.ok(&["mysis", "delete", "alpha", "--yes"]);
    sqlite::execute(
        &other.file("zoea.db"),
        "UPDATE sample SET packed = x'01', upto = 5000;",
    );
    let before = ["sample", "sample_hour"].map(|table| samples(other, table));
    let taken = other.ok(&["import", file.to_str().expect("text")]);
    assert!(taken.contains("1 myses"), "{taken}");
    let after = ["sample", "sample_hour"].map(|table| samples(other, table));
    assert_eq!(after, before);
}

#[test]
fn markdown_is_for_reading_and_breaks_nothing_of_it() {
    let home = played();
    let page = home.ok(&["export", "--mysis", "alpha", "--format", "md"]);
    assert!(page.starts_with("# alpha\n"), "{page}");
    assert!(page.contains("· YOU (BROADCAST)\n\n````text\nFirst ```mission``` |with:pipes|\n````"));
    assert!(
        page.contains("· NOTE\n\n```text\nnever sell the ship\n```"),
        "{page}"
    );
    assert!(page.contains("[TOOL_CALLS]"), "{page}");
    assert!(!page.contains("# beta"));
}

#[test]
fn what_is_no_export_is_refused_by_its_line_and_nothing_is_taken() {
    let home = played();
    let mut lines: Vec<String> = home.ok(&["export"]).lines().map(str::to_string).collect();
    let last = lines.len();
    let other = Home::new();
    other.configure("http://127.0.0.1:9/v1", "", "");
    let file = other.file("broken.jsonl");
    for broken in [
        "{\"record\":\"row\"",
        "{}",
        "{\"record\":\"row\",\"mysis_id\":\"0000000000000001\",\"seq\":1,\"at\":\"2026-01-01T00:00:00.000Z\",\"turn\":0,\"kind\":\"prompt\",\"content\":\"x\"}",
    ] {
        lines[last - 1] = broken.to_string();
        std::fs::write(&file, lines.join("\n")).expect("a file");
        let (status, error) = other.fails(&["import", file.to_str().expect("text")]);
        assert_eq!(status, 1);
        assert!(error.contains(&format!("line {last}: ")), "{error}");
    }
    assert_eq!(
        other.json(&["mysis", "list", "--json"]),
        serde_json::json!([])
    );
    let (_, error) = other.fails(&["import", "/nowhere"]);
    assert!(error.contains("/nowhere"), "{error}");
}
