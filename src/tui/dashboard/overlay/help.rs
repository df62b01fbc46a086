//! Help: what keys do, from the one table.

use crate::dashboard::Dashboard;
use crate::dashboard::layout::Area;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;

use crate::painter::{Painter, TextAlign, centre_area};
use crate::theme::Ground;

const KEYS_COLUMNS: usize = 18;

pub(crate) fn paint(dashboard: &Dashboard, top: usize, screen: Area, brush: &mut Painter<'_>) {
    let area = centre_area(screen, 76, screen.height.saturating_sub(2));
    let inside = brush.frame(area, "keys", Ground::Panel);
    let lines = lines(dashboard);
    let rows = usize::from(inside.height);
    for (row, line) in (0..).zip(lines.iter().skip(top).take(rows)) {
        brush.line(inside, row, line);
    }
    if lines.len() > top + rows {
        let foot = Area {
            y: area.y + area.height.saturating_sub(1),
            height: 1,
            ..inside
        };
        brush.text_at(foot, 0, TextAlign::Right, " ↓ more ", Tone::Hint);
    }
    brush.set_ground(Ground::Base);
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
