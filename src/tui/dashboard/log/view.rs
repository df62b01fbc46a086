//! Draws the message log.

use super::LogMessage;
use crate::dashboard::Dashboard;
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::overlay::LogView;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use ratatui::layout::{Alignment, Rect};

use crate::painter::{Painter, centre_area};
use crate::theme::Ground;

pub(crate) fn paint_log(
    dashboard: &Dashboard,
    view: LogView,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    let body = clear(layout, painter);
    let title = StyledLine::of(" MESSAGES", Tone::Brand)
        .with(format!("  {}", view.least.as_str()), Tone::Dim);
    painter.line(layout.title, 0, &title);
    let messages = dashboard.log().messages().iter().rev();
    let shown: Vec<_> = messages
        .filter(|message| view.least.shows(message.tone))
        .skip(view.back)
        .take(usize::from(body.height))
        .collect();
    if shown.is_empty() {
        painter.text_at(
            centre_area(body, body.width, 1),
            0,
            Alignment::Center,
            "nothing yet",
            Tone::Dim,
        );
    }
    for (row, message) in (0..).zip(shown.into_iter().rev()) {
        painter.line(body, row, &log_line(dashboard, message));
    }
}

pub(crate) fn log_line(dashboard: &Dashboard, message: &LogMessage) -> StyledLine {
    let offset = dashboard.appearance().offset;
    let (day, clock) = (offset.day(message.at), offset.clock(message.at));
    // A time without a date means today.
    let when = match day == offset.day(dashboard.now()) {
        true => clock,
        false => format!("{} {clock}", day.get(5..).unwrap_or_default()),
    };
    StyledLine::of(format!(" {when}  "), Tone::Dim)
        .with(width::fit(&message.who, 14), Tone::Strong)
        .with(format!(" {}", message.text), message.tone)
}

/// Empties the whole area of the view.
fn clear(layout: &ScreenLayout, painter: &mut Painter<'_>) -> Rect {
    let body = layout.page();
    painter.fill(body, Ground::Base);
    painter.fill(layout.title, Ground::Panel);
    body
}
