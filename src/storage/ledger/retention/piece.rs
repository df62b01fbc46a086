//! Pieces: which old rows of a conversation are removed together, and which of them stay.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use actors::domain::ids::{MysisId, Seq, Timestamp};
use actors::domain::message::{CallStatus, RowKind};
use sea_orm::prelude::Expr;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{LEAST, RetentionLimits};
use crate::LedgerInner;
use crate::archive::{RARE_KINDS_CONDITION, of};
use crate::entity::{message, tool_call};
use crate::recall::{LastReply, is_sendable, newest_but};

/// The size of a piece. The next commit waits for a piece to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PieceLimits {
    /// The rows that are checked together. If one row has more calls than that, the number grows.
    rows: usize,
    bytes: usize,
}

impl PieceLimits {
    /// Takes some milliseconds.
    pub(super) const USUAL: PieceLimits = PieceLimits {
        rows: 32,
        bytes: 8 << 10,
    };
    /// For times when more is written than removed. Commits wait longer, but the database does not
    /// grow without end.
    pub(super) const LARGE: PieceLimits = PieceLimits {
        rows: 256,
        bytes: 64 << 10,
    };
}

const MAX_PIECE_ROWS: usize = 4096;

pub(super) struct RemovalPiece {
    pub(super) rows: Vec<message::Model>,
    pub(super) callers: Vec<i64>,
    pub(super) upto: Seq,
}

/// What a conversation needs at any age. It only moves forward, so the values found when a round
/// reaches a Mysis stay valid. At worst a row stays until the next round.
#[derive(Clone, Copy, Debug)]
pub(super) struct NeededRows {
    newest: i64,
    said: LastReply,
    notes_after: i64,
    delivery: i64,
    taken_up_from: i64,
}

#[derive(Default)]
struct RowCalls {
    answered: usize,
    /// Whether a call has no result yet.
    has_open: bool,
}

impl LedgerInner {
    /// The next old rows after a row; `None` if the next one is not old.
    pub(super) async fn old_piece(
        &self,
        keep: RetentionLimits,
        mysis: MysisId,
        (after, needed): (Seq, NeededRows),
        (now, size): (Timestamp, PieceLimits),
    ) -> Result<Option<RemovalPiece>, DbErr> {
        let newest = needed.newest;
        let oldest = |age: Duration| i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        let before = keep.age.map(|age| now.0.saturating_sub(oldest(age)));
        let beyond = keep.rows.map(|rows| {
            let rows = i64::try_from(rows).unwrap_or(i64::MAX);
            newest.saturating_sub(rows)
        });
        let is_old = |row: &message::Model| {
            let is_aged = before.is_some_and(|before| row.at < before);
            let is_surplus = beyond.is_some_and(|beyond| row.seq <= beyond);
            row.seq <= newest - LEAST && (is_aged || is_surplus)
        };
        let mut limit = size.rows;
        loop {
            let mut rows = self.rows_after(mysis, after, limit).await?;
            let is_full = rows.len() == limit;
            let old = rows.iter().position(|row| !is_old(row));
            rows.truncate(old.unwrap_or(rows.len()));
            if rows.is_empty() {
                return Ok(None);
            }
            let calls = self.calls_of(mysis, &rows).await?;
            let may_go_on = is_full && old.is_none();
            let whole = whole_loops(&rows, &calls, size.bytes);
            if may_go_on && whole == 0 && limit < MAX_PIECE_ROWS {
                limit *= 2;
                continue;
            }
            if whole > 0 && (may_go_on || whole < rows.len()) {
                rows.truncate(whole);
            }
            return Ok(Some(select_removable(rows, &calls, needed)));
        }
    }

    pub(super) async fn find_needed(&self, mysis: MysisId) -> Result<NeededRows, DbErr> {
        Ok(NeededRows {
            newest: newest_but(&self.readers, of(mysis), 0).await?,
            said: self.readers.newest_words(mysis, 0).await?,
            notes_after: self.readers.notes_after(mysis).await?,
            delivery: self.newest_delivery(mysis).await?,
            taken_up_from: self.readers.oldest_to_send(mysis).await?,
        })
    }

