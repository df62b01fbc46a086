//! A process's own side of the fleet: the steps of `src/storage/ledger/fleet.rs`, a query after the other.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::held_myses::ProcessSays;
use actors::domain::ids::MysisId;
use actors::ports::{
    ArchiveFault, Fleet, FleetNeighbours, FleetOrders, FleetReport, FleetStep, LimitNews,
    LimitReport, SharedLimits,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::Instant;

use super::database::{FleetDatabase, FleetView};
use super::line::Line;
use super::sabotage::Sabotage;
use super::session::LeaseSession;

const PART_TIMEOUT: Duration = Duration::from_secs(5);
const LIMITS_TIMEOUT: Duration = Duration::from_secs(3);
const LIMITS_SAFE_TIME: Duration = Duration::from_secs(8);
/// How long the release of leases at an orderly end may take.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(1);
/// How often all places are read, whether or not a Mysis appeared.
const PLACES_INTERVAL: Duration = Duration::from_secs(10);

#[derive(Clone)]
pub(super) struct FleetClient {
    pub(super) line: Arc<Line>,
    pub(super) database: Arc<FleetDatabase>,
    pub(super) session: Arc<LeaseSession>,
    pub(super) sabotage: Option<Sabotage>,
}

impl Fleet for FleetClient {
    fn step(&self, report: FleetReport) -> BoxFuture<'static, Result<FleetStep, ArchiveFault>> {
        let client = self.clone();
        async move { client.take_step(&report).await.map_err(ArchiveFault) }.boxed()
    }

    fn drain(
        &self,
        process: Arc<str>,
        is_draining: bool,
    ) -> BoxFuture<'static, Result<bool, ArchiveFault>> {
        let client = self.clone();
        async move {
            let drained = client.query(move |it, _| it.drain(&process, is_draining));
            drained.await.map_err(ArchiveFault)
        }
        .boxed()
    }
}

impl SharedLimits for FleetClient {
    fn renew(&self, report: LimitReport) -> BoxFuture<'static, Result<LimitNews, ArchiveFault>> {
        let client = self.clone();
        async move {
            let renewed = client.query_within(LIMITS_TIMEOUT, move |database, session| {
                database.renew_limits(session, &report)
            });
            renewed.await.map_err(ArchiveFault)
        }
        .boxed()
    }

    fn safe_time(&self) -> Duration {
        LIMITS_SAFE_TIME
    }
}

