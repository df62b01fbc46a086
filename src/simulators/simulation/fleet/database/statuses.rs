//! What processes tell each other of their Myses, as `src/storage/ledger/fleet/neighbours.rs` does by SQL.

use std::collections::BTreeSet;
use std::sync::Arc;

use actors::domain::event::MysisStatus;
use actors::domain::ids::MysisId;
use actors::domain::status_memo;
use actors::ports::{FleetNeighbours, MysisPlace, PublishedStatus};

use super::FleetDatabase;

const MAX_STATUSES: usize = 1_000;

pub(super) struct StatusRow {
    owner: Arc<str>,
    place: i64,
    status: String,
}

impl FleetDatabase {
    /// Writes the statuses of Myses whose leases are this process's.
    pub(in super::super) fn publish(&self, owner: &Arc<str>, statuses: &[Arc<MysisStatus>]) {
        let mut tables = self.tables.lock();
        for status in statuses {
            let lease = tables.leases.get(&status.id);
            if lease.is_none_or(|lease| lease.owner != *owner) {
                continue;
            }
            tables.place += 1;
            let row = StatusRow {
                owner: owner.clone(),
                place: tables.place,
                status: status_memo::to_text(status),
            };
            tables.statuses.insert(status.id, row);
        }
    }

    /// The statuses that others wrote after a place, oldest first.
    pub(in super::super) fn read_statuses(&self, owner: &str, read_to: i64) -> FleetNeighbours {
        let tables = self.tables.lock();
        let rows = tables.statuses.iter();
        let is_news = |row: &StatusRow| *row.owner != *owner && row.place > read_to;
        let mut rows: Vec<_> = rows.filter(|(_, row)| is_news(row)).collect();
        rows.sort_by_key(|(_, row)| row.place);
        rows.truncate(MAX_STATUSES);
        let shared = |(mysis, row): &(&MysisId, &StatusRow)| {
            let status = status_memo::from_text(**mysis, &row.status)?;
            Some(PublishedStatus {
                owner: row.owner.clone(),
                status: Arc::new(status),
            })
        };
        FleetNeighbours {
            has_more: rows.len() == MAX_STATUSES,
            read_to: rows.last().map_or(read_to, |(_, row)| row.place),
            statuses: rows.iter().filter_map(shared).collect(),
            ..FleetNeighbours::default()
        }
    }

    /// Where every Mysis is, and those of other processes of which nobody told anything.
    pub(in super::super) fn places(&self, owner: &str) -> (Vec<MysisPlace>, BTreeSet<MysisId>) {
        let tables = self.tables.lock();
        let states: Vec<_> = self.memory.look(|swarm| swarm.states().collect());
        let mut unshared = BTreeSet::new();
        let mut places = Vec::new();
        for (mysis, _) in states {
            let of = tables.owner_of(mysis);
            if of.as_deref() != Some(owner) && !tables.statuses.contains_key(&mysis) {
                unshared.insert(mysis);
            }
            places.push(MysisPlace { mysis, owner: of });
        }
        (places, unshared)
    }
}