    async fn rows_after(
        &self,
        mysis: MysisId,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<message::Model>, DbErr> {
        of(mysis)
            .filter(message::Column::Seq.gt(after.0))
            .order_by_asc(message::Column::Seq)
            .limit(limit as u64)
            .all(&self.readers)
            .await
    }

    async fn calls_of(
        &self,
        mysis: MysisId,
        rows: &[message::Model],
    ) -> Result<BTreeMap<i64, RowCalls>, DbErr> {
        let callers = rows.iter().filter(|row| is_kind(row, RowKind::Call));
        let stored: Vec<(i64, String)> = tool_call::Entity::find()
            .filter(tool_call::Column::MysisId.eq(mysis.0))
            .filter(tool_call::Column::Seq.is_in(callers.map(|row| row.seq)))
            .select_only()
            .column(tool_call::Column::Seq)
            .column(tool_call::Column::Status)
            .into_tuple()
            .all(&self.readers)
            .await?;
        let mut calls: BTreeMap<i64, RowCalls> = BTreeMap::new();
        for (seq, status) in stored {
            let of_row = calls.entry(seq).or_default();
            match CallStatus::parse(&status).is_some_and(CallStatus::is_open) {
                true => of_row.has_open = true,
                false => of_row.answered += 1,
            }
        }
        Ok(calls)
    }

    async fn newest_delivery(&self, mysis: MysisId) -> Result<i64, DbErr> {
        let missions = of(mysis)
            .filter(Expr::cust(RARE_KINDS_CONDITION))
            .filter(message::Column::Kind.eq(RowKind::Mission.as_str()));
        newest_but(&self.readers, missions, 0).await
    }
}

fn select_removable(
    rows: Vec<message::Model>,
    calls: &BTreeMap<i64, RowCalls>,
    needed: NeededRows,
) -> RemovalPiece {
    let upto = rows.last().map(|row| Seq(row.seq)).unwrap_or_default();
    let mut over = loops_that_are_over(&rows, calls);
    // A loop stays complete if its last result is recalled.
    for row in rows.iter().filter(|row| row.seq >= needed.taken_up_from) {
        over.remove(&row.call_seq.unwrap_or(row.seq));
    }
    let is_taken_up = |row: &message::Model| row.seq >= needed.taken_up_from && is_sendable(row);
    let is_over = |row: &message::Model| match RowKind::parse(&row.kind) {
        Some(RowKind::Note) => row.seq <= needed.notes_after,
        Some(RowKind::Prompt) => row.seq <= needed.said.answers,
        Some(RowKind::Mission) => row.seq != needed.delivery,
        Some(RowKind::Reply) => row.content.is_empty() || row.seq < needed.said.seq,
        Some(RowKind::Call) => over.contains(&row.seq),
        Some(RowKind::Result) => row.call_seq.is_none_or(|call| over.contains(&call)),
        Some(RowKind::Peer | RowKind::Host | RowKind::Audit) | None => true,
    };
    let goes = |row: &message::Model| !is_taken_up(row) && is_over(row);
    RemovalPiece {
        rows: rows.into_iter().filter(goes).collect(),
        callers: over.into_iter().collect(),
        upto,
    }
}

fn is_kind(row: &message::Model, kind: RowKind) -> bool {
    row.kind == kind.as_str()
}

/// The number of first rows that end at a point without open calls, within a limit of bytes. It is
/// at least one such point if there is any.
fn whole_loops(rows: &[message::Model], calls: &BTreeMap<i64, RowCalls>, limit: usize) -> usize {
    let (mut whole, mut bytes) = (0, 0);
    let mut waiting: BTreeMap<i64, usize> = BTreeMap::new();
    for (place, row) in (1..).zip(rows) {
        if let Some(of_row) = calls.get(&row.seq).filter(|calls| calls.answered > 0) {
            waiting.insert(row.seq, of_row.answered);
        }
        if let Some(call) = row.call_seq
            && let Some(left) = waiting.get_mut(&call)
        {
            *left -= 1;
            if *left == 0 {
                waiting.remove(&call);
            }
        }
        bytes += row.content.len() + row.reasoning.as_ref().map_or(0, String::len);
        if whole > 0 && bytes > limit {
            break;
        }
        if waiting.is_empty() {
            whole = place;
        }
    }
    whole
}

/// The rows with calls whose results are all among these rows.
fn loops_that_are_over(rows: &[message::Model], calls: &BTreeMap<i64, RowCalls>) -> BTreeSet<i64> {
    let results = |caller: i64| {
        rows.iter()
            .filter(|row| row.call_seq == Some(caller))
            .count()
    };
    calls
        .iter()
        .filter(|(seq, calls)| !calls.has_open && results(**seq) == calls.answered)
        .map(|(seq, _)| *seq)
        .filter(|seq| rows.iter().any(|row| row.seq == *seq))
        .collect()
}
