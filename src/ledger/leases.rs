//! Leases: on a server many processes may share a database, and each Mysis belongs to one of them.
//!
//! Whoever runs Myses takes leases when it opens the database, renews them by the upkeep and gives them
//! back at the end. One that expired, or that a process of the same home left behind, is taken over.
//! The server's clock alone decides. Every write looks whether the lease is still ours, in its
//! transaction; who takes one over waits for the same turn, so nothing is written by two.
//!
//! A visitor runs none: it takes no lease, sees what nobody holds, and writes about that. A lease that
//! was left behind ends with its first write, so that a process that comes back late is told.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use actors::domain::ids::MysisId;
use actors::domain::write::{Batch, Write};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement, Value};

use super::LedgerInner;
use super::writer::Tx;

/// How long a lease lasts unless it is renewed.
const LEASE_INTERVAL: &str = "interval '30 seconds'";
/// How often they are renewed.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(10);
/// How often it is looked whether that is due.
pub(super) const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Why a process opens the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stay {
    /// To run Myses: it holds the leases of all that nobody else has.
    Resident,
    /// For one command: it holds none.
    Visitor,
}

/// Who holds leases: one process on one database.
pub(super) struct LeaseHolder {
    home: String,
    owner: String,
    stay: Stay,
    renewed: Mutex<Instant>,
}

impl LeaseHolder {
    /// The one process that runs in a home.
    pub(super) fn of_home(home: &str, stay: Stay) -> LeaseHolder {
        LeaseHolder {
            home: home.to_string(),
            owner: uuid::Uuid::new_v4().to_string(),
            stay,
            renewed: Mutex::new(Instant::now()),
        }
    }

    /// How often it is looked whether leases have to be renewed.
    pub(super) fn check_interval(&self) -> Option<Duration> {
        match self.stay {
            Stay::Resident => Some(CHECK_INTERVAL),
            Stay::Visitor => None,
        }
    }

    /// Whether it is time to renew; then the time begins anew.
    pub(super) fn is_due(&self) -> bool {
        if self.stay == Stay::Visitor {
            return false;
        }
        let mut renewed = self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = renewed.elapsed() >= RENEWAL_INTERVAL;
        if is_due {
            *renewed = Instant::now();
        }
        is_due
    }

    /// Takes every lease that nobody holds, or that this home left behind; of one Mysis, or of all.
    pub(super) async fn take(&self, tx: &Tx, mysis: Option<MysisId>) -> Result<(), DbErr> {
        if self.stay == Stay::Visitor {
            return Ok(());
        }
        let mut values: Vec<Value> = vec![self.home.as_str().into(), self.owner.as_str().into()];
        values.extend(mysis.map(|mysis| Value::from(mysis.0)));
        let of = mysis.map_or("", |_| " WHERE id = $3");
        let sql = format!(
            "INSERT INTO lease (mysis_id, home, owner, expires_at) \
             SELECT id, $1, $2, clock_timestamp() + {LEASE_INTERVAL} FROM mysis{of} \
             ON CONFLICT (mysis_id) DO UPDATE SET home = excluded.home, owner = excluded.owner, \
             expires_at = excluded.expires_at \
             WHERE lease.home = excluded.home OR lease.expires_at <= clock_timestamp()"
        );
        tx.execute_raw(postgres_statement(&sql, values))
            .await
            .map(|_| ())
    }

    /// Those of these Myses that are not ours; one that is gone is nobody's and harms nobody.
    async fn has_lost(&self, tx: &Tx, myses: &BTreeSet<MysisId>) -> Result<bool, DbErr> {
        let sql = format!(
            "SELECT id FROM mysis LEFT JOIN lease ON mysis_id = id \
             WHERE owner IS DISTINCT FROM $1 AND id IN ({}) LIMIT 1",
            id_placeholders(myses)
        );
        let lost = postgres_statement(&sql, with_ids(&self.owner, myses));
        Ok(tx.query_one_raw(lost).await?.is_some())
    }

