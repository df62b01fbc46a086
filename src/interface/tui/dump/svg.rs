//! A picture of the screen as an SVG image with its colours.

use ratatui::buffer::{Buffer, Cell, CellWidth};
use ratatui::style::{Color, Modifier};

use super::{columns_of, shown_cells};

/// The size of a cell and the margin around the picture, in SVG units.
const CELL_WIDTH: f64 = 8.4;
const CELL_HEIGHT: f64 = 18.0;
const MARGIN: f64 = 14.0;
/// The distance of the baseline from the upper edge of a cell, in SVG units.
const BASELINE: f64 = 13.5;

/// The colour of text and of ground where a cell names none.
const INK: &str = "#cfcbe0";
const PAPER: &str = "#0b0a12";

pub fn render_svg(buffer: &Buffer) -> String {
    let (columns, rows) = (buffer.area.width, buffer.area.height);
    let width = f64::from(columns) * CELL_WIDTH + 2.0 * MARGIN;
    let height = f64::from(rows) * CELL_HEIGHT + 2.0 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.1} {height:.1}\" font-family=\"'JetBrains Mono','DejaVu Sans \
         Mono',Menlo,Consolas,monospace\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"{PAPER}\"/>\n"
    );
    let wide = usize::from(columns).max(1);
    for put in [put_ground, put_letters] {
        for (row, cells) in (0_u16..).zip(buffer.content.chunks(wide)) {
            for run in runs(cells) {
                put(&mut out, row, &run);
            }
        }
    }
    out.push_str("</svg>\n");
    out
}

struct CellRun {
    from: u16,
    columns: u16,
    text: String,
    ink: String,
    paper: String,
    modifier: Modifier,
}

fn runs(cells: &[Cell]) -> Vec<CellRun> {
    let mut runs: Vec<CellRun> = Vec::new();
    for (column, cell) in shown_cells(cells) {
        let (ink, paper) = colours(cell);
        let (symbol, columns) = (cell.symbol(), columns_of(cell));
        let is_plain = symbol.is_ascii();
        match runs.last_mut() {
            // Each symbol that is not ASCII gets its own position, because fonts disagree about its
            // width.
            Some(run)
                if run.ink == ink
                    && run.paper == paper
                    && run.modifier == cell.modifier
                    && is_plain
                    && run.text.is_ascii() =>
            {
                run.columns += columns;
                run.text.push_str(symbol);
            }
            Some(_) | None => runs.push(CellRun {
                from: column,
                columns,
                text: symbol.to_string(),
                ink,
                paper,
                modifier: cell.modifier,
            }),
        }
    }
    runs
}

fn put_ground(out: &mut String, row: u16, run: &CellRun) {
    if run.paper == PAPER {
        return;
    }
    let (x, y) = place(run.from, row);
    let width = f64::from(run.columns) * CELL_WIDTH;
    let paper = &run.paper;
    // The rectangle is slightly wider than its cells, so that no gap shows between two neighbours.
    out.push_str(&format!(
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{paper}\"/>\n",
        width + 0.4,
        CELL_HEIGHT + 0.4,
    ));
}

fn put_letters(out: &mut String, row: u16, run: &CellRun) {
    let text = run.text.trim_end();
    if text.trim().is_empty() {
        return;
    }
    let letters = text.trim_start();
    let skipped = text.len() - letters.len();
    let from = run.from + u16::try_from(skipped).unwrap_or(0);
    let columns = letters.cell_width();
    let (x, y) = place(from, row);
    let y = y + BASELINE;
    let length = f64::from(columns) * CELL_WIDTH;
    let ink = &run.ink;
    let weight = style(run.modifier);
    out.push_str(&format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{ink}\"{weight} textLength=\"{length:.1}\" \
         lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\">{}</text>\n",
        escaped(letters)
    ));
}

fn place(column: u16, row: u16) -> (f64, f64) {
    (
        MARGIN + f64::from(column) * CELL_WIDTH,
        MARGIN + f64::from(row) * CELL_HEIGHT,
    )
}

fn style(modifier: Modifier) -> &'static str {
    match (
        modifier.contains(Modifier::BOLD),
        modifier.contains(Modifier::ITALIC),
        modifier.contains(Modifier::DIM),
    ) {
        (true, ..) => " font-weight=\"bold\"",
        (false, true, _) => " font-style=\"italic\"",
        (false, false, true) => " opacity=\"0.6\"",
        (false, false, false) => "",
    }
}

fn colours(cell: &Cell) -> (String, String) {
    let ink = colour(cell.fg, INK);
    let paper = colour(cell.bg, PAPER);
    if cell.modifier.contains(Modifier::REVERSED) {
        return (paper, ink);
    }
    (ink, paper)
}

fn colour(colour: Color, plain: &str) -> String {
    let rgb = match colour {
        Color::Reset => return plain.to_string(),
        Color::Rgb(red, green, blue) => [red, green, blue],
        Color::Indexed(index) => of_index(index),
        Color::Black => of_index(0),
        Color::Red => of_index(1),
        Color::Green => of_index(2),
        Color::Yellow => of_index(3),
        Color::Blue => of_index(4),
        Color::Magenta => of_index(5),
        Color::Cyan => of_index(6),
        Color::Gray => of_index(7),
        Color::DarkGray => of_index(8),
        Color::LightRed => of_index(9),
        Color::LightGreen => of_index(10),
        Color::LightYellow => of_index(11),
        Color::LightBlue => of_index(12),
        Color::LightMagenta => of_index(13),
        Color::LightCyan => of_index(14),
        Color::White => of_index(15),
    };
    let [red, green, blue] = rgb;
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The RGB value of an xterm colour index.
fn of_index(index: u8) -> [u8; 3] {
    const FIRST: [u32; 16] = [
        0x00_0000, 0xcd_0000, 0x00_cd00, 0xcd_cd00, 0x00_00ee, 0xcd_00cd, 0x00_cdcd, 0xe5_e5e5,
        0x7f_7f7f, 0xff_5555, 0x55_ff55, 0xff_ff55, 0x5c_5cff, 0xff_55ff, 0x55_ffff, 0xff_ffff,
    ];
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    match index {
        0..16 => {
            let [_, rgb @ ..] = FIRST[usize::from(index)].to_be_bytes();
            rgb
        }
        16..232 => {
            let place = usize::from(index - 16);
            [STEPS[place / 36], STEPS[place / 6 % 6], STEPS[place % 6]]
        }
        232.. => [8 + 10 * (index - 232); 3],
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
