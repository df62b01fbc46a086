//! Compaction: returns the space of removed rows, even while a swarm runs.

use actors::ports::ArchiveFault;
use sea_orm::{ConnectionTrait, DbErr};

use super::connection::read_number;
use super::dialect::Dialect;
use super::fault::archive_fault;
use super::{LedgerInner, SqlLedger};

/// The pages that one step returns. The next commit waits for a step to end.
const STEP_PAGES: i64 = 256;

/// The size of the database before and after a compaction, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactionResult {
    pub before: u64,
    pub after: u64,
}

/// Tells the check of the file's place that the file may become shorter, until it is dropped.
struct CompactionGuard<'a> {
    inner: &'a LedgerInner,
    /// The bytes of the pages after the compaction, once they are known.
    after: Option<u64>,
}

impl<'a> CompactionGuard<'a> {
    fn begin(inner: &'a LedgerInner) -> CompactionGuard<'a> {
        if let Some(place) = &inner.place {
            place.begin_compaction();
        }
        CompactionGuard { inner, after: None }
    }

    /// Carries the log into the file, and returns the bytes of its pages.
    async fn finish(mut self) -> Result<u64, DbErr> {
        self.inner.checkpoint_log().await?;
        let after = self.inner.database_bytes().await?;
        self.after = Some(after);
        Ok(after)
    }
}

impl Drop for CompactionGuard<'_> {
    fn drop(&mut self) {
        if let Some(place) = &self.inner.place {
            place.end_compaction(self.after);
        }
    }
}

impl SqlLedger {
    /// Returns free space in small steps, between which the Store commits. On a server, runs its
    /// own `VACUUM`.
    ///
    /// # Errors
    /// The database cannot be written, or an older version made it, so that it can only be
    /// rewritten while no program runs ([`SqlLedger::rewrite`]).
    pub async fn compact(&self) -> Result<CompactionResult, ArchiveFault> {
        let inner = &self.inner;
        if inner.dialect == Dialect::Sqlite
            && !inner.is_incremental().await.map_err(archive_fault)?
        {
            return Err(ArchiveFault(
                "this database was made before space could be given back while a program runs: \
                 stop it, run zoea db compact once, and start it again"
                    .to_string(),
            ));
        }
        inner.compact().await.map_err(archive_fault)
    }

    /// Writes the whole file anew without free space. On a server, the same as
    /// [`SqlLedger::compact`]. No other write is possible meanwhile.
    ///
    /// # Errors
    /// The database cannot be written, or the disk has no room for a second copy.
    pub async fn rewrite(&self) -> Result<CompactionResult, ArchiveFault> {
        let inner = &self.inner;
        match inner.dialect {
            Dialect::Sqlite => inner.rewrite().await.map_err(archive_fault),
            Dialect::Postgres => inner.compact().await.map_err(archive_fault),
        }
    }
}

impl LedgerInner {
    async fn compact(&self) -> Result<CompactionResult, DbErr> {
        let before = self.database_bytes().await?;
        let after = match self.dialect {
            Dialect::Postgres => {
                // It runs on a reading connection, because the writer must not wait for it.
                let vacuum = "VACUUM (ANALYZE)";
                self.readers.execute_unprepared(vacuum).await?;
                self.database_bytes().await?
            }
            Dialect::Sqlite => {
                let compaction = CompactionGuard::begin(self);
                // Pages that become free meanwhile will be used again. Only those that are free now
                // are returned.
                let free = "SELECT freelist_count FROM pragma_freelist_count()";
                let mut left = read_number(&self.readers, free).await?;
                while left > 0 {
                    let step = format!("PRAGMA incremental_vacuum({STEP_PAGES})");
                    self.writer.execute_unprepared(&step).await?;
                    left -= STEP_PAGES;
                }
                compaction.finish().await?
            }
        };
        Ok(CompactionResult { before, after })
    }

    async fn rewrite(&self) -> Result<CompactionResult, DbErr> {
        let before = self.database_bytes().await?;
        let compaction = CompactionGuard::begin(self);
        self.writer.execute_unprepared("VACUUM").await?;
        let after = compaction.finish().await?;
        Ok(CompactionResult { before, after })
    }

    /// Moves the content of the log to the file, which becomes shorter only then. It does not wait
    /// for readers: what one of them still needs stays in the log for a later checkpoint.
    async fn checkpoint_log(&self) -> Result<(), DbErr> {
        let fold = "PRAGMA wal_checkpoint(PASSIVE)";
        self.writer.execute_unprepared(fold).await.map(|_| ())
    }

    async fn is_incremental(&self) -> Result<bool, DbErr> {
        let mode = "SELECT auto_vacuum FROM pragma_auto_vacuum()";
        Ok(read_number(&self.readers, mode).await? == 2)
    }

    pub(super) async fn database_bytes(&self) -> Result<u64, DbErr> {
        let size = match self.dialect {
            Dialect::Sqlite => {
                "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
            }
            Dialect::Postgres => "SELECT pg_database_size(current_database())",
        };
        let size = read_number(&self.readers, size).await?;
        Ok(u64::try_from(size).unwrap_or(0))
    }
}
