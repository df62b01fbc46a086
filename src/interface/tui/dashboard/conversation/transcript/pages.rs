//! Pages: the part of a conversation that is in memory.
//!
//! A conversation may have a million rows. The part in memory has no gaps. It grows at either end
//! from the store, and at its newest end from events.

use std::collections::VecDeque;
use std::sync::Arc;

use actors::domain::ids::{MysisId, Seq};
use actors::domain::message::{Row, RowBody};
use actors::domain::reading::{PageFrom, PageQuery};
use actors::domain::screen::{ReadId, StoreQuery};

/// The rows that an open conversation reads at once.
const PAGE: usize = 200;
/// How many rows beyond its window a conversation has in memory.
const LOAD_AHEAD_ROWS: usize = 60;
/// The most rows in memory. Beyond that the far end is dropped.
const MAX_HELD_ROWS: usize = 3000;
/// The most rows that are kept from events while the newest end is not in memory.
const MAX_ARRIVED_ROWS: usize = 1000;

/// A part of a conversation without gaps.
#[derive(Clone, Debug, Default)]
pub struct Pages {
    rows: VecDeque<Arc<Row>>,
    /// How many rows are read at once where the window does not scroll.
    few: Option<usize>,
    /// Whether the first row in memory is the conversation's first.
    pub start: Edge,
    /// Whether the last row in memory is the conversation's last.
    pub end: Edge,
    arrived: VecDeque<Arc<Row>>,
    /// Whether rows from events were dropped. A page that was read meanwhile may lack them.
    lacks: bool,
    loading: Option<(ReadId, Load)>,
    /// Whether the store could not be read. Nothing is requested until the operator scrolls.
    is_unreadable: bool,
}

/// Whether the part in memory ends where the conversation ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edge {
    /// There is nothing beyond it.
    Reached,
    #[default]
    Open,
}

/// Which rows are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// The newest rows, in place of those in memory.
    Newest,
    Before(Seq),
    After(Seq),
    /// The rows around this one, in place of those in memory.
    Around(Seq),
}

impl Load {
    fn page_from(self) -> PageFrom {
        match self {
            Load::Newest => PageFrom::Newest,
            Load::Before(seq) => PageFrom::Before(seq),
            Load::After(seq) => PageFrom::After(seq),
            Load::Around(seq) => {
                let half = i64::try_from(PAGE / 2).unwrap_or(0);
                PageFrom::After(Seq(seq.0.saturating_sub(half).max(0)))
            }
        }
    }

    fn replaces(self) -> bool {
        matches!(self, Load::Newest | Load::Around(_))
    }
}

impl Pages {
    /// Pages that are read a few rows at a time.
    pub fn of_few(rows_at_once: usize) -> Pages {
        Pages {
            few: Some(rows_at_once),
            ..Pages::default()
        }
    }

    pub fn query(&self, load: Load, mysis: MysisId) -> StoreQuery {
        StoreQuery::Page(PageQuery {
            mysis,
            from: load.page_from(),
            limit: self.rows_at_once(load),
            kinds: Vec::new(),
        })
    }

    fn rows_at_once(&self, load: Load) -> usize {
        match load {
            Load::Around(_) => PAGE,
            Load::Newest | Load::Before(_) | Load::After(_) => self.few.unwrap_or(PAGE),
        }
    }

    /// More rows are loaded when fewer than this remain beyond the window.
    pub(super) fn load_ahead(&self) -> usize {
        match self.few {
            Some(_) => 1,
            None => LOAD_AHEAD_ROWS,
        }
    }

    pub fn rows(&self) -> &VecDeque<Arc<Row>> {
        &self.rows
    }

    pub fn may_load(&self) -> bool {
        self.loading.is_none() && !self.is_unreadable
    }

    /// Allows queries again after a failure, because the operator scrolls.
    pub fn try_again(&mut self) {
        self.is_unreadable = false;
    }

    /// Whether a query is not answered yet.
    pub fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    pub fn awaits(&self, stamp: ReadId) -> bool {
        self.loading.is_some_and(|(expected, _)| expected == stamp)
    }

    /// The index of a row among those in memory, or of the next one.
    pub fn index_of(&self, seq: Seq) -> usize {
        self.rows.partition_point(|row| row.seq < seq)
    }

    /// The row with this number, if it is in memory.
    pub fn row(&self, seq: Seq) -> Option<&Arc<Row>> {
        self.rows
            .get(self.index_of(seq))
            .filter(|row| row.seq == seq)
    }

