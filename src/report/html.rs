//! The report as one HTML page. Its charts are part of it, and it loads nothing.

use zoea_text::clean;

use super::{Cost, DayReport, NOT_ASKED, ReportLine};

/// The page around the charts. Its colours follow the reader's choice of light or dark.
const PAGE_TEMPLATE: &str = include_str!("report.html");

/// The number of bars in one chart. The largest ones are shown.
const MAX_BARS: usize = 40;

/// One bar: its label, its length, and the text at its end.
type ChartBar = (String, f64, String);

pub(super) fn render_page(report: &DayReport) -> String {
    let total = report.total();
    let charts = [
        bar_chart(
            "Credits gained",
            "gain",
            mysis_bars(report, |line| {
                let gained = line.gained()?;
                Some((to_float(gained), group_thousands(gained)))
            }),
        ),
        bar_chart(
            "Turns",
            "turns",
            mysis_bars(report, |line| count_bar(line.turns)),
        ),
        bar_chart(
            "Tokens",
            "tokens",
            mysis_bars(report, |line| count_bar(line.spent.tokens())),
        ),
        bar_chart(
            "Cost",
            "cost",
            mysis_bars(report, |line| cost_bar(&line.spent)),
        ),
        bar_chart(
            "Faults",
            "faults",
            mysis_bars(report, |line| count_bar(line.faults)),
        ),
        bar_chart(
            "Tokens by day",
            "tokens",
            day_bars(report, |spent| count_bar(spent.tokens())),
        ),
        bar_chart("Cost by day", "cost", day_bars(report, cost_bar)),
    ];
    PAGE_TEMPLATE
        .replace("{{day}}", &escape_html(&report.day))
        .replace("{{tiles}}", &total_tiles(&total))
        .replace("{{charts}}", &charts.concat())
        .replace("{{rows}}", &table_rows(report, &total))
}

#[expect(clippy::cast_precision_loss, reason = "the length of a bar")]
fn to_float(value: i64) -> f64 {
    value as f64
}

fn count_bar(value: u64) -> Option<(f64, String)> {
    let value = i64::try_from(value).unwrap_or(i64::MAX);
    (value > 0).then(|| (to_float(value), group_thousands(value)))
}

fn cost_bar(spent: &Cost) -> Option<(f64, String)> {
    let (length, _) = count_bar(spent.cost_micros)?;
    Some((length, spent.dollars()))
}

/// The largest bars, ordered by name.
fn mysis_bars(
    report: &DayReport,
    value: impl Fn(&ReportLine) -> Option<(f64, String)>,
) -> Vec<ChartBar> {
    let lines = report.myses.iter();
    let mut bars: Vec<ChartBar> = lines
        .filter_map(|line| value(line).map(|(length, label)| (line.name.clone(), length, label)))
        .collect();
    if bars.len() > MAX_BARS {
        bars.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
        bars.truncate(MAX_BARS);
        bars.sort_by(|one, other| one.0.cmp(&other.0));
    }
    bars
}

fn day_bars(report: &DayReport, value: impl Fn(&Cost) -> Option<(f64, String)>) -> Vec<ChartBar> {
    let days = report.days.iter();
    days.filter_map(|(day, cost)| value(cost).map(|(length, label)| (day.clone(), length, label)))
        .collect()
}

/// A chart of horizontal bars; empty without bars.
fn bar_chart(title: &str, kind: &str, bars: Vec<ChartBar>) -> String {
    let longest = bars.iter().map(|bar| bar.1.abs()).fold(0.0, f64::max);
    if longest <= 0.0 {
        return String::new();
    }
    let height = 24 * bars.len() + 4;
    let mut drawn = String::new();
    for (place, (name, value, label)) in bars.iter().enumerate() {
        let width = (value.abs() / longest * 300.0).max(1.0);
        let (top, sign) = (24 * place, if *value < 0.0 { "loss" } else { kind });
        let (name, label) = (escape_html(name), escape_html(label));
        drawn += &format!(
            "<g><title>{name}: {label}</title>\
             <text class=\"name\" x=\"150\" y=\"{}\">{name}</text>\
             <rect class=\"{sign}\" x=\"160\" y=\"{}\" width=\"{width:.1}\" height=\"16\" rx=\"3\"/>\
             <text class=\"value\" x=\"{:.1}\" y=\"{}\">{label}</text></g>",
            top + 16,
            top + 4,
            168.0 + width,
            top + 16,
        );
    }
    format!(
        "<section class=\"card\"><h2>{}</h2><svg viewBox=\"0 0 560 {height}\" role=\"img\" \
         aria-label=\"{}\">{drawn}</svg></section>",
        escape_html(title),
        escape_html(title)
    )
}

