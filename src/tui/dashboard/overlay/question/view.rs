//! Draws a question.

use super::ConfirmDialog;
use crate::dashboard::text::tone::Tone;
use crate::dashboard::text::width;
use ratatui::layout::{Alignment, Rect};

use crate::painter::{Painter, centre_area};
use crate::theme::Ground;

pub(crate) fn paint(question: &ConfirmDialog, screen: Rect, painter: &mut Painter<'_>) {
    let widest = question.lines.iter().map(|line| width::of(line)).max();
    let width = u16::try_from(widest.unwrap_or(0) + 6).unwrap_or(screen.width);
    let rows = u16::try_from(question.lines.len()).unwrap_or(1);
    let area = centre_area(screen, width.max(40), rows + 4);
    let inside = painter.frame(area, "", Ground::Panel);
    for (row, line) in (0..).zip(&question.lines) {
        let tone = if row == 0 { Tone::Strong } else { Tone::Text };
        painter.text(inside, row, line, tone);
    }
    let foot = inside.height.saturating_sub(1);
    painter.text_at(inside, foot, Alignment::Right, question.keys(), Tone::Key);
}
