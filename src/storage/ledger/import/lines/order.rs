//! Checks that the rows of a conversation are in order, each once, and that each call is answered
//! once. Notes the numbers that no row has: retention removed those before the export.

use std::collections::BTreeSet;

use actors::domain::ids::{CallKey, MysisId, Seq};
use actors::domain::message::Row;

use crate::entity::removed;

#[derive(Debug, Default)]
pub(super) struct RowOrderCheck {
    last: Seq,
    /// How many numbers are missing, up to which one, and when the next row was written.
    missing: (i64, i64, i64),
    /// Calls without a result so far.
    open: BTreeSet<CallKey>,
}

impl RowOrderCheck {
    pub(super) fn check_next(&mut self, row: &Row) -> Result<(), String> {
        if row.seq <= self.last {
            return Err(format!(
                "row {} of this mysis comes after row {}: rows come in the order of their numbers, \
                 each once",
                row.seq, self.last
            ));
        }
        let missing = row.seq.0 - self.last.0 - 1;
        if missing > 0 {
            let (count, _, at) = self.missing;
            self.missing = (count + missing, row.seq.0 - 1, at.max(row.at.0));
        }
        self.last = row.seq;
        if let Some((call, _, _)) = row.result()
            && !self.open.remove(&call)
        {
            return Err(format!(
                "row {} answers call {call}, which no row before it asks for, or which one has answered",
                row.seq
            ));
        }
        for (position, _) in (0..).zip(row.calls()) {
            let seq = row.seq;
            self.open.insert(CallKey { seq, position });
        }
        Ok(())
    }

    /// What is to be noted of rows that were removed; `None` if all are there.
    pub(super) fn removed(&self, mysis: MysisId) -> Option<removed::Model> {
        let (count, upto, at) = self.missing;
        (count > 0).then_some(removed::Model {
            mysis_id: mysis.0,
            count,
            upto,
            at,
        })
    }
}
