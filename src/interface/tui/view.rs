//! Views: draw the dashboard as a picture and do not change it.

mod ascii;
mod banner;
mod footer;
mod header;
mod too_small;

use crate::dashboard::Dashboard;
use crate::dashboard::appearance::Letters;
use crate::dashboard::overlay::{Overlay, composer, form, palette, query, question};
use crate::dashboard::table::detail_pane;
use crate::dashboard::{conversation, needs, table};
use ratatui::buffer::Buffer;

use crate::painter::Painter;
use crate::theme::{Depth, Paint};

/// A picture of the dashboard.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The cells.
    pub buffer: Buffer,
    /// The position of the cursor, if it is visible.
    pub cursor: Option<(u16, u16)>,
}

/// Draws the dashboard in its own size. `prepare_frame` must have run before.
#[must_use]
pub fn paint(dashboard: &Dashboard, depth: Depth) -> Picture {
    let mut buffer = Buffer::empty(dashboard.screen());
    let cursor = paint_into(dashboard, depth, &mut buffer);
    Picture { buffer, cursor }
}

/// Draws the dashboard into an existing buffer. Returns the position of the cursor, if it is
/// visible.
pub fn paint_into(dashboard: &Dashboard, depth: Depth, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let appearance = dashboard.appearance();
    let mut painter = Painter::new(
        buffer,
        Paint::of(appearance.theme, depth).with_choices(appearance.colours),
    );
    if dashboard.is_too_small() {
        too_small::paint(dashboard, &mut painter);
        banner::paint(dashboard, dashboard.layout().banner, &mut painter);
    } else {
        paint_all(dashboard, &mut painter);
    }
    let cursor = painter.cursor();
    if appearance.letters == Letters::Ascii {
        ascii::flatten(buffer);
    }
    cursor
}

fn paint_all(dashboard: &Dashboard, painter: &mut Painter<'_>) {
    let layout = dashboard.layout();
    banner::paint(dashboard, layout.banner, painter);
    header::paint(dashboard, &layout, painter);
    match dashboard.focus() {
        Some(focus) => conversation::view::paint(dashboard, focus, &layout, painter),
        None => {
            table::view::paint(dashboard, &layout, painter);
            detail_pane::paint(dashboard, layout.glance, painter);
            if layout.loops.height > 0 && dashboard.counts().looping > 0 {
                painter.line(layout.loops, 0, &dashboard.loops_line());
            }
            needs::view::paint(dashboard, layout.needs, painter);
            conversation::preview::paint(dashboard, layout.panel, painter);
        }
    }
    footer::paint(dashboard, &layout, painter);
    // What is told at the top is not covered.
    let (all, free) = (layout.screen, layout.below_banner());
    for layer in dashboard.overlays() {
        match layer {
            Overlay::Compose(composer) => {
                composer::view::paint(dashboard, composer, layout.writing, painter)
            }
            Overlay::Form(form) => form::view::paint(form, free, painter),
            Overlay::Confirm(question) => question::view::paint(question, (all, free), painter),
            Overlay::Palette(palette) => palette::view::paint(palette, free, painter),
            Overlay::Query(query) => query::view::paint(dashboard, query, layout.message, painter),
            Overlay::View(view) => view.paint(dashboard, &layout, painter),
        }
    }
}
