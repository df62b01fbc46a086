//! Checks that the rows of a conversation are in order, each once, and that each call is answered
//! once.

use std::collections::BTreeSet;

use actors::domain::ids::{CallKey, Seq};
use actors::domain::message::Row;

#[derive(Debug, Default)]
pub(super) struct RowOrderCheck {
    last: Seq,
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
}
