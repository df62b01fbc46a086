//! The timeline under a conversation: what took most of each minute, and when the operator gave orders.
//!
//! How long the Mysis thought and acted is told by its rows, and how long it waited by its samples. It
//! reaches as far back as the rows that are read.

pub(crate) mod view;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::{Moment, MysisId, Seq, Timestamp};
use actors::domain::message::{ResultMeta, Row, RowBody, RowKind};
use actors::domain::reading::{PageFrom, PageQuery};
use actors::domain::samples::{Minute, SampleQuery, SampleSeries, SampleStep, SampleSteps};
use actors::domain::screen::{ReadId, StoreQuery};

use crate::dashboard::facts::Facts;
use crate::dashboard::outbox::Outbox;

const MAX_MINUTES: i64 = 400;
const MAX_ROWS: usize = 1_000;
/// How often the samples are read again.
const REFRESH: Duration = Duration::from_secs(30);
/// The length of a minute in milliseconds.
const MINUTE_MS: i64 = 60_000;
/// A minute counts as one of waiting from this time on: less is the pace of any call.
const MIN_SHARE_MS: u64 = 1_000;
const TRAVEL_TOOLS: [&str; 2] = ["travel", "jump"];

/// What took most of a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MinuteUse {
    Fail,
    /// Calls that moved the ship.
    Travel,
    Act,
    Think,
    /// It could not go on.
    Wait,
}