    /// Whether others hold one of these Myses; what was left behind is nobody's from here on.
    async fn are_held(&self, tx: &Tx, myses: &BTreeSet<MysisId>) -> Result<bool, DbErr> {
        let left = format!(
            "DELETE FROM lease WHERE (home = $1 OR expires_at <= clock_timestamp()) \
             AND mysis_id IN ({})",
            id_placeholders(myses)
        );
        tx.execute_raw(postgres_statement(&left, with_ids(&self.home, myses)))
            .await?;
        let held = format!(
            "SELECT mysis_id FROM lease WHERE home <> $1 AND mysis_id IN ({}) LIMIT 1",
            id_placeholders(myses)
        );
        let held = postgres_statement(&held, with_ids(&self.home, myses));
        Ok(tx.query_one_raw(held).await?.is_some())
    }

    /// Refuses what is about a Mysis that is not ours to write about.
    pub(super) async fn check_leases(
        &self,
        tx: &Tx,
        myses: BTreeSet<MysisId>,
    ) -> Result<(), DbErr> {
        if myses.is_empty() {
            return Ok(());
        }
        let why = match self.stay {
            Stay::Resident if self.has_lost(tx, &myses).await? => {
                "another zoea process runs this mysis now: this one held its lease for too long \
                 without renewing it"
            }
            Stay::Visitor if self.are_held(tx, &myses).await? => {
                "another zoea process runs this mysis now: give the command in that one's home"
            }
            Stay::Resident | Stay::Visitor => return Ok(()),
        };
        Err(DbErr::Custom(why.to_string()))
    }

    /// Whose leases a group of writes needs. A visitor shuts out nobody, for it runs nothing: reading
    /// must not end a lease.
    pub(super) fn leased_myses(&self, batches: &[&Batch]) -> BTreeSet<MysisId> {
        let writes = batches.iter().flat_map(|batch| &batch.writes);
        let is_reading =
            |write: &&Write| self.stay == Stay::Visitor && matches!(write, Write::Fence { .. });
        writes
            .filter(|write| !is_reading(write))
            .filter_map(mysis_of_write)
            .collect()
    }
}

fn postgres_statement(sql: &str, values: Vec<Value>) -> Statement {
    Statement::from_sql_and_values(DbBackend::Postgres, sql, values)
}

/// The places of Myses in a statement whose first value is another.
fn id_placeholders(myses: &BTreeSet<MysisId>) -> String {
    let places = (2..myses.len() + 2).map(|place| format!("${place}"));
    places.collect::<Vec<_>>().join(", ")
}

/// These values: a text, then the Myses.
fn with_ids(first: &str, myses: &BTreeSet<MysisId>) -> Vec<Value> {
    let ids = myses.iter().map(|mysis| Value::from(mysis.0));
    std::iter::once(first.into()).chain(ids).collect()
}

