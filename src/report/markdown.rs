//! The report as Markdown.

use std::fmt::Write as _;

use zoea_text::clean;

use super::{DayReport, NOT_ASKED, ReportLine};

pub(super) fn render_text(report: &DayReport) -> String {
    let mut text = format!("# Zoea Nova, {}\n\n", report.day);
    text.push_str(
        "| Mysis | credits | gained | turns | faults | calls | tokens in | cached | out | cost |\n",
    );
    text.push_str("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for line in report.myses.iter().chain([&report.total()]) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{}", table_row(line));
    }
    text.push_str("\n## The days up to it\n\n| day | calls | tokens in | out | cost |\n");
    text.push_str("|---|--:|--:|--:|--:|\n");
    for (day, cost) in &report.days {
        let (calls, tokens_in, tokens_out) = (cost.calls, cost.tokens_in, cost.tokens_out);
        let dollars = cost.dollars();
        let _ = writeln!(
            text,
            "| {day} | {calls} | {tokens_in} | {tokens_out} | {dollars} |"
        );
    }
    text
}

fn table_row(line: &ReportLine) -> String {
    let or_not_asked =
        |number: Option<i64>| number.map_or(NOT_ASKED.to_string(), |number| number.to_string());
    let spent = &line.spent;
    let cells = [
        clean::one_line(&line.name).replace('|', "\\|"),
        or_not_asked(line.credits.map(|(_, last)| last)),
        or_not_asked(line.gained()),
        line.turns.to_string(),
        line.faults.to_string(),
        spent.calls.to_string(),
        spent.tokens_in.to_string(),
        spent.tokens_cached.to_string(),
        spent.tokens_out.to_string(),
        spent.dollars(),
    ];
    format!("| {} |", cells.join(" | "))
}
