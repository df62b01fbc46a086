//! The report as one HTML page. Its charts are part of it, and it loads nothing.

mod charts;
mod markup;
mod tables;

use super::figures::{credits, dollars, short_count};
use super::summary::sentences;
use super::{OF_ANY, OF_MONEY, PeriodReport, ReportLine};
use markup::escape_html;
use zoea_text::figures::group_digits;

/// The page around the sections. Its colours follow the reader's choice of light or dark.
const PAGE_TEMPLATE: &str = include_str!("report.html");

pub(super) fn render_page(report: &PeriodReport) -> String {
    let total = report.total();
    let sections = [
        charts::timeline_section(report),
        tables::comparison_section(report),
        tables::mysis_section(report, &total),
        tables::value_sections(report),
        tables::held_up_section(&report.held_up),
        tables::days_section(&report.days),
    ];
    // Escaped text has no brace, so that a name cannot stand for a part of the page.
    PAGE_TEMPLATE
        .replace("{{title}}", &escape_html(&report.title()))
        .replace("{{zone}}", &report.clock.zone(report.until))
        .replace("{{lead}}", &escape_html(&sentences(report).join(" ")))
        .replace("{{tiles}}", &total_tiles(report, &total))
        .replace("{{sections}}", &sections.concat())
}

fn total_tiles(report: &PeriodReport, total: &ReportLine) -> String {
    let earned = credits(total.gained());
    let cost = &total.spent;
    let (known, of_what) = match (cost.cost_micros, cost.is_partly_unknown) {
        (1.., true) => (dollars(cost.cost_micros), "cost, and unknown prices"),
        (_, _) => (cost.dollars(), "cost"),
    };
    let each = cost.credits_per_dollar(total.gained());
    let (gain, per_dollar) = (report.gain(), format!("{} per dollar", report.worth()));
    let tiles = report.having([
        ((&*gain, earned), OF_MONEY),
        ((of_what, known), OF_ANY),
        ((&*per_dollar, each), OF_MONEY),
        (("tokens", short_count(cost.tokens())), OF_ANY),
        (("turns", group_digits(total.turns)), OF_ANY),
        (("errors", group_digits(total.faults)), OF_ANY),
    ]);
    let tiles = tiles.into_iter();
    tiles
        .map(|(what, value)| {
            let what = escape_html(what);
            format!("<div class=\"tile\"><b>{value}</b><span>{what}</span></div>")
        })
        .collect()
}
