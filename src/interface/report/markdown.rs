//! The report as Markdown.

use std::fmt::Write as _;

use zoea_text::markdown::plain_line;

use super::cost::UNKNOWN;
use super::curves::{CurveKind, time_ticks};
use super::figures::{credits, duration};
use super::holdups::{HoldKind, HoldUp};
use super::summary::{compared, sentences};
use super::timeline::ReportTimeline;
use super::values::{Ranking, ValueLine};
use super::{NOT_REPORTED, OF_ANY, OF_MONEY, OfMoney, PeriodReport, ReportLine};
use zoea_text::figures::group_digits;

/// The heights of a curve of letters.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// What stands where a value is not known.
const NO_VALUE: char = '·';
/// The columns between two times below a curve.
const TIME_COLUMNS: usize = 12;
/// The most Myses of the table of those that were held up.
const MAX_HELD_UP: usize = 20;
type MysisCell = fn(&ReportLine) -> String;
/// The columns of a table of Myses: head and cell.
#[rustfmt::skip]
const MYSIS_COLUMNS: [((&str, MysisCell), OfMoney); 11] = [
    (("Mysis", |of| plain_line(&of.name)), OF_ANY),
    (("credits", |of| or_not_reported(of.credits.map(|(_, last)| last))), OF_MONEY),
    (("gained", |of| or_not_reported(of.gained())), OF_MONEY),
    (("turns", |of| of.turns.to_string()), OF_ANY),
    (("errors", |of| of.faults.to_string()), OF_ANY),
    (("calls", |of| of.spent.calls.to_string()), OF_ANY),
    (("tokens in", |of| of.spent.tokens_in.to_string()), OF_ANY),
    (("cached", |of| of.spent.tokens_cached.to_string()), OF_ANY),
    (("out", |of| of.spent.tokens_out.to_string()), OF_ANY),
    (("cost", |of| of.spent.dollars()), OF_ANY),
    (("per dollar", |of| of.spent.credits_per_dollar(of.gained())), OF_MONEY),
];

pub(super) fn render_text(report: &PeriodReport) -> String {
    let mut text = format!("# Zoea Nova, {}\n\n", report.title());
    for sentence in sentences(report) {
        text.push_str(&plain_line(&sentence));
        text.push('\n');
    }
    if !report.curves.steps.is_empty() {
        let zone = report.clock.zone(report.until);
        let _ = write!(text, "\n## Over time ({zone})\n\n");
        text.push_str(&curves(report));
    }
    text.push_str(&timeline(report));
    text.push_str(&comparison(report));
    let ranking = Ranking::of(&report.myses);
    let total = report.total();
    text.push_str(match report.has_worth() {
        true => "\n## Myses by value\n\n",
        false => "\n## Myses\n\n",
    });
    text.push_str(&mysis_table(report, ranking.best.iter().chain([&total])));
    if !ranking.worst.is_empty() {
        let _ = write!(text, "\n### The last {}\n\n", ranking.worst.len());
        text.push_str(&mysis_table(report, ranking.worst.iter()));
    }
    text.push_str(&value_table(
        report,
        ("By provider", "provider"),
        &report.providers,
    ));
    text.push_str(&value_table(
        report,
        ("By system", "system"),
        &report.systems,
    ));
    text.push_str(&held_up_table(&report.held_up));
    text.push_str(&days_table(report));
    if !ranking.folded.is_empty() {
        let _ = write!(text, "\n## The other {} Myses\n\n", ranking.folded.len());
        text.push_str(&mysis_table(report, ranking.folded.iter()));
    }
    text
}

/// What the same hours came to before, beside what they come to now.
fn comparison(report: &PeriodReport) -> String {
    let rows = compared(report);
    if rows.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n## Compared with the same hours before\n\n");
    text.push_str("| | this time | before |\n|---|--:|--:|\n");
    for [what, now, before] in rows {
        let what = plain_line(&what);
        let _ = writeln!(text, "| {what} | {now} | {before} |");
    }
    text
}

