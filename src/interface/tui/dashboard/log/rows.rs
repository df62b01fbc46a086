//! A line of the log in words: who, how often, what, and what came of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::folding::{fold_newest, short_span_of_names, span_of_names};
use super::lines::{LineRules, LogLine};
use super::message::LogMessage;
use crate::dashboard::facts::Facts;
use crate::dashboard::text::figures::UtcOffset;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;

/// The columns of a name, and those in a narrow terminal.
const NAME_COLUMNS: usize = 14;
const NAME_COLUMNS_WHEN_NARROW: usize = 8;
const NARROW_BELOW_COLUMNS: usize = 60;
const SHORT_NAMES_BELOW_COLUMNS: usize = 70;
/// About so many events make the newest lines.
const ABOUT_FOLDED: usize = 300;
/// The least columns of a wrapped text. Who it is about gives way.
const MIN_TEXT_COLUMNS: usize = 24;
/// The least columns of a text that is cut for what came of it.
const MIN_CLIPPED_COLUMNS: usize = 16;

/// Events that tell the same, as one line: what stands before the text, and the text.
struct Parts {
    before: StyledLine,
    text: String,
    receipt: String,
    source: String,
    tone: Tone,
}

pub(crate) fn rows_of(
    line: &LogLine,
    rules: &LineRules,
    columns: usize,
    wraps: bool,
) -> Vec<StyledLine> {
    let (events, sign) = match line {
        LogLine::Day(day) => return vec![ruler(day, Tone::Dim, columns)],
        LogLine::Looked(at) => {
            let day = rules.offset.day(*at);
            let clock = rules.offset.short_clock(*at);
            let when = match day == rules.today {
                true => clock,
                false => format!("{day} {clock}"),
            };
            let words = format!("since you looked, {when}");
            return vec![ruler(&words, Tone::Accent, columns)];
        }
        LogLine::Events(events) => (&events[..], " "),
        LogLine::Unfolded(event, true) => (std::slice::from_ref(event), "▾"),
        LogLine::Unfolded(event, false) => (std::slice::from_ref(event), "│"),
    };
    let Some(first) = events.first() else {
        return Vec::new();
    };
    let clock = rules.offset.clock(first.at);
    let parts = parts_of((first, events), &clock, sign, columns);
    match wraps {
        true => parts.wrapped(columns),
        false => vec![parts.in_one_row(columns)],
    }
}

fn ruler(words: &str, tone: Tone, columns: usize) -> StyledLine {
    let rest = columns.saturating_sub(width::of(words) + 5);
    StyledLine::of(" ── ", Tone::Faint)
        .with(words, tone)
        .with(format!(" {}", "─".repeat(rest)), Tone::Faint)
}

/// The newest events as so many lines, newest first.
pub(crate) fn lately_lines(facts: &Facts, lines: usize, columns: u16) -> Vec<StyledLine> {
    if lines == 0 {
        return Vec::new();
    }
    let offset = facts.appearance.offset;
    let today = offset.day(facts.now);
    let folds = fold_newest(facts.log.messages(), ABOUT_FOLDED);
    let newest = folds.iter().rev().take(lines);
    newest
        .map(|events| lately_row(events, offset, &today, usize::from(columns)))
        .collect()
}

/// A line for a list of the newest events only, with the date where it is not today's.
pub(crate) fn lately_row(
    events: &[Arc<LogMessage>],
    offset: UtcOffset,
    today: &str,
    columns: usize,
) -> StyledLine {
    let (Some(first), Some(newest)) = (events.first(), events.last()) else {
        return StyledLine::default();
    };
    let (day, clock) = (offset.day(newest.at), offset.clock(newest.at));
    let when = match day == today {
        true => clock,
        false => format!("{} {clock}", day.get(5..).unwrap_or_default()),
    };
    parts_of((first, events), &when, " ", columns).in_one_row(columns)
}

