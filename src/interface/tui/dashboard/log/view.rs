//! Draws the log.

use ratatui::layout::Rect;

use super::keys::{LOG_KEYS, LogAction};
use super::list::LogView;
use super::rows::rows_of;
use super::whole::WholeEvent;
use crate::dashboard::facts::Facts;
use crate::dashboard::layout::{ScreenLayout, row_of};
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::toolkit::page::{begin_page, say};
use crate::painter::Painter;
use crate::theme::Ground;

pub(crate) fn paint_log(
    facts: &Facts,
    view: &LogView,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    if let Some(whole) = &view.whole {
        return paint_whole(facts, whole, layout, painter);
    }
    let body = begin_page(layout, &title(view), painter);
    if view.lines().is_empty() {
        let words = if view.is_narrowed() {
            let key = facts.keymap.key_of(LOG_KEYS, LogAction::Filter);
            format!("no events of this kind; {key} shows other kinds")
        } else {
            "nothing yet".to_string()
        };
        return say(body, &words, Tone::Dim, painter);
    }
    let window = view.window();
    let list = Rect {
        width: body.width.saturating_sub(1),
        ..body
    };
    let mut row = 0;
    let lines = view.lines().iter().enumerate();
    for (place, line) in lines.take(window.end).skip(window.top) {
        let mut rows = rows_of(line, &view.rules, usize::from(list.width), view.wraps);
        if let Some(text_search) = &view.text_search {
            text_search.mark(&mut rows);
        }
        for styled in rows {
            if row >= list.height {
                break;
            }
            let is_selected = window.selected == Some(place);
            if is_selected {
                painter.fill(row_of(list, row), Ground::Selected);
            }
            painter.line(list, row, &styled);
            if is_selected {
                painter.text(list, row, "▌", Tone::Accent);
            }
            row += 1;
        }
    }
    let visible = window.end - window.top;
    painter.scrollbar(body, window.top, visible, view.lines().len());
}

fn title(view: &LogView) -> StyledLine {
    let mut title =
        StyledLine::of(" LOG  ", Tone::Brand).with(view.rules.filter.as_str(), Tone::Strong);
    if let Some(name) = &view.rules.only {
        title.push(format!("  only {name}"), Tone::Accent);
    }
    if let Some(text_search) = &view.text_search {
        let (count, number) = view.matches();
        let words = match (count, number) {
            (0, _) => format!("  `{}` nowhere", text_search.text()),
            (count, 0) => format!("  `{}` in {count} lines", text_search.text()),
            (count, number) => format!("  `{}` {number} of {count}", text_search.text()),
        };
        title.push(words, Tone::Hint);
    }
    match (&view.complaint, view.awaited.is_some()) {
        (Some(why), _) => title.push(format!("  older events cannot be read: {why}"), Tone::Fault),
        (None, true) => title.push("  reading older events …", Tone::Dim),
        (None, false) => {}
    }
    title
}

fn paint_whole(
    facts: &Facts,
    whole: &WholeEvent,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    let title = StyledLine::of(" LOG  one event", Tone::Brand);
    let body = begin_page(layout, &title, painter);
    let offset = facts.appearance.offset;
    let lines = whole.lines(offset, usize::from(body.width));
    painter.lines(body, lines.iter().skip(whole.top));
    painter.scrollbar(body, whole.top, usize::from(body.height), lines.len());
}
