//! Draws the help screen from the table of keys.

use crate::dashboard::Dashboard;
use crate::dashboard::layout::row_of;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use ratatui::layout::{Alignment, Rect};

use crate::painter::{Painter, centre_area};
use crate::theme::Ground;

const KEYS_COLUMNS: usize = 18;

pub(crate) fn paint(dashboard: &Dashboard, top: usize, screen: Rect, painter: &mut Painter<'_>) {
    let area = centre_area(screen, 76, screen.height.saturating_sub(2));
    let inside = painter.frame(area, "keys", Ground::Panel);
    let lines = lines(dashboard);
    let rows = usize::from(inside.height);
    painter.lines(inside, lines.iter().skip(top));
    if lines.len() > top + rows {
        let foot = row_of(inside, inside.height);
        painter.text_at(foot, 0, Alignment::Right, " ↓ more ", Tone::Hint);
    }
}

fn lines(dashboard: &Dashboard) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    for chapter in dashboard.help() {
        lines.push(StyledLine::of(chapter.title, Tone::Brand));
        for help in chapter.lines {
            let keys = width::fit(&help.keys, KEYS_COLUMNS);
            lines.push(StyledLine::of(format!("  {keys}"), Tone::Key).with(help.help, Tone::Text));
        }
        lines.push(StyledLine::default());
    }
    lines
}