/// Whose lease a write needs.
pub(super) fn mysis_of_write(write: &Write) -> Option<MysisId> {
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

impl LedgerInner {
    /// Takes what can be taken when the database is opened.
    pub(super) async fn take_leases(&self) -> Result<(), DbErr> {
        let holds = |tenant: &&LeaseHolder| tenant.stay == Stay::Resident;
        let Some(tenant) = self.tenant.as_ref().filter(holds) else {
            return Ok(());
        };
        let tx = self.writer.begin().await?;
        tenant.take(&tx, None).await?;
        tx.commit().await
    }

    /// Renews the leases. They stay ours without, as long as nobody takes them over.
    pub(super) async fn renew_leases(&self) {
        let Some(tenant) = &self.tenant else {
            return;
        };
        let sql = format!(
            "UPDATE lease SET expires_at = clock_timestamp() + {LEASE_INTERVAL} WHERE owner = $1"
        );
        let renewal = postgres_statement(&sql, vec![tenant.owner.as_str().into()]);
        let renewed = self.with_timeout(self.writer.execute_raw(renewal)).await;
        if let Err(error) = renewed {
            tracing::warn!(%error, "failed to renew the leases");
        }
    }

    /// Gives the leases back.
    pub(super) async fn release_leases(&self) {
        let Some(tenant) = &self.tenant else {
            return;
        };
        let release = postgres_statement(
            "DELETE FROM lease WHERE owner = $1",
            vec![tenant.owner.as_str().into()],
        );
        let released = self.with_timeout(self.writer.execute_raw(release)).await;
        if let Err(error) = released {
            tracing::warn!(%error, "failed to release the leases");
        }
    }

    /// The Myses whose leases others hold, by name.
    pub(super) async fn held_by_others(&self) -> Result<Vec<(MysisId, String)>, DbErr> {
        let Some(tenant) = &self.tenant else {
            return Ok(Vec::new());
        };
        let (is_others, whose) = match tenant.stay {
            Stay::Resident => ("owner IS DISTINCT FROM $1", &tenant.owner),
            Stay::Visitor => (
                "home <> $1 AND expires_at > clock_timestamp()",
                &tenant.home,
            ),
        };
        let sql = format!(
            "SELECT id, name FROM mysis LEFT JOIN lease ON mysis_id = id \
             WHERE {is_others} ORDER BY name"
        );
        let found = postgres_statement(&sql, vec![whose.as_str().into()]);
        let rows = self.readers.query_all_raw(found).await?;
        rows.iter()
            .map(|row| Ok((MysisId(row.try_get_by_index(0)?), row.try_get_by_index(1)?)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::domain::ids::{Incarnation, MissionId, Timestamp};
    use actors::domain::write::Author;

    fn set_back(tenant: &LeaseHolder, by: Duration) {
        let mut renewed = tenant.renewed.lock().unwrap();
        *renewed = renewed.checked_sub(by).unwrap();
    }

    #[test]
    fn leases_are_due_after_their_time_and_a_visitor_has_none() {
        let resident = LeaseHolder::of_home("home", Stay::Resident);
        assert_eq!(resident.check_interval(), Some(CHECK_INTERVAL));
        assert!(!resident.is_due());
        set_back(&resident, RENEWAL_INTERVAL);
        assert!(resident.is_due());
        assert!(!resident.is_due(), "the time begins anew");
        let visitor = LeaseHolder::of_home("home", Stay::Visitor);
        set_back(&visitor, RENEWAL_INTERVAL);
        assert_eq!((visitor.check_interval(), visitor.is_due()), (None, false));
    }

    #[test]
    fn two_processes_of_one_home_are_told_apart() {
        let [one, other] = [(); 2].map(|()| LeaseHolder::of_home("home", Stay::Resident));
        assert_eq!(one.home, other.home);
        assert_ne!(one.owner, other.owner);
    }

    #[test]
    fn a_statement_has_a_place_for_each_of_its_values() {
        let myses: BTreeSet<MysisId> = [7, 8, 9].map(MysisId).into();
        assert_eq!(id_placeholders(&myses), "$2, $3, $4");
        let values = with_ids("home", &myses);
        assert_eq!(
            values,
            ["home".into(), 7_i64.into(), 8_i64.into(), 9_i64.into()] as [Value; 4]
        );
    }

    #[test]
    fn whose_lease_a_write_needs_says_whom_it_is_about() {
        let mysis = MysisId(7);
        let about = |writes: Vec<Write>, stay: Stay| {
            let batch = Batch {
                author: Author::Commander,
                writes,
            };
            LeaseHolder::of_home("home", stay).leased_myses(&[&batch])
        };
        let called = || Write::Called { mysis };
        let fenced = || Write::Fence {
            mysis,
            incarnation: Incarnation(1),
        };
        for stay in [Stay::Resident, Stay::Visitor] {
            assert_eq!(about(vec![called()], stay), [mysis].into());
            let mission = MissionId(3);
            let ends = Write::ClearMission {
                mission,
                at: Timestamp(0),
            };
            assert_eq!(about(vec![ends], stay), BTreeSet::new());
        }
        assert_eq!(about(vec![fenced()], Stay::Resident), [mysis].into());
        assert_eq!(
            about(vec![fenced()], Stay::Visitor),
            BTreeSet::new(),
            "it reads"
        );
    }
}
