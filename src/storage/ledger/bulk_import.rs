//! Bulk imports, which are one transaction, and the queries of exports other than conversations.

mod kept_books;

use std::collections::BTreeSet;

use actors::domain::ids::{MysisId, Seq, Timestamp};
use actors::domain::record::{Mission, MysisRecord, PoolAccount};
use actors::domain::write::Write;
use actors::ports::{ArchiveFault, LedgerFault, MysisNames};
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::prelude::Expr;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use tokio::sync::Mutex;

use super::accounts::account_of;
use super::archive::mission_from_model;
use super::dialect::Dialect;
use super::entity::{account, message, mission, mysis, removed};
use super::fault::archive_fault;
use super::members::{names_of, read_records};
use super::removals::note_removal;
use super::write_lock::WriteLock;
use super::writer::Tx;
use super::{SqlLedger, server};

use kept_books::KeptBooks;

/// The missions of one query. A single one may have a megabyte.
const MISSIONS_AT_ONCE: u64 = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredMission {
    pub(crate) mission: Mission,
    /// When it was cleared; `None` if it was not.
    pub(crate) cleared_at: Option<Timestamp>,
}

/// An import. It takes effect as a whole with `commit`, and not at all if it is dropped before.
pub(crate) struct BulkImport {
    tx: Tx,
    ledger: SqlLedger,
    /// The Myses that no other process holds. None can take one over before the commit.
    free: Mutex<BTreeSet<MysisId>>,
    /// The Myses that it creates, whose leases come with them.
    created: Mutex<BTreeSet<MysisId>>,
    /// The books of Myses that were here before and were deleted. They hold what their rows would enter again.
    books: Mutex<Vec<KeptBooks>>,
}

impl SqlLedger {
    /// Begins an import. No other write is possible meanwhile.
    pub(crate) async fn bulk_import(&self) -> Result<BulkImport, LedgerFault> {
        let inner = &self.inner;
        let begun = async {
            let tx = inner.begin(WriteLock::All).await?;
            if inner.dialect == Dialect::Postgres {
                server::extend_idle_timeout(&tx).await?;
            }
            Ok(tx)
        };
        let tx = begun
            .await
            .map_err(|error: DbErr| inner.to_ledger_fault(&error))?;
        Ok(BulkImport {
            tx,
            ledger: self.clone(),
            free: Mutex::default(),
            created: Mutex::default(),
            books: Mutex::default(),
        })
    }

    /// The missions after the first `after` ones, oldest first. If a Mysis is named, only those
    /// that it was given. An empty page is the last one.
    pub(crate) async fn missions(
        &self,
        of: Option<MysisId>,
        behind: usize,
    ) -> Result<Vec<StoredMission>, ArchiveFault> {
        let readers = &self.inner.readers;
        let read = async {
            let mut missions = mission::Entity::find().order_by_asc(mission::Column::Number);
            if let Some(mysis) = of {
                let given: BTreeSet<Option<i64>> = message::Entity::find()
                    .filter(message::Column::MysisId.eq(mysis.0))
                    .filter(message::Column::Kind.eq("mission"))
                    .select_only()
                    .column(message::Column::MissionId)
                    .into_tuple()
                    .all(readers)
                    .await?
                    .into_iter()
                    .collect();
                missions = missions.filter(mission::Column::Id.is_in(given.into_iter().flatten()));
            }
            let missions = missions.offset(behind as u64).limit(MISSIONS_AT_ONCE);
            missions.all(readers).await
        };
        let missions = read.await.map_err(archive_fault)?;
        Ok(missions.into_iter().map(stored).collect())
    }

    /// The row up to which the notes of a Mysis are cleared.
    pub(crate) async fn notes_after(&self, mysis: MysisId) -> Result<Seq, ArchiveFault> {
        let after = self.inner.readers.notes_after(mysis).await;
        after.map(Seq).map_err(archive_fault)
    }
}

fn stored(model: mission::Model) -> StoredMission {
    StoredMission {
        cleared_at: model.cleared_at.map(Timestamp),
        mission: mission_from_model(model),
    }
}

impl BulkImport {
    /// The ids and names of all Myses.
    pub(crate) async fn myses(&self) -> Result<MysisNames, LedgerFault> {
        let names = names_of(&self.tx).await;
        names.map_err(|error| self.fault(&error))
    }

    /// A Mysis as it is stored now; `None` if it is not.
    pub(super) async fn record(&self, mysis: MysisId) -> Result<Option<MysisRecord>, LedgerFault> {
        let myses = mysis::Entity::find_by_id(mysis.0);
        let accounts = account::Column::AssignedTo.eq(mysis.0);
        let accounts = account::Entity::find().filter(accounts);
        let found = read_records(&self.tx, myses, accounts).await;
        let (found, _) = found.map_err(|error| self.fault(&error))?;
        Ok(found.into_iter().next())
    }

    /// Applies a write as the Store would.
    ///
    /// # Errors
    /// The write contradicts what is stored, or the database fails.
    pub(crate) async fn write(&self, write: &Write) -> Result<(), LedgerFault> {
        let written = async {
            self.check(write).await?;
            self.ledger.inner.apply_write(&self.tx, write).await
        };
        written.await.map_err(|error| self.fault(&error))?;
        if let Write::Create(new) = write {
            self.created.lock().await.insert(new.id);
        }
        Ok(())
    }

