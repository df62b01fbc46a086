//! The beginning of a transaction, with the locks that it needs here.

use sea_orm::DbErr;

use super::LedgerInner;
use super::write_lock::WriteLock;
use super::writer::Tx;

impl LedgerInner {
    /// Begins a transaction. A command holds no leases, so nobody else writes meanwhile.
    pub(super) async fn begin(&self, lock: WriteLock) -> Result<Tx, DbErr> {
        self.writer.begin(self.lock_here(lock)).await
    }

    /// Begins a transaction in which a file does not check foreign keys.
    pub(super) async fn begin_without_foreign_keys(&self, lock: WriteLock) -> Result<Tx, DbErr> {
        let lock = self.lock_here(lock);
        self.writer.begin_without_foreign_keys(lock).await
    }

    fn lock_here(&self, lock: WriteLock) -> WriteLock {
        match self.tenant.is_some() && self.resident().is_none() {
            true => WriteLock::All,
            false => lock,
        }
    }
}
