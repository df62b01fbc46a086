//! The fleet: the processes that run Myses of one database. Each reaches the others through the
//! database alone.

use std::sync::Arc;

use futures::future::BoxFuture;
use tokio::time::Instant;

use super::ArchiveFault;
use crate::domain::event::MysisStatus;
use crate::domain::event_record::OrderSource;
use crate::domain::ids::{FleetOrderId, MysisId};
use crate::domain::record::{Mission, MysisRecord};

pub trait Fleet: Send + Sync + 'static {
    /// Says that this process lives, gives back what it let go, and takes up what no process runs, up
    /// to its share. One step at a time.
    fn step(&self, report: FleetReport) -> BoxFuture<'static, Result<FleetStep, ArchiveFault>>;

    /// Lets the process with this name give its Myses back and take none, or ends that. Returns
    /// whether there is such a process.
    fn drain(
        &self,
        process: Arc<str>,
        is_draining: bool,
    ) -> BoxFuture<'static, Result<bool, ArchiveFault>>;
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FleetReport {
    /// The number of Myses that it is for. Shares are in proportion to it.
    pub capacity: usize,
    /// Whether it is frozen. A frozen process neither takes nor gives.
    pub is_frozen: bool,
    /// The Myses of earlier steps that it runs now.
    pub arrived: Vec<MysisId>,
    /// The Myses that it runs no more. Nothing of them is left here.
    pub let_go: Vec<MysisId>,
    /// The statuses of its Myses that changed, for the other processes.
    pub statuses: Vec<Arc<MysisStatus>>,
    /// The statuses of others that it has read: up to this place.
    pub read_to: i64,
    /// The number of Myses that it knows, wherever they run.
    pub known: usize,
    pub given: Vec<Arc<FleetOrder>>,
    /// Earlier ones whose answers are waited for.
    pub awaited: Vec<FleetOrderId>,
    /// Earlier ones that are answered, and need not be kept.
    pub settled: Vec<FleetOrderId>,
    pub answers: Vec<(FleetOrderId, Arc<str>)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FleetStep {
    /// The Myses that are this process's from now on. Each is told until it has arrived.
    pub taken: Vec<MysisRecord>,
    pub passwords: Vec<Arc<str>>,
    /// The Myses that another process took, because this one did not renew its leases in time. Each
    /// is told until it is let go.
    pub lost: Vec<MysisId>,
    /// The Myses of the report that are given back now. The fleet's actor tells them.
    pub let_go: Vec<MysisId>,
    /// The running Myses beyond its share.
    pub surplus: usize,
    /// Whether this process is to give back everything.
    pub is_draining: bool,
    pub mission: Option<Mission>,
    pub began: Option<Instant>,
    /// Until when no other process takes what this one holds; `None` if something is lost.
    pub safe_until: Option<Instant>,
    /// What other processes tell; `None` if there is none.
    pub neighbours: Option<Box<FleetNeighbours>>,
    pub orders: FleetOrders,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetOrders {
    /// Orders of this process that are stored now.
    pub given: Vec<FleetOrderId>,
    /// Orders of others whose answers are stored now.
    pub answered: Vec<FleetOrderId>,
    /// Orders of others for Myses of this process that are not done, oldest first.
    pub open: Vec<FleetOrder>,
    pub outcomes: Vec<OrderOutcome>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetOrder {
    /// Its id, which makes it one order however often it is written.
    pub id: FleetOrderId,
    pub mysis: MysisId,
    /// Who gave it; `None` if this version does not know the word.
    pub source: Option<OrderSource>,
    pub content: Arc<str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderOutcome {
    Answered(FleetOrderId, Arc<str>),
    /// It is gone, because its Mysis was deleted.
    Missing(FleetOrderId),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FleetNeighbours {
    /// All processes, this one included.
    pub processes: Vec<ProcessSign>,
    /// The statuses of their Myses that changed, oldest first.
    pub statuses: Vec<PublishedStatus>,
    pub read_to: i64,
    /// Whether there are more, which the next step reads.
    pub has_more: bool,
    /// Where every Mysis is; told now and then, and when one appeared or vanished.
    pub places: Option<Vec<MysisPlace>>,
    /// Myses of which no process told anything yet.
    pub unshared: Vec<MysisRecord>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSign {
    /// The owner of its leases.
    pub owner: Arc<str>,
    pub name: Arc<str>,
    pub is_alive: bool,
    pub is_here: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PublishedStatus {
    pub owner: Arc<str>,
    pub status: Arc<MysisStatus>,
}

/// A Mysis and the process that holds its lease, if any does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MysisPlace {
    pub mysis: MysisId,
    pub owner: Option<Arc<str>>,
}
