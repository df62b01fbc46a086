//! What the processes of a fleet tell each other of their Myses: the statuses that changed, and where
//! each Mysis is.
//!
//! Who writes statuses holds a lock until the commit, so places are seen in their order: nothing that
//! commits later has a smaller place than what was read.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::event::MysisStatus;
use actors::domain::ids::MysisId;
use actors::domain::status_memo;
use actors::ports::{
    ArchiveFault, FleetNeighbours, FleetReport, MysisPlace, ProcessSign, PublishedStatus,
};
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult};
use serde_json::json;
use zoea_text::clean::one_line;

use super::super::fault::archive_fault;
use super::super::leases::LeaseHolder;
use super::super::server::on_server;
use super::{FleetView, LedgerInner, SqlLedger, within_time};

/// How often all places are read, whether or not a Mysis appeared.
const PLACES_INTERVAL: Duration = Duration::from_secs(10);
/// The most statuses that one step reads. The next step goes on.
const MAX_STATUSES: i64 = 1_000;
/// The most Myses without a status that one step reads.
const MAX_UNTOLD: usize = 500;
const MAX_PROCESSES: i64 = 500;

/// Writes the statuses of Myses whose leases are ours.
const PUBLISH: &str = "\
    WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(8241530019)) \
    INSERT INTO mysis_status (mysis_id, owner, place, at, status) \
    SELECT lease.mysis_id, $1, nextval('mysis_status_place'), clock_timestamp(), given.status \
    FROM turn CROSS JOIN json_to_recordset($2::json) AS given (id BIGINT, status TEXT) \
    JOIN lease ON lease.mysis_id = given.id AND lease.owner = $1 \
    ON CONFLICT (mysis_id) DO UPDATE SET owner = excluded.owner, place = excluded.place, \
        at = excluded.at, status = excluded.status";

/// The statuses that others wrote after a place.
const READ: &str = "SELECT mysis_id, owner, place, status FROM mysis_status \
    WHERE owner <> $1 AND place > $2 ORDER BY place LIMIT $3";

/// The processes that live, and those that ended last.
const PROCESSES: &str = "SELECT owner, coalesce(name, host || ' (older)') AS name, \
    expires_at > clock_timestamp() AS is_alive FROM process \
    ORDER BY is_alive DESC, started_at DESC LIMIT $1";

/// Where each Mysis is, and whether anybody told of it.
const PLACES: &str = "SELECT mysis.id, lease.owner, status.mysis_id IS NOT NULL AS is_shared \
    FROM mysis LEFT JOIN lease ON lease.mysis_id = mysis.id \
    LEFT JOIN mysis_status AS status ON status.mysis_id = mysis.id";

#[derive(Debug, FromQueryResult)]
struct StatusRow {
    mysis_id: i64,
    owner: String,
    place: i64,
    status: String,
}

#[derive(Debug, FromQueryResult)]
struct ProcessRow {
    owner: String,
    name: String,
    is_alive: bool,
}

#[derive(Debug, FromQueryResult)]
struct PlaceRow {
    id: i64,
    owner: Option<String>,
    is_shared: bool,
}

impl SqlLedger {
    /// What all other processes tell of their Myses, for a command; `None` where no other process can
    /// have the database.
    pub async fn neighbours(&self) -> Result<Option<Box<FleetNeighbours>>, ArchiveFault> {
        let Some(tenant) = &self.inner.tenant else {
            return Ok(None);
        };
        let read = self.inner.look_around(tenant).await;
        let read = read.map_err(archive_fault)?;
        Ok(Some(Box::new(read)))
    }
}

impl LedgerInner {
    async fn look_around(&self, tenant: &LeaseHolder) -> Result<FleetNeighbours, DbErr> {
        let mut found = within_time(tenant.read_statuses(0)).await?;
        while found.has_more {
            let more = within_time(tenant.read_statuses(found.read_to)).await?;
            found.statuses.extend(more.statuses);
            (found.read_to, found.has_more) = (more.read_to, more.has_more);
        }
        found.processes = within_time(tenant.signs()).await?;
        self.read_places(tenant, &mut found, usize::MAX).await?;
        Ok(found)
    }

