//! Requests to a child process: sent, waited for within a limit, and cancelled.

use std::pin::pin;
use std::time::Duration;

use actors::ports::LinkReply;
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientRequest, ServerResult,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, ServiceError};

use super::open_requests::AwaitedRequest;
use super::{ChildFailure, ChildSession};
use crate::asking::{self, MAX_ROUNDS, QuestionDesk};
use crate::calling::{AFTER_ASKING, CANCEL_TIMEOUT, CallTerms};
use crate::message::RawResult;
use crate::patience::CallClock;
use crate::task::read_reply;
use crate::unexpected_answer;

impl ChildSession {
    /// Calls a tool. If the answer takes longer than the limit, cancels the request. No task is
    /// taken.
    pub async fn call(
        &self,
        params: CallToolRequestParams,
        terms: CallTerms<'_>,
    ) -> Result<LinkReply, ChildFailure> {
        let desk = QuestionDesk::new(terms.asker, self.name.clone());
        let _asking = self.questions.open(desk.clone());
        self.call_at(params, terms.limit, &desk).await
    }

    /// Sends a call, and again with the answers wherever the server asks in place of a result.
    async fn call_at(
        &self,
        mut params: CallToolRequestParams,
        limit: Duration,
        desk: &QuestionDesk,
    ) -> Result<LinkReply, ChildFailure> {
        for round in 0..MAX_ROUNDS {
            let request = ClientRequest::CallToolRequest(CallToolRequest::new(params.clone()));
            let raw = match self.ask(request, limit, &desk.clock).await {
                // It may have begun with the call.
                Err(ChildFailure::Gone(why)) if round > 0 => {
                    return Err(ChildFailure::Lost(format!("{AFTER_ASKING}: {why}")));
                }
                asked => asked?,
            };
            // Cancel-safe: what is dropped here is not used again.
            let is_asked = tokio::select! {
                filled = desk.fill_in(&raw, &mut params) => filled?,
                () = self.process.is_long_over() => {
                    let why = self.why_it_is_over().await;
                    return Err(ChildFailure::Lost(format!("{AFTER_ASKING}: {why}")));
                }
            };
            if !is_asked {
                return Ok(read_reply(&raw)?);
            }
        }
        Err(asking::endless_questions().into())
    }

    pub(super) async fn ask(
        &self,
        request: ClientRequest,
        limit: Duration,
        clock: &CallClock,
    ) -> Result<RawResult, ChildFailure> {
        if self.is_over() {
            let why = self.why_it_is_over().await;
            return Err(ChildFailure::Gone(why));
        }
        let peer = self.service.peer();
        let options = PeerRequestOptions::no_options();
        let sent = peer.send_cancellable_request(request, options);
        let sent = clock.within(limit, pin!(sent)).await;
        let (answer, awaited) = match sent {
            Some(Ok(sent)) => {
                let awaited = self.requests.await_answer(&sent.id);
                (self.await_answer(sent, limit, clock).await, Some(awaited))
            }
            Some(Err(error)) => (Err(error), None),
            // The server does not even read it.
            None => (Err(ServiceError::Timeout { timeout: limit }), None),
        };
        if let Some(answer) = awaited.as_ref().and_then(AwaitedRequest::take) {
            return Ok(answer?);
        }
        // What came in its place tells more than that nothing came.
        let odd = awaited.and_then(|awaited| awaited.odd());
        match (answer, odd) {
            (Err(ServiceError::Timeout { .. }), None) => Err(ChildFailure::TooLate(limit)),
            (Err(ServiceError::Timeout { .. }), Some(odd)) => {
                let failure = ChildFailure::TooLate(limit);
                Err(ChildFailure::Broken(format!("{failure}; {odd}")))
            }
            (Err(ServiceError::TransportClosed | ServiceError::TransportSend(_)), odd) => {
                let why = self.why_it_is_over().await;
                Err(ChildFailure::Lost(match odd {
                    Some(odd) if self.ended_reading.why().is_none() => format!("{why}; {odd}"),
                    Some(_) | None => why,
                }))
            }
            (Err(other), _) => Err(ChildFailure::Lost(other.to_string())),
            (Ok(_), _) => Err(unexpected_answer("the request").into()),
        }
    }

    /// Waits for the answer to a request. One that takes too long is cancelled.
    async fn await_answer(
        &self,
        sent: RequestHandle<RoleClient>,
        limit: Duration,
        clock: &CallClock,
    ) -> Result<ServerResult, ServiceError> {
        let (id, peer) = (sent.id.clone(), sent.peer.clone());
        let answer = async {
            // Cancel-safe: what is dropped here is not used again.
            tokio::select! {
                answer = sent.await_response() => answer,
                () = self.process.is_long_over() => Err(ServiceError::TransportClosed),
            }
        };
        if let Some(answer) = clock.within(limit, pin!(answer)).await {
            return answer;
        }
        let why = Some("no answer in time".to_string());
        let cancel = peer.notify_cancelled(CancelledNotificationParam::new(Some(id), why));
        // A server that does not read is left with the request.
        let _ = tokio::time::timeout(CANCEL_TIMEOUT, cancel).await;
        Err(ServiceError::Timeout { timeout: limit })
    }
}
