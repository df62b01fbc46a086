//! The brush: puts text on a screen, and never a cell beside it.

use crate::dashboard::layout::Area;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use ratatui::buffer::{Buffer, CellWidth};
use ratatui::layout::Rect;

use crate::theme::{Ground, Paint};

/// Puts text on a screen.
pub struct Painter<'a> {
    buffer: &'a mut Buffer,
    paint: Paint,
    ground: Ground,
    cursor: Option<(u16, u16)>,
}

/// Where the text stands in its area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextAlign {
    /// At the left.
    Left,
    /// At the right.
    Right,
    /// In the middle.
    Middle,
}

impl<'a> Painter<'a> {
    /// A brush for a screen that is all ground.
    pub fn new(buffer: &'a mut Buffer, paint: Paint) -> Painter<'a> {
        let area = buffer.area;
        let mut brush = Painter {
            buffer,
            paint,
            ground: Ground::Base,
            cursor: None,
        };
        brush.fill(
            Area {
                x: area.x,
                y: area.y,
                width: area.width,
                height: area.height,
            },
            Ground::Base,
        );
        brush
    }

    /// Where the cursor is to stand, if anywhere.
    #[must_use]
    pub fn cursor(&self) -> Option<(u16, u16)> {
        self.cursor
    }

    /// Puts the cursor somewhere, if that is on the screen.
    pub fn put_cursor(&mut self, x: u16, y: u16) {
        let screen = self.buffer.area;
        if x < screen.right() && y < screen.bottom() {
            self.cursor = Some((x, y));
        }
    }

    /// Empties an area; what is written from now on lies on this ground.
    pub fn fill(&mut self, area: Area, ground: Ground) {
        self.ground = ground;
        let style = self.paint.style(Tone::Text, ground);
        let area = self.on_screen(area);
        for y in area.top()..area.bottom() {
            self.cut_left_of(area.x, y);
            for x in area.left()..area.right() {
                let cell = &mut self.buffer[(x, y)];
                cell.reset();
                cell.set_style(style);
            }
        }
    }

    /// A symbol of several columns that reaches over this one, which is about to be covered, goes
    /// as a whole. Behind it stand blanks, however many columns it takes.
    fn cut_left_of(&mut self, x: u16, y: u16) {
        let buffer = &mut *self.buffer;
        let left = (0..x).rev().find(|left| buffer[(*left, y)].symbol() != " ");
        if let Some(left) = left
            && left.saturating_add(buffer[(left, y)].cell_width()) > x
        {
            buffer[(left, y)].set_symbol(" ");
        }
    }

    /// Writes on this ground from now on, without emptying anything.
    pub fn set_ground(&mut self, ground: Ground) {
        self.ground = ground;
    }

    /// Writes into one row of an area, and says where the text ended.
    pub fn text(&mut self, area: Area, row: u16, text: &str, tone: Tone) -> u16 {
        self.write(area, row, 0, text, tone)
    }

    /// Writes into one row of an area at a side of it.
    pub fn text_at(&mut self, area: Area, row: u16, side: TextAlign, text: &str, tone: Tone) {
        let wide = u16::try_from(width::of(text)).unwrap_or(u16::MAX);
        let room = area.width.saturating_sub(wide);
        let from = match side {
            TextAlign::Left => 0,
            TextAlign::Right => room,
            TextAlign::Middle => room / 2,
        };
        self.write(area, row, from, text, tone);
    }

    /// Writes a line into one row of an area, and says where it ended.
    pub fn line(&mut self, area: Area, row: u16, line: &StyledLine) -> u16 {
        let mut from = 0;
        for span in &line.spans {
            from = self.write(area, row, from, &span.text, span.tone);
        }
        from
    }

    /// Writes a line into one row of an area at its right side.
    pub fn line_at_right(&mut self, area: Area, row: u16, line: &StyledLine) {
        let wide = u16::try_from(width::of(&line.text())).unwrap_or(u16::MAX);
        let from = area.width.saturating_sub(wide);
        let area = Area {
            x: area.x + from,
            width: area.width - from,
            ..area
        };
        self.line(area, row, line);
    }

    /// Writes from a column of an area on; what does not fit is cut off with `…`.
    pub fn write(&mut self, area: Area, row: u16, from: u16, text: &str, tone: Tone) -> u16 {
        if row >= area.height || from >= area.width {
            return from.min(area.width);
        }
        let (x, y) = (area.x.saturating_add(from), area.y.saturating_add(row));
        let screen = self.buffer.area;
        if x >= screen.right() || y >= screen.bottom() {
            return from;
        }
        let room = (area.width - from).min(screen.right() - x);
        let text = width::clip(text, usize::from(room));
        if !text.is_empty() {
            self.cut_left_of(x, y);
        }
        let style = self.paint.style(tone, self.ground);
        let (end, _) = self
            .buffer
            .set_stringn(x, y, &text, usize::from(room), style);
        if !text.is_ascii() {
            // The blanks behind wide symbols look like these, for when a symbol is cut.
            let written = Rect::new(x, y, end.saturating_sub(x), 1);
            self.buffer.set_style(written, style);
        }
        end.saturating_sub(area.x)
    }

    /// Draws a frame round an area and empties it; what remains inside.
    pub fn frame(&mut self, area: Area, title: &str, ground: Ground) -> Area {
        self.fill(area, ground);
        if area.width < 4 || area.height < 3 {
            return area;
        }
        let bar = "─".repeat(usize::from(area.width - 2));
        self.text(area, 0, &format!("╭{bar}╮"), Tone::Faint);
        self.text(area, area.height - 1, &format!("╰{bar}╯"), Tone::Faint);
        for row in 1..area.height - 1 {
            self.text(area, row, "│", Tone::Faint);
            self.text_at(area, row, TextAlign::Right, "│", Tone::Faint);
        }
        if !title.is_empty() {
            let head = Area {
                x: area.x + 2,
                width: area.width - 4,
                ..area
            };
            self.text(head, 0, &format!(" {title} "), Tone::Brand);
        }
        Area {
            x: area.x + 2,
            y: area.y + 1,
            width: area.width - 4,
            height: area.height - 2,
        }
    }

    fn on_screen(&self, area: Area) -> Rect {
        Rect::new(area.x, area.y, area.width, area.height).intersection(self.buffer.area)
    }
}

/// An area of so many columns and rows in the middle of another one.
#[must_use]
pub fn centre_area(of: Area, width: u16, height: u16) -> Area {
    let (width, height) = (width.min(of.width), height.min(of.height));
    Area {
        x: of.x + (of.width - width) / 2,
        y: of.y + (of.height - height) / 2,
        width,
        height,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::appearance::Theme;
    use crate::theme::Depth;
    use proptest::prelude::*;

    /// One column, two, three (a letter with a mark that takes one) and six (one syllable of three signs).
    const SYMBOLS: [&str; 6] = ["a", "世", "👩‍🚀", "ﾊﾞ", "世\u{903}", "ᄀᄀᄀ"];
    const COLUMNS: u16 = 12;

    /// Every symbol is followed by as many blanks of its looks as it hides.
    fn check_row(buffer: &Buffer) {
        for column in 0..COLUMNS {
            let cell = &buffer[(column, 0)];
            for hidden in 1..cell.cell_width() {
                assert!(column + hidden < COLUMNS, "{cell:?} sticks out");
                let behind = &buffer[(column + hidden, 0)];
                assert_eq!(behind.symbol(), " ", "{cell:?} hides something");
                assert_eq!(behind.style(), cell.style());
            }
        }
    }

    fn draw(steps: &[(u16, u16, Option<&str>)]) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, COLUMNS, 1));
        let mut painter = Painter::new(&mut buffer, Paint::of(Theme::Dark, Depth::True));
        for (x, width, text) in steps {
            let area = Area {
                x: *x,
                y: 0,
                width: *width,
                height: 1,
            };
            match text {
                Some(text) => drop(painter.text(area, 0, text, Tone::Strong)),
                None => painter.fill(area, Ground::Panel),
            }
        }
        check_row(&buffer);
        buffer
    }

    #[test]
    fn a_symbol_goes_whole_wherever_it_is_covered() {
        for symbol in SYMBOLS {
            let columns = symbol.cell_width();
            for covered in 0..columns {
                for cover in [Some("x"), None] {
                    let buffer = draw(&[(0, COLUMNS, Some(symbol)), (covered, 1, cover)]);
                    let is_whole = buffer[(0, 0)].symbol() == symbol;
                    assert!(!is_whole, "{symbol:?} is covered at {covered}");
                }
            }
            let buffer = draw(&[(0, COLUMNS, Some(symbol)), (columns, 1, Some("x"))]);
            assert_eq!(buffer[(0, 0)].symbol(), symbol);
        }
    }

    proptest! {
        #[test]
        fn whatever_covers_whatever_no_symbol_reaches_into_another(
            steps in proptest::collection::vec(
                (0..COLUMNS, 0..=COLUMNS, proptest::option::of(
                    proptest::collection::vec(prop::sample::select(&SYMBOLS[..]), 0..6),
                )),
                1..8,
            ),
        ) {
            let texts: Vec<Option<String>> =
                steps.iter().map(|(_, _, text)| text.as_ref().map(|text| text.concat())).collect();
            let steps: Vec<(u16, u16, Option<&str>)> =
                steps.iter().zip(&texts).map(|((x, width, _), text)| (*x, *width, text.as_deref())).collect();
            draw(&steps);
        }
    }
}
