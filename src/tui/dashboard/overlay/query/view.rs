//! Draws the one-line input for searches and filters.

use super::{Query, QueryScope};
use crate::dashboard::Dashboard;
use crate::dashboard::layout::without_left;
use crate::dashboard::table::filter::FILTER_HINT;
use crate::dashboard::text::tone::{StyledLine, Tone};
use ratatui::layout::Rect;

use crate::painter::Painter;
use crate::theme::Ground;

pub(crate) fn paint(dashboard: &Dashboard, query: &Query, area: Rect, painter: &mut Painter<'_>) {
    painter.fill(area, Ground::Field);
    let words = match query.within {
        QueryScope::Table => " SHOW ",
        QueryScope::Conversation | QueryScope::Entry => " FIND ",
    };
    let taken = painter.line(area, 0, &StyledLine::of(words, Tone::Accent));
    let about = query_hint(dashboard, query);
    painter.line_at_right(area, 0, &about);
    let mut text = without_left(area, taken);
    text.width = text.width.min(60);
    let (shown, column) = query
        .field
        .window(usize::from(text.width.saturating_sub(1)));
    painter.text(text, 0, &shown, Tone::Strong);
    if let Ok(column) = u16::try_from(column) {
        painter.put_cursor(text.x.saturating_add(column), text.y);
    }
}

fn query_hint(dashboard: &Dashboard, query: &Query) -> StyledLine {
    let filter = dashboard.table().filter();
    match (query.within, filter.complaint()) {
        (QueryScope::Table, Some(complaint)) => {
            StyledLine::of(format!("{complaint} "), Tone::Fault)
        }
        (QueryScope::Table, None) => {
            let shown = dashboard.table().order().len();
            let all = dashboard.counts().all;
            StyledLine::of(format!("{shown} of {all} shown; {FILTER_HINT} "), Tone::Dim)
        }
        (QueryScope::Conversation | QueryScope::Entry, _) => {
            StyledLine::of("small letters find capitals too ", Tone::Dim)
        }
    }
}
