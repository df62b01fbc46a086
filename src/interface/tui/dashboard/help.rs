//! The help screen, made from the tables of keys.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::{Alignment, Rect};

use super::facts::Facts;
use super::input_event::{key, letter};
use super::keys::{
    Binding, Chapter, GLOBAL_KEYS, GlobalAction, Help, KeyTable, Keymap, MOVEMENT_KEYS, Movement,
    bind,
};
use super::layout::{ScreenLayout, row_of, without_left};
use super::text::tone::{StyledLine, Tone};
use super::text::width;
use super::toolkit::view::{Pressed, View, ViewContext, ViewSpec};
use crate::painter::{Painter, centre_area};
use crate::theme::Ground;

/// The columns of the keys, and where the help has more than one column itself.
const KEYS_COLUMNS: usize = 18;
const FEW_KEYS_COLUMNS: usize = 13;
/// The least and the most columns of the screen for a column of the help.
const MIN_COLUMN: u16 = 56;
const MAX_COLUMN: u16 = 74;

pub const SPEC: ViewSpec = ViewSpec {
    opening: None,
    keys: || KeyTable::of("This help", LIST_KEYS),
    moves: true,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListAction {
    PageDown,
    Back,
}

#[rustfmt::skip]
pub const LIST_KEYS: &[Binding<ListAction>] = &[
    bind("list_back", &[key(KeyCode::Esc), letter('q')], ListAction::Back, "close", "close it"),
    bind("list_page_down", &[letter(' ')], ListAction::PageDown, "", "a page down"),
];

#[derive(Clone, Debug)]
pub struct HelpView {
    chapters: Vec<Chapter>,
    /// The first line in sight.
    top: usize,
}

impl HelpView {
    pub fn of(chapters: Vec<Chapter>) -> HelpView {
        HelpView { chapters, top: 0 }
    }
}

impl View for HelpView {
    fn spec(&self) -> &'static ViewSpec {
        &SPEC
    }

    fn hints(&self, keymap: &Keymap) -> Vec<(String, &'static str)> {
        let movement = |movement| keymap.key_of(MOVEMENT_KEYS, movement);
        let scroll = format!("{} {}", movement(Movement::Up), movement(Movement::Down));
        vec![
            (keymap.key_of(LIST_KEYS, ListAction::Back), "close"),
            (scroll, "scroll"),
            (movement(Movement::PageDown), "a page"),
        ]
    }

    /// The key that opened it also closes it.
    fn press(&mut self, context: &mut ViewContext<'_>, press: KeyEvent) -> Pressed {
        let keymap = &context.facts.keymap;
        match keymap.find(LIST_KEYS, press) {
            Some(ListAction::Back) => return Pressed::Closes,
            Some(ListAction::PageDown) => self.go(context, Movement::PageDown),
            None if keymap.find(GLOBAL_KEYS, press) == Some(GlobalAction::Help) => {
                return Pressed::Closes;
            }
            None => return Pressed::Passes,
        }
        Pressed::Stays
    }

    fn go(&mut self, context: &mut ViewContext<'_>, movement: Movement) {
        let room = Room::in_screen(context.layout.below_banner());
        let page = room.lines();
        let last = lines(&self.chapters, &room).len().saturating_sub(page);
        // The next page begins behind this one.
        self.top = movement.lead_from(self.top, last, page + 1);
    }

    fn paint(&self, _: &Facts, layout: &ScreenLayout, painter: &mut Painter<'_>) {
        paint(&self.chapters, self.top, layout.below_banner(), painter);
    }
}

/// The columns of the help, and what stands in each.
struct Room {
    area: Rect,
    count: u16,
    column: u16,
}

impl Room {
    fn in_screen(screen: Rect) -> Room {
        // The frame takes two columns and two rows.
        let count = (screen.width.saturating_sub(2) / MIN_COLUMN).max(1);
        let column = (screen.width.saturating_sub(2) / count).min(MAX_COLUMN);
        Room {
            area: centre_area(screen, count * column + 2, screen.height.saturating_sub(2)),
            count,
            column,
        }
    }

