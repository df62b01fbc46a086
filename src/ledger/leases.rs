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
use sea_orm::prelude::Expr;
use sea_orm::sea_query::{ExprTrait, OnConflict, Query};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, Select, SelectExt,
};

use super::LedgerInner;
use super::entity::{lease, mysis};
use super::writer::Tx;

/// When a lease ends that is taken or renewed now.
const NEW_EXPIRY: &str = "clock_timestamp() + interval '30 seconds'";
/// Whether a lease has ended.
const IS_EXPIRED: &str = "lease.expires_at <= clock_timestamp()";
const EXPIRES_AT: &str = "expires_at";
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

    /// Whether one of these Myses is not ours; one that is gone is nobody's and harms nobody.
    async fn has_lost(&self, tx: &Tx, myses: &BTreeSet<MysisId>) -> Result<bool, DbErr> {
        let lost = self.select_not_owned();
        let lost = lost.filter(mysis::Column::Id.is_in(myses.iter().map(|mysis| mysis.0)));
        lost.exists(tx).await
    }

    /// The Myses whose leases are not this process'.
    fn select_not_owned(&self) -> Select<mysis::Entity> {
        let is_anothers = Condition::any()
            .add(lease::Column::Owner.is_null())
            .add(lease::Column::Owner.ne(&*self.owner));
        let myses = mysis::Entity::find().left_join(lease::Entity);
        myses.filter(is_anothers)
    }

    /// Whether others hold one of these Myses; what was left behind is nobody's from here on.
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
        let renewal = lease::Entity::update_many()
            .col_expr(EXPIRES_AT, Expr::cust(NEW_EXPIRY))
            .filter(lease::Column::Owner.eq(&*tenant.owner));
        let renewed = self.with_timeout(renewal.exec(&self.writer)).await;
        if let Err(error) = renewed {
            tracing::warn!(%error, "failed to renew the leases");
        }
    }

    /// Gives the leases back.
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

    /// The Myses whose leases others hold, by name.
    pub(super) async fn held_by_others(&self) -> Result<Vec<(MysisId, String)>, DbErr> {
        let Some(tenant) = &self.tenant else {
            return Ok(Vec::new());
        };
        let held = match tenant.stay {
            Stay::Resident => tenant.select_not_owned(),
            Stay::Visitor => mysis::Entity::find()
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
