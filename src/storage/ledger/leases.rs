//! Leases: several processes may share a server's database, and each Mysis belongs to one of them.
//!
//! A process that runs Myses takes leases when it opens the database, renews them while it runs
//! (`fleet`) and releases them at the end. Only the server's clock decides about expiry. Every write
//! checks the lease in its own transaction, and taking a lease waits until all of these have ended
//! (`write_lock`), so two processes never write for one Mysis.
//!
//! A command is a process that runs no Myses. It takes no lease, sees the Myses that no process
//! holds, and may write for them. Its first write removes a lease that was left behind, so that a
//! process which comes back late notices.

use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeSet;

use actors::domain::held_myses::HeldMyses;
use actors::domain::ids::{Moment, MysisId};
use actors::domain::write::{Batch, Write};
use actors::ports::ArchiveFault;
use sea_orm::prelude::Expr;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Select, SelectExt, Statement,
};
use tokio::time::Instant;

use super::entity::{lease, mysis};
use super::fault::LEASE_LOST;
use super::fault::archive_fault;
use super::server::on_server;
use super::write_lock::WriteLock;
use super::writer::{DatabaseWriter, Tx};
use super::{LedgerInner, ServerAddress, SqlLedger};

const IS_EXPIRED: &str = "lease.expires_at <= clock_timestamp()";

/// Whether its process is not frozen.
const NOT_FROZEN: &str =
    "NOT EXISTS (SELECT FROM process WHERE process.owner = lease.owner AND process.is_frozen)";

/// Takes leases when the database is opened: those of processes of this home that are known to be gone, what
/// an earlier process of this home let expire, and, where no other process lives, all that no process holds.
/// What a frozen process of another home holds stays where it is.
const TAKE_AT_START: &str = "\
    WITH gone AS (SELECT json_array_elements_text($3::json) AS owner) \
    INSERT INTO lease (mysis_id, home, owner, expires_at) \
    SELECT mysis.id, $1, $2, clock_timestamp() + interval '30 seconds' FROM mysis \
    LEFT JOIN lease ON lease.mysis_id = mysis.id LEFT JOIN process ON process.owner = lease.owner \
    WHERE lease.owner IN (SELECT owner FROM gone) \
        OR (lease.home = $1 AND lease.expires_at <= clock_timestamp()) \
        OR (process.is_frozen IS NOT TRUE \
            AND (lease.mysis_id IS NULL OR lease.expires_at <= clock_timestamp()) \
            AND NOT EXISTS (SELECT FROM process AS other \
                WHERE other.home <> $1 AND other.owner NOT IN (SELECT owner FROM gone) \
                AND other.expires_at > clock_timestamp())) \
    ON CONFLICT (mysis_id) DO UPDATE \
    SET home = excluded.home, owner = excluded.owner, expires_at = excluded.expires_at \
    WHERE lease.owner IN (SELECT owner FROM gone) OR lease.expires_at <= clock_timestamp()";

/// Takes the place of the frozen process of this home that is gone, so that its Myses stay where they are if
/// this one ends before it has said anything of itself.
const STAY_FROZEN: &str = "\
    WITH gone AS (SELECT json_array_elements_text($3::json) AS owner) \
    UPDATE process SET home = $1, owner = $2, is_draining = FALSE, left_at = NULL, \
    started_at = clock_timestamp() WHERE owner = (SELECT owner FROM process \
        WHERE is_frozen AND (owner IN (SELECT owner FROM gone) \
            OR (home = $1 AND expires_at <= clock_timestamp())) \
        ORDER BY expires_at DESC LIMIT 1)";

/// Forgets earlier processes of this home, and those that are gone for a day. A frozen one is the
/// reason why its Myses stay where they are.
const FORGET_GONE: &str = "\
    WITH gone AS (SELECT json_array_elements_text($3::json) AS owner) \
    DELETE FROM process WHERE (owner <> $2 AND (owner IN (SELECT owner FROM gone) \
        OR (home = $1 AND expires_at <= clock_timestamp() \
            AND NOT EXISTS (SELECT FROM lease WHERE lease.owner = process.owner)))) \
    OR (NOT is_frozen AND expires_at < clock_timestamp() - interval '1 day')";

