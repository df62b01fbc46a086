//! The transcript: a conversation seen through a window of lines.
//!
//! Only the visible entries are laid out, so a conversation of a million rows costs no more than
//! one of a hundred. The window's position is a row and not a number of lines, so rows that are
//! loaded above it do not move it.

pub mod entry;
pub mod pages;
pub mod text_search;

mod scroll;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use actors::domain::ids::{MysisId, Seq};
use actors::domain::message::Row;

use crate::dashboard::text::figures::UtcOffset;
use crate::dashboard::text::tree::Fold;
use actors::domain::screen::ReadId;
use entry::{EntryOptions, ResultForm, TranscriptEntry};
use pages::{Load, Pages};
use text_search::TextSearch;

/// The most entries whose layout is kept.
const MAX_LAID_OUT_ENTRIES: usize = 400;
/// The columns of the time and the bar at the left of each entry.
const GUTTER_COLUMNS: u16 = 11;
const GUTTER_WHEN_NARROW: u16 = 2;
const NARROW_BELOW_COLUMNS: u16 = 60;

#[derive(Clone, Debug, Default)]
pub struct Transcript {
    pub mysis: MysisId,
    name: Arc<str>,
    offset: UtcOffset,
    pages: Pages,
    columns: u16,
    height: u16,
    place: ScrollPosition,
    laid_out: BTreeMap<Seq, Arc<TranscriptEntry>>,
    turned: BTreeSet<Seq>,
    fold: Fold,
    reasoning: Fold,
    results: ResultForm,
    /// The entry that keys act upon.
    selected: Option<Seq>,
    pub text_search: Option<TextSearch>,
    /// What was gone to and has to be read, until it is asked for.
    wanted: Option<Load>,
    /// The row whose place of the searched text is to be shown once the row is loaded.
    to_reveal: Option<Seq>,
    /// Whether the window stays at the revealed row although it shows the end as well.
    is_held: bool,
    shown: Vec<VisibleLine>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ScrollPosition {
    /// At the end. New rows scroll the window.
    #[default]
    Bottom,
    /// The first visible line is this line of this row.
    At(Seq, usize),
    /// At this row, which is not loaded yet. Until then the window stays as it is.
    Pending(Seq),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleLine {
    pub entry: Arc<TranscriptEntry>,
    /// The index of the line in its entry; `None` for the empty line above the entry.
    pub line: Option<usize>,
}

impl Transcript {
    /// A transcript without rows.
    pub fn of(mysis: MysisId, name: Arc<str>, offset: UtcOffset) -> Transcript {
        Transcript {
            mysis,
            name,
            offset,
            ..Transcript::default()
        }
    }

    /// The same for a window that does not scroll: it reads as many rows as it has lines, and none ahead.
    #[must_use]
    pub fn reading_few(self, lines: usize) -> Transcript {
        Transcript {
            pages: Pages::of_few(lines.max(1)),
            ..self
        }
    }

    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    pub fn visible_lines(&self) -> &[VisibleLine] {
        &self.shown
    }

    pub fn selected(&self) -> Option<Seq> {
        self.selected
    }

    pub fn is_following(&self) -> bool {
        self.place == ScrollPosition::Bottom
    }

    /// The columns of the time and the bar at the left.
    pub fn gutter(columns: u16) -> u16 {
        if columns < NARROW_BELOW_COLUMNS {
            GUTTER_WHEN_NARROW
        } else {
            GUTTER_COLUMNS
        }
    }

    /// The position of the window, from 0 to 1. It is estimated from row numbers.
    pub fn scroll_fraction(&self) -> f64 {
        let newest = self.pages.rows().back().map_or(0, |row| row.seq.0);
        let seen = self.shown.last().map_or(newest, |line| line.entry.seq.0);
        if newest <= 0 || self.is_following() {
            return 1.0;
        }
        #[expect(clippy::cast_precision_loss, reason = "it places a mark on a bar")]
        let depth = seen as f64 / newest as f64;
        depth.clamp(0.0, 1.0)
    }

    pub fn rename(&mut self, name: &Arc<str>) {
        if self.name != *name {
            self.name = name.clone();
            self.laid_out.clear();
        }
    }

    /// Sets the size of the window in columns and lines.
    pub fn resize(&mut self, columns: u16, height: u16) {
        if self.columns != columns {
            self.laid_out.clear();
        }
        self.columns = columns;
        self.height = height;
    }

    /// Handles a failed read of the store. Returns whether this transcript waited for it.
    pub fn fail_request(&mut self, stamp: ReadId) -> bool {
        self.pages.fail_request(stamp)
    }

    pub fn take(&mut self, stamp: ReadId, page: Vec<Arc<Row>>) {
        if let Some(text_search) = &mut self.text_search {
            page.iter().for_each(|row| text_search.check_row(row));
        }
        if self.pages.take(stamp, page) {
            self.laid_out.clear();
        }
    }

    pub fn on_row_stored(&mut self, row: &Arc<Row>) {
        if let Some(text_search) = &mut self.text_search {
            text_search.check_row(row);
        }
        self.pages.on_row_stored(row);
    }

    /// Forgets that the end is known, because rows may have been stored unnoticed.
    pub fn invalidate_end(&mut self) {
        self.pages.invalidate_end();
    }

    pub fn toggle_entry(&mut self, seq: Seq) {
        if !self.turned.remove(&seq) {
            self.turned.insert(seq);
        }
        self.laid_out.remove(&seq);
    }

    /// Expands or folds all entries.
    pub fn turn_all(&mut self) {
        self.fold = self.fold.opposite();
        self.turned.clear();
        self.laid_out.clear();
    }

    /// Expands or folds all reasoning.
    pub fn turn_reasoning(&mut self) {
        self.reasoning = self.reasoning.opposite();
        self.laid_out.clear();
    }

    pub fn reasoning(&self) -> Fold {
        self.reasoning
    }

    /// Shows results in words, or as their texts.
    pub fn turn_results(&mut self) {
        self.results = self.results.opposite();
        self.laid_out.clear();
    }

    #[must_use]
    pub fn results(&self) -> ResultForm {
        self.results
    }

    pub fn find(&mut self, text_search: Option<TextSearch>) {
        self.text_search = text_search;
        self.laid_out.clear();
        if let Some(text_search) = &mut self.text_search {
            let rows = self.pages.rows().iter();
            rows.for_each(|row| text_search.check_row(row));
        }
    }

    fn entry(&mut self, index: usize) -> Option<Arc<TranscriptEntry>> {
        let row = self.pages.rows().get(index)?.clone();
        if let Some(entry) = self.laid_out.get(&row.seq) {
            return Some(entry.clone());
        }
        let is_turned = self.turned.contains(&row.seq);
        let turned = |fold: Fold| if is_turned { fold.opposite() } else { fold };
        let gutter = Transcript::gutter(self.columns);
        let look = EntryOptions {
            columns: usize::from(self.columns.saturating_sub(gutter)).max(8),
            name: &self.name,
            offset: self.offset,
            fold: turned(self.fold),
            reasoning: turned(self.reasoning),
            results: self.results,
            text_search: self.text_search.as_ref(),
        };
        let entry = Arc::new(TranscriptEntry::of(&row, &look));
        self.laid_out.insert(row.seq, entry.clone());
        Some(entry)
    }

    /// Drops the layout of entries far away from the window.
    fn tidy(&mut self) {
        if self.laid_out.len() <= MAX_LAID_OUT_ENTRIES {
            return;
        }
        let (Some(first), Some(last)) = (self.shown.first(), self.shown.last()) else {
            return self.laid_out.clear();
        };
        let (first, last) = (first.entry.seq, last.entry.seq);
        self.laid_out.retain(|seq, _| (first..=last).contains(seq));
    }
}
