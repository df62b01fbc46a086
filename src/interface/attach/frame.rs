//! Frames: what the service sends to an attached terminal, as changes to the picture before.

use std::str::FromStr;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use serde::{Deserialize, Serialize};
use zoea_tui::dashboard::action::TerminalAction;
use zoea_tui::dashboard::appearance::MouseUse;

use zoea_tui::drawable::Drawable;
use zoea_tui::theme::Depth;

/// The answer to a terminal that asks for a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The number of the frame, from 1. The next request names it.
    pub number: u64,
    /// The change of the picture; `None` if there is none.
    pub change: Option<Change>,
    /// The actions that the terminal has to perform, in order, after it shows the change.
    #[serde(default)]
    pub acts: Vec<TerminalAction>,
    /// Why this is the last frame; `None` if it is not the last.
    #[serde(default)]
    pub over: Option<CloseReason>,
}

/// Why an attachment is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CloseReason {
    /// The operator quit.
    Left,
    Closing,
    /// The program gave up drawing.
    Broken,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Whether the change applies to an empty screen instead of the picture before.
    pub is_whole: bool,
    /// The size in columns and rows.
    pub size: (u16, u16),
    /// The styles of the cells: foreground, background, and modifiers as bits.
    pub looks: Vec<(String, String, u16)>,
    /// The cells that differ.
    pub runs: Vec<FrameRun>,
    /// The position of the cursor, if it is visible.
    pub cursor: Option<(u16, u16)>,
    pub title: String,
    /// Whether the program or the terminal handles the mouse.
    pub mouse: MouseUse,
    /// The name of a screen dump's file, without its extension.
    pub file_name: String,
}

/// Consecutive cells of one row with the same style: column, row, index of the style, and symbols.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameRun(u16, u16, usize, RunText);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum RunText {
    /// One character for each cell.
    Letters(String),
    /// A symbol of several characters, or none, in a single cell.
    One([String; 1]),
}

/// A picture that another process drew.
#[derive(Clone, Debug)]
pub struct ReceivedScreen {
    buffer: Buffer,
    cursor: Option<(u16, u16)>,
    title: String,
    mouse: MouseUse,
    file_name: String,
}

impl Change {
    /// The change from the picture `before` to `after`. If the sizes differ, the change starts from
    /// an empty screen.
    pub fn between(before: &Buffer, after: &Buffer, shown: &impl Drawable) -> Change {
        let area = after.area;
        let empty = Buffer::empty(area);
        let is_whole = before.area != area;
        let before = if is_whole { &empty } else { before };
        let mut change = Change {
            is_whole,
            size: (area.width, area.height),
            looks: Vec::new(),
            runs: Vec::new(),
            cursor: None,
            title: shown.title(),
            mouse: shown.mouse(),
            file_name: shown.file_name(),
        };
        let cells = before.content().iter().zip(after.content()).enumerate();
        for (place, (old, new)) in cells {
            if old != new {
                let (x, y) = after.pos_of(place);
                change.add(x, y, new);
            }
        }
        change
    }

    fn add(&mut self, x: u16, y: u16, cell: &Cell) {
        let look = self.look_of(cell);
        let symbol = cell.symbol();
        let is_letter = symbol.chars().count() == 1;
        if let Some(FrameRun(left, row, last, RunText::Letters(letters))) = self.runs.last_mut()
            && is_letter
            && (*row, *last) == (y, look)
            && usize::from(x - *left) == letters.chars().count()
        {
            return letters.push_str(symbol);
        }
        let text = match is_letter {
            true => RunText::Letters(symbol.to_string()),
            false => RunText::One([symbol.to_string()]),
        };
        self.runs.push(FrameRun(x, y, look, text));
    }

    fn look_of(&mut self, cell: &Cell) -> usize {
        let look = (
            cell.fg.to_string(),
            cell.bg.to_string(),
            cell.modifier.bits(),
        );
        let known = self.looks.iter().rposition(|known| *known == look);
        known.unwrap_or_else(|| {
            self.looks.push(look);
            self.looks.len() - 1
        })
    }
}

impl ReceivedScreen {
    pub fn empty((width, height): (u16, u16)) -> ReceivedScreen {
        ReceivedScreen {
            buffer: Buffer::empty(Rect::new(0, 0, width, height)),
            cursor: None,
            title: "zoea".to_string(),
            mouse: MouseUse::Ours,
            file_name: "screen".to_string(),
        }
    }

