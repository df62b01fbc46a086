//! What of a stored Mysis is kept, and what it recalls after a start.

use std::sync::Arc;

use actors::domain::ids::{CallKey, Seq};
use actors::domain::message::{Row, RowBody, RowKind};
use actors::domain::record::StoredHistory;

use super::StoredMysis;

/// The number of rows at the end of a conversation that are kept: more than a Mysis reads back.
const MAX_KEPT_ROWS: usize = 160;
/// The newest rows, of which steps of routines are kept, too.
const NEWEST_ROWS: usize = 96;

impl StoredMysis {
    /// Whether a row is a step of a routine, or the result of one. A result without its call cannot be
    /// sent either.
    fn is_step(&self, row: &Row) -> bool {
        let is_of_step = |asker: Option<&Arc<Row>>| asker.is_none_or(|row| row.routine().is_some());
        let answers = row.result().map(|(call, _, _)| call.seq);
        row.routine().is_some() || answers.is_some_and(|seq| is_of_step(self.rows.get(&seq)))
    }

    pub(super) fn is_of_routine(&self, call: CallKey) -> bool {
        let row = self.rows.get(&call.seq);
        let call = row.and_then(|row| row.calls().get(usize::from(call.position)));
        call.is_some_and(|call| call.routine.is_some())
    }

    /// Drops old rows, except those that a Mysis still has to answer or to remember.
    pub(super) fn drop_old_rows(&mut self) {
        while self.rows.len() > MAX_KEPT_ROWS {
            let is_needed = |row: &Row| matches!(row.kind(), Some(RowKind::Prompt | RowKind::Note));
            let newest = self.rows.keys().rev().nth(NEWEST_ROWS - 1).copied();
            let newest = newest.unwrap_or_default();
            // A row stays what it is, as long as the one that it answers is there.
            let mut unchecked = self.rows.range(self.no_steps_before.min(newest)..newest);
            let step = unchecked.find(|(_, row)| self.is_step(row));
            let step = step.map(|(seq, _)| *seq);
            self.no_steps_before = step.unwrap_or(newest);
            let mut rows = self.rows.iter();
            let old = step.or_else(|| {
                let old = rows.find(|(_, row)| !is_needed(row));
                old.map(|(seq, _)| *seq)
            });
            let Some(seq) = old else {
                return;
            };
            self.rows.remove(&seq);
            self.no_steps_before = self.no_steps_before.min(seq);
        }
    }

    pub(in crate::memory) fn recollection(&self) -> StoredHistory {
        let answered = self.rows.values().rev().find_map(|row| {
            let RowBody::Reply(said) = &row.body else {
                return None;
            };
            (!said.text.is_empty()).then_some(said.seen_up_to)
        });
        let answered = answered.unwrap_or_default();
        let newest = self.rows.len().saturating_sub(NEWEST_ROWS);
        let others = self.rows.values().rev().filter(|row| !self.is_step(row));
        let oldest = others
            .take(NEWEST_ROWS)
            .last()
            .map_or(Seq(0), |row| row.seq);
        let is_kept = |place: usize, row: &Row| {
            place >= newest
                || row.seq >= oldest && !self.is_step(row)
                || row.kind() == Some(RowKind::Prompt) && row.seq > answered
        };
        let notes = self.rows.values();
        StoredHistory {
            rows: self
                .rows
                .values()
                .enumerate()
                .filter(|(place, row)| is_kept(*place, row))
                .map(|(_, row)| row.clone())
                .collect(),
            notes: notes
                .filter(|row| row.kind() == Some(RowKind::Note) && row.seq > self.notes_after)
                .cloned()
                .collect(),
            last: self.last,
            profile: Some(self.record.profile.clone()),
            totals: Some(self.record.totals),
            snapshots: self.seen.all(),
            memos: self.memos.clone(),
            samples: self.samples.clone(),
            tasks: self.tasks.clone(),
        }
    }
}
