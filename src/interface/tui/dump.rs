//! Dumps: a picture of the screen as text, and as an SVG image.

mod svg;

use ratatui::buffer::{Buffer, Cell, CellWidth};

pub use svg::render_svg;

/// Returns the characters of a picture, one line for each row.
pub fn render_text(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width).max(1);
    let mut text = String::with_capacity(buffer.content.len() + width);
    for row in buffer.content.chunks(width) {
        let line: String = shown_cells(row).map(|(_, cell)| cell.symbol()).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The cells of a row with their columns, without those that a wide symbol before them covers.
fn shown_cells(row: &[Cell]) -> impl Iterator<Item = (u16, &Cell)> {
    let mut next = 0;
    (0_u16..).zip(row).filter(move |(column, cell)| {
        let is_shown = *column >= next;
        if is_shown {
            next = column.saturating_add(columns_of(cell));
        }
        is_shown
    })
}

fn columns_of(cell: &Cell) -> u16 {
    cell.cell_width().max(1)
}
