//! Draws the one-line input for searches and filters.

use super::{Query, QueryScope};
use crate::dashboard::facts::Facts;
use crate::dashboard::layout::without_left;
use crate::dashboard::table::MysisTable;
use crate::dashboard::table::filter::FILTER_HINT;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use ratatui::layout::Rect;

use crate::painter::Painter;
use crate::theme::Ground;

pub(crate) fn paint(
    (facts, table): (&Facts, &MysisTable),
    query: &Query,
    area: Rect,
    painter: &mut Painter<'_>,
) {
    painter.fill(area, Ground::Field);
    let words = match query.within {
        QueryScope::Table => " SHOW ",
        QueryScope::Conversation | QueryScope::Entry | QueryScope::Log => " FIND ",
        QueryScope::Swarm => " SEARCH ALL ",
        QueryScope::Routine => " START WITH ",
    };
    let taken = painter.line(area, 0, &StyledLine::of(words, Tone::Accent));
    let mut text = without_left(area, taken);
    // What is written has at least a third of the line. The hint gives way.
    let hint = query_hint((facts, table), query, usize::from(text.width / 3 * 2));
    let hint_columns = u16::try_from(width::of(&hint.text())).unwrap_or(text.width);
    painter.line_at_right(area, 0, &hint);
    text.width = text.width.saturating_sub(hint_columns).min(60);
    text.width = text.width.saturating_sub(1);
    painter.field(text, &query.field);
}

/// The hint in so many columns: a complaint is cut, other hints lose what they say last.
fn query_hint((facts, table): (&Facts, &MysisTable), query: &Query, columns: usize) -> StyledLine {
    let filter = table.filter();
    let hints = match (query.within, filter.complaint()) {
        (QueryScope::Table, Some(complaint)) => {
            let complaint = width::clip(complaint, columns.saturating_sub(1));
            return StyledLine::of(format!("{complaint} "), Tone::Fault);
        }
        (QueryScope::Table, None) => {
            let shown = table.order().len();
            let all = facts.counts.all;
            let count = format!("{shown} of {all} shown");
            [format!("{count}; {FILTER_HINT} "), format!("{count} ")]
        }
        (QueryScope::Routine, _) => {
            let hint = "names with commas, all, marked, running ";
            [hint.to_string(), String::new()]
        }
        (QueryScope::Conversation | QueryScope::Entry | QueryScope::Swarm | QueryScope::Log, _) => {
            let hint = "lower case matches upper case too ";
            [hint.to_string(), String::new()]
        }
    };
    let fits = |hint: &String| width::of(hint) <= columns;
    let hint = hints.into_iter().find(fits).unwrap_or_default();
    StyledLine::of(hint, Tone::Dim)
}
