//! Views: draw the dashboard as a picture and do not change it.

mod ascii;
mod footer;
mod header;
mod too_small;

use crate::dashboard::Dashboard;
use crate::dashboard::appearance::Letters;
use crate::dashboard::keys::{GLOBAL_KEYS, GlobalAction};
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::loops::loops_line;
use crate::dashboard::overlay::{Overlay, composer, form, palette, query, question};
use crate::dashboard::table::detail_pane;
use crate::dashboard::{conversation, needs, table};
use ratatui::buffer::Buffer;
use ratatui::layout::Margin;
use zoea_text::clean::one_line;

use crate::painter::Painter;
use crate::theme::{Depth, Ground, Paint};

#[derive(Clone, Debug)]
pub struct Picture {
    pub buffer: Buffer,
    /// The position of the cursor, if it is visible.
    pub cursor: Option<(u16, u16)>,
}

/// Draws the dashboard in its own size. `prepare_frame` must have run before.
pub fn paint(dashboard: &Dashboard, depth: Depth) -> Picture {
    let mut buffer = Buffer::empty(dashboard.facts().screen());
    let cursor = paint_into(dashboard, depth, &mut buffer);
    Picture { buffer, cursor }
}

/// Draws the dashboard into an existing buffer. Returns the position of the cursor, if it is
/// visible.
pub fn paint_into(dashboard: &Dashboard, depth: Depth, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let appearance = dashboard.facts().appearance;
    let mut painter = Painter::new(
        buffer,
        Paint::of(appearance.theme, depth).with_choices(appearance.colours),
    );
    if dashboard.facts().is_too_small() {
        too_small::paint(dashboard.facts(), dashboard.overlays().last(), &mut painter);
        paint_banner(dashboard, &dashboard.layout(), &mut painter);
    } else {
        paint_all(dashboard, &mut painter);
    }
    let cursor = painter.cursor();
    if appearance.letters == Letters::Ascii {
        ascii::flatten(buffer);
    }
    cursor
}

/// What the whole swarm needs the operator for.
fn paint_banner(dashboard: &Dashboard, layout: &ScreenLayout, painter: &mut Painter<'_>) {
    if layout.banner.height > 0 {
        painter.fill(layout.banner, Ground::Panel);
        let text = one_line(&dashboard.banner_text());
        let area = layout.banner.inner(Margin::new(1, 0));
        painter.paragraph(area, &text, dashboard.banner_tone());
    }
}

fn paint_all(dashboard: &Dashboard, painter: &mut Painter<'_>) {
    let (facts, table) = (dashboard.facts(), dashboard.table());
    let layout = dashboard.layout();
    paint_banner(dashboard, &layout, painter);
    header::paint(facts, table, &layout, painter);
    match dashboard.focus() {
        Some(focus) => conversation::view::paint(facts, focus, &layout, painter),
        None => {
            table::view::paint(facts, table, &layout, painter);
            detail_pane::paint(facts, table, layout.detail, painter);
            if layout.loops.height > 0 && facts.counts.looping > 0 {
                painter.line(layout.loops, 0, &loops_line(facts, table.selected()));
            }
            needs::paint(facts, layout.needs, painter);
            if let Some(preview) = dashboard.preview() {
                preview.paint(facts, layout.panel, painter);
            }
        }
    }
    let back = dashboard.back_key();
    footer::paint_message(
        facts,
        &dashboard.status_line(),
        &back,
        layout.message,
        painter,
    );
    let help = || facts.keymap.key_of(GLOBAL_KEYS, GlobalAction::Help);
    let help = dashboard.overlays().is_empty().then(help);
    footer::paint_hints(dashboard.hints(), help, layout.hints, painter);
    // What is told at the top is not covered.
    let (all, free) = (layout.screen, layout.below_banner());
    for layer in dashboard.overlays() {
        match layer {
            Overlay::Compose(composer) => {
                composer::view::paint(facts, composer, layout.writing, painter)
            }
            Overlay::Form(form) => form::view::paint(form, free, painter),
            Overlay::Confirm(question) => question::view::paint(question, (all, free), painter),
            Overlay::Palette(palette) => palette::view::paint(palette, free, painter),
            Overlay::Query(query) => {
                query::view::paint((facts, table), query, layout.message, painter)
            }
            Overlay::View(view) => view.paint(facts, &layout, painter),
        }
    }
}