    pub(super) fn transaction(&self) -> &Tx {
        &self.tx
    }

    /// Refuses a write if another process runs the Mysis.
    pub(super) async fn check(&self, write: &Write) -> Result<(), DbErr> {
        let (Some(tenant), Some(mysis)) = (&self.ledger.inner.tenant, write.leased_mysis()) else {
            return Ok(());
        };
        let mut free = self.free.lock().await;
        if free.insert(mysis) {
            tenant.check_leases(&self.tx, [mysis].into()).await?;
        }
        Ok(())
    }

    /// Imports missions, oldest first. Those that exist stay as they are. Returns the number of new
    /// ones. Missions of this home remain the newer ones.
    pub(crate) async fn missions(&self, missions: &[StoredMission]) -> Result<usize, LedgerFault> {
        self.put_missions(missions)
            .await
            .map_err(|error| self.fault(&error))
    }

    async fn put_missions(&self, missions: &[StoredMission]) -> Result<usize, DbErr> {
        let known: BTreeSet<i64> = mission::Entity::find()
            .select_only()
            .column(mission::Column::Id)
            .into_tuple()
            .all(&self.tx)
            .await?
            .into_iter()
            .collect();
        let oldest: Option<i64> = mission::Entity::find()
            .order_by_asc(mission::Column::Number)
            .select_only()
            .column(mission::Column::Number)
            .into_tuple()
            .one(&self.tx)
            .await?;
        let new: Vec<&StoredMission> = missions
            .iter()
            .filter(|stored| !known.contains(&stored.mission.id.0))
            .collect();
        let count = i64::try_from(new.len()).unwrap_or(i64::MAX);
        let first = oldest.map(|oldest| oldest - count);
        for (place, stored) in (0..).zip(&new) {
            let model = mission::ActiveModel {
                number: first.map_or(NotSet, |first| Set(first + place)),
                id: Set(stored.mission.id.0),
                content: Set(stored.mission.text.to_string()),
                at: Set(stored.mission.at.0),
                cleared_at: Set(stored.cleared_at.map(|at| at.0)),
            };
            mission::Entity::insert(model)
                .exec_without_returning(&self.tx)
                .await?;
        }
        Ok(new.len())
    }

    /// Imports a game account, unless its name is known or its owner has an account.
    pub(crate) async fn account(
        &self,
        pooled: &PoolAccount,
        at: Timestamp,
    ) -> Result<bool, LedgerFault> {
        let is_known = account::Entity::find_by_id(pooled.account.username.to_string())
            .one(&self.tx)
            .await
            .map_err(|error| self.fault(&error))?
            .is_some();
        if is_known {
            return Ok(false);
        }
        let has_one = match pooled.owner {
            None => false,
            Some(owner) => account_of(&self.tx, owner)
                .await
                .map_err(|error| self.fault(&error))?
                .is_some(),
        };
        let mut account = pooled.clone();
        if has_one {
            account.owner = None;
        }
        self.write(&Write::PoolAccount { account, at }).await?;
        Ok(true)
    }

    /// Gives a Mysis its game account back, if nobody has it.
    pub(super) async fn give_back(
        &self,
        username: &str,
        mysis: MysisId,
    ) -> Result<(), LedgerFault> {
        let given = account::Entity::update_many()
            .col_expr(account::Column::AssignedTo, Expr::value(mysis.0))
            .filter(account::Column::Username.eq(username))
            .filter(account::Column::AssignedTo.is_null())
            .exec(&self.tx);
        given.await.map_err(|error| self.fault(&error))?;
        Ok(())
    }

    /// Notes rows that retention removed before the source was written.
    pub(super) async fn note_removal(&self, removed: removed::Model) -> Result<(), LedgerFault> {
        let noted = note_removal(&self.tx, removed).await;
        noted.map_err(|error| self.fault(&error))
    }

    pub(super) fn fault(&self, error: &DbErr) -> LedgerFault {
        self.ledger.inner.to_ledger_fault(error)
    }

    /// Commits the import, then updates the search index, whose failure is none of the import.
    ///
    /// # Errors
    /// The database failed. All or nothing of the import is stored, and repeating it is safe.
    pub(crate) async fn commit(self) -> Result<(), LedgerFault> {
        let restored = self.restore_books().await;
        restored.map_err(|error| self.fault(&error))?;
        let inner = &self.ledger.inner;
        let tenant = inner.resident();
        let created = self.created.into_inner();
        if let Some(tenant) = tenant {
            // Whether a commit without an answer happened is seen at the next renewal.
            tenant.held().doubt(&created);
        }
        let committed = self.tx.commit().await;
        if let Some(tenant) = tenant.filter(|_| committed.is_ok()) {
            created.iter().for_each(|mysis| tenant.held().add(*mysis));
        }
        committed.map_err(|error| inner.to_ledger_fault(&error))?;
        inner.update_index().await;
        while inner.is_index_due() {
            inner.update_index().await;
        }
        Ok(())
    }
}