impl MinuteUse {
    /// All, in the order of the legend.
    pub const ALL: [MinuteUse; 5] = [
        MinuteUse::Think,
        MinuteUse::Act,
        MinuteUse::Travel,
        MinuteUse::Wait,
        MinuteUse::Fail,
    ];
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MinuteRecord {
    /// The milliseconds by their use, as the rows tell them, and the samples those of waiting.
    spent: BTreeMap<MinuteUse, u64>,
    pub first: Option<Seq>,
    pub has_order: bool,
}

impl MinuteRecord {
    /// What took most of it; `None` if nothing is known to have happened.
    pub fn main_use(&self) -> Option<MinuteUse> {
        let spent = self.spent.iter().map(|(kind, ms)| (*kind, *ms));
        let counts =
            |(kind, ms): &(MinuteUse, u64)| *kind != MinuteUse::Wait || *ms >= MIN_SHARE_MS;
        let counted = spent.filter(counts);
        // Of equal shares the first of the list counts: a failure before all others.
        let most = counted.max_by_key(|(kind, ms)| (*ms, std::cmp::Reverse(*kind)));
        most.map(|(kind, _)| kind)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Timeline {
    minutes: BTreeMap<Minute, MinuteRecord>,
    rows_read: Option<ReadId>,
    samples_read: Option<ReadId>,
    asked_at: Option<Moment>,
    /// The first row that was told when it was stored. Those before it come from the store.
    first_live: Option<Seq>,
    newest: Seq,
    pub cursor: Option<Minute>,
}

impl Timeline {
    pub fn minute(&self, minute: Minute) -> Option<&MinuteRecord> {
        self.minutes.get(&minute)
    }

    pub(crate) fn read_rows(&mut self, mysis: MysisId, outbox: &mut Outbox) {
        let query = PageQuery {
            mysis,
            from: PageFrom::Newest,
            limit: MAX_ROWS,
            kinds: vec![
                RowKind::Call,
                RowKind::Reply,
                RowKind::Result,
                RowKind::Prompt,
                RowKind::Mission,
            ],
        };
        self.rows_read = Some(outbox.read(StoreQuery::Page(query)));
    }

    /// Takes the rows that were read. Returns whether they were read for the timeline.
    pub fn take_rows(&mut self, id: ReadId, rows: &[Arc<Row>]) -> bool {
        if self.rows_read.take_if(|read| *read == id).is_none() {
            return false;
        }
        let first_live = self.first_live;
        let is_older = |row: &&Arc<Row>| first_live.is_none_or(|first| row.seq < first);
        let older = rows.iter().filter(is_older);
        older.for_each(|row| self.add_row(row));
        true
    }

    /// Reads the samples if it is time.
    pub(crate) fn refresh(&mut self, mysis: MysisId, facts: &Facts, outbox: &mut Outbox) {
        let is_old = |at: Moment| facts.moment.since(at) >= REFRESH;
        if self.samples_read.is_none() && self.asked_at.is_none_or(is_old) {
            let query = StoreQuery::Samples(samples_query(mysis, facts.now));
            (self.samples_read, self.asked_at) = (Some(outbox.read(query)), Some(facts.moment));
        }
    }

    pub fn take_samples(&mut self, id: ReadId, read: &[SampleSeries]) {
        if self.samples_read.take_if(|read| *read == id).is_none() {
            return;
        }
        for sample in read.iter().flat_map(|series| &series.samples) {
            let waited = sample.flow.waited_ms;
            if waited > 0 {
                let spent = &mut self.record(sample.minute).spent;
                spent.insert(MinuteUse::Wait, waited);
            }
        }
        self.forget_oldest();
    }

    /// Handles a failed read. Returns whether it belonged to the timeline.
    pub fn fail_request(&mut self, id: ReadId) -> bool {
        let is_rows = self.rows_read.take_if(|read| *read == id).is_some();
        // What is known of the samples stays until they are read again.
        self.samples_read.take_if(|read| *read == id);
        is_rows
    }

    /// Takes a row that was stored just now, unless it was read before it was told.
    pub fn on_row_stored(&mut self, row: &Row) {
        if row.seq > self.newest {
            self.first_live = self.first_live.or(Some(row.seq));
            self.add_row(row);
        }
    }

    fn add_row(&mut self, row: &Row) {
        self.newest = self.newest.max(row.seq);
        let (kind, ms) = match &row.body {
            RowBody::Prompt { .. } | RowBody::Mission { .. } => {
                self.note_row(row);
                self.record(Minute::of(row.at)).has_order = true;
                return self.forget_oldest();
            }
            RowBody::Reply(utterance) | RowBody::Call { utterance, .. } => {
                (MinuteUse::Think, utterance.meta.ms)
            }
            RowBody::Result { meta, .. } if meta.is_error() => (MinuteUse::Fail, meta.ms),
            RowBody::Result { meta, text, .. } => (use_of_result(meta, text), meta.ms),
            RowBody::Note { .. }
            | RowBody::Peer { .. }
            | RowBody::Host { .. }
            | RowBody::Audit { .. }
            | RowBody::Unknown { .. } => return,
        };
        self.note_row(row);
        // A call without a measured time still happened.
        self.spend(kind, row.at, ms.unwrap_or(0));
        self.forget_oldest();
    }

    fn note_row(&mut self, row: &Row) {
        let record = self.record(Minute::of(row.at));
        record.first = Some(record.first.map_or(row.seq, |first| first.min(row.seq)));
    }

    /// Counts a time that ended then, minute by minute.
    fn spend(&mut self, kind: MinuteUse, end: Timestamp, ms: u64) {
        let most = u64::try_from(MAX_MINUTES * MINUTE_MS).unwrap_or(0);
        let mut left = i64::try_from(ms.min(most)).unwrap_or(0).max(1);
        let mut end = end.0;
        while left > 0 {
            let minute = Minute::of(Timestamp(end.saturating_sub(1)));
            let part = left.min(end.saturating_sub(minute.start_time().0)).max(1);
            let sum = self.record(minute).spent.entry(kind).or_default();
            *sum = sum.saturating_add(part.unsigned_abs());
            (left, end) = (left - part, end.saturating_sub(part));
        }
    }

    fn record(&mut self, minute: Minute) -> &mut MinuteRecord {
        self.minutes.entry(minute).or_default()
    }

    fn forget_oldest(&mut self) {
        let Some((newest, _)) = self.minutes.last_key_value() else {
            return;
        };
        let oldest = Minute(newest.0.saturating_sub(MAX_MINUTES));
        self.minutes = self.minutes.split_off(&oldest);
    }

    /// The minute with rows that comes next to the cursor, or the newest one.
    pub fn beside(&self, is_later: bool) -> Option<(Minute, Seq)> {
        let mut known = self.with_rows();
        match (self.cursor, is_later) {
            (None, _) => known.last(),
            (Some(cursor), true) => known.find(|(minute, _)| *minute > cursor),
            (Some(cursor), false) => known.take_while(|(minute, _)| *minute < cursor).last(),
        }
    }

    /// The minute with rows that is at a minute or the next before it.
    pub fn upto(&self, minute: Minute) -> Option<(Minute, Seq)> {
        self.with_rows()
            .take_while(|(known, _)| *known <= minute)
            .last()
    }

    fn with_rows(&self) -> impl Iterator<Item = (Minute, Seq)> {
        let minutes = self.minutes.iter();
        minutes.filter_map(|(minute, record)| Some((*minute, record.first?)))
    }
}

fn samples_query(mysis: MysisId, now: Timestamp) -> SampleQuery {
    let time = (
        Timestamp(now.0.saturating_sub(MAX_MINUTES * MINUTE_MS)),
        now,
    );
    let steps = SampleSteps::new(SampleStep::Minute, time, 1);
    SampleQuery {
        myses: vec![mysis],
        deleted: Vec::new(),
        is_sum: false,
        // So few minutes are never too many for one answer.
        steps: steps.unwrap_or_else(|_| SampleSteps::automatic(time, 1)),
    }
}

/// What a good result says that its call did. Of a tool with actions, which the row of the result does not name, the
/// text tells a move.
fn use_of_result(meta: &ResultMeta, text: &str) -> MinuteUse {
    let is_move = |text: &str| {
        text.contains(r#""action":"arrived""#) || text.contains(r#""action":"jumped""#)
    };
    let has_moved = TRAVEL_TOOLS.contains(&&*meta.tool) || is_move(text);
    match has_moved && meta.game.tells_facts() {
        true => MinuteUse::Travel,
        false => MinuteUse::Act,
    }
}
