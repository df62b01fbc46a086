//! The commit of a group of batches: in one transaction, and one by one where a batch is refused.

use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::record::GameAccount;
use actors::domain::write::{Batch, Write};
use actors::ports::LedgerFault;
use sea_orm::DbErr;

use super::answer_time::limited;
use super::write_lock::WriteLock;
use super::writer::Tx;
use super::{LedgerInner, accounts, commit};

impl LedgerInner {
    /// Commits a group in one transaction. If one batch is refused, commits each by itself.
    pub(super) async fn commit(&self, batches: &[Batch]) -> Vec<Result<(), LedgerFault>> {
        let mut answers: Vec<Result<(), LedgerFault>> = batches
            .iter()
            .map(|batch| self.check_fence(batch))
            .collect();
        let open: Vec<&Batch> = batches
            .iter()
            .zip(&answers)
            .filter(|(_, answer)| answer.is_ok())
            .map(|(batch, _)| batch)
            .collect();
        let mut results = match self.commit_together(&open).await {
            Err(LedgerFault::Refused(_) | LedgerFault::NameTaken | LedgerFault::Fenced)
                if open.len() > 1 =>
            {
                self.commit_one_by_one(&open).await
            }
            result => vec![result; open.len()],
        }
        .into_iter();
        for answer in answers.iter_mut().filter(|answer| answer.is_ok()) {
            if let Some(result) = results.next() {
                *answer = result;
            }
        }
        answers
    }

    /// Commits each batch by itself, in order. After one that has to wait, all others wait.
    async fn commit_one_by_one(&self, batches: &[&Batch]) -> Vec<Result<(), LedgerFault>> {
        let mut results = Vec::with_capacity(batches.len());
        for batch in batches {
            let result = match results.last() {
                Some(Err(LedgerFault::Unavailable(why))) => {
                    Err(LedgerFault::Unavailable(why.clone()))
                }
                Some(
                    Ok(())
                    | Err(LedgerFault::Refused(_) | LedgerFault::NameTaken | LedgerFault::Fenced),
                )
                | None => self.commit_together(&[*batch]).await,
            };
            results.push(result);
        }
        results
    }

    async fn commit_together(&self, batches: &[&Batch]) -> Result<(), LedgerFault> {
        if batches.is_empty() {
            return Ok(());
        }
        self.check_in_place().await?;
        let written = limited(self.dialect, self.write_batches(batches)).await;
        // What was written into a file that is gone is not acknowledged.
        self.check_in_place().await?;
        written.map_err(|error| self.to_ledger_fault(&error))?;
        self.note_fences(batches);
        self.note_rows(batches);
        Ok(())
    }

    async fn check_in_place(&self) -> Result<(), LedgerFault> {
        match &self.place {
            Some(place) => {
                let here = place.check_in_place().await;
                here.map_err(LedgerFault::Unavailable)
            }
            None => Ok(()),
        }
    }

    /// Writes in one transaction. Only where a write is repeated are rows there already, and only
    /// then is each of them compared.
    async fn write_batches(&self, batches: &[&Batch]) -> Result<(), DbErr> {
        let tx = self
            .begin(WriteLock::of_batches(batches))
            .await?
            .for_new_rows();
        let written = self.write_within(tx, batches).await;
        let Err(error) = &written else {
            return written;
        };
        // Beside a row that is there already, its calls are too.
        let is_refused = matches!(self.to_ledger_fault(error), LedgerFault::Refused(_));
        if !is_refused && !matches!(error, DbErr::RecordNotInserted) {
            return written;
        }
        let tx = self.begin(WriteLock::of_batches(batches)).await?;
        self.write_within(tx, batches).await
    }

    async fn write_within(&self, tx: Tx, batches: &[&Batch]) -> Result<(), DbErr> {
        if let Some(tenant) = &self.tenant {
            tenant
                .check_leases(&tx, tenant.leased_myses(batches))
                .await?;
        }
        for batch in batches {
            for write in &batch.writes {
                self.apply_write(&tx, write).await?;
            }
            tx.catch_up().await?;
        }
        self.check_fences_again(batches)?;
        tx.commit().await?;
        self.note_leases(batches);
        Ok(())
    }

    /// Applies a write within a transaction. The lease of a new Mysis is taken with it,
    /// and an order of another process is marked.
    pub(super) async fn apply_write(&self, tx: &Tx, write: &Write) -> Result<(), DbErr> {
        commit::apply_write(tx, write).await?;
        match (&self.tenant, write) {
            (Some(tenant), Write::Create(new)) => tenant.take_new(tx, new.id).await,
            (Some(tenant), Write::OrderDone { order, .. }) => tenant.mark_done(tx, *order).await,
            (Some(_) | None, _) => Ok(()),
        }
    }

    pub(super) async fn claim_account(
        &self,
        mysis: MysisId,
        at: Timestamp,
    ) -> Result<Option<GameAccount>, DbErr> {
        let tx = self.begin_for(mysis, WriteLock::Common).await?;
        let claimed = accounts::claim_account(&tx, mysis, at).await?;
        tx.commit().await?;
        Ok(claimed)
    }
}
