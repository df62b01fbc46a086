//! The model servers, observed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actors::domain::ids::Timestamp;
use actors::domain::model::{ModelAnswer, ModelFault, ModelRequest};
use actors::ports::{AnswerMeter, Clock, Models};
use futures::FutureExt;
use futures::future::BoxFuture;

use zoea_system::clock::MachineClock;

use super::{CallObservers, ModelCallEnd, ModelCallReport, ModelServer};

pub struct ObservedModels {
    pub models: Arc<dyn Models>,
    pub observers: CallObservers,
}

/// A call in progress. If it is dropped before an answer, nobody waits for it any longer.
struct ObservedCall {
    observers: CallObservers,
    request: ModelRequest,
    server: Option<ModelServer>,
    meter: AnswerMeter,
    began: Timestamp,
    since: Instant,
    first_chunk: Option<Duration>,
    is_reported: bool,
}

impl ObservedCall {
    fn report(&mut self, end: ModelCallEnd<'_>) {
        self.is_reported = true;
        let report = ModelCallReport {
            turn: self.meter.turn(),
            request: &self.request,
            server: self.server.as_ref(),
            began: self.began,
            ended: MachineClock.now(),
            took: self.since.elapsed(),
            first_chunk: self.first_chunk,
            end,
        };
        for observer in &*self.observers {
            observer.on_model_call(&report);
        }
    }
}

impl Drop for ObservedCall {
    fn drop(&mut self) {
        if !self.is_reported {
            self.report(match self.meter.is_given_up() {
                true => ModelCallEnd::TimedOut,
                false => ModelCallEnd::Aborted,
            });
        }
    }
}

impl Models for ObservedModels {
    fn ask(
        &self,
        request: ModelRequest,
        meter: AnswerMeter,
    ) -> BoxFuture<'static, Result<ModelAnswer, ModelFault>> {
        let url = self.models.server_url(&request.provider);
        let began = MachineClock.now();
        for observer in &*self.observers {
            observer.on_model_call_begun(meter.turn(), began);
        }
        let mut call = ObservedCall {
            observers: self.observers.clone(),
            server: url.and_then(|url| ModelServer::of(&url, &request.provider)),
            request: request.clone(),
            meter: meter.clone(),
            began,
            since: Instant::now(),
            first_chunk: None,
            is_reported: false,
        };
        let mut progress = meter.subscribe();
        let mut answer = self.models.ask(request, meter);
        async move {
            let answer = loop {
                // Cancel-safe: each of these futures can be dropped and polled again without a loss.
                tokio::select! {
                    biased;
                    Ok(()) = progress.changed(), if call.first_chunk.is_none() => {
                        call.first_chunk = Some(call.since.elapsed());
                    }
                    answer = &mut answer => break answer,
                }
            };
            // All parts may have come at once.
            if call.first_chunk.is_none() && progress.has_changed().unwrap_or(false) {
                call.first_chunk = Some(call.since.elapsed());
            }
            call.report(match &answer {
                Ok(answer) => ModelCallEnd::Answered(answer),
                Err(fault) => ModelCallEnd::Failed(fault),
            });
            answer
        }
        .boxed()
    }

    fn request_body(&self, request: &ModelRequest) -> Option<String> {
        self.models.request_body(request)
    }

    fn server_url(&self, provider: &str) -> Option<String> {
        self.models.server_url(provider)
    }
}
