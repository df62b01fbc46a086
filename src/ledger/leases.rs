//! Leases: several processes may share a server's database, and each Mysis belongs to one of them.
//!
//! A process that runs Myses takes their leases when it opens the database, renews them during
//! maintenance and releases them at the end. It also takes leases that expired or that a process of
//! the same home left behind. Only the server's clock decides about expiry. Every write checks the
//! lease in its own transaction, and taking a lease waits for the same lock, so two processes never
//! write for one Mysis.
//!
//! A command is a process that runs no Myses. It takes no lease, sees the Myses that no process
//! holds, and may write for them. Its first write removes a lease that was left behind, so that a
//! process which comes back late notices.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use actors::domain::ids::MysisId;
use actors::domain::write::{Batch, Write};
use sea_orm::prelude::Expr;
use sea_orm::sea_query::{ExprTrait, OnConflict, Query};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, Select, SelectExt,
};

use super::LedgerInner;
use super::entity::{lease, mysis};
use super::writer::Tx;

/// The expiry of a lease that is taken or renewed now.
const NEW_EXPIRY: &str = "clock_timestamp() + interval '30 seconds'";
/// Whether a lease has expired.
const IS_EXPIRED: &str = "lease.expires_at <= clock_timestamp()";
const EXPIRES_AT: &str = "expires_at";
/// How often leases are renewed.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(10);
/// How often it is checked whether a renewal is due.
pub(super) const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Why a process opens the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessKind {
    /// To run Myses. It holds the leases of all Myses that no other process holds.
    Resident,
    /// To carry out one command. It holds no leases.
    Command,
}

/// A process as the holder of leases in one database.
pub(super) struct LeaseHolder {
    home: String,
    owner: String,
    process_kind: ProcessKind,
    renewed: Mutex<Instant>,
}

impl LeaseHolder {
    /// The one process that runs in a home.
    pub(super) fn of_home(home: &str, process_kind: ProcessKind) -> LeaseHolder {
        LeaseHolder {
            home: home.to_string(),
            owner: uuid::Uuid::new_v4().to_string(),
            process_kind,
            renewed: Mutex::new(Instant::now()),
        }
    }

    /// How often it is checked whether a renewal is due; `None` without leases.
    pub(super) fn check_interval(&self) -> Option<Duration> {
        match self.process_kind {
            ProcessKind::Resident => Some(CHECK_INTERVAL),
            ProcessKind::Command => None,
        }
    }

    /// Whether a renewal is due. If so, the next interval begins.
    pub(super) fn is_due(&self) -> bool {
        if self.process_kind == ProcessKind::Command {
            return false;
        }
        let mut renewed = self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = renewed.elapsed() >= RENEWAL_INTERVAL;
        if is_due {
            *renewed = Instant::now();
        }
        is_due
    }

    /// Takes the leases that no process holds or that this home left behind, for one Mysis or for
    /// all.
    pub(super) async fn take(&self, tx: &Tx, mysis: Option<MysisId>) -> Result<(), DbErr> {
        if self.process_kind == ProcessKind::Command {
            return Ok(());
        }
        let myses = mysis::Entity::find()
            .select_only()
            .column(mysis::Column::Id)
            .expr(Expr::value(&*self.home))
            .expr(Expr::value(&*self.owner))
            .expr(Expr::cust(NEW_EXPIRY))
            .apply_if(mysis, |myses, mysis| {
                myses.filter(mysis::Column::Id.eq(mysis.0))
            });
        let left_behind = Condition::any()
            .add(Expr::cust("lease.home = excluded.home"))
            .add(Expr::cust(IS_EXPIRED));
        let mut taking = Query::insert();
        taking
            .into_table(lease::Entity)
            .columns(["mysis_id", "home", "owner", EXPIRES_AT])
            .select_from(myses.into_query())
            .map_err(|error| DbErr::Custom(error.to_string()))?
            .on_conflict(
                OnConflict::column("mysis_id")
                    .update_columns(["home", "owner", EXPIRES_AT])
                    .action_cond_where(left_behind)
                    .to_owned(),
            );
        tx.execute(&taking).await.map(|_| ())
    }

    /// Whether one of these Myses is not ours. A deleted one does not count.
    async fn has_lost(&self, tx: &Tx, myses: &BTreeSet<MysisId>) -> Result<bool, DbErr> {
        let lost = self.select_not_owned();
        let lost = lost.filter(mysis::Column::Id.is_in(myses.iter().map(|mysis| mysis.0)));
        lost.exists(tx).await
    }

    fn select_not_owned(&self) -> Select<mysis::Entity> {
        let is_anothers = Condition::any()
            .add(lease::Column::Owner.is_null())
            .add(lease::Column::Owner.ne(&*self.owner));
        let myses = mysis::Entity::find().left_join(lease::Entity);
        myses.filter(is_anothers)
    }