fn curves(report: &PeriodReport) -> String {
    let mut text = String::from("```text\n");
    for kind in CurveKind::of_report(report) {
        let values = report.curves.values(kind);
        let title = plain_line(&kind.title(report));
        if let Some(absence) = kind.absence(&report.curves) {
            let _ = writeln!(text, "{title}: {absence}\n");
            continue;
        }
        let _ = writeln!(text, "{title}: {}", kind.words(&report.curves));
        let _ = writeln!(text, "{}\n", blocks(&values));
    }
    for line in axis(report) {
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text.push_str("```\n");
    text
}

/// A curve as a line of blocks, from zero or the lowest value below it to the highest.
fn blocks(values: &[Option<f64>]) -> String {
    let known = || values.iter().flatten().copied();
    let lowest = known().fold(0.0, f64::min);
    let range = known().fold(0.0, f64::max) - lowest;
    let block = |value: f64| {
        let share = if range > 0.0 {
            (value - lowest) / range
        } else {
            0.0
        };
        let heights = BLOCKS.iter().zip(1_u32..);
        let height = share * 8.0;
        let reached = heights.filter(|(_, top)| f64::from(*top) <= height.max(1.0).ceil());
        reached.last().map_or(BLOCKS[0], |(block, _)| *block)
    };
    let letters = values.iter().map(|value| value.map_or(NO_VALUE, block));
    letters.collect()
}

/// The times below the curves, the numbers of the marks and the spans.
fn axis(report: &PeriodReport) -> Vec<String> {
    let (curves, timeline) = (&report.curves, &report.timeline);
    let columns = curves.steps.len();
    let column = |place: f64| -> usize {
        let steps = (0..columns).rev();
        let is_reached = |step: &usize| {
            let share = u32::try_from(*step).map_or(0.0, f64::from);
            share <= place * u32::try_from(columns).map_or(0.0, f64::from)
        };
        steps.into_iter().find(is_reached).unwrap_or(0)
    };
    let mut times = vec![' '; columns + TIME_COLUMNS];
    // The first time stands at the beginning, and the next ones where they leave it room.
    let ticks = time_ticks(report, columns.div_ceil(TIME_COLUMNS).max(1));
    let ticks = ticks
        .into_iter()
        .map(|tick| (tick, curves.place_of(tick).map_or(0, column)));
    let first = report.time(curves.first).chars().count();
    let ticks = ticks.filter(|(_, start)| *start > first);
    for (tick, start) in [(curves.first, 0)].into_iter().chain(ticks) {
        for (place, letter) in report.time(tick).chars().enumerate() {
            if let Some(cell) = times.get_mut(start + place) {
                *cell = letter;
            }
        }
    }
    let mut marks = vec![' '; columns];
    for (number, mark) in timeline.marks.iter().enumerate() {
        let place = curves.place_of(mark.at).map(column);
        if let Some(cell) = place.and_then(|place| marks.get_mut(place)) {
            *cell = if *cell == ' ' {
                mark_letter(number)
            } else {
                '+'
            };
        }
    }
    let mut spans = vec![' '; columns];
    for span in &timeline.spans {
        if span.until <= curves.first || span.from >= curves.end() {
            continue;
        }
        let from = curves.place_of(span.from).map_or(0, column);
        let until = curves.place_of(span.until).map_or(columns, column);
        for cell in spans.iter_mut().take(until + 1).skip(from) {
            *cell = '═';
        }
    }
    let rows = [times, marks, spans].into_iter();
    let rows = rows.map(|row| row.into_iter().collect::<String>());
    rows.filter(|row| !row.trim().is_empty()).collect()
}

/// The sign of a mark: 1 to 9, then letters.
fn mark_letter(number: usize) -> char {
    let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
    char::from_digit(number, 36).unwrap_or('+')
}

fn timeline(report: &PeriodReport) -> String {
    let ReportTimeline {
        marks,
        spans,
        left_out,
        totals: _,
    } = &report.timeline;
    let mut text = String::new();
    if !marks.is_empty() || !spans.is_empty() {
        text.push('\n');
    }
    for (number, mark) in marks.iter().enumerate() {
        let (sign, at) = (mark_letter(number), report.time(mark.at));
        let _ = writeln!(text, "- `{sign}` {at} {}", plain_line(&mark.text));
    }
    for span in spans {
        let (from, until) = (report.time(span.from), report.time(span.until));
        let until = if span.is_open { "…" } else { &until };
        let time = duration(span.until.since(span.from));
        let (what, why) = (span.kind.title(), plain_line(&span.text));
        let _ = writeln!(text, "- `═` {from} to {until} ({time}) {what}: {why}");
    }
    if *left_out > 0 {
        let _ = writeln!(text, "- and {left_out} earlier ones");
    }
    if report.are_events_cut {
        text.push_str("\nOnly the newest 10,000 events are stored; earlier ones may be missing.\n");
    }
    text
}

/// A table. The first column has names, all others numbers.
fn table(columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let numbers = "|--:".repeat(columns.len().saturating_sub(1));
    let head = format!("| {} |\n|---{numbers}|\n", columns.join(" | "));
    rows.fold(head, |text, cells| text + &row(&cells))
}

fn mysis_table<'a>(report: &PeriodReport, lines: impl Iterator<Item = &'a ReportLine>) -> String {
    let worth = plain_line(report.worth());
    let columns = report.having(MYSIS_COLUMNS);
    let heads = columns.iter().map(|(head, _)| match *head {
        "credits" => &*worth,
        other => other,
    });
    let rows = lines.map(|line| columns.iter().map(|(_, cell)| cell(line)).collect());
    table(&heads.collect::<Vec<&str>>(), rows)
}

