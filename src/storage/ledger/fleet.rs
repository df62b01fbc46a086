//! The fleet: this process among all that run Myses of one database.
//!
//! A step renews the leases, gives back what was let go, and takes what no process holds, up to this
//! process's share. Nothing coordinates the processes but the database: each row is taken by
//! `FOR UPDATE SKIP LOCKED`, and the server's clock alone says what has expired. Steps have a
//! connection of their own, so that a slow commit delays no renewal.

mod neighbours;
mod orders;
mod processes;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::fleet_share::{FleetCounts, KindCounts};
use actors::domain::held_myses::ProcessSays;
use actors::domain::ids::MysisId;
use actors::ports::{ArchiveFault, Fleet, FleetReport, FleetStep};
use futures::FutureExt;
use futures::future::BoxFuture;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, SqlErr,
    Statement,
};
use tokio::time::Instant;

use super::answer_time::within;
use super::entity::{lease, mysis};
use super::fault::archive_fault;
use super::fences::read_fences;
use super::leases::LeaseHolder;
use super::write_lock::WriteLock;
use super::{LedgerInner, SqlLedger};

/// How long a part of a step may take. A server that does not answer is asked again by the next one.
const PART_TIMEOUT: Duration = Duration::from_secs(5);

/// Says that this process lives, and what it is. Its name is its host's, with a number if another
/// process has that name.
const SAY_ALIVE: &str = "\
    INSERT INTO process (home, owner, host, directory, version, capacity, is_frozen, name, \
        started_at, expires_at) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, \
        (SELECT candidate FROM (SELECT $3 AS candidate, 1 AS number \
            UNION ALL SELECT $3 || '-' || number, number FROM generate_series(2, 1000) AS number) AS names \
            WHERE NOT EXISTS (SELECT FROM process AS other WHERE other.name = candidate) \
            ORDER BY number LIMIT 1), \
        clock_timestamp(), clock_timestamp() + interval '30 seconds') \
    ON CONFLICT (owner) DO UPDATE SET host = excluded.host, directory = excluded.directory, \
        version = excluded.version, capacity = excluded.capacity, \
        is_frozen = excluded.is_frozen, expires_at = excluded.expires_at";

/// Renews the leases. An expired one stays ours until another process takes it.
const RENEW: &str = "UPDATE lease SET expires_at = clock_timestamp() + interval '30 seconds', \
    home = $1 WHERE owner = $2 RETURNING mysis_id";

/// Counts Myses by whether they run, without those of frozen processes, and the capacity of all
/// processes that live and are neither frozen nor being drained.
const LOOK: &str = "\
    SELECT (SELECT count(*) FROM lease WHERE owner = $2) AS held, \
        (SELECT count(*) FROM process) AS processes, (SELECT count(*) FROM mysis) AS myses, \
        (SELECT count(*) FROM fleet_order) AS orders, \
        (SELECT count(*) FROM lease JOIN process ON process.owner = lease.owner \
            WHERE lease.home = $1 AND lease.owner <> $2 AND process.is_frozen \
            AND lease.expires_at <= clock_timestamp()) AS left_frozen, \
        (SELECT coalesce(sum(capacity), 0)::bigint FROM process \
            WHERE expires_at > clock_timestamp() AND NOT is_frozen AND NOT is_draining) AS capacity, \
        coalesce((SELECT is_draining FROM process WHERE owner = $2 AND home = $1), FALSE) AS is_draining, \
        count(*) FILTER (WHERE runs) AS running, \
        count(*) FILTER (WHERE runs AND is_here) AS running_here, \
        count(*) FILTER (WHERE runs AND is_free) AS running_free, \
        count(*) FILTER (WHERE NOT runs) AS resting, \
        count(*) FILTER (WHERE NOT runs AND is_here) AS resting_here, \
        count(*) FILTER (WHERE NOT runs AND is_free) AS resting_free \
    FROM (SELECT mysis.state = 'running' AS runs, lease.owner IS NOT DISTINCT FROM $2 AS is_here, \
            (lease.owner IS NULL OR lease.expires_at <= clock_timestamp()) \
                AND lease.owner IS DISTINCT FROM $2 AS is_free \
        FROM mysis LEFT JOIN lease ON lease.mysis_id = mysis.id \
        LEFT JOIN process ON process.owner = lease.owner \
        WHERE process.is_frozen IS NOT TRUE) AS myses";

/// Takes free leases: of Myses that run or of others, so many at most.
const TAKE: &str = "\
    INSERT INTO lease (mysis_id, home, owner, expires_at) \
    SELECT mysis.id, $1, $2, clock_timestamp() + interval '30 seconds' FROM mysis \
    LEFT JOIN lease ON lease.mysis_id = mysis.id LEFT JOIN process ON process.owner = lease.owner \
    WHERE (mysis.state = 'running') = $3 AND process.is_frozen IS NOT TRUE \
        AND (lease.owner IS NULL OR lease.expires_at <= clock_timestamp()) \
        AND lease.owner IS DISTINCT FROM $2 \
    ORDER BY mysis.id LIMIT $4 FOR UPDATE OF mysis SKIP LOCKED \
    ON CONFLICT (mysis_id) DO UPDATE \
    SET home = excluded.home, owner = excluded.owner, expires_at = excluded.expires_at \
    WHERE lease.expires_at <= clock_timestamp() RETURNING mysis_id";

