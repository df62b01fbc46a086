//! Draws the palette.

use super::{Candidate, CommandPalette, MAX_SHOWN_CANDIDATES};
use crate::dashboard::input_event::key_name;
use crate::dashboard::layout::row_of;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use ratatui::layout::{Alignment, Margin, Rect};

use crate::painter::Painter;
use crate::theme::Ground;

pub(crate) fn paint(palette: &CommandPalette, screen: Rect, painter: &mut Painter<'_>) {
    let rows = u16::try_from(palette.candidates.len().min(MAX_SHOWN_CANDIDATES)).unwrap_or(0);
    let wide = screen.width.saturating_sub(8).min(90);
    let area = Rect {
        x: screen.x + (screen.width - wide) / 2,
        y: screen.y + 2,
        width: wide,
        height: (rows + 4).min(screen.height.saturating_sub(2)),
    };
    let inside = painter.frame(area, "command", Ground::Panel);
    paint_field(palette, inside, painter);
    if let Some(complaint) = &palette.complaint {
        painter.text(inside, 1, complaint, Tone::Fault);
    }
    let first = (palette.chosen + 1).saturating_sub(MAX_SHOWN_CANDIDATES);
    let shown = palette
        .candidates
        .iter()
        .enumerate()
        .skip(first)
        .take(MAX_SHOWN_CANDIDATES);
    for (row, (place, candidate)) in (2..inside.height).zip(shown) {
        let line = row_of(inside, row);
        if place == palette.chosen {
            painter.fill(line, Ground::Selected);
        }
        painter.line(line, 0, &candidate_line(candidate, usize::from(line.width)));
    }
    let hidden = palette
        .candidates
        .len()
        .saturating_sub(first + MAX_SHOWN_CANDIDATES);
    if hidden > 0 {
        let foot = row_of(inside, inside.height);
        painter.text_at(
            foot,
            0,
            Alignment::Right,
            &format!(" ↓ {hidden} more "),
            Tone::Hint,
        );
    }
}

fn paint_field(palette: &CommandPalette, inside: Rect, painter: &mut Painter<'_>) {
    let row = row_of(inside, 0);
    painter.fill(row, Ground::Field);
    painter.text(row, 0, ":", Tone::Accent);
    painter.field(row.inner(Margin::new(1, 0)), &palette.field);
}

fn candidate_line(candidate: &Candidate, columns: usize) -> StyledLine {
    let Some(press) = candidate.press else {
        let label = width::fit(&candidate.label, 30.min(columns));
        let help = format!(" {}", candidate.help);
        return StyledLine::of(label, Tone::Accent).with(help, Tone::Dim);
    };
    let key = key_name(press);
    let room = columns.saturating_sub(width::of(&key) + 2);
    StyledLine::of(width::fit(&candidate.label, room), Tone::Text)
        .with(format!(" {key}"), Tone::Key)
}
