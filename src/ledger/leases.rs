//! Leases: on a server many processes may share a database, and each Mysis belongs to one of them.
//!
//! A lease is taken when the database is opened, renewed by the upkeep and given back at the end.
//! One that expired, or that a process of the same home left behind, is taken over. The server's
//! clock alone decides. Every write looks whether the lease is still ours, in its transaction; who
//! takes one over waits for the same turn, so nothing is written by two.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use actors::domain::ids::MysisId;
use actors::domain::write::{Batch, Write};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement, Value};

use super::Inner;
use super::connection::Tx;

/// How long a lease lasts unless it is renewed.
const LEASE: &str = "interval '30 seconds'";
/// How often they are renewed.
const RENEWAL: Duration = Duration::from_secs(10);
/// How often it is looked whether that is due.
pub(super) const LOOK: Duration = Duration::from_secs(2);

/// Who holds leases: one process on one database.
pub(super) struct Tenant {
    home: String,
    owner: String,
    renewed: Mutex<Instant>,
}

impl Tenant {
    /// The one process that runs in a home.
    pub(super) fn of_home(home: &str) -> Tenant {
        Tenant {
            home: home.to_string(),
            owner: uuid::Uuid::new_v4().to_string(),
            renewed: Mutex::new(Instant::now()),
        }
    }

    /// Whether it is time to renew; then the time begins anew.
    pub(super) fn is_due(&self) -> bool {
        let mut renewed = self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = renewed.elapsed() >= RENEWAL;
        if is_due {
            *renewed = Instant::now();
        }
        is_due
    }

    /// Takes every lease that nobody holds, or that this home left behind; of one Mysis, or of all.
    pub(super) async fn take(&self, tx: &Tx, mysis: Option<MysisId>) -> Result<(), DbErr> {
        let mut values: Vec<Value> = vec![self.home.as_str().into(), self.owner.as_str().into()];
        values.extend(mysis.map(|mysis| Value::from(mysis.0)));
        let of = mysis.map_or("", |_| " WHERE id = $3");
        let sql = format!(
            "INSERT INTO lease (mysis_id, home, owner, expires_at) \
             SELECT id, $1, $2, clock_timestamp() + {LEASE} FROM mysis{of} \
             ON CONFLICT (mysis_id) DO UPDATE SET home = excluded.home, owner = excluded.owner, \
             expires_at = excluded.expires_at \
             WHERE lease.home = excluded.home OR lease.expires_at <= clock_timestamp()"
        );
        tx.execute_raw(asked(&sql, values)).await.map(|_| ())
    }

    /// Those of these Myses that are not ours; one that is gone is nobody's and harms nobody.
    async fn lost(&self, tx: &Tx, myses: &BTreeSet<MysisId>) -> Result<Vec<i64>, DbErr> {
        let places: Vec<String> = (2..myses.len() + 2)
            .map(|place| format!("${place}"))
            .collect();
        let sql = format!(
            "SELECT id FROM mysis LEFT JOIN lease ON mysis_id = id \
             WHERE owner IS DISTINCT FROM $1 AND id IN ({})",
            places.join(", ")
        );
        let mut values: Vec<Value> = vec![self.owner.as_str().into()];
        values.extend(myses.iter().map(|mysis| Value::from(mysis.0)));
        let rows = tx.query_all_raw(asked(&sql, values)).await?;
        rows.iter().map(|row| row.try_get_by_index(0)).collect()
    }

    /// Refuses what is about a Mysis whose lease is not ours.
    pub(super) async fn check(&self, tx: &Tx, myses: BTreeSet<MysisId>) -> Result<(), DbErr> {
        if myses.is_empty() || self.lost(tx, &myses).await?.is_empty() {
            return Ok(());
        }
        Err(DbErr::Custom(
            "another zoea process runs this mysis now: this one held its lease for too long \
             without renewing it"
                .to_string(),
        ))
    }
}

fn asked(sql: &str, values: Vec<Value>) -> Statement {
    Statement::from_sql_and_values(DbBackend::Postgres, sql, values)
}

/// Whose leases a group of writes needs.
pub(super) fn whose(batches: &[&Batch]) -> BTreeSet<MysisId> {
    let writes = batches.iter().flat_map(|batch| &batch.writes);
    writes.filter_map(subject).collect()
}

/// Whose lease a write needs.
fn subject(write: &Write) -> Option<MysisId> {
    match write {
        Write::Configure { mysis, .. }
        | Write::Delete { mysis }
        | Write::Fence { mysis, .. }
        | Write::State { mysis, .. }
        | Write::Called { mysis }
        | Write::Append { mysis, .. }
        | Write::CallSent { mysis, .. }
        | Write::Totals { mysis, .. }
        | Write::ClearNotes { mysis, .. }
        | Write::Sighted { mysis, .. }
        | Write::Stale { mysis, .. }
        | Write::ForgetSightings { mysis, .. }
        | Write::SaveAccount { mysis, .. }
        | Write::KeepSession { mysis, .. }
        | Write::Watched { mysis, .. } => Some(*mysis),
        // A new one's lease is taken with it.
        Write::Create(_)
        | Write::Mission(_)
        | Write::ClearMission { .. }
        | Write::Event(_)
        | Write::PoolAccount { .. } => None,
    }
}

impl Inner {
    /// Takes what can be taken when the database is opened.
    pub(super) async fn take_leases(&self) -> Result<(), DbErr> {
        let Some(tenant) = &self.tenant else {
            return Ok(());
        };
        let tx = self.begin().await?;
        tenant.take(&tx, None).await?;
        tx.commit().await
    }

    /// Renews the leases. They stay ours without, as long as nobody takes them over.
    pub(super) async fn renew_leases(&self) {
        let Some(tenant) = &self.tenant else {
            return;
        };
        let sql =
            format!("UPDATE lease SET expires_at = clock_timestamp() + {LEASE} WHERE owner = $1");
        let renewal = asked(&sql, vec![tenant.owner.as_str().into()]);
        let renewed = self.in_time(self.writer.execute_raw(renewal)).await;
        if let Err(error) = renewed {
            tracing::warn!(%error, "failed to renew the leases");
        }
    }

    /// Gives the leases back.
    pub(super) async fn release_leases(&self) {
        let Some(tenant) = &self.tenant else {
            return;
        };
        let release = asked(
            "DELETE FROM lease WHERE owner = $1",
            vec![tenant.owner.as_str().into()],
        );
        let released = self.in_time(self.writer.execute_raw(release)).await;
        if let Err(error) = released {
            tracing::warn!(%error, "failed to release the leases");
        }
    }

    /// The Myses whose leases others hold, by name.
    pub(super) async fn others(&self) -> Result<Vec<(MysisId, String)>, DbErr> {
        let Some(tenant) = &self.tenant else {
            return Ok(Vec::new());
        };
        let sql = "SELECT id, name FROM mysis LEFT JOIN lease ON mysis_id = id \
                   WHERE owner IS DISTINCT FROM $1 ORDER BY name";
        let found = asked(sql, vec![tenant.owner.as_str().into()]);
        let rows = self.readers.query_all_raw(found).await?;
        rows.iter()
            .map(|row| Ok((MysisId(row.try_get_by_index(0)?), row.try_get_by_index(1)?)))
            .collect()
    }
}