/// Takes what an earlier frozen process of this home, of which it was not known that it is gone, let expire.
const TAKE_FROZEN: &str = "\
    INSERT INTO lease (mysis_id, home, owner, expires_at) \
    SELECT mysis.id, $1, $2, clock_timestamp() + interval '30 seconds' FROM mysis \
    JOIN lease ON lease.mysis_id = mysis.id JOIN process ON process.owner = lease.owner \
    WHERE lease.home = $1 AND lease.owner <> $2 AND process.is_frozen \
        AND lease.expires_at <= clock_timestamp() FOR UPDATE OF mysis SKIP LOCKED \
    ON CONFLICT (mysis_id) DO UPDATE \
    SET home = excluded.home, owner = excluded.owner, expires_at = excluded.expires_at \
    WHERE lease.expires_at <= clock_timestamp() RETURNING mysis_id";

/// Says that this process has ended. A frozen one stays the reason why its Myses are not taken.
const SAY_GONE: &str = "UPDATE process SET expires_at = clock_timestamp(), \
    left_at = clock_timestamp() WHERE home = $1 AND owner = $2";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessFacts {
    pub host: String,
    pub directory: String,
    pub version: String,
}

#[derive(Clone)]
pub struct LedgerFleet {
    inner: Arc<LedgerInner>,
    facts: Arc<ProcessFacts>,
}

impl SqlLedger {
    /// This process as one of a fleet; `None` where no other process can have the database, and for
    /// a command.
    pub fn fleet(&self, facts: ProcessFacts) -> Option<LedgerFleet> {
        self.inner.resident()?;
        Some(LedgerFleet {
            inner: self.inner.clone(),
            facts: Arc::new(facts),
        })
    }
}

impl Fleet for LedgerFleet {
    fn step(&self, report: FleetReport) -> BoxFuture<'static, Result<FleetStep, ArchiveFault>> {
        let (inner, facts) = (self.inner.clone(), self.facts.clone());
        async move {
            let step = inner.fleet_step(&facts, &report).await;
            step.map_err(archive_fault)
        }
        .boxed()
    }

    fn drain(
        &self,
        process: Arc<str>,
        is_draining: bool,
    ) -> BoxFuture<'static, Result<bool, ArchiveFault>> {
        let inner = self.inner.clone();
        async move {
            let Some(tenant) = &inner.tenant else {
                return Ok(false);
            };
            let drained = within_time(tenant.drain(&process, is_draining)).await;
            drained.map_err(archive_fault)
        }
        .boxed()
    }
}

#[derive(Debug, FromQueryResult)]
struct FleetView {
    held: i64,
    processes: i64,
    myses: i64,
    orders: i64,
    left_frozen: i64,
    capacity: i64,
    is_draining: bool,
    running: i64,
    running_here: i64,
    running_free: i64,
    resting: i64,
    resting_here: i64,
    resting_free: i64,
}

impl FleetView {
    fn counts(&self) -> FleetCounts {
        FleetCounts {
            capacity: self.capacity,
            is_draining: self.is_draining,
            running: KindCounts {
                all: self.running,
                here: self.running_here,
                free: self.running_free,
            },
            resting: KindCounts {
                all: self.resting,
                here: self.resting_here,
                free: self.resting_free,
            },
        }
    }
}

impl LedgerInner {
    async fn fleet_step(
        &self,
        facts: &ProcessFacts,
        report: &FleetReport,
    ) -> Result<FleetStep, DbErr> {
        let Some(tenant) = &self.tenant else {
            return Ok(FleetStep::default());
        };
        let began = Instant::now();
        within_time(tenant.give_back(&report.let_go)).await?;
        tenant.held().forget(&report.let_go);
        tenant.held().arrive(&report.arrived);
        if tenant.held().is_due(said(report), tenant.moment()) {
            tenant.renew(facts, report).await?;
        }
        let view = within_time(tenant.look()).await?;
        if usize::try_from(view.held) != Ok(tenant.held().count()) {
            // Another process took something, which a renewal finds out.
            tenant.renew(facts, report).await?;
        }
        let plan = view.counts().plan(report.capacity, report.is_frozen);
        let lost = tenant.held().lost();
        // What is lost may still be at work here. It must end before anything is taken.
        if lost.is_empty() {
            for (runs, count) in [(true, plan.running), (false, plan.resting)] {
                if count > 0 {
                    let taking = tenant.statement(TAKE, [runs.into(), count.into()]);
                    self.take(tenant, taking).await?;
                }
            }
            if view.left_frozen > 0 {
                let taking = tenant.statement(TAKE_FROZEN, []);
                self.take(tenant, taking).await?;
            }
        }
        let neighbours = self.exchange(tenant, report, &view).await?;
        let orders = tenant.exchange_orders(report, &view).await?;
        let unread = tenant.held().unread();
        let (taken, passwords) = within_time(self.records_of(&unread)).await?;
        let mission = within_time(self.mission()).await?;
        Ok(FleetStep {
            taken: taken
                .into_iter()
                .map(|record| self.for_a_new_life(record))
                .collect(),
            passwords,
            lost,
            let_go: Vec::new(),
            surplus: usize::try_from(plan.surplus).unwrap_or(0),
            is_draining: view.is_draining && view.capacity > 0,
            mission,
            began: Some(began),
            safe_until: tenant.safe_until(),
            neighbours,
            orders,
        })
    }

