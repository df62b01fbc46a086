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

    /// A letter of two columns whose second half is about to be covered goes as a whole.
    fn cut_left_of(&mut self, x: u16, y: u16) {
        let screen = self.buffer.area;
        if x == 0 || x >= screen.right() || y >= screen.bottom() {
            return;
        }
        let cell = &mut self.buffer[(x - 1, y)];
        if cell.cell_width() > 1 {
            cell.set_symbol(" ");
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
