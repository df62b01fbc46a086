//! Draws a question.

use super::ConfirmDialog;
use crate::dashboard::text::tone::Tone;
use crate::dashboard::text::width;
use ratatui::layout::{Alignment, Rect};

use crate::painter::{Painter, centre_area};
use crate::theme::Ground;

/// The columns of the frame, and beside it.
const FRAME_COLUMNS: u16 = 6;

/// Draws it in the free part of the screen, or over all of it if that part is too low: what is asked is
/// seen whole.
pub(crate) fn paint(
    question: &ConfirmDialog,
    (screen, free): (Rect, Rect),
    painter: &mut Painter<'_>,
) {
    let room = usize::from(screen.width.saturating_sub(FRAME_COLUMNS)).max(1);
    let lines: Vec<(&str, Tone)> = (0..)
        .zip(&question.lines)
        .flat_map(|(place, line)| {
            let tone = if place == 0 { Tone::Strong } else { Tone::Text };
            width::wrap(line, room).map(move |part| (part, tone))
        })
        .collect();
    let widest = lines.iter().map(|(line, _)| width::of(line)).max();
    let width = u16::try_from(widest.unwrap_or(0)).unwrap_or(screen.width);
    let rows = u16::try_from(lines.len()).unwrap_or(1);
    let width = width.saturating_add(FRAME_COLUMNS).max(40);
    let rows = rows.saturating_add(4);
    let of = if rows <= free.height { free } else { screen };
    let area = centre_area(of, width, rows);
    let inside = painter.frame(area, "", Ground::Panel);
    for (row, (line, tone)) in (0..).zip(lines) {
        painter.text(inside, row, line, tone);
    }
    let foot = inside.height.saturating_sub(1);
    painter.text_at(inside, foot, Alignment::Right, &question.keys(), Tone::Key);
}
