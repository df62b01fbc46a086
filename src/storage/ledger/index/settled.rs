//! Settled rows: those before which no other row can appear any more.
//!
//! The index goes on from the newest row that it has, so it must not pass a row that appears later.
//! Several processes write to a server beside each other: a row may become visible after one with a
//! greater id. But who gives a row its id holds the writers' lock from before that to its commit. So
//! once all transactions have ended that held the lock when a row was visible, all rows before that
//! one are visible, too. Nobody waits for them: the index asks again at its next step.

use std::collections::BTreeSet;

use sea_orm::{ConnectionTrait, DbErr};

use super::newest_row;
use crate::LedgerInner;
use crate::dialect::Dialect;
use crate::server::on_server;
use crate::writer::Tx;

/// The other transactions that hold the writers' lock, whether or not beside others.
const OTHER_WRITERS: &str = "\
    SELECT virtualtransaction FROM pg_locks WHERE locktype = 'advisory' AND granted \
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) \
    AND classid = 2053076321 AND objid = 1 AND objsubid = 2 AND pid <> pg_backend_pid()";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SettledRows {
    upto: i64,
    /// A row, and the transactions that have to end until all rows up to it are settled.
    awaited: Option<(i64, BTreeSet<String>)>,
}

impl SettledRows {
    /// Takes note of who writes now, after the awaited row was chosen.
    fn note_writers(&mut self, writers: &BTreeSet<String>) {
        let Some((row, open)) = &mut self.awaited else {
            return;
        };
        open.retain(|writer| writers.contains(writer));
        if open.is_empty() {
            self.upto = self.upto.max(*row);
            self.awaited = None;
        }
    }
}

impl LedgerInner {
    /// The row up to which all rows are settled, as far as is known. It is asked anew if that is not
    /// beyond the newest row of the index.
    pub(super) async fn settled_upto(&self, tx: &Tx, indexed: i64) -> Result<i64, DbErr> {
        if tx.dialect() == Dialect::Sqlite {
            return Ok(i64::MAX);
        }
        let mut known = self.settled.lock().clone();
        if known.upto <= indexed && known.awaited.is_some() {
            known.note_writers(&other_writers(tx).await?);
        }
        if known.upto <= indexed && known.awaited.is_none() {
            // In this order: whoever gave an earlier row its id is seen, or has ended.
            let newest = newest_row(tx).await?;
            let writers = other_writers(tx).await?;
            known.awaited = Some((newest, writers.clone()));
            known.note_writers(&writers);
        }
        *self.settled.lock() = known.clone();
        Ok(known.upto)
    }
}

async fn other_writers(tx: &Tx) -> Result<BTreeSet<String>, DbErr> {
    let rows = tx.query_all_raw(on_server(OTHER_WRITERS, [])).await?;
    let writers = rows.iter().map(|row| row.try_get_by_index(0));
    writers.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(writers: &[&str]) -> BTreeSet<String> {
        writers.iter().map(|writer| writer.to_string()).collect()
    }

    #[test]
    fn rows_are_settled_once_all_that_wrote_then_have_ended() {
        let mut rows = SettledRows {
            upto: 5,
            awaited: Some((9, set(&["3/1", "4/7"]))),
        };
        rows.note_writers(&set(&["3/1", "4/7"]));
        rows.note_writers(&set(&["4/7", "5/2"]));
        assert_eq!((rows.upto, rows.awaited.is_some()), (5, true));
        // The same connection writes again, and others began later.
        rows.note_writers(&set(&["4/8", "5/2"]));
        assert_eq!((rows.upto, rows.awaited), (9, None));
    }
}