fn or_not_reported(number: Option<i64>) -> String {
    number.map_or(NOT_REPORTED.to_string(), |number| number.to_string())
}

fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn value_table(report: &PeriodReport, (title, what): (&str, &str), lines: &[ValueLine]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let has_time = lines.iter().any(|line| line.minutes.is_some());
    let mut columns = vec![what, "Myses"];
    if has_time {
        columns.extend(["time", "earned an hour"]);
    }
    columns.extend(report.having([
        (report.gain_column(), OF_MONEY),
        ("tokens", OF_ANY),
        ("cost", OF_ANY),
        ("per dollar", OF_MONEY),
    ]));
    let rows = lines.iter().map(|line| {
        let name = line.name.as_deref().map_or(UNKNOWN.to_string(), plain_line);
        let mut cells = vec![name, line.myses.to_string()];
        if let Some(minutes) = line.minutes {
            let ms = minutes.unsigned_abs().saturating_mul(60_000);
            cells.extend([duration(ms), credits(line.earned_hourly())]);
        }
        cells.extend(report.having([
            (credits(line.earned), OF_MONEY),
            (group_digits(line.spent.tokens()), OF_ANY),
            (line.spent.dollars(), OF_ANY),
            (line.spent.credits_per_dollar(line.earned), OF_MONEY),
        ]));
        cells
    });
    format!("\n## {title}\n\n{}", table(&columns, rows))
}

fn held_up_table(held_up: &[HoldUp]) -> String {
    if held_up.is_empty() {
        return String::new();
    }
    let kinds = HoldKind::in_list(held_up);
    let mut text = String::from("\n## Held up\n\n| Mysis |");
    for kind in &kinds {
        let _ = write!(text, " {} |", kind.title());
    }
    text.push_str(" waiting | last reason |\n|---|");
    text.push_str(&"--:|".repeat(kinds.len() + 1));
    text.push_str("---|\n");
    for of in held_up.iter().take(MAX_HELD_UP) {
        let mut cells = vec![plain_line(&of.name)];
        for kind in &kinds {
            cells.push(held_cell(of, *kind));
        }
        cells.push(of.waited());
        cells.push(plain_line(&of.why));
        text.push_str(&row(&cells));
    }
    let others = held_up.len().saturating_sub(MAX_HELD_UP);
    if others > 0 {
        let _ = writeln!(text, "\nand {others} others, for less time");
    }
    text
}

fn held_cell(of: &HoldUp, kind: HoldKind) -> String {
    let Some(ms) = of.held_ms.get(&kind) else {
        return String::new();
    };
    let still = if of.still == Some(kind) {
        ", still"
    } else {
        ""
    };
    format!("{}{still}", duration(*ms))
}

fn days_table(report: &PeriodReport) -> String {
    let columns = ["day", "calls", "tokens in", "out", "cost"];
    let rows = report.days.iter().map(|(day, cost)| {
        let counts = [cost.calls, cost.tokens_in, cost.tokens_out];
        let mut cells = vec![day.clone()];
        cells.extend(counts.map(|count| count.to_string()));
        cells.push(cost.dollars());
        cells
    });
    format!("\n## The last days (UTC)\n\n{}", table(&columns, rows))
}
