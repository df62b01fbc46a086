//! Columns of the screen's table, and their names in exports, metrics and the report, which are held together here.

use std::collections::BTreeSet;

use zoea_tui::dashboard::table::columns::Column;

/// The names of a column in exports (`mysis list --json`), metrics and the report's table of Myses, where it has one.
#[rustfmt::skip]
fn told_as(column: Column) -> [Option<&'static str>; 3] {
    match column {
        Column::Mark => [None, Some("zoea_needs"), None],
        Column::Name => [Some("name"), None, Some("Mysis")],
        Column::Doing => [Some("activity"), None, None],
        Column::State => [Some("state"), Some("zoea_myses"), None],
        Column::Process => [Some("process"), None, None],
        Column::Trend => [None, None, None],
        Column::Credits => [Some("credits"), Some("zoea_credits"), Some("credits")],
        Column::Earned => [Some("earned_last_hour"), Some("zoea_credits_earned"), Some("earned")],
        Column::Place => [Some("system"), None, None],
        Column::Words => [Some("reason"), None, None],
        Column::Cargo => [Some("cargo"), None, None],
        Column::Fuel => [Some("fuel"), None, None],
        Column::Cost => [Some("cost"), Some("zoea_cost_usd_total"), Some("cost")],
        Column::Account => [Some("account"), None, None],
        Column::Role => [Some("role"), None, None],
        Column::Provider => [Some("provider"), None, None],
        Column::Tokens => [Some("tokens_in"), Some("zoea_tokens_total"), Some("tokens in")],
        Column::Nudges => [Some("nudges"), None, None],
        Column::Model => [Some("model"), None, None],
        Column::Turns => [Some("turns"), Some("zoea_turns_total"), Some("turns")],
        Column::Latency => [None, Some("zoea_model_seconds"), None],
        Column::Seen => [Some("last_activity_at"), None, None],
        Column::Value => [Some("credits_per_dollar"), None, Some("per dollar")],
    }
}

/// The names by which columns are told in one of these places.
fn names(place: usize) -> BTreeSet<&'static str> {
    Column::all().filter_map(|it| told_as(it)[place]).collect()
}

#[test]
fn each_column_is_exported_under_its_name() {
    let kept = zoea_golden::kept("mysis-list.json");
    let known: serde_json::Value = serde_json::from_str(&kept).expect("JSON");
    let missing = names(0);
    let missing: Vec<_> = missing
        .iter()
        .filter(|name| known.get(**name).is_none())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn each_column_is_measured_under_its_name() {
    let page = zoea_golden::kept("metrics.txt");
    let ends = ["", "_sum", "_count", "_bucket"];
    let is_line = |line: &str, name: &str| {
        let metric = line.split('{').next().unwrap_or_default();
        ends.iter()
            .any(|end| metric.strip_suffix(end) == Some(name))
    };
    let missing = names(1);
    let missing: Vec<_> = missing
        .iter()
        .filter(|name| !page.lines().any(|line| is_line(line, name)))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// In both directions: the report has no column of Myses that the list does not know.
#[test]
fn the_report_heads_its_columns_as_the_list_says() {
    let source = include_str!("../../src/interface/report/html/tables.rs");
    let (_, heads) = source.split_once("const MYSIS_COLUMNS").expect("the heads");
    let (heads, _) = heads.split_once("];").expect("their end");
    let heads: BTreeSet<&str> = heads
        .split("(\"")
        .skip(1)
        .filter_map(|head| head.split('"').next())
        .collect();
    // Counts of a period alone, which no Mysis has now.
    let of_a_period = ["errors", "calls", "cached", "out"];
    let known: BTreeSet<&str> = names(2).into_iter().chain(of_a_period).collect();
    assert_eq!(heads, known);
}
