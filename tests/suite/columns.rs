//! One list of columns: what an entry says of exports, metrics and the report is so (`zoea_tui`'s columns).

use std::collections::BTreeSet;

use zoea_tui::dashboard::table::columns::Column;

/// The names by which columns are told in one place. Each column has one there, or says why not.
fn names(place: &str) -> BTreeSet<&'static str> {
    let names = Column::all().filter_map(|column| {
        let elsewhere = column.elsewhere();
        let printed = match place {
            "export" => elsewhere.export,
            "metric" => elsewhere.metric,
            "report" => elsewhere.report,
            other => panic!("no place: {other}"),
        };
        printed.name()
    });
    names.collect()
}

#[test]
fn each_column_is_exported_under_its_name() {
    let kept = zoea_golden::kept("mysis-list.json");
    let known: serde_json::Value = serde_json::from_str(&kept).expect("JSON");
    let missing = names("export");
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
    let missing = names("metric");
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
    let known: BTreeSet<&str> = names("report").into_iter().chain(of_a_period).collect();
    assert_eq!(heads, known);
}
