//! The inspector: one entry of a conversation in full, as a tree that folds and can be searched.

mod actions;
mod awaited;
mod trees;

pub use actions::SPEC;
pub(crate) use awaited::AwaitedRequest;

use std::sync::Arc;

use serde_json::Value;

use actors::domain::game::GameRef;
use actors::domain::last_request::SentRequest;
use actors::domain::message::Row;

use super::conversation::transcript::entry::ResultForm;
use super::conversation::transcript::text_search::{Direction, TextSearch};
use super::keys::Movement;
use super::text::figures::{self, UtcOffset};
use super::text::tone::{StyledLine, Tone};
use super::text::tree::{Fold, Tree};

#[derive(Clone, Debug)]
pub struct Inspector {
    whole: InspectedSource,
    form: ResultForm,
    pub title: String,
    tree: Arc<Tree>,
    /// The node that keys act upon.
    cursor: usize,
    top: usize,
    size: (u16, u16),
    pub text_search: Option<TextSearch>,
    lines: Arc<Vec<TreeLine>>,
}

#[derive(Clone, Debug)]
enum InspectedSource {
    Row(Arc<Row>),
    /// A request, and the game of whose results it holds.
    Request(Box<SentRequest>, GameRef),
}

impl InspectedSource {
    fn tree(&self, form: ResultForm) -> Tree {
        match self {
            InspectedSource::Row(row) => trees::of_row(row, form),
            InspectedSource::Request(sent, game) => match form {
                ResultForm::Words => trees::of_request(sent, *game),
                ResultForm::Raw => Tree::of_lines(&sent.body, Tone::Text),
            },
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeLine {
    pub node: usize,
    pub line: StyledLine,
}

impl Inspector {
    pub fn of(row: Arc<Row>, offset: UtcOffset) -> Inspector {
        let title = format!(
            "#{} {} · {} {} · turn {}",
            row.seq,
            row.kind_word(),
            offset.day(row.at),
            offset.clock(row.at),
            row.turn.0
        );
        Inspector::new(InspectedSource::Row(row), title)
    }

    pub fn of_request(
        sent: &SentRequest,
        (name, game): (&str, GameRef),
        offset: UtcOffset,
    ) -> Inspector {
        let title = format!(
            "LAST REQUEST OF {name} · {} {} · to {} · {} as sent",
            offset.day(sent.at),
            offset.clock(sent.at),
            sent.provider,
            figures::size(sent.body.len() as u64)
        );
        Inspector::new(
            InspectedSource::Request(Box::new(sent.clone()), game),
            title,
        )
    }

    fn new(whole: InspectedSource, title: String) -> Inspector {
        let form = ResultForm::default();
        Inspector {
            tree: Arc::new(whole.tree(form)),
            whole,
            form,
            title,
            cursor: 0,
            top: 0,
            size: (0, 0),
            text_search: None,
            lines: Arc::default(),
        }
    }

    /// The name of the file that the entry is written to, without its extension.
    pub fn file_name(&self) -> String {
        let words = self
            .title
            .split(|letter: char| !letter.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).take(10).collect();
        words.join("-").to_lowercase()
    }

    /// The visible lines, and whether keys act upon the node of each.
    pub fn visible(&self) -> impl Iterator<Item = (&StyledLine, bool)> {
        self.lines
            .iter()
            .skip(self.top)
            .take(usize::from(self.size.1))
            .map(|placed| (&placed.line, placed.node == self.cursor))
    }

    /// The node that keys act upon and its children, as text.
    pub fn text(&self) -> String {
        self.tree.text_of(self.cursor)
    }

    pub fn whole_text(&self) -> String {
        match &self.whole {
            InspectedSource::Row(row) => whole_text(row),
            InspectedSource::Request(sent, _) => sent.body.to_string(),
        }
    }

    /// Sets the size of the window in columns and lines.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        if self.size != (columns, rows) || self.lines.is_empty() {
            self.size = (columns, rows);
            self.lay_out();
        }
    }

    pub fn move_to(&mut self, movement: Movement) {
        match movement {
            Movement::Up => self.step(-1),
            Movement::Down => self.step(1),
            Movement::PageUp | Movement::PageDown | Movement::First | Movement::Last => {
                let rows = usize::from(self.size.1).max(1);
                let last = self.lines.len().saturating_sub(1);
                // A page keeps no line of the page before.
                let line = movement.lead_from(self.line_of_cursor(), last, rows + 1);
                self.cursor = self.lines.get(line).map_or(0, |line| line.node);
                self.scroll_to_cursor();
            }
        }
    }

    pub fn step(&mut self, by: isize) {
        let visible: Vec<usize> = self.tree.visible_nodes().collect();
        let place = visible.partition_point(|node| *node < self.cursor);
        let next = place.saturating_add_signed(by);
        let last = visible.len().saturating_sub(1);
        self.cursor = visible.get(next.min(last)).copied().unwrap_or(0);
        self.scroll_to_cursor();
    }

    /// Scrolls without moving the cursor.
    pub fn scroll(&mut self, lines: usize, way: Direction) {
        let last = self.lines.len().saturating_sub(usize::from(self.size.1));
        self.top = match way {
            Direction::Back => self.top.saturating_sub(lines),
            Direction::Forth => (self.top + lines).min(last),
        };
    }

    /// Moves to the node at a visible line. If the cursor is there already, opens or closes the
    /// node.
    pub fn click(&mut self, row: usize) {
        let Some(node) = self.lines.get(self.top + row).map(|line| line.node) else {
            return;
        };
        if self.cursor == node {
            self.turn();
        }
        self.cursor = node;
    }

    pub fn turn(&mut self) {
        if let Some(node) = self.tree.nodes().get(self.cursor) {
            let fold = node.fold.opposite();
            self.fold(fold);
        }
    }

    /// Opens the node. If it is open, moves to its first child.
    pub fn open(&mut self) {
        match self.tree.nodes().get(self.cursor) {
            Some(node) if node.inside > 0 && node.fold == Fold::Closed => self.fold(Fold::Open),
            Some(node) if node.inside > 0 => self.step(1),
            Some(_) | None => {}
        }
    }

    /// Closes the node. If it is closed or has no children, moves to its parent.
    pub fn close(&mut self) {
        match self.tree.nodes().get(self.cursor) {
            Some(node) if node.inside > 0 && node.fold == Fold::Open => self.fold(Fold::Closed),
            Some(_) | None => {
                self.cursor = self.tree.parent(self.cursor).unwrap_or(self.cursor);
                self.scroll_to_cursor();
            }
        }
    }

    /// Shows it raw, or in words again.
    pub fn turn_raw(&mut self) {
        self.form = self.form.opposite();
        self.tree = Arc::new(self.whole.tree(self.form));
        (self.cursor, self.top) = (0, 0);
        self.lay_out();
    }

    pub fn turn_all(&mut self) {
        let is_open = |node: &super::text::tree::Node| node.inside > 0 && node.fold == Fold::Open;
        if self.tree.nodes().iter().any(is_open) {
            Arc::make_mut(&mut self.tree).fold_all(Fold::Closed);
            while let Some(parent) = self.tree.parent(self.cursor) {
                self.cursor = parent;
            }
        } else {
            Arc::make_mut(&mut self.tree).fold_all(Fold::Open);
        }
        self.lay_out();
    }

    pub fn find(&mut self, text: &str) {
        self.text_search = (!text.is_empty()).then(|| TextSearch::of(text));
        self.lay_out();
        if self.text_search.is_some() {
            self.go_to_match(Direction::Forth, self.cursor);
        }
    }

    pub fn next_match(&mut self, way: Direction) {
        let count = self.tree.nodes().len();
        let from = match way {
            Direction::Forth => (self.cursor + 1) % count.max(1),
            Direction::Back => (self.cursor + count.saturating_sub(1)) % count.max(1),
        };
        self.go_to_match(way, from);
    }

    fn go_to_match(&mut self, way: Direction, from: usize) {
        let Some(text_search) = &self.text_search else {
            return;
        };
        let count = self.tree.nodes().len();
        let holds = |place: usize| {
            let node = &self.tree.nodes()[place];
            text_search.is_within(&node.name) || text_search.is_within(&node.text)
        };
        let round = (0..count).map(|step| match way {
            Direction::Forth => (from + step) % count,
            Direction::Back => (from + count - step) % count,
        });
        let found = round.into_iter().find(|place| holds(*place));
        if let Some(found) = found {
            Arc::make_mut(&mut self.tree).reveal(found);
            self.cursor = found;
            self.lay_out();
        }
    }

    fn fold(&mut self, fold: Fold) {
        Arc::make_mut(&mut self.tree).fold(self.cursor, fold);
        self.lay_out();
    }

    /// Lays out the lines anew, and brings the cursor in sight.
    fn lay_out(&mut self) {
        let columns = usize::from(self.size.0).max(8);
        let mut lines = Vec::new();
        for node in self.tree.visible_nodes() {
            for mut line in self.tree.lines_of(node, columns) {
                line.clip(columns);
                if let Some(text_search) = &self.text_search {
                    text_search.mark(std::slice::from_mut(&mut line));
                }
                lines.push(TreeLine { node, line });
            }
        }
        self.lines = Arc::new(lines);
        self.scroll_to_cursor();
    }

    fn line_of_cursor(&self) -> usize {
        self.lines.partition_point(|line| line.node < self.cursor)
    }

    fn scroll_to_cursor(&mut self) {
        let rows = usize::from(self.size.1).max(1);
        let line = self.line_of_cursor();
        let last = self.lines.len().saturating_sub(rows);
        let least = (line + 1).saturating_sub(rows);
        self.top = self.top.clamp(least, line.max(least)).min(last);
    }
}

/// The text of a row for the clipboard: its words and its tool calls.
pub fn whole_text(row: &Row) -> String {
    let mut parts = Vec::new();
    if !row.text().is_empty() {
        parts.push(pretty(row.text()));
    }
    for call in row.calls() {
        parts.push(format!("{} {}", call.name, pretty(&call.arguments)));
    }
    parts.join("\n")
}

fn pretty(text: &str) -> String {
    let value: Option<Value> = serde_json::from_str(text).ok();
    value
        .and_then(|value| serde_json::to_string_pretty(&value).ok())
        .unwrap_or_else(|| text.to_string())
}

#[cfg(test)]
mod tests {
    use crossterm::event::{Event, KeyCode, KeyModifiers, MouseEvent, MouseEventKind};

    use super::*;
    use crate::dashboard::input_event::Input;
    use crate::dashboard::tests::{Desk, words};

    #[test]
    fn the_wheel_scrolls_away_from_the_line_in_hand_and_a_key_leads_back_to_it() {
        let mut desk = Desk::new();
        let row = words(1, &"a line\n".repeat(99));
        (desk.board.layers).push_view(Inspector::of(row, UtcOffset::default()));
        desk.board.prepare_frame();
        let top = |desk: &Desk| desk.board.view::<Inspector>().map(|it| it.top);
        desk.board.on_input(Input::Event(Event::Mouse(MouseEvent {
            kind: MouseEventKind::ScrollDown,
            column: 10,
            row: 10,
            modifiers: KeyModifiers::NONE,
        })));
        desk.board.prepare_frame();
        assert_eq!(top(&desk), Some(3));
        desk.key(KeyCode::Down);
        assert_eq!(top(&desk), Some(1));
    }
}