/// Forgets orders that were done a day ago, and whose giver did not ask for the answer.
const FORGET_ORDERS: &str =
    "DELETE FROM fleet_order WHERE done_at < clock_timestamp() - interval '1 day'";

const TAKE_NEW: &str = "\
    INSERT INTO lease (mysis_id, home, owner, expires_at) \
    SELECT id, $1, $2, clock_timestamp() + interval '30 seconds' FROM mysis WHERE id = $3 \
    ON CONFLICT (mysis_id) DO UPDATE \
    SET home = excluded.home, owner = excluded.owner, expires_at = excluded.expires_at \
    WHERE lease.owner = excluded.owner OR lease.expires_at <= clock_timestamp()";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessKind {
    /// To run Myses. It holds the leases of all Myses that no other process holds.
    Resident,
    /// To carry out one command. It holds no leases.
    Command,
}

/// A process of a home, as the other processes of a database know it.
#[derive(Clone, Debug)]
pub struct HomeClaim {
    home: String,
    owner: String,
    gone: Vec<String>,
}

impl HomeClaim {
    /// A new process of the home with this name. Of earlier ones these are known to be gone.
    pub fn new(home: &str, gone: &[String]) -> HomeClaim {
        HomeClaim {
            home: home.to_string(),
            owner: uuid::Uuid::new_v4().to_string(),
            gone: gone.to_vec(),
        }
    }

    pub fn owner(&self) -> &str {
        &self.owner
    }
}

pub(super) struct LeaseHolder {
    pub(super) home: String,
    pub(super) owner: String,
    /// Owners that ran in this home and are known to be gone.
    pub(super) gone: Vec<String>,
    pub(super) process_kind: ProcessKind,
    held: Mutex<HeldMyses>,
    began: Instant,
    /// Connections for leases and for limits, so that a slow commit delays no renewal.
    pub(super) writer: DatabaseWriter,
    pub(super) limits_writer: DatabaseWriter,
}

impl LeaseHolder {
    pub(super) fn of_home(
        claim: HomeClaim,
        process_kind: ProcessKind,
        address: &ServerAddress,
    ) -> LeaseHolder {
        LeaseHolder {
            home: claim.home,
            owner: claim.owner,
            gone: claim.gone,
            process_kind,
            held: Mutex::default(),
            began: Instant::now(),
            writer: DatabaseWriter::Server(address.writer_pool()),
            limits_writer: DatabaseWriter::Server(address.writer_pool()),
        }
    }

