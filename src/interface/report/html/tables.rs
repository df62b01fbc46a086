//! The tables of a page.

use crate::interface::report::cost::{Cost, UNKNOWN};
use crate::interface::report::figures::{credits, duration};
use crate::interface::report::holdups::{HoldKind, HoldUp};
use crate::interface::report::summary::compared;
use crate::interface::report::values::{Ranking, ValueLine};
use crate::interface::report::{OF_ANY, OF_MONEY, OfMoney, PeriodReport, ReportLine};
use zoea_text::figures::group_digits;

use super::markup::escape_html;

/// The Myses and places that a table shows before it is folded.
const MAX_OPEN_ROWS: usize = 20;
/// The cell of a Mysis, whose bar is compared with the longest one.
type MysisCell = fn(&ReportLine, Option<u64>) -> String;
/// The columns of a table of Myses: head and cell.
#[rustfmt::skip]
const MYSIS_COLUMNS: [((&str, MysisCell), OfMoney); 11] = [
    (("Mysis", |of, _| name_cell(&of.name)), OF_ANY),
    (("earned", gained_cell), OF_MONEY),
    (("cost", |of, _| price_cell(&of.spent)), OF_ANY),
    (("per dollar", |of, _| cell(&of.spent.credits_per_dollar(of.gained()))), OF_MONEY),
    (("credits", |of, _| cell(&credits(of.credits.map(|(_, last)| last)))), OF_MONEY),
    (("turns", |of, _| cell(&group_digits(of.turns))), OF_ANY),
    (("errors", |of, _| fault_cell(of.faults)), OF_ANY),
    (("calls", |of, _| cell(&group_digits(of.spent.calls))), OF_ANY),
    (("tokens in", |of, _| cell(&group_digits(of.spent.tokens_in))), OF_ANY),
    (("cached", |of, _| cell(&group_digits(of.spent.tokens_cached))), OF_ANY),
    (("out", |of, _| cell(&group_digits(of.spent.tokens_out))), OF_ANY),
];

/// The Myses by value: the best, the worst, and all others folded.
pub(super) fn mysis_section(report: &PeriodReport, total: &ReportLine) -> String {
    let ranking = Ranking::of(&report.myses);
    let longest = longest(report.myses.iter().map(ReportLine::gained));
    let rows = |lines: &[ReportLine]| -> String {
        let rows = lines.iter().map(|line| mysis_row(report, line, longest));
        rows.collect()
    };
    let foot = format!("<tfoot>{}</tfoot>", mysis_row(report, total, None));
    let worth = escape_html(report.worth());
    let columns = report.having(MYSIS_COLUMNS).into_iter();
    let columns = columns.map(|(head, _)| match head {
        "credits" => &*worth,
        "earned" => report.gain_column(),
        other => other,
    });
    let columns: Vec<&str> = columns.collect();
    let title = match report.has_worth() {
        true => format!("Myses by {}", escape_html(&report.gain())),
        false => "Myses".to_string(),
    };
    let mut section = format!("<section class=\"card\"><h2>{title}</h2>");
    if !ranking.worst.is_empty() {
        section += &format!("<h3>The best {}</h3>", ranking.best.len());
    }
    section += &table(&columns, &rows(ranking.best), &foot);
    if !ranking.worst.is_empty() {
        section += &format!("<h3 class=\"next\">The last {}</h3>", ranking.worst.len());
        section += &table(&columns, &rows(ranking.worst), "");
        section += &folded(
            &format!("The other {}", ranking.folded.len()),
            &table(&columns, &rows(ranking.folded), ""),
        );
    }
    section + "</section>"
}

/// What the same hours came to before, beside what they come to now.
pub(super) fn comparison_section(report: &PeriodReport) -> String {
    let rows = compared(report).into_iter().map(|[what, now, before]| {
        let what = escape_html(&what);
        format!("<tr><th>{what}</th>{}{}</tr>", cell(&now), cell(&before))
    });
    let rows: String = rows.collect();
    if rows.is_empty() {
        return rows;
    }
    let table = table(&["", "this time", "before"], &rows, "");
    format!("<section class=\"card\"><h2>Compared with the same hours before</h2>{table}</section>")
}

