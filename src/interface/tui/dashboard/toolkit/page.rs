//! The page of a view: its title above, and one sentence in the middle where there is nothing to show.

use std::sync::Arc;

use ratatui::layout::{Alignment, Rect};

use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::painter::{Painter, centre_area};
use crate::theme::Ground;

/// Draws the title and the ground of a page. Returns the page.
pub fn begin_page(layout: &ScreenLayout, title: &StyledLine, painter: &mut Painter<'_>) -> Rect {
    let page = layout.page();
    painter.fill(page, Ground::Base);
    painter.fill(layout.title, Ground::Panel);
    painter.line(layout.title, 0, title);
    page
}

pub fn say(area: Rect, words: &str, tone: Tone, painter: &mut Painter<'_>) {
    say_all(area, &[(words, tone)], painter);
}

/// Says several sentences, one below the other.
pub fn say_all(area: Rect, lines: &[(impl AsRef<str>, Tone)], painter: &mut Painter<'_>) {
    let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let middle = centre_area(area, area.width, rows);
    for (row, (words, tone)) in (0..).zip(lines) {
        painter.text_at(middle, row, Alignment::Center, words.as_ref(), *tone);
    }
}

/// What a title adds while what is shown could not be read anew.
pub fn with_complaint(title: StyledLine, complaint: Option<&Arc<str>>) -> StyledLine {
    match complaint {
        Some(why) => title.with(format!("  not up to date: {why}"), Tone::Fault),
        None => title,
    }
}