    pub(super) fn held(&self) -> MutexGuard<'_, HeldMyses> {
        self.held.lock()
    }

    pub(super) fn moment(&self) -> Moment {
        Moment::default().plus(self.began.elapsed())
    }

    /// Until when no other process takes what is held here; `None` where something is lost.
    pub(super) fn safe_until(&self) -> Option<Instant> {
        let until = self.held().safe_until();
        until.map(|until| self.began + until.since(Moment::default()))
    }

    pub(super) async fn take_new(&self, tx: &Tx, mysis: MysisId) -> Result<(), DbErr> {
        if self.process_kind == ProcessKind::Command {
            return Ok(());
        }
        tx.execute_raw(self.statement(TAKE_NEW, [mysis.0.into()]))
            .await
            .map(|_| ())
    }

    /// A statement whose first two values are the home and the owner.
    pub(super) fn statement(
        &self,
        sql: &'static str,
        more: impl IntoIterator<Item = sea_orm::Value>,
    ) -> Statement {
        let values = [self.home.as_str().into(), self.owner.as_str().into()];
        on_server(sql, values.into_iter().chain(more))
    }

    pub(super) fn gone(&self) -> sea_orm::Value {
        serde_json::Value::from_iter(self.gone.iter().map(String::as_str))
            .to_string()
            .into()
    }

    /// Leases that keep a command of this home from nothing: those of processes that are known to be gone, and
    /// expired ones. What a frozen process let expire stays with its home.
    fn left_behind(&self) -> Condition {
        let returns_here = lease::Column::Home.eq(&*self.home);
        let is_free = Condition::any()
            .add(returns_here)
            .add(Expr::cust(NOT_FROZEN));
        let is_free = Condition::all().add(Expr::cust(IS_EXPIRED)).add(is_free);
        Condition::any()
            .add(lease::Column::Owner.is_in(self.gone.iter().map(String::as_str)))
            .add(is_free)
    }

    /// Whether one of these Myses is not ours. A deleted one does not count.
    async fn has_lost(&self, tx: &Tx, myses: &BTreeSet<MysisId>) -> Result<bool, DbErr> {
        let lost = self.select_not_owned();
        let lost = lost.filter(mysis::Column::Id.is_in(myses.iter().map(|mysis| mysis.0)));
        lost.exists(tx).await
    }

    /// The Myses whose leases are ours.
    pub(super) async fn owned(
        &self,
        connection: &impl ConnectionTrait,
    ) -> Result<BTreeSet<MysisId>, DbErr> {
        let ours: Vec<i64> = lease::Entity::find()
            .select_only()
            .column(lease::Column::MysisId)
            .filter(lease::Column::Owner.eq(&*self.owner))
            .into_tuple()
            .all(connection)
            .await?;
        Ok(ours.into_iter().map(MysisId).collect())
    }

    fn select_not_owned(&self) -> Select<mysis::Entity> {
        let is_anothers = Condition::any()
            .add(lease::Column::Owner.is_null())
            .add(lease::Column::Owner.ne(&*self.owner));
        let myses = mysis::Entity::find().left_join(lease::Entity);
        myses.filter(is_anothers)
    }

    /// Whether other processes hold one of these Myses. Removes leases that were left behind, but not those of
    /// frozen processes, which are the reason why nobody else takes their Myses.
    async fn are_held(&self, tx: &Tx, myses: &BTreeSet<MysisId>) -> Result<bool, DbErr> {
        let is_of_these = || lease::Column::MysisId.is_in(myses.iter().map(|mysis| mysis.0));
        lease::Entity::delete_many()
            .filter(self.left_behind())
            .filter(Expr::cust(NOT_FROZEN))
            .filter(is_of_these())
            .exec(tx)
            .await?;
        let held = lease::Entity::find()
            .filter(self.left_behind().not())
            .filter(is_of_these());
        held.exists(tx).await
    }

    /// Refuses writes for Myses that are not ours.
    pub(super) async fn check_leases(
        &self,
        tx: &Tx,
        myses: BTreeSet<MysisId>,
    ) -> Result<(), DbErr> {
        if myses.is_empty() {
            return Ok(());
        }
        let why = match self.process_kind {
            ProcessKind::Resident if self.has_lost(tx, &myses).await? => LEASE_LOST,
            ProcessKind::Command if self.are_held(tx, &myses).await? => {
                "another zoea process runs this mysis now: give the command in that one's home; if that \
                 process is gone, give it again in 30 seconds"
            }
            ProcessKind::Resident | ProcessKind::Command => return Ok(()),
        };
        Err(DbErr::Custom(why.to_string()))
    }

    /// The Myses whose leases a group of writes needs. A fence of a command needs none: the command
    /// only reads, and reading must not remove a lease.
    pub(super) fn leased_myses(&self, batches: &[&Batch]) -> BTreeSet<MysisId> {
        let writes = batches.iter().flat_map(|batch| &batch.writes);
        let is_reading = |write: &&Write| {
            self.process_kind == ProcessKind::Command && matches!(write, Write::Fence { .. })
        };
        writes
            .filter(|write| !is_reading(write))
            .filter_map(Write::leased_mysis)
            .collect()
    }
}

impl SqlLedger {
    /// The names of Myses that other processes on the same database hold. They do not belong to
    /// this swarm.
    pub async fn names_held_by_others(&self) -> Result<Vec<String>, ArchiveFault> {
        let others = self.inner.held_by_others().await;
        let others = others.map_err(archive_fault)?;
        Ok(others.into_iter().map(|(_, name)| name).collect())
    }
}

