//! The rate of the swarm as the largest thing on the screen: digits of three rows.

use ratatui::layout::{Constraint, Layout, Rect};

use crate::dashboard::layout::row_of;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::verdict::Verdict;
use crate::painter::Painter;

/// The columns between the digits and the words.
const GAP_COLUMNS: u16 = 2;

/// The columns of a sign of a figure, and the pixels of its five rows, each with the leftmost one in its highest bit of
/// so many. What has none is blank.
fn glyph_of(sign: char) -> (u16, [u8; 5]) {
    match sign {
        '0' => (3, [7, 5, 5, 5, 7]),
        '1' => (3, [2, 6, 2, 2, 7]),
        '2' => (3, [7, 1, 7, 4, 7]),
        '3' => (3, [7, 1, 7, 1, 7]),
        '4' => (3, [5, 5, 7, 1, 1]),
        '5' => (3, [7, 4, 7, 1, 7]),
        '6' => (3, [7, 4, 7, 5, 7]),
        '7' => (3, [7, 1, 1, 2, 2]),
        '8' => (3, [7, 5, 7, 5, 7]),
        '9' => (3, [7, 5, 7, 1, 7]),
        '+' => (3, [0, 2, 7, 2, 0]),
        '-' | '–' => (3, [0, 0, 7, 0, 0]),
        ',' => (1, [0, 0, 0, 1, 1]),
        '.' => (1, [0, 0, 0, 0, 1]),
        'k' => (3, [4, 5, 6, 5, 5]),
        'M' => (5, [17, 27, 21, 17, 17]),
        'G' => (3, [7, 4, 5, 5, 7]),
        _ => (1, [0; 5]),
    }
}

/// A figure as three rows of half blocks.
fn large_rows(figure: &str) -> [String; 3] {
    let mut rows: [String; 3] = Default::default();
    for sign in figure.chars() {
        let (columns, pixels) = glyph_of(sign);
        for (row, line) in rows.iter_mut().enumerate() {
            let of = |row: usize, column: u16| {
                let bits = pixels.get(row).copied().unwrap_or(0);
                bits >> (columns - 1 - column) & 1 == 1
            };
            line.extend((0..columns).map(|column| {
                match (of(row * 2, column), of(row * 2 + 1, column)) {
                    (true, true) => '█',
                    (true, false) => '▀',
                    (false, true) => '▄',
                    (false, false) => ' ',
                }
            }));
            line.push(' ');
        }
    }
    rows
}

/// Draws a verdict with its figure large, what it is beside it, and other figures at the right.
pub(super) fn paint(
    verdict: &Verdict,
    beside: &StyledLine,
    others: &[StyledLine],
    area: Rect,
    painter: &mut Painter<'_>,
) {
    let rows = large_rows(&verdict.figure);
    let wide = rows.iter().map(|row| row.chars().count()).max();
    let wide = u16::try_from(wide.unwrap_or(0)).unwrap_or(u16::MAX);
    let [figure, _, words] = Layout::horizontal([
        Constraint::Length(wide),
        Constraint::Length(GAP_COLUMNS),
        Constraint::Min(0),
    ])
    .areas(area);
    for (row, text) in (0..).zip(&rows) {
        painter.text(figure, row, text, verdict.tone);
    }
    let head = StyledLine::of(verdict.word, verdict.tone)
        .with(format!(" {}", verdict.direction.sign()), verdict.tone);
    painter.line(words, 0, &head);
    let what = format!("{}{}", verdict.unit, verdict.why);
    painter.text(words, 1, &what, Tone::Text);
    painter.line(words, 2, beside);
    for (row, line) in (0..words.height).zip(others) {
        painter.line_at_right(row_of(words, row), 0, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_three_rows_of_half_blocks() {
        assert_eq!(
            large_rows("-10").map(|row| row.trim_end().to_string()),
            ["    ▄█  █▀█", "▀▀▀  █  █ █", "    ▀▀▀ ▀▀▀"]
        );
        let wide = |figure: &str| large_rows(figure).map(|row| row.chars().count());
        assert_eq!(wide("+1,240"), [22; 3]);
        assert_eq!(wide("?"), [2; 3]);
    }
}