    /// Takes free leases. All lives of before are shut out with it, the newest too, so that no late write
    /// of an earlier life here is taken for one of the new life.
    async fn take(&self, tenant: &LeaseHolder, taking: Statement) -> Result<(), DbErr> {
        let taken = within_time(async {
            let tx = tenant.writer.begin(WriteLock::All).await?;
            let taken = ids_in(&tx.query_all_raw(taking).await?)?;
            let myses = mysis::Column::Id.is_in(taken.iter().map(|mysis| mysis.0));
            let lives = read_fences(&tx, mysis::Entity::find().filter(myses)).await?;
            self.shut_out(lives.into_iter().map(|(mysis, life)| (mysis, life.next())));
            // Whether a commit without an answer happened is seen at the next renewal.
            tenant.held().doubt(&taken);
            tx.commit().await?;
            Ok(taken)
        });
        let taken = taken.await?;
        tenant.held().take(taken);
        Ok(())
    }

    /// Releases the leases at an orderly end. A frozen process keeps them: its Myses stand still over
    /// its end, too.
    pub(super) async fn release_leases(&self) {
        let Some(tenant) = self.resident() else {
            return;
        };
        if let Err(error) = within_time(tenant.leave()).await {
            tracing::warn!(%error, "failed to release the leases");
        }
        if let Err(error) = within_time(tenant.give_back_allowances()).await {
            tracing::warn!(%error, "failed to give back parts of limits");
        }
    }
}

impl LeaseHolder {
    async fn give_back(&self, myses: &[MysisId]) -> Result<(), DbErr> {
        if myses.is_empty() {
            return Ok(());
        }
        lease::Entity::delete_many()
            .filter(lease::Column::Owner.eq(&*self.owner))
            .filter(lease::Column::MysisId.is_in(myses.iter().map(|mysis| mysis.0)))
            .exec(&self.writer)
            .await
            .map(|_| ())
    }

    async fn renew(&self, facts: &ProcessFacts, report: &FleetReport) -> Result<(), DbErr> {
        let began = self.moment();
        // One that is created meanwhile is neither lost nor renewed.
        let before = self.held().all();
        let owned = within_time(self.say_alive(facts, report)).await?;
        self.held().renewed((&before, &owned), began, said(report));
        Ok(())
    }

    /// Says that this process lives, renews its leases, and returns them.
    async fn say_alive(
        &self,
        facts: &ProcessFacts,
        report: &FleetReport,
    ) -> Result<BTreeSet<MysisId>, DbErr> {
        let capacity = i64::try_from(report.capacity).unwrap_or(i64::MAX);
        let more = [
            facts.host.as_str().into(),
            facts.directory.as_str().into(),
            facts.version.as_str().into(),
            capacity.into(),
            report.is_frozen.into(),
        ];
        let say = || {
            let alive = self.statement(SAY_ALIVE, more.clone());
            self.writer.execute_raw(alive)
        };
        // Another process may take the name that was free a moment before.
        while let Err(error) = say().await {
            if !matches!(error.sql_err(), Some(SqlErr::UniqueConstraintViolation(_))) {
                return Err(error);
            }
        }
        let renewed = self.writer.query_all_raw(self.statement(RENEW, []));
        ids_in(&renewed.await?)
    }

    async fn leave(&self) -> Result<(), DbErr> {
        if !self.held().is_frozen() {
            let release = lease::Entity::delete_many();
            let release = release.filter(lease::Column::Owner.eq(&*self.owner));
            release.exec(&self.writer).await?;
        }
        let gone = self.writer.execute_raw(self.statement(SAY_GONE, []));
        gone.await.map(drop)
    }

    async fn look(&self) -> Result<FleetView, DbErr> {
        let seen = FleetView::find_by_statement(self.statement(LOOK, []));
        let seen = seen.one(&self.writer).await?;
        seen.ok_or_else(|| DbErr::RecordNotFound("a count".to_string()))
    }
}

fn said(report: &FleetReport) -> ProcessSays {
    ProcessSays {
        capacity: report.capacity,
        is_frozen: report.is_frozen,
    }
}

fn ids_in(rows: &[sea_orm::QueryResult]) -> Result<BTreeSet<MysisId>, DbErr> {
    let ids = rows.iter().map(|row| row.try_get_by_index(0).map(MysisId));
    ids.collect()
}

fn within_time<T>(
    part: impl Future<Output = Result<T, DbErr>>,
) -> impl Future<Output = Result<T, DbErr>> {
    within(PART_TIMEOUT, part)
}
