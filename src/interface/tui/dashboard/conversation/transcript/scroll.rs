//! Scrolling: which lines are visible, and which rows have to be loaded for that.

use std::sync::Arc;

use actors::domain::ids::Seq;

use super::entry::TranscriptEntry;
use super::pages::{Edge, Load};
use super::text_search::Direction;
use super::{ScrollPosition, Transcript, VisibleLine};
use crate::dashboard::outbox::Outbox;

impl Transcript {
    /// Lays out the visible lines. Returns the next query that is needed.
    pub fn prepare_frame(&mut self) -> Option<Load> {
        if let ScrollPosition::Pending(seq) = self.place
            && (self.pages.row(seq).is_some()
                || (self.wanted.is_none() && !self.pages.is_loading()))
        {
            self.place = ScrollPosition::At(seq, 0);
        }
        self.reveal();
        match self.place {
            ScrollPosition::Bottom => self.shown = self.last_lines(),
            ScrollPosition::At(seq, line) => {
                self.shown = self.lines_from(seq, line);
                if self.shows_end() && !self.is_held {
                    self.place = ScrollPosition::Bottom;
                }
            }
            // The visible lines stay until the row is loaded.
            ScrollPosition::Pending(_) => {}
        }
        self.trim_pages();
        self.tidy();
        self.wanted.take().or_else(|| self.next_load())
    }

    /// Lays out the visible lines, and reads what is needed for that.
    pub(crate) fn update(&mut self, outbox: &mut Outbox) {
        if let Some(load) = self.prepare_frame() {
            let id = outbox.read(self.pages.query(load, self.mysis));
            self.pages.expect(id, load);
        }
    }

    pub fn scroll(&mut self, lines: usize, way: Direction) {
        self.is_held = false;
        self.pages.try_again();
        let Some(top) = self.shown.first() else {
            return;
        };
        let mut index = self.pages.index_of(top.entry.seq);
        // Counting the empty line above the entry.
        let line = top.line.map(|line| line + usize::from(top.entry.is_apart));
        let mut line = line.unwrap_or(0);
        match way {
            Direction::Back => self.scroll_up_from(index, line, lines),
            Direction::Forth => {
                line += lines;
                while line >= self.height_of(index) && index + 1 < self.pages.rows().len() {
                    line -= self.height_of(index);
                    index += 1;
                }
                self.scroll_up_from(index, line, 0);
            }
        }
    }

    /// Goes to the end and follows it.
    pub fn go_to_bottom(&mut self) {
        self.place = ScrollPosition::Bottom;
        self.selected = None;
        self.wanted = (self.pages.end == Edge::Open).then_some(Load::Newest);
    }

    /// Goes to the beginning.
    pub fn go_to_top(&mut self) {
        self.selected = None;
        self.place = ScrollPosition::At(Seq(0), 0);
        self.wanted = (self.pages.start == Edge::Open).then_some(Load::Around(Seq(0)));
    }

    /// Selects a row and scrolls to it.
    pub fn go_to(&mut self, seq: Seq) {
        self.is_held = false;
        self.selected = Some(seq);
        let is_loaded = self.pages.row(seq).is_some();
        self.wanted = (!is_loaded).then_some(Load::Around(seq));
        match is_loaded {
            true => self.scroll_to_row(seq),
            false => self.place = ScrollPosition::Pending(seq),
        }
    }

    /// Goes to a row, and there to the place of the searched text.
    pub fn go_to_place(&mut self, seq: Seq) {
        self.to_reveal = Some(seq);
        self.go_to(seq);
    }

    /// Shows the place of the searched text in the row that is to be revealed, once the row is loaded. A row that
    /// hides the place is unfolded.
    fn reveal(&mut self) {
        let loaded = |seq: &mut Seq| self.pages.row(*seq).is_some();
        let Some(seq) = self.to_reveal.take_if(loaded) else {
            return;
        };
        self.is_held = true;
        let index = self.pages.index_of(seq);
        let hides = |entry: &TranscriptEntry| entry.folds && entry.line_found().is_none();
        if self.entry(index).is_some_and(|entry| hides(&entry)) {
            self.toggle_entry(seq);
        }
        let entry = self.entry(index);
        let line = entry.and_then(|entry| Some(entry.line_found()? + usize::from(entry.is_apart)));
        let line = line.unwrap_or(0);
        // What came before takes a third of the window.
        self.scroll_up_from(index, line, usize::from(self.height) / 3);
    }

    pub fn select_next(&mut self, way: Direction) {
        self.is_held = false;
        self.pages.try_again();
        let rows = self.pages.rows();
        let next = match (self.selected, way) {
            (Some(seq), Direction::Back) => {
                let place = self.pages.index_of(seq);
                place.checked_sub(1).and_then(|place| rows.get(place))
            }
            (Some(seq), Direction::Forth) => rows.get(self.pages.index_of(seq.next())),
            (None, _) => {
                let seen = match way {
                    Direction::Back => self.shown.last(),
                    Direction::Forth => self.shown.first(),
                };
                seen.and_then(|line| self.pages.row(line.entry.seq))
            }
        };
        if let Some(seq) = next.map(|row| row.seq) {
            self.selected = Some(seq);
            self.scroll_to_row(seq);
        }
    }