    /// The lines of a page: all columns.
    fn lines(&self) -> usize {
        let rows = self.area.height.saturating_sub(2).max(1);
        usize::from(rows) * usize::from(self.count)
    }
}

fn paint(chapters: &[Chapter], top: usize, screen: Rect, painter: &mut Painter<'_>) {
    let room = Room::in_screen(screen);
    let inside = painter.frame(room.area, "keys", Ground::Panel);
    let lines = lines(chapters, &room);
    let mut rest = lines.iter().skip(top);
    for place in 0..room.count {
        let column = without_left(inside, place * room.column);
        painter.lines(column, rest.by_ref().take(usize::from(inside.height)));
    }
    if rest.next().is_some() {
        let foot = row_of(inside, inside.height);
        painter.text_at(foot, 0, Alignment::Right, " ↓ more ", Tone::Hint);
    }
}

/// All lines, as wide as a column.
fn lines(chapters: &[Chapter], room: &Room) -> Vec<StyledLine> {
    let keys_columns = match room.count {
        1 => KEYS_COLUMNS,
        _ => FEW_KEYS_COLUMNS,
    };
    let columns = usize::from(room.column)
        .saturating_sub(keys_columns + 4)
        .max(8);
    let mut lines = Vec::new();
    for chapter in chapters {
        lines.push(StyledLine::of(chapter.title, Tone::Brand));
        for help in &chapter.lines {
            let keys = width::fit(&help.keys, keys_columns);
            let mut before = StyledLine::of(format!("  {keys}"), Tone::Key);
            for part in width::wrap(help.help, columns) {
                lines.push(before.with(part, Tone::Text));
                before = StyledLine::of(" ".repeat(keys_columns + 2), Tone::Key);
            }
        }
        lines.push(StyledLine::default());
    }
    lines
}

const SIGNS: [(&str, &str); 14] = [
    ("⬢ ⬡ ■ ✖", "running, idle, stopped, errored"),
    ("‖ ◌", "paused; waits for a server that is away"),
    ("! ●", "needs you; has words that you have not read"),
    ("◆", "marked for the next order"),
    ("● ◐ ✖ ○", "server: good, in doubt, away, not used yet"),
    ("↻3/20", "a routine runs, in round 3 of 20"),
    ("~43/75", "the level may have changed since"),
    ("+?", "a part of the sum has no known price"),
    ("⚙ ✓ ✗", "tool call, its result, refused or failed"),
    ("┊", "reasoning of the model"),
    ("▾ ▸", "open, folded; on an axis: your orders"),
    ("×3", "the same three times"),
    ("▲ ▼", "a rate that rises, or falls"),
    ("+3 ~2", "of a request: message 3 is new, 2 has changed"),
];

/// The keys of a text field and of the composer, which no setting changes. They stand last: while one writes, no key
/// shows the help.
const WRITING: [(&str, &str); 10] = [
    ("Enter", "send it"),
    ("Alt-Enter", "a new line; so does Ctrl-J"),
    ("↑  ↓", "what you wrote before and begins so"),
    ("Esc", "close it and keep it for later"),
    ("Ctrl-C", "throw it away; ↑ brings it back"),
    ("Ctrl-G", "say of an order that no gain is expected"),
    ("Ctrl-O", "write on in your editor"),
    ("Ctrl-W Ctrl-U", "cut a word, or all before the cursor"),
    (
        "Ctrl-K Ctrl-Y",
        "cut the rest of the line; insert what was cut",
    ),
    ("Ctrl-_", "undo the last change"),
];

pub(super) fn writing() -> Chapter {
    chapter_of("Writing a mission, a message or a note", &WRITING)
}

/// The legend of the signs.
pub(super) fn signs() -> Chapter {
    chapter_of("The signs", &SIGNS)
}

fn chapter_of(title: &'static str, lines: &[(&str, &'static str)]) -> Chapter {
    let lines = lines.iter().map(|(keys, help)| Help {
        keys: (*keys).to_string(),
        help,
    });
    Chapter {
        title,
        lines: lines.collect(),
    }
}
