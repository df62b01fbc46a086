//! One entry in full.

use super::Inspector;
use crate::dashboard::layout::{Area, Layout};
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;

use crate::painter::Painter;
use crate::theme::Ground;

pub(crate) fn paint(inspector: &Inspector, layout: &Layout, brush: &mut Painter<'_>) {
    let body = layout.page();
    brush.fill(body, Ground::Base);
    brush.fill(layout.title, Ground::Panel);
    let (lines, top) = inspector.extent();
    let place = format!(
        "  {} of {lines} ",
        (top + usize::from(body.height)).min(lines)
    );
    let room = usize::from(layout.title.width).saturating_sub(place.len() + 1);
    let title = width::clip(&inspector.title, room).into_owned();
    brush.line(
        layout.title,
        0,
        &StyledLine::of(format!(" {title}"), Tone::Brand),
    );
    brush.line_at_right(layout.title, 0, &StyledLine::of(place, Tone::Dim));
    let mut was_selected = false;
    for (row, (line, is_selected)) in (0..body.height).zip(inspector.in_sight()) {
        let whole = Area {
            y: body.y + row,
            height: 1,
            ..body
        };
        brush.set_ground(Ground::Base);
        if is_selected {
            brush.fill(whole, Ground::Selected);
            if !was_selected {
                brush.text(whole, 0, "▌", Tone::Accent);
            }
        }
        was_selected = is_selected;
        let text = Area {
            x: whole.x + 2,
            width: whole.width.saturating_sub(2),
            ..whole
        };
        brush.line(text, 0, line);
    }
    brush.set_ground(Ground::Base);
}
