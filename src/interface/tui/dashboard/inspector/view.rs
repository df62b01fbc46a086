//! Draws the inspector.

use super::Inspector;
use crate::dashboard::layout::{ScreenLayout, row_of, without_left};
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::dashboard::toolkit::page::begin_page;

use crate::painter::Painter;
use crate::theme::Ground;

pub(crate) fn paint(inspector: &Inspector, layout: &ScreenLayout, painter: &mut Painter<'_>) {
    let lines = inspector.lines.len();
    let bottom = inspector.top + usize::from(layout.page().height);
    let place = format!("  {} of {lines} ", bottom.min(lines));
    let room = usize::from(layout.title.width).saturating_sub(place.len() + 1);
    let title = format!(" {}", width::clip(&inspector.title, room));
    let body = begin_page(layout, &StyledLine::of(title, Tone::Brand), painter);
    painter.line_at_right(layout.title, 0, &StyledLine::of(place, Tone::Dim));
    let mut was_selected = false;
    for (row, (line, is_selected)) in (0..body.height).zip(inspector.visible()) {
        let whole = row_of(body, row);
        if is_selected {
            painter.fill(whole, Ground::Selected);
            if !was_selected {
                painter.text(whole, 0, "▌", Tone::Accent);
            }
        }
        was_selected = is_selected;
        painter.line(without_left(whole, 2), 0, line);
    }
}
