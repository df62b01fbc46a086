//! What a writing transaction on a server keeps others from until it ends.
//!
//! Each Mysis belongs to one process, by its lease, so processes write for their own Myses beside
//! each other: the Myses of a process are the shard that one writer at a time writes to. What
//! belongs to no Mysis has one more lock. Leases change hands only while nobody writes.
//!
//! All locks of a transaction are taken at its beginning and in one order, so no two transactions
//! wait for each other. Programs of earlier versions take the first lock alone for each write, which
//! keeps them apart from all writers of this one.

use actors::domain::write::{Batch, Write};

/// What a writing transaction locks on a server. A file has one writer at a time anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WriteLock {
    /// Nothing but the leases: it writes for Myses of this process.
    Own,
    /// Also what belongs to no Mysis, so that it is numbered in the order in which it becomes
    /// visible, and is given away once.
    Common,
    /// Everything: nobody else writes.
    All,
}

impl WriteLock {
    /// The first statements of a transaction on a server, which wait for its locks. The keys are
    /// `zoea` as four bytes, and a number.
    pub(super) fn statements(self) -> &'static str {
        match self {
            WriteLock::Own => "SELECT pg_advisory_xact_lock_shared(2053076321, 1)",
            WriteLock::Common => {
                "SELECT pg_advisory_xact_lock_shared(2053076321, 1); \
                 SELECT pg_advisory_xact_lock(2053076321, 4)"
            }
            WriteLock::All => "SELECT pg_advisory_xact_lock(2053076321, 1)",
        }
    }

    pub(super) fn of_batches(batches: &[&Batch]) -> WriteLock {
        let mut writes = batches.iter().flat_map(|batch| &batch.writes);
        if writes.any(is_common) {
            WriteLock::Common
        } else {
            WriteLock::Own
        }
    }
}

fn is_common(write: &Write) -> bool {
    match write {
        Write::Create(_)
        | Write::Delete { .. }
        | Write::SaveAccount { .. }
        | Write::PoolAccount { .. }
        | Write::Mission(_)
        | Write::ClearMission { .. }
        | Write::HoldText(_)
        | Write::ReleaseText(_)
        | Write::Event(_) => true,
        Write::Configure { .. }
        | Write::Fence { .. }
        | Write::State { .. }
        | Write::Called { .. }
        | Write::Append { .. }
        | Write::CallSent { .. }
        | Write::CallHeld { .. }
        | Write::CallTask { .. }
        | Write::Totals { .. }
        | Write::ClearNotes { .. }
        | Write::SaveSnapshot { .. }
        | Write::Stale { .. }
        | Write::ForgetSnapshots { .. }
        | Write::KeepSession { .. }
        | Write::Memo { .. }
        | Write::Samples { .. }
        | Write::OrderDone { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::domain::ids::{MissionId, MysisId, Timestamp};
    use actors::domain::write::Author;

    #[test]
    fn a_group_locks_what_its_most_common_write_needs() {
        let batch = |write: Write| Batch {
            author: Author::Commander,
            writes: vec![write],
        };
        let own = batch(Write::Called { mysis: MysisId(7) });
        let common = batch(Write::ClearMission {
            mission: MissionId(3),
            at: Timestamp(0),
        });
        assert_eq!(WriteLock::of_batches(&[&own, &own]), WriteLock::Own);
        assert_eq!(WriteLock::of_batches(&[&own, &common]), WriteLock::Common);
        assert_eq!(WriteLock::of_batches(&[]), WriteLock::Own);
    }
}