    pub fn select(&mut self, seq: Option<Seq>) {
        self.is_held = false;
        self.selected = seq;
    }

    pub fn entry_at(&self, line: usize) -> Option<&Arc<TranscriptEntry>> {
        self.shown.get(line).map(|shown| &shown.entry)
    }

    fn scroll_to_row(&mut self, seq: Seq) {
        let lines = self
            .shown
            .iter()
            .filter(|line| line.entry.seq == seq && line.line.is_some())
            .count();
        let index = self.pages.index_of(seq);
        let whole = self.entry(index).map_or(1, |entry| entry.lines.len());
        if lines == whole || lines == usize::from(self.height) {
            return;
        }
        let is_below = self.shown.last().is_some_and(|line| line.entry.seq <= seq);
        self.place = ScrollPosition::At(seq, 0);
        if is_below {
            // As far down as all lines of the entry remain visible.
            let height = self.height_of(index);
            let above = usize::from(self.height).saturating_sub(height);
            self.shown = self.lines_from(seq, 0);
            self.scroll_up_from(index, 0, above);
        }
    }

    /// The window begins so many lines above a line of an entry.
    fn scroll_up_from(&mut self, mut index: usize, line: usize, lines: usize) {
        let mut missing = lines.saturating_sub(line);
        let mut line = line.saturating_sub(lines);
        while missing > 0 && index > 0 {
            index -= 1;
            let height = self.height_of(index);
            line = height.saturating_sub(missing);
            missing = missing.saturating_sub(height);
        }
        if let Some(row) = self.pages.rows().get(index) {
            self.place = ScrollPosition::At(row.seq, line);
        }
    }

    /// The number of lines of an entry, with the empty one above it.
    fn height_of(&mut self, index: usize) -> usize {
        self.entry(index)
            .map_or(0, |entry| entry.lines.len() + usize::from(entry.is_apart))
    }

    fn lines_from(&mut self, seq: Seq, line: usize) -> Vec<VisibleLine> {
        let height = usize::from(self.height);
        let mut shown = Vec::with_capacity(height);
        let mut index = self.pages.index_of(seq);
        let is_there = self.pages.row(seq).is_some();
        let mut skip = if is_there { line } else { 0 };
        while shown.len() < height {
            let Some(entry) = self.entry(index) else {
                break;
            };
            shown.extend(lines_of(&entry).skip(skip).take(height - shown.len()));
            skip = skip.saturating_sub(lines_of(&entry).count());
            index += 1;
        }
        if shown.len() < height {
            return self.last_lines();
        }
        shown
    }

    fn last_lines(&mut self) -> Vec<VisibleLine> {
        let height = usize::from(self.height);
        let mut shown: Vec<VisibleLine> = Vec::with_capacity(height);
        let mut index = self.pages.rows().len();
        while shown.len() < height && index > 0 {
            index -= 1;
            let Some(entry) = self.entry(index) else {
                break;
            };
            let lines: Vec<VisibleLine> = lines_of(&entry).collect();
            shown.extend(lines.into_iter().rev().take(height - shown.len()));
        }
        shown.reverse();
        shown
    }

    fn shows_end(&self) -> bool {
        let last = self.shown.last();
        let newest = self.pages.rows().back();
        let is_newest = match (last, newest) {
            (Some(line), Some(row)) => {
                line.entry.seq == row.seq && line.line == Some(line.entry.lines.len() - 1)
            }
            (Some(_) | None, _) => self.pages.rows().is_empty(),
        };
        is_newest && self.pages.end == Edge::Reached
    }

    fn trim_pages(&mut self) {
        let visible = match (self.is_following(), self.shown.first()) {
            (true, _) | (false, None) => self.pages.rows().len(),
            (false, Some(line)) => self.pages.index_of(line.entry.seq),
        };
        self.pages.trim_rows(visible);
    }

    fn next_load(&self) -> Option<Load> {
        if !self.pages.may_load() {
            return None;
        }
        if self.pages.rows().is_empty() {
            return (self.pages.end == Edge::Open).then_some(Load::Newest);
        }
        let (Some(first), Some(last)) = (self.shown.first(), self.shown.last()) else {
            return None;
        };
        let below = self.pages.rows().len() - 1 - self.pages.index_of(last.entry.seq);
        let ahead = self.pages.load_ahead();
        let after = (self.pages.more_after()).filter(|_| below < ahead);
        let above = self.pages.index_of(first.entry.seq);
        let before = (self.pages.more_before()).filter(|_| above < ahead);
        after.or(before)
    }
}

/// The lines of an entry, with the empty one above it.
fn lines_of(entry: &Arc<TranscriptEntry>) -> impl Iterator<Item = VisibleLine> + '_ {
    let above = entry.is_apart.then_some(None);
    let lines = (0..entry.lines.len()).map(Some);
    above.into_iter().chain(lines).map(|line| VisibleLine {
        entry: entry.clone(),
        line,
    })
}
