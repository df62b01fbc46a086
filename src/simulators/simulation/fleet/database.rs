//! The database of a fleet: what Postgres keeps for several processes, by one clock of its own.
//!
//! Each method is one statement, or one transaction, of `zoea-ledger`: nothing comes between its
//! parts. The rules that are no SQL are the same functions of the domain.

mod commits;
mod leases;
mod limits;
mod orders;
mod statuses;

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::ids::MysisId;
use tokio::time::Instant;

use super::super::memory::MemoryLedger;
use super::monitor::FleetMonitor;
use super::sabotage::Sabotage;
use leases::{Lease, ProcessRow};
use limits::LimitTables;
use orders::OrderRow;
use statuses::StatusRow;

pub(super) use commits::FleetCommits;
pub(super) use leases::FleetView;

pub(super) struct FleetDatabase {
    pub(super) memory: Arc<MemoryLedger>,
    tables: Mutex<FleetTables>,
    pub(super) monitor: Arc<FleetMonitor>,
    sabotage: Option<Sabotage>,
}

#[derive(Default)]
struct FleetTables {
    leases: BTreeMap<MysisId, Lease>,
    /// By the owner of leases.
    processes: BTreeMap<Arc<str>, ProcessRow>,
    statuses: BTreeMap<MysisId, StatusRow>,
    place: i64,
    orders: Vec<OrderRow>,
    limits: LimitTables,
    /// Whether what a frozen process holds is as free as anything else, as a mistake on purpose.
    frees_the_frozen: bool,
}

impl FleetDatabase {
    pub(super) fn new(
        memory: Arc<MemoryLedger>,
        monitor: Arc<FleetMonitor>,
        sabotage: Option<Sabotage>,
    ) -> FleetDatabase {
        FleetDatabase {
            memory,
            tables: Mutex::new(FleetTables {
                frees_the_frozen: sabotage == Some(Sabotage::TakesFromFrozen),
                ..FleetTables::default()
            }),
            monitor,
            sabotage,
        }
    }

    fn is_sabotaged(&self, by: Sabotage) -> bool {
        self.sabotage == Some(by)
    }
}

fn server_time() -> Instant {
    Instant::now()
}
