//! Dumps: a picture of the screen as text, and as an SVG image.

mod svg;

use ratatui::buffer::{Buffer, CellWidth};

pub use svg::render_svg;

/// Returns the characters of a picture, one line for each row.
#[must_use]
pub fn render_text(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width).max(1);
    let mut text = String::with_capacity(buffer.content.len() + width);
    for row in buffer.content.chunks(width) {
        let mut line = String::with_capacity(width);
        let mut hidden = 0;
        for cell in row {
            if hidden > 0 {
                hidden -= 1;
                continue;
            }
            line.push_str(cell.symbol());
            hidden = cell.cell_width().saturating_sub(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
