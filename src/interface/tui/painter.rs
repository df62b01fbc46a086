//! The painter: writes text into an area of the screen and never outside of it.

use crate::dashboard::text::field::TextField;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use ratatui::buffer::{Buffer, Cell, CellWidth};
use ratatui::layout::{Alignment, Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{
    Block, BorderType, Padding, Scrollbar, ScrollbarOrientation, ScrollbarState, StatefulWidget,
    Widget,
};

use crate::dashboard::layout::without_left;
use crate::theme::{Ground, Paint};

pub struct Painter<'a> {
    buffer: &'a mut Buffer,
    paint: Paint,
    cursor: Option<(u16, u16)>,
}

impl<'a> Painter<'a> {
    /// A painter over an empty screen with the base background.
    pub fn new(buffer: &'a mut Buffer, paint: Paint) -> Painter<'a> {
        let screen = buffer.area;
        let mut painter = Painter {
            buffer,
            paint,
            cursor: None,
        };
        painter.fill(screen, Ground::Base);
        painter
    }

    /// The position of the cursor, if it is visible.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        self.cursor
    }

    /// Sets the cursor's position in an area. A position outside of the screen is ignored.
    pub fn put_cursor(&mut self, area: Rect, (column, row): (usize, usize)) {
        if let (Ok(column), Ok(row)) = (u16::try_from(column), u16::try_from(row)) {
            let (x, y) = (area.x.saturating_add(column), area.y.saturating_add(row));
            if self.buffer.area.contains(Position::new(x, y)) {
                self.cursor = Some((x, y));
            }
        }
    }

    /// Writes what is seen of a text field into the first row of an area, with the cursor.
    pub fn field(&mut self, area: Rect, field: &TextField) {
        let (text, column) = field.window(usize::from(area.width));
        self.text(area, 0, &text, Tone::Strong);
        self.put_cursor(area, (column, 0));
    }

    pub fn fill(&mut self, area: Rect, ground: Ground) {
        let area = area.intersection(self.buffer.area);
        if area.is_empty() {
            return;
        }
        let mut blank = Cell::default();
        blank.set_style(self.paint.ground(ground));
        for y in area.top()..area.bottom() {
            self.cut_left_of(area.x, y);
            // `Clear` walks by column and leaves the style to a second pass.
            let first = self.buffer.index_of(area.x, y);
            self.buffer.content[first..first + usize::from(area.width)].fill(blank.clone());
        }
    }

    /// Removes a wide symbol that starts further left and reaches into this cell, which is about to
    /// be overwritten. All its columns become blanks.
    fn cut_left_of(&mut self, x: u16, y: u16) {
        let buffer = &mut *self.buffer;
        let left = (0..x).rev().find(|left| buffer[(*left, y)].symbol() != " ");
        if let Some(left) = left
            && left.saturating_add(buffer[(left, y)].cell_width()) > x
        {
            buffer[(left, y)].set_symbol(" ");
        }
    }

    /// Writes into one row of an area. Returns the column where the text ended.
    pub fn text(&mut self, area: Rect, row: u16, text: &str, tone: Tone) -> u16 {
        self.write(area, row, 0, text, tone)
    }

    pub fn text_at(&mut self, area: Rect, row: u16, side: Alignment, text: &str, tone: Tone) {
        let wide = u16::try_from(width::of(text)).unwrap_or(u16::MAX);
        let room = area.width.saturating_sub(wide);
        let from = match side {
            Alignment::Left => 0,
            Alignment::Right => room,
            Alignment::Center => room / 2,
        };
        self.write(area, row, from, text, tone);
    }

    /// Writes a styled line into one row of an area. Returns the column where it ended.
    pub fn line(&mut self, area: Rect, row: u16, line: &StyledLine) -> u16 {
        let mut from = 0;
        for span in &line.spans {
            from = self.write(area, row, from, &span.text, span.tone);
        }
        from
    }

    pub fn line_at_right(&mut self, area: Rect, row: u16, line: &StyledLine) {
        let wide = u16::try_from(width::of(&line.text())).unwrap_or(u16::MAX);
        let from = area.width.saturating_sub(wide);
        self.line(without_left(area, from), row, line);
    }

