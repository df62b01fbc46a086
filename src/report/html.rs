//! The report as one page: its charts are drawn in it, and it asks nobody for anything.

use actors::domain::clean;

use super::{Cost, Line, Report};

/// The page around what is drawn. Colours follow the reader's own choice of light or dark.
const PAGE: &str = include_str!("report.html");

/// Bars in one chart; the largest are shown.
const BARS: usize = 40;

/// One bar: what it is of, how long it is, and what is written at its end.
type Bar = (String, f64, String);

pub(super) fn write(report: &Report) -> String {
    let total = report.total();
    let charts = [
        chart(
            "Credits gained",
            "gain",
            bars(report, |line| {
                let gained = line.gained()?;
                Some((number(gained), grouped(gained)))
            }),
        ),
        chart("Turns", "turns", bars(report, |line| whole(line.turns))),
        chart(
            "Tokens",
            "tokens",
            bars(report, |line| whole(line.spent.tokens())),
        ),
        chart("Cost", "cost", bars(report, |line| cost(&line.spent))),
        chart("Faults", "faults", bars(report, |line| whole(line.faults))),
        chart(
            "Tokens by day",
            "tokens",
            days(report, |spent| whole(spent.tokens())),
        ),
        chart("Cost by day", "cost", days(report, cost)),
    ];
    PAGE.replace("{{day}}", &escaped(&report.day))
        .replace("{{tiles}}", &tiles(&total))
        .replace("{{charts}}", &charts.concat())
        .replace("{{rows}}", &rows(report, &total))
}

#[expect(clippy::cast_precision_loss, reason = "the length of a bar")]
fn number(value: i64) -> f64 {
    value as f64
}

fn whole(value: u64) -> Option<(f64, String)> {
    let value = i64::try_from(value).unwrap_or(i64::MAX);
    (value > 0).then(|| (number(value), grouped(value)))
}

fn cost(spent: &Cost) -> Option<(f64, String)> {
    let (length, _) = whole(spent.cost_micros)?;
    Some((length, spent.dollars()))
}

/// The largest bars, in the order of names.
fn bars(report: &Report, value: impl Fn(&Line) -> Option<(f64, String)>) -> Vec<Bar> {
    let lines = report.myses.iter();
    let mut bars: Vec<Bar> = lines
        .filter_map(|line| value(line).map(|(length, label)| (line.name.clone(), length, label)))
        .collect();
    if bars.len() > BARS {
        bars.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
        bars.truncate(BARS);
        bars.sort_by(|one, other| one.0.cmp(&other.0));
    }
    bars
}

fn days(report: &Report, value: impl Fn(&Cost) -> Option<(f64, String)>) -> Vec<Bar> {
    let days = report.days.iter();
    days.filter_map(|(day, cost)| value(cost).map(|(length, label)| (day.clone(), length, label)))
        .collect()
}

/// A chart of horizontal bars; nothing where there is nothing to show.
fn chart(title: &str, kind: &str, bars: Vec<Bar>) -> String {
    let longest = bars.iter().map(|bar| bar.1.abs()).fold(0.0, f64::max);
    if longest <= 0.0 {
        return String::new();
    }
    let height = 24 * bars.len() + 4;
    let mut drawn = String::new();
    for (place, (name, value, label)) in bars.iter().enumerate() {
        let width = (value.abs() / longest * 300.0).max(1.0);
        let (top, sign) = (24 * place, if *value < 0.0 { "loss" } else { kind });
        let (name, label) = (escaped(name), escaped(label));
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
        escaped(title),
        escaped(title)
    )
}

fn tiles(total: &Line) -> String {
    let gained = total.gained().map_or("–".to_string(), grouped);
    let tokens = i64::try_from(total.spent.tokens()).unwrap_or(i64::MAX);
    let count = |value: u64| grouped(i64::try_from(value).unwrap_or(i64::MAX));
    [
        ("credits gained", gained),
        ("turns", count(total.turns)),
        ("tokens", grouped(tokens)),
        ("cost", total.spent.dollars()),
        ("faults", count(total.faults)),
    ]
    .map(|(what, value)| format!("<div class=\"tile\"><b>{value}</b><span>{what}</span></div>"))
    .concat()
}

fn rows(report: &Report, total: &Line) -> String {
    let row = |line: &Line| {
        let or_dash = |number: Option<i64>| number.map_or("–".to_string(), grouped);
        let count = |value: u64| grouped(i64::try_from(value).unwrap_or(i64::MAX));
        let spent = &line.spent;
        let cells = [
            or_dash(line.credits.map(|(_, last)| last)),
            or_dash(line.gained()),
            count(line.turns),
            count(line.faults),
            count(spent.calls),
            count(spent.tokens_in),
            count(spent.tokens_cached),
            count(spent.tokens_out),
            spent.dollars(),
        ];
        let cells = cells.map(|cell| format!("<td>{cell}</td>")).concat();
        format!("<tr><th>{}</th>{cells}</tr>", escaped(&line.name))
    };
    let lines = report.myses.iter().chain([total]);
    lines.map(row).collect()
}

/// A number with its thousands apart.
fn grouped(value: i64) -> String {
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

fn escaped(text: &str) -> String {
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
        let line = |name: &str, gained: i64| Line {
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
            },
        };
        let report = Report {
            day: "2026-11-22".to_string(),
            myses: vec![line("<b>evil</b>", 5000), line("beta", -300)],
            days: vec![("2026-11-21".to_string(), Cost::default())],
        };
        let page = write(&report);
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
        assert!(page.contains("prefers-color-scheme"));
    }
}
