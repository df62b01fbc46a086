//! The banner: says at the top of the screen what the whole swarm needs the operator for.

use crate::dashboard::text::tone::Tone;
use crate::dashboard::text::width;
use ratatui::layout::{Margin, Rect};
use zoea_text::clean::one_line;

use crate::painter::Painter;
use crate::theme::Ground;

pub(super) fn paint(text: &str, tone: Tone, area: Rect, painter: &mut Painter<'_>) {
    if area.height == 0 {
        return;
    }
    painter.fill(area, Ground::Panel);
    let area = area.inner(Margin::new(1, 0));
    let text = one_line(text);
    let mut lines = width::wrap(&text, usize::from(area.width));
    for row in 0..area.height {
        let rest = lines.rest();
        let Some(line) = lines.next() else {
            break;
        };
        let is_last = row + 1 == area.height;
        painter.text(area, row, if is_last { rest } else { line }, tone);
    }
}