    /// Tells the other processes what changed here, and reads what they tell.
    pub(super) async fn exchange(
        &self,
        tenant: &LeaseHolder,
        report: &FleetReport,
        view: &FleetView,
    ) -> Result<Option<Box<FleetNeighbours>>, DbErr> {
        if view.processes < 2 {
            return Ok(None);
        }
        within_time(tenant.publish(&report.statuses)).await?;
        let mut found = within_time(tenant.read_statuses(report.read_to)).await?;
        found.processes = within_time(tenant.signs()).await?;
        let is_whole = usize::try_from(view.myses) == Ok(report.known);
        let now = tenant.moment();
        let is_due = tenant.held().places_are_due(now, PLACES_INTERVAL);
        if is_due || !is_whole {
            self.read_places(tenant, &mut found, MAX_UNTOLD).await?;
        }
        Ok(Some(Box::new(found)))
    }

    async fn read_places(
        &self,
        tenant: &LeaseHolder,
        found: &mut FleetNeighbours,
        most: usize,
    ) -> Result<(), DbErr> {
        let rows = PlaceRow::find_by_statement(on_server(PLACES, []));
        let rows = within_time(rows.all(&tenant.writer)).await?;
        let is_here = |row: &PlaceRow| row.owner.as_deref() == Some(&*tenant.owner);
        let unshared = rows.iter().filter(|row| !row.is_shared && !is_here(row));
        let unshared: BTreeSet<MysisId> = unshared.take(most).map(|row| MysisId(row.id)).collect();
        (found.unshared, _) = within_time(self.records_of(&unshared)).await?;
        let place = |row: PlaceRow| MysisPlace {
            mysis: MysisId(row.id),
            owner: row.owner.map(Into::into),
        };
        found.places = Some(rows.into_iter().map(place).collect());
        Ok(())
    }
}

impl LeaseHolder {
    async fn publish(&self, statuses: &[Arc<MysisStatus>]) -> Result<(), DbErr> {
        if statuses.is_empty() {
            return Ok(());
        }
        let reported = statuses.iter();
        let reported =
            reported.map(|of| json!({"id": of.id.0, "status": status_memo::to_text(of)}));
        let reported = serde_json::Value::from_iter(reported).to_string();
        let values = [self.owner.as_str().into(), reported.into()];
        let published = self.writer.execute_raw(on_server(PUBLISH, values));
        published.await.map(drop)
    }

    async fn read_statuses(&self, read_to: i64) -> Result<FleetNeighbours, DbErr> {
        let values = [
            self.owner.as_str().into(),
            read_to.into(),
            MAX_STATUSES.into(),
        ];
        let mut found = FleetNeighbours {
            read_to,
            ..FleetNeighbours::default()
        };
        let rows = StatusRow::find_by_statement(on_server(READ, values));
        let rows = rows.all(&self.writer).await?;
        found.has_more = i64::try_from(rows.len()).is_ok_and(|count| count == MAX_STATUSES);
        for row in rows {
            found.read_to = row.place;
            let status = status_memo::from_text(MysisId(row.mysis_id), &row.status);
            found.statuses.extend(status.map(|status| PublishedStatus {
                owner: row.owner.into(),
                status: Arc::new(status),
            }));
        }
        Ok(found)
    }

    async fn signs(&self) -> Result<Vec<ProcessSign>, DbErr> {
        let sign = |row: ProcessRow| ProcessSign {
            is_here: row.owner == self.owner,
            owner: row.owner.into(),
            name: one_line(&row.name).into(),
            is_alive: row.is_alive,
        };
        let rows = ProcessRow::find_by_statement(on_server(PROCESSES, [MAX_PROCESSES.into()]));
        let rows = rows.all(&self.writer).await?;
        Ok(rows.into_iter().map(sign).collect())
    }
}