    /// Applies a change. Cells outside of the screen are ignored.
    pub fn apply_change(&mut self, change: Change) {
        let (width, height) = change.size;
        let area = Rect::new(0, 0, width, height);
        if change.is_whole || self.buffer.area != area {
            self.buffer = Buffer::empty(area);
        }
        let looks: Vec<(Color, Color, Modifier)> = change.looks.iter().map(parse_look).collect();
        for FrameRun(x, y, place, text) in change.runs {
            let Some(look) = looks.get(place) else {
                continue;
            };
            match text {
                RunText::One([symbol]) => self.put(x, y, *look, &symbol),
                RunText::Letters(letters) => {
                    let mut buffer = [0; 4];
                    for (letter, x) in letters.chars().zip(x..) {
                        self.put(x, y, *look, letter.encode_utf8(&mut buffer));
                    }
                }
            }
        }
        self.cursor = change.cursor;
        self.title = change.title;
        self.mouse = change.mouse;
        self.file_name = change.file_name;
    }

    fn put(&mut self, x: u16, y: u16, (fg, bg, modifier): (Color, Color, Modifier), symbol: &str) {
        if let Some(cell) = self.buffer.cell_mut((x, y)) {
            cell.set_symbol(symbol);
            cell.fg = fg;
            cell.bg = bg;
            cell.modifier = modifier;
        }
    }
}

/// Parses a style in ratatui's notation. An unknown colour becomes the terminal's default.
fn parse_look((fg, bg, bits): &(String, String, u16)) -> (Color, Color, Modifier) {
    let colour = |name: &str| Color::from_str(name).unwrap_or(Color::Reset);
    (colour(fg), colour(bg), Modifier::from_bits_truncate(*bits))
}

impl Drawable for ReceivedScreen {
    fn size(&self) -> (u16, u16) {
        (self.buffer.area.width, self.buffer.area.height)
    }

    fn paint_into(&self, _depth: Depth, buffer: &mut Buffer) -> Option<(u16, u16)> {
        buffer.clone_from(&self.buffer);
        self.cursor
    }

    fn title(&self) -> String {
        self.title.clone()
    }

    fn mouse(&self) -> MouseUse {
        self.mouse
    }

    fn file_name(&self) -> String {
        self.file_name.clone()
    }

    /// The program that draws it keeps its drafts.
    fn unsent(&self) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIGNS: [&str; 8] = ["a", " ", "é", "e\u{301}", "漢", "", "👩‍🚀", "─"];
    const COLOURS: [Color; 4] = [
        Color::Reset,
        Color::Rgb(1, 200, 30),
        Color::Indexed(99),
        Color::LightRed,
    ];

    fn picture() -> impl Strategy<Value = Buffer> {
        let cell = (0..SIGNS.len(), 0..4_usize, 0..4_usize, 0..4_u16);
        let cells = move |count| proptest::collection::vec(cell.clone(), count);
        (1..7_u16, 1..4_u16)
            .prop_flat_map(move |(width, height)| {
                let count = usize::from(width) * usize::from(height);
                (Just((width, height)), cells(count))
            })
            .prop_map(|((width, height), cells)| {
                let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
                for (cell, (sign, fg, bg, bits)) in buffer.content.iter_mut().zip(cells) {
                    cell.set_symbol(SIGNS[sign]);
                    (cell.fg, cell.bg) = (COLOURS[fg], COLOURS[bg]);
                    cell.modifier = Modifier::from_bits_truncate(bits);
                }
                buffer
            })
    }

    proptest! {
        #[test]
        fn whatever_was_shown_before_the_change_makes_the_picture(
            pictures in proptest::collection::vec(picture(), 1..5),
        ) {
            let mut received = ReceivedScreen::empty((3, 3));
            let mut before = Buffer::empty(Rect::ZERO);
            for picture in pictures {
                let change = Change::between(&before, &picture, &received);
                let sent = serde_json::to_string(&change).unwrap();
                let read: Change = serde_json::from_str(&sent).unwrap();
                prop_assert_eq!(&read, &change);
                received.apply_change(read);
                prop_assert_eq!(&received.buffer, &picture);
                before = picture;
            }
        }
    }

    #[test]
    fn what_did_not_change_does_not_go_over() {
        let mut received = ReceivedScreen::empty((40, 2));
        let first = Buffer::with_lines(["how much ore is in the hold of alpha now", "6 units"]);
        let change = Change::between(&Buffer::empty(Rect::ZERO), &first, &received);
        assert!(change.is_whole);
        received.apply_change(change);
        let mut second = first.clone();
        second.set_string(0, 1, "9", ratatui::style::Style::default());
        let change = Change::between(&first, &second, &received);
        let letters = RunText::Letters("9".to_string());
        assert_eq!(change.runs, [FrameRun(0, 1, 0, letters)]);
    }

    #[test]
    fn what_lies_beside_the_screen_is_left_out() {
        let mut received = ReceivedScreen::empty((2, 1));
        let picture = Buffer::with_lines(["abcd"]);
        let mut change = Change::between(&Buffer::empty(Rect::ZERO), &picture, &received);
        change.size = (2, 1);
        change
            .runs
            .push(FrameRun(0, 0, 77, RunText::Letters("x".to_string())));
        received.apply_change(change);
        assert_eq!(received.buffer, Buffer::with_lines(["ab"]));
    }
}
