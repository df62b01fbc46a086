//! The transcript: a conversation as it is seen through a window of so many lines.
//!
//! Only what is in sight is laid out, so that a conversation of a million rows costs no more than
//! one of a hundred. The window hangs on a row, not on a number of lines: what is loaded above it
//! does not move it.

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
use entry::{EntryOptions, TranscriptEntry};
use pages::{Load, PageMerge, Pages};
use text_search::TextSearch;

/// Entries that are kept laid out beside those in sight.
const MAX_LAID_OUT_ENTRIES: usize = 400;
/// Columns of the time beside each entry, and of the bar.
const GUTTER_COLUMNS: u16 = 11;
const GUTTER_WHEN_NARROW: u16 = 2;
const NARROW_BELOW_COLUMNS: u16 = 60;

/// A conversation as it is seen.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// Whose.
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
    /// The entry that keys act upon.
    selected: Option<Seq>,
    /// What is being looked for.
    pub text_search: Option<TextSearch>,
    shown: Vec<VisibleLine>,
}

/// Where the window is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScrollPosition {
    /// At the end, and stays there.
    Bottom,
    /// Its first line is this line of this row.
    At(Seq, usize),
    /// As near the beginning as a row that is still to be loaded allows.
    Pending(Seq),
}

/// One line in sight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleLine {
    /// The entry.
    pub entry: Arc<TranscriptEntry>,
    /// Which of its lines; `None`: the empty one above it.
    pub line: Option<usize>,
}

impl Transcript {
    /// A conversation of which nothing is loaded yet.
    #[must_use]
    pub fn of(mysis: MysisId, name: Arc<str>, offset: UtcOffset) -> Transcript {
        Transcript {
            mysis,
            name,
            offset,
            pages: Pages::default(),
            columns: 0,
            height: 0,
            place: ScrollPosition::Bottom,
            laid_out: BTreeMap::new(),
            turned: BTreeSet::new(),
            fold: Fold::Closed,
            reasoning: Fold::Closed,
            selected: None,
            text_search: None,
            shown: Vec::new(),
        }
    }

    /// The rows held.
    #[must_use]
    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    /// The lines in sight.
    #[must_use]
    pub fn visible_lines(&self) -> &[VisibleLine] {
        &self.shown
    }

    /// The entry that keys act upon.
    #[must_use]
    pub fn selected(&self) -> Option<Seq> {
        self.selected
    }

    /// Whether it stays at the end.
    #[must_use]
    pub fn is_following(&self) -> bool {
        self.place == ScrollPosition::Bottom
    }

    /// Columns of the time and the bar at the left.
    #[must_use]
    pub fn gutter(columns: u16) -> u16 {
        if columns < NARROW_BELOW_COLUMNS {
            GUTTER_WHEN_NARROW
        } else {
            GUTTER_COLUMNS
        }
    }

    /// How far down the window is, from 0 to 1; by the rows' numbers, which is near enough.
    #[must_use]
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

    /// The Mysis has another name.
    pub fn rename(&mut self, name: &Arc<str>) {
        if self.name != *name {
            self.name = name.clone();
            self.laid_out.clear();
        }
    }

    /// The window has so many columns and lines.
    pub fn resize(&mut self, columns: u16, height: u16) {
        if self.columns != columns {
            self.laid_out.clear();
        }
        self.columns = columns;
        self.height = height;
    }

    /// A question to the store is on its way.
    pub fn expect(&mut self, stamp: ReadId, load: Load) {
        self.pages.expect(stamp, load);
    }

    /// The store could not be read; whether that was waited for.
    pub fn fail_request(&mut self, stamp: ReadId) -> bool {
        self.pages.fail_request(stamp)
    }

    /// Takes a piece of the conversation.
    pub fn take(&mut self, stamp: ReadId, page: Vec<Arc<Row>>) {
        if let Some(text_search) = &mut self.text_search {
            page.iter().for_each(|row| text_search.check_row(row));
        }
        if self.pages.take(stamp, page) == Some(PageMerge::Replace) {
            self.laid_out.clear();
        }
    }

    /// A row was stored just now.
    pub fn on_row_stored(&mut self, row: &Arc<Row>) {
        if let Some(text_search) = &mut self.text_search {
            text_search.check_row(row);
        }
        self.pages.on_row_stored(row);
    }

    /// Rows may have been stored that were not heard of.
    pub fn invalidate_end(&mut self) {
        self.pages.invalidate_end();
    }

    /// Shows an entry whole, or no longer.
    pub fn toggle_entry(&mut self, seq: Seq) {
        if !self.turned.remove(&seq) {
            self.turned.insert(seq);
        }
        self.laid_out.remove(&seq);
    }

    /// Shows all entries whole, or no longer.
    pub fn turn_all(&mut self) {
        self.fold = self.fold.opposite();
        self.turned.clear();
        self.laid_out.clear();
    }

    /// Shows all reasoning whole, or no longer.
    pub fn turn_reasoning(&mut self) {
        self.reasoning = self.reasoning.opposite();
        self.laid_out.clear();
    }

    /// Whether reasoning is shown whole.
    #[must_use]
    pub fn reasoning(&self) -> Fold {
        self.reasoning
    }

    /// Looks for a text, or for none any more.
    pub fn find(&mut self, text_search: Option<TextSearch>) {
        self.text_search = text_search;
        self.laid_out.clear();
        if let Some(text_search) = &mut self.text_search {
            let rows: Vec<Arc<Row>> = self.pages.rows().iter().cloned().collect();
            rows.iter().for_each(|row| text_search.check_row(row));
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
            text_search: self.text_search.as_ref(),
        };
        let entry = Arc::new(TranscriptEntry::of(&row, &look));
        self.laid_out.insert(row.seq, entry.clone());
        Some(entry)
    }

    /// Forgets how entries far out of sight were laid out.
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