    /// The rows before the first one; `None` at the conversation's beginning.
    pub fn more_before(&self) -> Option<Load> {
        let first = self.rows.front()?;
        (self.start == Edge::Open).then_some(Load::Before(first.seq))
    }

    /// The rows after the last one; `None` at the conversation's end.
    pub fn more_after(&self) -> Option<Load> {
        let last = self.rows.back()?;
        (self.end == Edge::Open).then_some(Load::After(last.seq))
    }

    /// Notes that a query is on its way. An older one is no longer waited for.
    pub fn expect(&mut self, stamp: ReadId, load: Load) {
        if load == Load::Newest {
            self.forget_arrived();
        }
        self.is_unreadable = false;
        self.loading = Some((stamp, load));
    }

    /// Handles a failed read of the store. Returns whether this query was waited for.
    pub fn fail_request(&mut self, stamp: ReadId) -> bool {
        let is_ours = self.loading.take_if(|(expected, _)| *expected == stamp);
        self.is_unreadable |= is_ours.is_some();
        is_ours.is_some()
    }

    /// Takes the answer to a query, unless it is stale. Returns whether its rows are in place of those before.
    pub fn take(&mut self, stamp: ReadId, page: Vec<Arc<Row>>) -> bool {
        let is_ours = |(expected, _): &mut (ReadId, Load)| *expected == stamp;
        let Some((_, load)) = self.loading.take_if(is_ours) else {
            return false;
        };
        let was_short = page.len() < self.rows_at_once(load);
        let edge = if was_short { Edge::Reached } else { Edge::Open };
        if load.replaces() {
            self.rows.clear();
        }
        match load.page_from() {
            PageFrom::Newest => {
                self.start = edge;
                self.append(page);
                self.join_arrived();
            }
            PageFrom::Before(_) => {
                self.start = edge;
                self.prepend(page);
            }
            PageFrom::After(after) => {
                if load.replaces() {
                    let is_start = after.0 <= 0;
                    self.start = if is_start { Edge::Reached } else { Edge::Open };
                }
                self.end = Edge::Open;
                self.append(page);
                if was_short {
                    self.join_arrived();
                }
            }
        }
        load.replaces()
    }

    /// Takes a row that was stored just now.
    pub fn on_row_stored(&mut self, row: &Arc<Row>) {
        if !is_shown(row) {
            return;
        }
        if self.end == Edge::Reached && !self.is_replacing() {
            return self.append(vec![row.clone()]);
        }
        if self.arrived.len() == MAX_ARRIVED_ROWS {
            self.arrived.pop_front();
            self.lacks = true;
        }
        self.arrived.push_back(row.clone());
    }

    /// Drops rows when there are too many: those farthest from the visible row.
    pub fn trim_rows(&mut self, visible: usize) {
        while self.rows.len() > MAX_HELD_ROWS {
            if visible > self.rows.len() / 2 {
                self.rows.drain(..MAX_HELD_ROWS / 3);
                self.start = Edge::Open;
                return;
            }
            self.rows.truncate(self.rows.len() - MAX_HELD_ROWS / 3);
            self.end = Edge::Open;
            self.forget_arrived();
        }
    }

    fn forget_arrived(&mut self) {
        self.arrived.clear();
        self.lacks = false;
    }

    /// Forgets that the newest end is in memory, because rows may have been stored unnoticed.
    pub fn invalidate_end(&mut self) {
        self.end = Edge::Open;
        self.forget_arrived();
        self.loading = None;
    }

    fn is_replacing(&self) -> bool {
        self.loading.is_some_and(|(_, load)| load.replaces())
    }

    /// Appends the rows from events after the store was read to its end.
    fn join_arrived(&mut self) {
        let arrived: Vec<Arc<Row>> = self.arrived.drain(..).collect();
        if std::mem::take(&mut self.lacks) {
            self.end = Edge::Open;
            return;
        }
        self.append(arrived);
        self.end = Edge::Reached;
    }

    fn append(&mut self, page: Vec<Arc<Row>>) {
        for row in page {
            let is_new = self.rows.back().is_none_or(|last| last.seq < row.seq);
            if is_new && is_shown(&row) {
                self.rows.push_back(row);
            }
        }
    }