impl FleetClient {
    async fn query<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&FleetDatabase, &LeaseSession) -> T + Send + 'static,
    ) -> Result<T, String> {
        self.query_within(PART_TIMEOUT, ask).await
    }

    async fn query_within<T: Send + 'static>(
        &self,
        limit: Duration,
        ask: impl FnOnce(&FleetDatabase, &LeaseSession) -> T + Send + 'static,
    ) -> Result<T, String> {
        let (database, session) = (self.database.clone(), self.session.clone());
        let asked = async move { ask(&database, &session) };
        self.line.query(limit, asked).await
    }

    async fn take_step(&self, report: &FleetReport) -> Result<FleetStep, String> {
        let (began, session) = (Instant::now(), &*self.session);
        if self.sabotage == Some(Sabotage::RenewsWithoutTheServer) && self.line.way().is_cut() {
            return Ok(FleetStep {
                safe_until: Some(began + Duration::from_secs(25)),
                ..FleetStep::default()
            });
        }
        let let_go = report.let_go.clone();
        self.query(move |it, session| it.give_back(&session.owner, &let_go))
            .await?;
        session.held().forget(&report.let_go);
        session.held().arrive(&report.arrived);
        let is_due = session.held().is_due(said(report), session.moment());
        if is_due {
            self.renew(report).await?;
        }
        let view = self.query(|it, session| it.look(&session.owner)).await?;
        if view.held != session.held().count() {
            // Another process took something, which a renewal finds out.
            self.renew(report).await?;
        }
        let plan = view.counts.plan(report.capacity, report.is_frozen);
        let lost = session.held().lost();
        // What is lost may still be at work here. It must end before anything is taken.
        if lost.is_empty() && self.sabotage != Some(Sabotage::TakesNothing) {
            self.take(true, plan.running).await?;
            self.take(false, plan.resting).await?;
        }
        let neighbours = self.exchange(report, &view).await?;
        let orders = self.exchange_orders(report, &view).await?;
        let unread = session.held().unread();
        let records = self.query(move |it, _| it.records_of(&unread));
        let (taken, passwords, mission) = records.await?;
        Ok(FleetStep {
            taken: taken
                .into_iter()
                .map(|record| session.for_a_new_life(record))
                .collect(),
            passwords,
            lost,
            let_go: Vec::new(),
            surplus: usize::try_from(plan.surplus).unwrap_or(0),
            is_draining: view.counts.is_draining && view.counts.capacity > 0,
            mission,
            began: Some(began),
            safe_until: session.safe_until(),
            neighbours,
            orders,
        })
    }

    async fn renew(&self, report: &FleetReport) -> Result<(), String> {
        let (began, before) = (self.session.moment(), self.session.held().all());
        let shared_report = report.clone();
        let owned = self
            .query(move |it, session| it.renew(session, &shared_report))
            .await?;
        let mut held = self.session.held();
        held.renewed((&before, &owned), began, said(report));
        Ok(())
    }

    async fn take(&self, runs: bool, count: i64) -> Result<(), String> {
        if count <= 0 {
            return Ok(());
        }
        // The incarnations of before are shut out, and what is taken is doubtful until the answer
        // comes: both within the transaction, as in the program.
        let taken = self.query(move |it, session| {
            let taken = it.take(session, runs, count);
            session.fence(taken.iter().map(|(mysis, newest)| (*mysis, newest.next())));
            let taken: BTreeSet<MysisId> = taken.into_iter().map(|of| of.0).collect();
            session.held().doubt(&taken);
            taken
        });
        let taken = taken.await?;
        self.session.held().take(taken);
        Ok(())
    }

    async fn exchange(
        &self,
        report: &FleetReport,
        view: &FleetView,
    ) -> Result<Option<Box<FleetNeighbours>>, String> {
        if view.processes < 2 {
            return Ok(None);
        }
        let (statuses, read_to) = (report.statuses.clone(), report.read_to);
        if !statuses.is_empty() {
            self.query(move |it, session| it.publish(&session.owner, &statuses))
                .await?;
        }
        let found = self.query(move |it, session| FleetNeighbours {
            processes: it.signs(&session.owner),
            ..it.read_statuses(&session.owner, read_to)
        });
        let mut found = found.await?;
        let now = self.session.moment();
        let is_due = self.session.held().places_are_due(now, PLACES_INTERVAL);
        if is_due || view.myses != report.known {
            let read = self.query(|it, session| {
                let (places, unshared) = it.places(&session.owner);
                (places, it.records_of(&unshared).0)
            });
            let (places, unshared) = read.await?;
            found.places = Some(places);
            found.unshared = unshared;
        }
        Ok(Some(Box::new(found)))
    }

    async fn exchange_orders(
        &self,
        report: &FleetReport,
        view: &FleetView,
    ) -> Result<FleetOrders, String> {
        let asks_nothing = report.given.is_empty() && report.awaited.is_empty();
        if view.orders == 0 && asks_nothing {
            return Ok(FleetOrders::default());
        }
        let shared_report = report.clone();
        self.query(move |it, session| it.share_orders(&session.owner, &shared_report))
            .await?;
        let awaited = report.awaited.clone();
        self.query(move |it, session| it.orders_for(&session.owner, &awaited))
            .await
    }

    /// Opens the database: takes leases, and returns the swarm of this process.
    pub(super) async fn open(&self) -> Result<actors::ports::SwarmRecord, String> {
        let opened = self.query(|it, session| it.open(session));
        let (swarm, fences) = opened.await?;
        self.session.fence(fences);
        let ours = swarm.myses.iter().map(|record| record.id);
        self.session.held().begin(ours.collect());
        Ok(swarm)
    }

    /// Gives everything back at an orderly end. A database that cannot be reached must not delay it.
    pub(super) async fn leave(&self) {
        let left = self.query_within(RELEASE_TIMEOUT, |it, session| it.leave(session));
        // Its leases expire by themselves.
        let _ = left.await;
    }
}

fn said(report: &FleetReport) -> ProcessSays {
    ProcessSays {
        capacity: report.capacity,
        is_frozen: report.is_frozen,
    }
}
