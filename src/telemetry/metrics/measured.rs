//! The ledger, measured.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actors::domain::ids::{Incarnation, MysisId, Timestamp};
use actors::domain::record::GameAccount;
use actors::domain::write::Batch;
use actors::ports::{Ledger, LedgerFault};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::Metrics;

pub struct MeasuredLedger {
    pub ledger: Arc<dyn Ledger>,
    pub metrics: Metrics,
}

impl Ledger for MeasuredLedger {
    fn commit(&self, batches: Vec<Batch>) -> BoxFuture<'static, Vec<Result<(), LedgerFault>>> {
        let (since, metrics) = (Instant::now(), self.metrics.clone());
        let commit = self.ledger.commit(batches);
        async move {
            let answers = commit.await;
            metrics.count_commit(since.elapsed().as_secs_f64());
            answers
        }
        .boxed()
    }

    fn claim_account(
        &self,
        mysis: MysisId,
        at: Timestamp,
    ) -> BoxFuture<'static, Result<Option<GameAccount>, LedgerFault>> {
        self.ledger.claim_account(mysis, at)
    }

    fn shut_out(&self, mysis: MysisId, before: Incarnation) {
        self.ledger.shut_out(mysis, before);
    }

    fn maintenance(&self) -> Option<BoxFuture<'static, ()>> {
        self.ledger.maintenance()
    }

    fn maintenance_interval(&self) -> Option<Duration> {
        self.ledger.maintenance_interval()
    }

    fn waiting(&self, jobs: usize) {
        self.metrics.set_waiting(jobs);
    }
}
