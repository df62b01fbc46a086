//! Wrappers of ports that measure the calls to the port behind them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::model::{ModelAnswer, ModelFault, ModelRequest};
use actors::domain::record::GameAccount;
use actors::domain::write::Batch;
use actors::ports::{AnswerMeter, Ledger, LedgerFault, Models};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::Metrics;

/// Measures the model servers.
pub struct MeasuredModels {
    /// The model servers.
    pub models: Arc<dyn Models>,
    /// The metrics that count.
    pub metrics: Metrics,
}

/// Measures a request. If it is dropped before an answer, the request was aborted.
struct RequestTimer {
    metrics: Metrics,
    provider: Arc<str>,
    since: Instant,
    outcome: &'static str,
}

impl RequestTimer {
    /// Notes the outcome of the request.
    fn on_answer(&mut self, answer: &Result<ModelAnswer, ModelFault>) {
        self.outcome = outcome_label(answer);
    }
}

impl Drop for RequestTimer {
    fn drop(&mut self) {
        let seconds = self.since.elapsed().as_secs_f64();
        self.metrics
            .count_request(&self.provider, self.outcome, seconds);
    }
}

impl Models for MeasuredModels {
    fn ask(
        &self,
        request: ModelRequest,
        meter: AnswerMeter,
    ) -> BoxFuture<'static, Result<ModelAnswer, ModelFault>> {
        let mut asked = RequestTimer {
            metrics: self.metrics.clone(),
            provider: request.provider.clone(),
            since: Instant::now(),
            outcome: "aborted",
        };
        let answer = self.models.ask(request, meter);
        async move {
            let answer = answer.await;
            asked.on_answer(&answer);
            answer
        }
        .boxed()
    }

    fn request_body(&self, request: &ModelRequest) -> Option<String> {
        self.models.request_body(request)
    }
}

fn outcome_label(answer: &Result<ModelAnswer, ModelFault>) -> &'static str {
    match answer {
        Ok(_) => "ok",
        Err(ModelFault::Transient { .. }) => "transient",
        Err(ModelFault::Permanent { .. }) => "permanent",
        Err(ModelFault::Unreachable { .. }) => "unreachable",
        Err(ModelFault::NoDescriptor { .. }) => "no_descriptor",
        Err(ModelFault::Empty { .. }) => "empty",
        Err(ModelFault::TooLong { .. }) => "too_long",
        Err(ModelFault::OutOfService { .. }) => "out_of_service",
        Err(ModelFault::Adapted { .. }) => "adapted",
    }
}

/// Measures the ledger.
pub struct MeasuredLedger {
    /// The ledger.
    pub ledger: Arc<dyn Ledger>,
    /// The metrics that count.
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