    /// Whether other processes hold one of these Myses. Removes leases that were left behind.
    async fn are_held(&self, tx: &Tx, myses: &BTreeSet<MysisId>) -> Result<bool, DbErr> {
        let is_of_these = || lease::Column::MysisId.is_in(myses.iter().map(|mysis| mysis.0));
        let left_behind = Condition::any()
            .add(lease::Column::Home.eq(&*self.home))
            .add(Expr::cust(IS_EXPIRED));
        lease::Entity::delete_many()
            .filter(left_behind)
            .filter(is_of_these())
            .exec(tx)
            .await?;
        let held = lease::Entity::find()
            .filter(lease::Column::Home.ne(&*self.home))
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
            ProcessKind::Resident if self.has_lost(tx, &myses).await? => {
                "another zoea process runs this mysis now: this one held its lease for too long \
                 without renewing it"
            }
            ProcessKind::Command if self.are_held(tx, &myses).await? => {
                "another zoea process runs this mysis now: give the command in that one's home"
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
            .filter_map(mysis_of_write)
            .collect()
    }
}

/// The Mysis whose lease a write needs.
pub(super) fn mysis_of_write(write: &Write) -> Option<MysisId> {
    match write {
        Write::Configure { mysis, .. }
        | Write::Delete { mysis }
        | Write::Fence { mysis, .. }
        | Write::State { mysis, .. }
        | Write::Called { mysis }
        | Write::Append { mysis, .. }
        | Write::CallSent { mysis, .. }
        | Write::CallTask { mysis, .. }
        | Write::Totals { mysis, .. }
        | Write::ClearNotes { mysis, .. }
        | Write::SaveSnapshot { mysis, .. }
        | Write::Stale { mysis, .. }
        | Write::ForgetSnapshots { mysis, .. }
        | Write::SaveAccount { mysis, .. }
        | Write::KeepSession { mysis, .. }
        | Write::Samples { mysis, .. }
        | Write::Watched { mysis, .. }
        | Write::Routines { mysis, .. } => Some(*mysis),
        // The lease of a new Mysis is taken when it is created.
        Write::Create(_)
        | Write::Mission(_)
        | Write::ClearMission { .. }
        | Write::Event(_)
        | Write::PoolAccount { .. } => None,
    }
}

impl LedgerInner {
    /// Takes all available leases when the database is opened.
    pub(super) async fn take_leases(&self) -> Result<(), DbErr> {
        let holds = |tenant: &&LeaseHolder| tenant.process_kind == ProcessKind::Resident;
        let Some(tenant) = self.tenant.as_ref().filter(holds) else {
            return Ok(());
        };
        let tx = self.writer.begin().await?;
        tenant.take(&tx, None).await?;
        tx.commit().await
    }

    /// Renews the leases. An expired lease stays ours until another process takes it.
    pub(super) async fn renew_leases(&self) {
        let Some(tenant) = &self.tenant else {
            return;
        };
        let renewal = lease::Entity::update_many()
            .col_expr(EXPIRES_AT, Expr::cust(NEW_EXPIRY))
            .filter(lease::Column::Owner.eq(&*tenant.owner));
        let renewed = self.with_timeout(renewal.exec(&self.writer)).await;
        if let Err(error) = renewed {
            tracing::warn!(%error, "failed to renew the leases");
        }
    }

    /// Releases the leases.
    pub(super) async fn release_leases(&self) {
        let Some(tenant) = &self.tenant else {
            return;
        };
        let release = lease::Entity::delete_many();
        let release = release.filter(lease::Column::Owner.eq(&*tenant.owner));
        let released = self.with_timeout(release.exec(&self.writer)).await;
        if let Err(error) = released {
            tracing::warn!(%error, "failed to release the leases");
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
                .filter(lease::Column::Home.ne(&*tenant.home))
                .filter(Expr::cust(IS_EXPIRED).not()),
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

    fn set_back(tenant: &LeaseHolder, by: Duration) {
        let mut renewed = tenant.renewed.lock().unwrap();
        *renewed = renewed.checked_sub(by).unwrap();
    }

    #[test]
    fn leases_are_due_after_their_time_and_a_command_has_none() {
        let resident = LeaseHolder::of_home("home", ProcessKind::Resident);
        assert_eq!(resident.check_interval(), Some(CHECK_INTERVAL));
        assert!(!resident.is_due());
        set_back(&resident, RENEWAL_INTERVAL);
        assert!(resident.is_due());
        assert!(!resident.is_due(), "the time begins anew");
        let command_process = LeaseHolder::of_home("home", ProcessKind::Command);
        set_back(&command_process, RENEWAL_INTERVAL);
        assert_eq!(
            (command_process.check_interval(), command_process.is_due()),
            (None, false)
        );
    }

    #[test]
    fn two_processes_of_one_home_are_told_apart() {
        let [one, other] = [(); 2].map(|()| LeaseHolder::of_home("home", ProcessKind::Resident));
        assert_eq!(one.home, other.home);
        assert_ne!(one.owner, other.owner);
    }

    #[test]
    fn whose_lease_a_write_needs_says_whom_it_is_about() {
        let mysis = MysisId(7);
        let about = |writes: Vec<Write>, process_kind: ProcessKind| {
            let batch = Batch {
                author: Author::Commander,
                writes,
            };
            LeaseHolder::of_home("home", process_kind).leased_myses(&[&batch])
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