fn total_tiles(total: &ReportLine) -> String {
    let gained = total
        .gained()
        .map_or(NOT_ASKED.to_string(), group_thousands);
    let tokens = i64::try_from(total.spent.tokens()).unwrap_or(i64::MAX);
    let count = |value: u64| group_thousands(i64::try_from(value).unwrap_or(i64::MAX));
    [
        ("credits gained", gained),
        ("turns", count(total.turns)),
        ("tokens", group_thousands(tokens)),
        ("cost", total.spent.dollars()),
        ("faults", count(total.faults)),
    ]
    .map(|(what, value)| format!("<div class=\"tile\"><b>{value}</b><span>{what}</span></div>"))
    .concat()
}

fn table_rows(report: &DayReport, total: &ReportLine) -> String {
    let row = |line: &ReportLine| {
        let or_not_asked =
            |number: Option<i64>| number.map_or(NOT_ASKED.to_string(), group_thousands);
        let count = |value: u64| group_thousands(i64::try_from(value).unwrap_or(i64::MAX));
        let spent = &line.spent;
        let cells = [
            or_not_asked(line.credits.map(|(_, last)| last)),
            or_not_asked(line.gained()),
            count(line.turns),
            count(line.faults),
            count(spent.calls),
            count(spent.tokens_in),
            count(spent.tokens_cached),
            count(spent.tokens_out),
            spent.dollars(),
        ];
        let cells = cells.map(|cell| format!("<td>{cell}</td>")).concat();
        format!("<tr><th>{}</th>{cells}</tr>", escape_html(&line.name))
    };
    let lines = report.myses.iter().chain([total]);
    lines.map(row).collect()
}

/// A number with thousands separators.
fn group_thousands(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0 {
        format!("−{text}")
    } else {
        text
    }
}

fn escape_html(text: &str) -> String {
    clean::one_line(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_shows_every_number_and_asks_nobody_for_anything() {
        let line = |name: &str, gained: i64| ReportLine {
            name: name.to_string(),
            turns: 1234,
            faults: 1,
            credits: Some((100, 100 + gained)),
            spent: Cost {
                calls: 3,
                tokens_in: 1_000_000,
                tokens_out: 7,
                tokens_cached: 5,
                cost_micros: 1_234_500,
                is_partly_unknown: false,
            },
        };
        let report = DayReport {
            day: "2026-11-22".to_string(),
            myses: vec![line("<b>evil</b>", 5000), line("beta", -300)],
            days: vec![("2026-11-21".to_string(), Cost::default())],
        };
        let page = render_page(&report);
        for wanted in [
            "1,234",
            "$1.2345",
            "2,000,014",
            "$2.4690",
            "5,000",
            "−300",
            "loss",
        ] {
            assert!(page.contains(wanted), "{wanted}");
        }
        assert!(!page.contains("<b>evil"), "names are text");
        for foreign in [
            "http:", "https:", "<script", "<link", "@import", "url(", "{{",
        ] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        assert!(page.contains("prefers-color-scheme") && !page.contains(NOT_ASKED));
    }

    #[test]
    fn credits_that_nobody_asked_for_are_said_to_be_unknown_for_that_reason() {
        let report = DayReport {
            day: "2026-11-22".to_string(),
            myses: vec![ReportLine {
                name: "alpha".to_string(),
                turns: 1,
                faults: 0,
                credits: None,
                spent: Cost::default(),
            }],
            days: Vec::new(),
        };
        let page = render_page(&report);
        // The credits and the gain of the Mysis and of all, and the tile of the sum.
        assert_eq!(page.matches("not asked").count(), 5);
        let text = super::super::markdown::render_text(&report);
        assert!(
            text.contains("| alpha | not asked | not asked | 1 |"),
            "{text}"
        );
    }
}
