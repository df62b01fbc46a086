//! Follows the conversation of a Mysis that another process runs: no event tells its rows here, but
//! they are in the shared database. It is read while the conversation is open, at most once a second.

use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::{Moment, MysisId, Seq, Timestamp};
use actors::domain::message::{Row, RowKind};
use actors::domain::reading::{PageFrom, PageQuery};
use actors::domain::screen::{ReadId, StoreQuery};

use super::Focus;
use super::transcript::pages::Edge;
use crate::dashboard::facts::Facts;
use crate::dashboard::outbox::Outbox;

/// The most tool results that are read for the game panel when a conversation is opened.
const MAX_GAME_RESULTS: usize = 300;
/// The most rows of one read.
const FOLLOWED_ROWS: usize = 200;
/// The shortest time between two reads.
const INTERVAL: Duration = Duration::from_secs(1);
/// The time between two reads while nothing tells of a change. Not every row changes a status.
const QUIET_INTERVAL: Duration = Duration::from_secs(2);
/// The reads after a change. A status may be written a moment before the row that it speaks of.
const READS_AFTER_CHANGE: u8 = 2;

/// How far the open conversation is known, and when it is read next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Following {
    /// The row up to which all are known; `None` until the first ones came.
    reached: Option<Seq>,
    awaited: Option<(ReadId, PageFrom)>,
    asked_at: Option<Moment>,
    /// The reads that are still to come because of a change.
    reads_left: u8,
    is_failing: bool,
}

impl Following {
    pub(crate) fn note_change(&mut self) {
        self.reads_left = READS_AFTER_CHANGE;
    }

    /// Notes a row that came in another way.
    pub(super) fn note_row(&mut self, seq: Seq) {
        self.reached = self.reached.max(Some(seq));
    }

    /// How long it is until the next read; `None` while one is under way.
    fn time_left(&self, now: Moment) -> Option<Duration> {
        let interval = match self.reads_left {
            0 => QUIET_INTERVAL,
            1.. => INTERVAL,
        };
        let age = self.asked_at.map_or(interval, |at| now.since(at));
        self.awaited.is_none().then(|| interval.saturating_sub(age))
    }

    /// Reads what is not known yet.
    fn read(&mut self, mysis: MysisId, now: Moment, outbox: &mut Outbox) {
        let from = self.reached.map_or(PageFrom::Newest, PageFrom::After);
        let id = outbox.read(StoreQuery::Page(PageQuery {
            mysis,
            from,
            limit: FOLLOWED_ROWS,
            kinds: Vec::new(),
        }));
        (self.awaited, self.asked_at) = (Some((id, from)), Some(now));
        self.reads_left = self.reads_left.saturating_sub(1);
    }

    /// Takes the answer to a query: rows, oldest first, of which some may be known. Returns whether all of them were
    /// stored since the conversation was opened; `None` if it answers another query.
    pub(crate) fn take(&mut self, id: ReadId, rows: &[Arc<Row>]) -> Option<bool> {
        let (_, from) = self.awaited.take_if(|(awaited, _)| *awaited == id)?;
        self.is_failing = false;
        let are_new = from != PageFrom::Newest;
        if are_new && rows.len() == FOLLOWED_ROWS {
            self.note_change();
        }
        // Of an empty conversation the first row is the next one.
        let newest = rows.last().map_or(Seq(0), |row| row.seq);
        self.note_row(newest);
        Some(are_new)
    }

    /// Takes the failure of a read. The next one is due as ever. Returns whether that is news: the one before
    /// succeeded.
    pub(super) fn fail_request(&mut self, id: ReadId) -> bool {
        let asked = self.awaited.take_if(|(awaited, _)| *awaited == id);
        asked.is_some() && !std::mem::replace(&mut self.is_failing, true)
    }
}

impl Focus {
    pub(crate) fn take_rows(&mut self, id: ReadId, page: Vec<Arc<Row>>) {
        self.transcript.take(id, page);
        let pages = self.transcript.pages();
        if let (Edge::Reached, Some(newest)) = (pages.end, pages.rows().back()) {
            self.following.note_row(newest.seq);
        }
    }

    /// How long it is until it is read again; `None` if events tell its rows, or a read is under way.
    fn time_to_follow(&self, facts: &Facts) -> Option<Duration> {
        let member = facts.roster.get(self.mysis())?;
        member.status.elsewhere.as_ref()?;
        self.following.time_left(facts.moment)
    }

    /// When it is read again.
    pub(crate) fn next_follow(&self, facts: &Facts) -> Option<Timestamp> {
        let left = self.time_to_follow(facts)?.as_millis();
        let left = i64::try_from(left).unwrap_or(i64::MAX);
        // A part of a millisecond is not to be too little.
        Some(Timestamp(
            facts.now.0.saturating_add(left).saturating_add(1),
        ))
    }

    /// Reads what another process stored in it, if it is time.
    pub(crate) fn follow(&mut self, facts: &Facts, outbox: &mut Outbox) {
        if self.time_to_follow(facts) == Some(Duration::ZERO) {
            (self.following).read(self.transcript.mysis, facts.moment, outbox);
        }
    }

    /// Reads the end anew, because rows may have been stored unnoticed.
    pub(crate) fn read_anew(&mut self, outbox: &mut Outbox) {
        self.transcript.invalidate_end();
        let cursor = std::mem::take(&mut self.timeline).cursor;
        self.timeline.cursor = cursor;
        self.following = Following::default();
        self.read_beside(outbox);
    }

    pub(crate) fn read_beside(&mut self, outbox: &mut Outbox) {
        let results = outbox.read(StoreQuery::Page(PageQuery {
            mysis: self.mysis(),
            from: PageFrom::Newest,
            limit: MAX_GAME_RESULTS,
            kinds: vec![RowKind::Result],
        }));
        self.game_read = Some((results, Vec::new()));
        self.timeline.read_rows(self.transcript.mysis, outbox);
    }
}

#[cfg(test)]
mod tests;