impl LedgerInner {
    /// This process as a holder of leases, if it runs Myses of a database that others may share.
    pub(super) fn resident(&self) -> Option<&LeaseHolder> {
        let tenant = self.tenant.as_ref();
        tenant.filter(|tenant| tenant.process_kind == ProcessKind::Resident)
    }

    pub(super) async fn take_leases(&self) -> Result<(), DbErr> {
        let Some(tenant) = self.resident() else {
            return Ok(());
        };
        let tx = self.begin(WriteLock::All).await?;
        for statement in [TAKE_AT_START, STAY_FROZEN, FORGET_GONE] {
            tx.execute_raw(tenant.statement(statement, [tenant.gone()]))
                .await?;
        }
        tx.execute_unprepared(FORGET_ORDERS).await?;
        let ours = tenant.owned(&tx).await?;
        tx.commit().await?;
        tenant.held().begin(ours);
        Ok(())
    }

    /// Notes the leases that came with new Myses and went with deleted ones.
    pub(super) fn note_leases(&self, batches: &[&Batch]) {
        let Some(tenant) = self.resident() else {
            return;
        };
        for write in batches.iter().flat_map(|batch| &batch.writes) {
            if let Write::Create(new) = write {
                tenant.held().add(new.id);
            } else if let Write::Delete { mysis } = write {
                tenant.held().forget(&[*mysis]);
            }
        }
    }

    /// The Myses whose leases other processes hold, with their names.
    pub(super) async fn held_by_others(&self) -> Result<Vec<(MysisId, String)>, DbErr> {
        let Some(tenant) = &self.tenant else {
            return Ok(Vec::new());
        };
        let held = match tenant.process_kind {
            ProcessKind::Resident => tenant.select_not_owned(),
            ProcessKind::Command => mysis::Entity::find()
                .inner_join(lease::Entity)
                .filter(tenant.left_behind().not()),
        };
        let held: Vec<(i64, String)> = held
            .select_only()
            .columns([mysis::Column::Id, mysis::Column::Name])
            .order_by_asc(mysis::Column::Name)
            .into_tuple()
            .all(&self.readers)
            .await?;
        let held = held.into_iter().map(|(id, name)| (MysisId(id), name));
        Ok(held.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::domain::ids::{Incarnation, MissionId, Timestamp};
    use actors::domain::write::Author;

    fn holder(process_kind: ProcessKind) -> LeaseHolder {
        let address = ServerAddress::parse("postgres://zoea@localhost/zoea").unwrap();
        LeaseHolder::of_home("home".into(), process_kind, &address)
    }

    #[tokio::test]
    async fn two_processes_of_one_home_are_told_apart() {
        let [one, other] = [(); 2].map(|()| holder(ProcessKind::Resident));
        assert_eq!(one.home, other.home);
        assert_ne!(one.owner, other.owner);
    }

    #[tokio::test]
    async fn whose_lease_a_write_needs_says_whom_it_is_about() {
        let mysis = MysisId(7);
        let about = |writes: Vec<Write>, process_kind: ProcessKind| {
            let batch = Batch {
                author: Author::Commander,
                writes,
            };
            holder(process_kind).leased_myses(&[&batch])
        };
        let called = || Write::Called { mysis };
        let fenced = || Write::Fence {
            mysis,
            incarnation: Incarnation(1),
        };
        for process_kind in [ProcessKind::Resident, ProcessKind::Command] {
            assert_eq!(about(vec![called()], process_kind), [mysis].into());
            let mission = MissionId(3);
            let ends = Write::ClearMission {
                mission,
                at: Timestamp(0),
            };
            assert_eq!(about(vec![ends], process_kind), BTreeSet::new());
        }
        assert_eq!(about(vec![fenced()], ProcessKind::Resident), [mysis].into());
        assert_eq!(
            about(vec![fenced()], ProcessKind::Command),
            BTreeSet::new(),
            "it reads"
        );
    }
}