pub(super) fn value_sections(report: &PeriodReport) -> String {
    if report.providers.is_empty() && report.systems.is_empty() {
        return String::new();
    }
    let title = match (&report.number, report.is_of_no_game) {
        (Some(name), _) => format!("{} per dollar", escape_html(name)),
        (None, true) => "Cost".to_string(),
        (None, false) => "Credits per dollar".to_string(),
    };
    let mut section = format!("<section class=\"card\"><h2>{title}</h2>");
    let parts = [
        ("By provider", "provider", &report.providers),
        ("By system", "system", &report.systems),
    ];
    for (place, (title, what, lines)) in parts.into_iter().enumerate() {
        if lines.is_empty() {
            continue;
        }
        let class = if place > 0 { " class=\"next\"" } else { "" };
        section += &format!("<h3{class}>{title}</h3>");
        section += &value_table(report, what, lines);
    }
    if report.is_of_no_game {
        return section + "</section>";
    }
    section += "<p><small>Earnings are divided among the providers of a Mysis by the calls that each answered; \
                for systems, they count where they were paid.</small></p>";
    section + "</section>"
}

pub(super) fn held_up_section(held_up: &[HoldUp]) -> String {
    if held_up.is_empty() {
        return String::new();
    }
    let kinds = HoldKind::in_list(held_up);
    let mut columns = vec!["Mysis"];
    columns.extend(kinds.iter().map(|kind| kind.title()));
    columns.push("waiting");
    let has_reasons = held_up.iter().any(|of| !of.why.is_empty());
    if has_reasons {
        columns.push("last reason");
    }
    let rows = |part: &[HoldUp]| -> String {
        let rows = part.iter().map(|of| held_up_row(of, &kinds, has_reasons));
        rows.collect()
    };
    let (shown, others) = held_up.split_at(held_up.len().min(MAX_OPEN_ROWS));
    let mut section = String::from("<section class=\"card\"><h2>Held up</h2>");
    section += &table(&columns, &rows(shown), "");
    if !others.is_empty() {
        section += &folded(
            &format!("{} others, for less time", others.len()),
            &table(&columns, &rows(others), ""),
        );
    }
    section += "<p><small>Waiting: the Mysis ran, and waited for its turn at a server, for its next attempt or for \
                a pause to end. Cut off: its tools were away; or it ran when the program ended, and the \
                next start of the program did not start it.</small></p>";
    section + "</section>"
}

pub(super) fn days_section(days: &[(String, Cost)]) -> String {
    if days.is_empty() {
        return String::new();
    }
    let longest = longest(days.iter().map(|(_, cost)| signed(cost.cost_micros)));
    let most_tokens = days.iter().map(|(_, cost)| signed(cost.tokens()));
    let most_tokens = self::longest(most_tokens);
    let rows = days.iter().map(|(day, cost)| {
        let cells = [
            barred(&cost.dollars(), signed(cost.cost_micros), longest, "cost"),
            barred(
                &group_digits(cost.tokens()),
                signed(cost.tokens()),
                most_tokens,
                "tokens",
            ),
            cell(&group_digits(cost.calls)),
        ];
        format!("<tr><th>{}</th>{}</tr>", escape_html(day), cells.concat())
    });
    let rows: String = rows.collect();
    let columns = ["day", "cost", "tokens", "calls"];
    let table = table(&columns, &rows, "");
    format!("<section class=\"card\"><h2>The last days (UTC)</h2>{table}</section>")
}

fn table(columns: &[&str], rows: &str, foot: &str) -> String {
    let heads = columns.iter().map(|column| format!("<th>{column}</th>"));
    let heads: String = heads.collect();
    format!(
        "<div class=\"scroll\"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>{foot}</table></div>"
    )
}

fn folded(summary: &str, content: &str) -> String {
    format!("<details><summary>{summary}</summary>{content}</details>")
}

fn cell(text: &str) -> String {
    format!("<td>{text}</td>")
}

/// A cost. It may have words, and breaks there.
fn price_cell(spent: &Cost) -> String {
    format!("<td class=\"price\">{}</td>", spent.dollars())
}

fn signed(value: u64) -> Option<i64> {
    Some(i64::try_from(value).unwrap_or(i64::MAX))
}

