//! Views: the dashboard as a picture. They paint and change nothing.

mod ascii;
mod compose;
mod detail_pane;
mod focus;
mod footer;
mod form;
mod header;
mod help;
mod inspect;
mod message_log;
mod needs;
mod palette;
mod panel;
mod query;
mod question;
mod table;
mod too_small;

use crate::dashboard::Dashboard;
use crate::dashboard::appearance::Letters;
use crate::dashboard::layout::Area;
use crate::dashboard::overlay::Overlay;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::painter::Painter;
use super::theme::{Depth, Paint};

/// A picture of the dashboard.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The cells.
    pub buffer: Buffer,
    /// Where the cursor stands, if anywhere.
    pub cursor: Option<(u16, u16)>,
}

/// Paints the dashboard as it was settled, in its own size.
#[must_use]
pub fn paint(dashboard: &Dashboard, depth: Depth) -> Picture {
    let (width, height) = dashboard.size();
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    let cursor = paint_into(dashboard, depth, &mut buffer);
    Picture { buffer, cursor }
}

/// Paints the dashboard into cells that are there; where the cursor is to stand.
pub fn paint_into(dashboard: &Dashboard, depth: Depth, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let appearance = dashboard.appearance();
    let mut brush = Painter::new(buffer, Paint::of(appearance.theme, depth));
    if dashboard.is_too_small() {
        too_small::paint(dashboard, &mut brush);
    } else {
        paint_all(dashboard, &mut brush);
    }
    let cursor = brush.cursor();
    if appearance.letters == Letters::Ascii {
        ascii::flatten(buffer);
    }
    cursor
}

fn paint_all(dashboard: &Dashboard, brush: &mut Painter<'_>) {
    let layout = dashboard.layout();
    header::paint(dashboard, layout.header, brush);
    match dashboard.focus() {
        Some(focus) => focus::paint(dashboard, focus, &layout, brush),
        None => {
            table::paint(dashboard, &layout, brush);
            detail_pane::paint(dashboard, layout.glance, brush);
            needs::paint(dashboard, layout.needs, brush);
        }
    }
    footer::paint(dashboard, &layout, brush);
    let all = screen(dashboard);
    for layer in dashboard.overlays() {
        match layer {
            Overlay::Compose(composer) => {
                compose::paint(dashboard, composer, layout.writing, brush)
            }
            Overlay::Form(form) => form::paint(form, all, brush),
            Overlay::Confirm(question) => question::paint(question, all, brush),
            Overlay::Palette(palette) => palette::paint(palette, all, brush),
            Overlay::Query(query) => query::paint(dashboard, query, layout.message, brush),
            Overlay::Inspect(inspector) => inspect::paint(inspector, &layout, brush),
            Overlay::Log(view) => message_log::paint_log(dashboard, *view, &layout, brush),
            Overlay::Help(top) => help::paint(dashboard, *top, all, brush),
        }
    }
}

fn screen(dashboard: &Dashboard) -> Area {
    let (width, height) = dashboard.size();
    Area {
        x: 0,
        y: 0,
        width,
        height,
    }
}