    fn prepend(&mut self, page: Vec<Arc<Row>>) {
        for row in page.into_iter().rev() {
            let is_new = self.rows.front().is_none_or(|first| row.seq < first.seq);
            if is_new && is_shown(&row) {
                self.rows.push_front(row);
            }
        }
    }
}

/// Audit rows exist for exports and are not shown (docs/design/requests.md).
fn is_shown(row: &Row) -> bool {
    !matches!(row.body, RowBody::Audit { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::domain::ids::{Timestamp, TurnNumber};

    fn row(seq: i64) -> Arc<Row> {
        Arc::new(Row {
            seq: Seq(seq),
            at: Timestamp(0),
            turn: TurnNumber(1),
            body: RowBody::Note { text: "x".into() },
        })
    }

    fn rows(seqs: std::ops::RangeInclusive<i64>) -> Vec<Arc<Row>> {
        seqs.map(row).collect()
    }

    fn held(pages: &Pages) -> (i64, i64, usize) {
        let seq = |row: Option<&Arc<Row>>| row.map_or(0, |row| row.seq.0);
        (
            seq(pages.rows.front()),
            seq(pages.rows.back()),
            pages.rows.len(),
        )
    }

    #[test]
    fn rows_stored_while_the_newest_are_read_are_neither_lost_nor_doubled() {
        let mut pages = Pages::default();
        pages.expect(ReadId(1), Load::Newest);
        pages.on_row_stored(&row(301));
        pages.on_row_stored(&row(302));
        assert!(pages.take(ReadId(1), rows(102..=301)));
        assert_eq!(held(&pages), (102, 302, 201));
        assert_eq!((pages.start, pages.end), (Edge::Open, Edge::Reached));
        pages.on_row_stored(&row(303));
        pages.on_row_stored(&row(303));
        assert_eq!(held(&pages), (102, 303, 202));
    }

    #[test]
    fn a_stale_answer_is_dropped() {
        let mut pages = Pages::default();
        pages.expect(ReadId(1), Load::Newest);
        pages.expect(ReadId(2), Load::Around(Seq(1000)));
        assert!(!pages.take(ReadId(1), rows(1..=5)));
        assert!(pages.take(ReadId(2), rows(901..=1100)));
        assert_eq!((pages.start, pages.end), (Edge::Open, Edge::Open));
        pages.on_row_stored(&row(5000));
        assert_eq!(held(&pages), (901, 1100, 200));
    }

    #[test]
    fn it_grows_to_both_ends_until_there_is_no_more() {
        let mut pages = Pages::default();
        pages.expect(ReadId(1), Load::Around(Seq(300)));
        pages.take(ReadId(1), rows(201..=400));
        let before = pages.more_before().unwrap();
        assert_eq!(before, Load::Before(Seq(201)));
        pages.expect(ReadId(2), before);
        pages.take(ReadId(2), rows(150..=200));
        assert_eq!(pages.more_before(), None);
        let after = pages.more_after().unwrap();
        assert_eq!(after, Load::After(Seq(400)));
        pages.expect(ReadId(3), after);
        pages.on_row_stored(&row(412));
        pages.take(ReadId(3), rows(401..=411));
        assert_eq!(pages.more_after(), None);
        assert_eq!(held(&pages), (150, 412, 263));
    }

    #[test]
    fn more_than_can_be_kept_meanwhile_is_read_again() {
        let mut pages = Pages::default();
        pages.expect(ReadId(1), Load::Newest);
        for seq in 11..=1500 {
            pages.on_row_stored(&row(seq));
        }
        pages.take(ReadId(1), rows(1..=10));
        assert_eq!(held(&pages), (1, 10, 10));
        assert_eq!(pages.end, Edge::Open);
        assert!(pages.more_after().is_some());
    }

    #[test]
    fn the_far_end_is_let_go() {
        let mut pages = Pages::default();
        pages.expect(ReadId(1), Load::Newest);
        pages.take(ReadId(1), rows(1..=10));
        for seq in 11..=3500 {
            pages.on_row_stored(&row(seq));
            pages.trim_rows(pages.rows.len());
        }
        assert_eq!(pages.start, Edge::Open);
        assert!(pages.rows.len() <= MAX_HELD_ROWS);
        assert_eq!(pages.rows.back().map(|row| row.seq), Some(Seq(3500)));
        for seq in 3501..=6500 {
            pages.on_row_stored(&row(seq));
        }
        pages.trim_rows(0);
        assert_eq!(pages.end, Edge::Open);
    }
}