/// The largest size of these numbers.
fn longest(values: impl Iterator<Item = Option<i64>>) -> Option<u64> {
    values.flatten().map(i64::unsigned_abs).max()
}

/// A number with a bar below it, whose length is its share of the longest one.
fn barred(text: &str, value: Option<i64>, longest: Option<u64>, colour: &str) -> String {
    let (Some(value), Some(longest)) = (value, longest.filter(|longest| *longest > 0)) else {
        return cell(text);
    };
    let share = u128::from(value.unsigned_abs()) * 100 / u128::from(longest);
    let (class, colour) = match value < 0 {
        true => (" class=\"loss\"", "loss"),
        false => ("", colour),
    };
    format!("<td{class}>{text}<i class=\"bar {colour}\" style=\"width:{share}%\"></i></td>")
}

fn name_cell(name: &str) -> String {
    format!("<th>{}</th>", escape_html(name))
}

fn gained_cell(of: &ReportLine, longest: Option<u64>) -> String {
    let gained = of.gained();
    barred(&credits(gained), gained, longest, "gain")
}

fn fault_cell(faults: u64) -> String {
    match faults {
        0 => cell("0"),
        faults => format!("<td class=\"bad\">{}</td>", group_digits(faults)),
    }
}

fn mysis_row(report: &PeriodReport, of: &ReportLine, longest: Option<u64>) -> String {
    let columns = report.having(MYSIS_COLUMNS).into_iter();
    let cells: String = columns.map(|(_, cell)| cell(of, longest)).collect();
    format!("<tr>{cells}</tr>")
}

fn value_table(report: &PeriodReport, what: &str, lines: &[ValueLine]) -> String {
    let has_time = lines.iter().any(|line| line.minutes.is_some());
    let mut columns = report.having([
        (what, OF_ANY),
        (report.gain_column(), OF_MONEY),
        ("cost", OF_ANY),
        ("per dollar", OF_MONEY),
    ]);
    if has_time {
        columns.extend(["earned an hour", "time there"]);
    }
    columns.extend(["Myses", "tokens"]);
    let longest = longest(lines.iter().map(|line| line.earned));
    let rows = |part: &[ValueLine]| -> String {
        let rows = part.iter().map(|line| value_row(report, line, longest));
        rows.collect()
    };
    let (shown, others) = lines.split_at(lines.len().min(MAX_OPEN_ROWS));
    let mut text = table(&columns, &rows(shown), "");
    if !others.is_empty() {
        text += &folded(
            &format!("The other {}", others.len()),
            &table(&columns, &rows(others), ""),
        );
    }
    text
}

fn value_row(report: &PeriodReport, line: &ValueLine, longest: Option<u64>) -> String {
    let name = line
        .name
        .as_deref()
        .map_or(UNKNOWN.to_string(), escape_html);
    let bar = barred(&credits(line.earned), line.earned, longest, "gain");
    let each = cell(&line.spent.credits_per_dollar(line.earned));
    let cells = report.having([
        (bar, OF_MONEY),
        (price_cell(&line.spent), OF_ANY),
        (each, OF_MONEY),
    ]);
    let mut cells = cells.concat();
    if let Some(minutes) = line.minutes {
        cells += &cell(&credits(line.earned_hourly()));
        cells += &cell(&duration(minutes.unsigned_abs().saturating_mul(60_000)));
    }
    cells += &cell(&group_digits(line.myses));
    cells += &cell(&group_digits(line.spent.tokens()));
    format!("<tr><th>{name}</th>{cells}</tr>")
}

fn held_up_row(of: &HoldUp, kinds: &[HoldKind], has_reasons: bool) -> String {
    let mut cells = String::new();
    for kind in kinds {
        let Some(ms) = of.held_ms.get(kind) else {
            cells += &cell("");
            continue;
        };
        let time = duration(*ms);
        cells += &match of.still == Some(*kind) {
            true => format!("<td class=\"bad\">{time}, still</td>"),
            false => cell(&time),
        };
    }
    cells += &cell(&of.waited());
    if has_reasons {
        cells += &format!("<td class=\"text\">{}</td>", escape_html(&of.why));
    }
    format!("<tr><th>{}</th>{cells}</tr>", escape_html(&of.name))
}
