//! The beginning of a transaction, with the locks that it needs here.

use actors::domain::ids::MysisId;
use sea_orm::DbErr;

use super::LedgerInner;
use super::write_lock::WriteLock;
use super::writer::Tx;

impl LedgerInner {
    /// Begins a transaction. A command holds no leases, so nobody else writes meanwhile.
    pub(super) async fn begin(&self, lock: WriteLock) -> Result<Tx, DbErr> {
        self.writer.begin(self.lock_here(lock)).await
    }

    /// Begins a transaction that writes for a Mysis, unless another process holds it.
    pub(super) async fn begin_for(&self, mysis: MysisId, lock: WriteLock) -> Result<Tx, DbErr> {
        let tx = self.begin(lock).await?;
        self.check_lease(&tx, mysis).await?;
        Ok(tx)
    }

    /// The same, in which a file does not check foreign keys.
    pub(super) async fn begin_without_foreign_keys(&self, mysis: MysisId) -> Result<Tx, DbErr> {
        let lock = self.lock_here(WriteLock::Own);
        let tx = self.writer.begin_without_foreign_keys(lock).await?;
        self.check_lease(&tx, mysis).await?;
        Ok(tx)
    }

    async fn check_lease(&self, tx: &Tx, mysis: MysisId) -> Result<(), DbErr> {
        match &self.tenant {
            Some(tenant) => tenant.check_leases(tx, [mysis].into()).await,
            None => Ok(()),
        }
    }

    fn lock_here(&self, lock: WriteLock) -> WriteLock {
        match self.tenant.is_some() && self.resident().is_none() {
            true => WriteLock::All,
            false => lock,
        }
    }
}