fn parts_of(
    (first, events): (&LogMessage, &[Arc<LogMessage>]),
    when: &str,
    sign: &str,
    columns: usize,
) -> Parts {
    let messages = || events.iter().map(|event| &**event);
    let is_narrow = columns < NARROW_BELOW_COLUMNS;
    let (when, names) = match is_narrow {
        true => (
            when.get(..when.len().saturating_sub(3)),
            NAME_COLUMNS_WHEN_NARROW,
        ),
        false => (Some(when), NAME_COLUMNS),
    };
    let mut before = StyledLine::of(format!(" {}", when.unwrap_or_default()), Tone::Dim)
        .with(format!(" {sign}"), Tone::Faint);
    let span = match columns < SHORT_NAMES_BELOW_COLUMNS {
        true => short_span_of_names(messages()),
        false => span_of_names(messages()),
    };
    // More than a name needs more than the columns of a name.
    let columns_of_names = match events.len() {
        2.. => names.max(width::of(&span)),
        _ => names,
    };
    let span = width::clip_middle(&span, columns_of_names);
    before.push(width::fit(&span, columns_of_names), Tone::Strong);
    // One event of each Mysis is what the names say.
    let named: BTreeSet<&str> = messages().map(|event| &*event.who).collect();
    if events.len() > named.len() {
        before.push(format!(" ×{}", events.len()), Tone::Accent);
    }
    before.push(" ", Tone::Dim);
    Parts {
        before,
        text: text_of_all(first, events),
        receipt: receipt_of(first, events),
        source: first.source_text(),
        tone: first.tone,
    }
}

/// The text of the first one. Offers differ, so theirs says whose it is.
fn text_of_all(first: &LogMessage, events: &[Arc<LogMessage>]) -> String {
    match events.iter().all(|event| event.text == first.text) {
        true => first.text.to_string(),
        false => format!("{}: {}", first.who, first.text),
    }
}

fn receipt_of(first: &LogMessage, events: &[Arc<LogMessage>]) -> String {
    let stored = events.iter().filter(|event| !event.receipt().is_empty());
    let answered = events.iter().filter(|event| event.answered.is_some());
    match (events.len(), stored.count()) {
        (1, _) | (_, 0) => first.receipt().to_string(),
        (_, stored) => format!("stored for {stored} · answered by {}", answered.count()),
    }
}

impl Parts {
    /// What came of an order stays in sight where there is room for some of its text, and then who gave it.
    fn in_one_row(mut self, columns: usize) -> StyledLine {
        let room = columns.saturating_sub(width::of(&self.before.text()));
        let whole = width::of(&self.text);
        let ends = [self.end(), format!("  {}", self.receipt), String::new()];
        let fits = |end: &&String| room >= width::of(end) + whole.min(MIN_CLIPPED_COLUMNS);
        let end = ends.iter().find(fits).map_or("", |end| end.trim_end());
        let for_text = room.saturating_sub(width::of(end));
        self.before
            .push(width::clip(&self.text, for_text), self.tone);
        self.before.push(end, Tone::Dim);
        self.before
    }

    /// What stands behind the text.
    fn end(&self) -> String {
        let parts = [&self.receipt, &self.source].into_iter();
        let parts: Vec<&str> = parts
            .map(String::as_str)
            .filter(|part| !part.is_empty())
            .collect();
        match parts.is_empty() {
            true => String::new(),
            false => format!("  {}", parts.join(" ")),
        }
    }

    fn wrapped(self, columns: usize) -> Vec<StyledLine> {
        let indent = width::of(&self.before.text());
        let indent = indent.min(columns.saturating_sub(MIN_TEXT_COLUMNS));
        let text = format!("{}{}", self.text, self.end());
        let lines: Vec<&str> = width::wrap(&text, columns.saturating_sub(indent)).collect();
        let mut rows = Vec::new();
        let (mut head, tone) = (self.before, self.tone);
        // Where whom it is about takes too much room, the text begins in the next row.
        if width::of(&head.text()) > indent {
            rows.push(std::mem::take(&mut head));
        }
        for line in lines {
            if head.spans.is_empty() {
                head.push(" ".repeat(indent), Tone::Dim);
            }
            rows.push(std::mem::take(&mut head).with(line, tone));
        }
        rows
    }
}
