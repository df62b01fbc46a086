//! Calls of tools: within a time limit, on the caller's terms, and again where the server asks first.

use std::pin::pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use actors::ports::{Asker, LinkAnswer, LinkReply};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam,
    ClientNotification, ClientRequest, DiscoverRequest, DiscoverRequestParams, PingRequest,
    RequestId,
};

use super::asking::{self, MAX_ROUNDS, QuestionDesk};
use super::incidents::Exchange;
use super::message::RawResult;
use super::opening::UNKNOWN_METHOD;
use super::task::read_reply;
use super::{McpFailure, ServerSession, SessionMode, stateless, unexpected_answer};

pub(super) const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);

/// What a failure says that came after a question of the server.
pub(super) const AFTER_ASKING: &str = "after the server had asked";

#[derive(Clone, Copy)]
pub struct CallTerms<'a> {
    /// How long it may take. The time for which the operator is asked does not count.
    pub limit: Duration,
    /// Whether the caller takes a task in place of a result. Only servers without sessions give
    /// one.
    pub takes_task: bool,
    /// Puts questions of the server to the operator; `None` if there is nobody to ask.
    pub asker: Option<&'a Asker>,
}

impl CallTerms<'_> {
    /// A call within this limit, of which nothing but its result is wanted.
    pub fn new(limit: Duration) -> Self {
        CallTerms {
            limit,
            takes_task: false,
            asker: None,
        }
    }
}

impl ServerSession {
    /// Calls a tool. If the answer takes longer than `limit`, cancels the request.
    pub async fn call(
        &self,
        params: CallToolRequestParams,
        limit: Duration,
    ) -> Result<LinkAnswer, McpFailure> {
        match self.call_on_terms(params, CallTerms::new(limit)).await? {
            LinkReply::Answer(answer) => Ok(answer),
            // No task was offered to be taken.
            LinkReply::Task(_) => Err(unexpected_answer("tools/call")),
        }
    }

    /// The same, on further terms.
    pub async fn call_on_terms(
        &self,
        mut params: CallToolRequestParams,
        terms: CallTerms<'_>,
    ) -> Result<LinkReply, McpFailure> {
        if self.mode == SessionMode::Stateless {
            let meta = params.meta.get_or_insert_default();
            stateless::declare(meta, terms.takes_task, terms.asker.is_some());
        }
        let desk = QuestionDesk::new(terms.asker, self.endpoint.host());
        let under_way = AtomicI64::new(0);
        let exchange = Exchange::kept_by(self.endpoint.failed_calls.as_ref());
        let answer = pin!(self.send_call(params, &desk, (&under_way, &exchange)));
        let answer = desk.clock.within(terms.limit, answer).await;
        if answer.is_none() {
            // Boxed, because few calls come to it: a future is as large as its largest part.
            Box::pin(self.cancel(under_way.load(Ordering::Relaxed))).await;
        }
        let answer = answer.unwrap_or(Err(McpFailure::TooLate(terms.limit)));
        if let Err(failure) = &answer {
            exchange.keep(&self.endpoint.host(), failure).await;
        }
        answer
    }

    /// Asks whether the server still knows the session: by `ping`, or without sessions by asking what
    /// it supports. A server that knows the session but not that request is there, too.
    pub async fn check(&self, limit: Duration) -> Result<(), McpFailure> {
        let request = match self.mode {
            SessionMode::Sessions => ClientRequest::PingRequest(PingRequest::default()),
            SessionMode::Stateless => {
                ClientRequest::DiscoverRequest(DiscoverRequest::new(DiscoverRequestParams {}))
            }
        };
        match self.ask_in_time(request, limit).await {
            Ok(_)
            | Err(McpFailure::Refused {
                code: Some(UNKNOWN_METHOD),
                status: 200..=299,
                ..
            }) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Sends a call, and again with the answers wherever the server asks in place of a result.
    async fn send_call(
        &self,
        mut params: CallToolRequestParams,
        desk: &QuestionDesk,
        under_way: (&AtomicI64, &Exchange),
    ) -> Result<LinkReply, McpFailure> {
        for round in 0..MAX_ROUNDS {
            let raw = self.send_round(&params, desk, under_way).await;
            let raw = raw.map_err(|failure| match round > 0 || desk.has_asked() {
                true => after_asking(failure),
                false => failure,
            })?;
            if !desk.fill_in(&raw, &mut params).await? {
                return read_reply(&raw);
            }
        }
        Err(asking::endless_questions())
    }

    async fn send_round(
        &self,
        params: &CallToolRequestParams,
        desk: &QuestionDesk,
        (under_way, exchange): (&AtomicI64, &Exchange),
    ) -> Result<RawResult, McpFailure> {
        let request = CallToolRequest::new(params.clone());
        let (id, message) = self.with_next_id(ClientRequest::CallToolRequest(request));
        under_way.store(id, Ordering::Relaxed);
        let answer = self.post_for(&message, exchange).await?;
        let room = self.endpoint.max_answer_bytes;
        self.read_asking_result(answer, id, room, desk).await
    }

    /// Tells the server that a request is cancelled. The server may ignore that. To a server without
    /// sessions, the closed connection says it.
    async fn cancel(&self, id: i64) {
        if self.mode == SessionMode::Stateless {
            return;
        }
        let why = Some("no answer in time".to_string());
        let params = CancelledNotificationParam::new(Some(RequestId::Number(id)), why);
        let note = CancelledNotification::new(params);
        let note = self.notify(ClientNotification::CancelledNotification(note));
        if !matches!(tokio::time::timeout(CANCEL_TIMEOUT, note).await, Ok(Ok(()))) {
            tracing::debug!("the cancellation of a call did not reach the server");
        }
    }
}

/// A failure after the server had asked. It had the call then, and may have begun with it: nothing
/// that happens later means that the call was not executed.
fn after_asking(failure: McpFailure) -> McpFailure {
    match failure {
        McpFailure::Refused { code, message, .. }
        | McpFailure::RefusedAfterAsking { code, message } => {
            McpFailure::RefusedAfterAsking { code, message }
        }
        McpFailure::Status { .. }
        | McpFailure::SessionGone
        | McpFailure::Http { .. }
        | McpFailure::Broken(_)
        | McpFailure::TooLate(_) => McpFailure::Broken(format!("{AFTER_ASKING}: {failure}")),
    }
}