    /// Writes from a column of an area on. Text that does not fit is cut and ends in `…`.
    pub fn write(&mut self, area: Rect, row: u16, from: u16, text: &str, tone: Tone) -> u16 {
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
        let style = self.paint.text(tone);
        let (end, _) = self
            .buffer
            .set_stringn(x, y, &text, usize::from(room), style);
        if !text.is_ascii() {
            self.extend_looks(x, end, y);
        }
        end.saturating_sub(area.x)
    }

    /// Writes as many lines as fit, from the top of an area.
    pub fn lines<'l>(&mut self, area: Rect, lines: impl IntoIterator<Item = &'l StyledLine>) {
        for (row, line) in (0..area.height).zip(lines) {
            self.line(area, row, line);
        }
    }

    /// Writes a text into an area, in as many lines as fit.
    pub fn paragraph(&mut self, area: Rect, text: &str, tone: Tone) {
        let lines = width::wrap(text, usize::from(area.width));
        for (row, line) in (0..).zip(lines.at_most(usize::from(area.height))) {
            self.text(area, row, line, tone);
        }
    }

    /// Gives the blanks behind wide symbols the symbol's style, so that they look right when the
    /// symbol is cut.
    fn extend_looks(&mut self, from: u16, to: u16, y: u16) {
        let mut x = from;
        while x < to {
            let symbol = &self.buffer[(x, y)];
            let (columns, style) = (symbol.cell_width().max(1), symbol.style());
            if columns > 1 {
                let hidden = Rect::new(x + 1, y, columns - 1, 1);
                self.buffer.set_style(hidden, style);
            }
            x += columns;
        }
    }

    pub fn paint(&self) -> Paint {
        self.paint
    }

    /// Draws a widget into an area, as far as the area is on the screen.
    pub fn render(&mut self, widget: impl Widget, area: Rect) {
        widget.render(area.intersection(self.buffer.area), self.buffer);
    }

    /// Draws a scrollbar at the right edge of a list that has more rows than fit: how many are above, in
    /// sight and there in all.
    pub fn scrollbar(&mut self, area: Rect, above: usize, visible: usize, all: usize) {
        if visible >= all || area.is_empty() {
            return;
        }
        // The widget counts positions of the first row, of which the last is the one that shows the end.
        let positions = (all - visible).saturating_add(1);
        let mut state = ScrollbarState::new(positions)
            .viewport_content_length(visible)
            .position(above);
        Scrollbar::new(ScrollbarOrientation::VerticalRight)
            .begin_symbol(None)
            .end_symbol(None)
            .track_symbol(Some("│"))
            .thumb_symbol("┃")
            .track_style(self.paint.text(Tone::Faint))
            .thumb_style(self.paint.text(Tone::Dim))
            .render(area, self.buffer, &mut state);
    }

    /// Empties an area and draws a frame around it. Returns the area inside.
    pub fn frame(&mut self, area: Rect, title: &str, ground: Ground) -> Rect {
        self.fill(area, ground);
        let line = self.paint.text(Tone::Faint);
        let mut block = Block::bordered()
            .border_type(BorderType::Rounded)
            .border_style(line)
            .padding(Padding::horizontal(1));
        if !title.is_empty() {
            let title = Span::styled(format!(" {title} "), self.paint.text(Tone::Brand));
            block = block.title(Line::from(vec![Span::styled("─", line), title]));
        }
        let inside = block.inner(area);
        block.render(area, self.buffer);
        inside
    }
}

/// An area of this size in the middle of another one. `Rect::centered` rounds the other way, which
/// would shift every overlay by a column.
pub fn centre_area(of: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(of.width), height.min(of.height));
    let (x, y) = ((of.width - width) / 2, (of.height - height) / 2);
    Rect::new(of.x + x, of.y + y, width, height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::appearance::Theme;
    use crate::theme::Depth;
    use proptest::prelude::*;

    /// Symbols of one, two, three (a letter with a mark that takes one) and six columns (one
    /// syllable of three signs).
    const SYMBOLS: [&str; 6] = ["a", "世", "👩‍🚀", "ﾊﾞ", "世\u{903}", "ᄀᄀᄀ"];
    const COLUMNS: u16 = 12;

    /// Checks that every symbol is followed by as many blanks of its style as it hides.
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
            let area = Rect::new(*x, 0, *width, 1);
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
