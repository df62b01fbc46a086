//! The effects of faults on one request at the endpoint.

use std::{borrow::Cow, time::Duration};

use axum::response::Response;
use http::StatusCode;

use super::{
    super::{
        envelope::{Envelope, RpcMessageKind},
        handler::GameInterface,
        owner::OwnerRequest,
        response,
    },
    EndpointState, ReceivedRequest,
};
use crate::{
    fault::{FaultTarget, GalaxyFaultKind},
    frontend::{ConnectionId, STATELESS},
    grouped,
};

pub(super) struct FaultedRequest<'a> {
    pub(super) session: Option<&'a str>,
    pub(super) connection: Option<ConnectionId>,
    pub(super) spoilt: Option<GalaxyFaultKind>,
}

impl<'a> FaultedRequest<'a> {
    pub(super) fn new(session: Option<&'a str>, connection: Option<ConnectionId>) -> Self {
        Self {
            session,
            connection,
            spoilt: None,
        }
    }

    /// Whether the request belongs to no session and needs none.
    pub(super) fn is_stateless(&self) -> bool {
        self.connection == Some(STATELESS)
    }
}

impl EndpointState {
    /// Applies the faults that come before execution. Returns an answer if a fault decides it.
    pub(super) async fn inject_faults(
        &self,
        envelope: &Envelope<'_>,
        faulted: &mut FaultedRequest<'_>,
        received: &ReceivedRequest,
    ) -> Option<Response> {
        let target = fault_target(envelope, faulted.connection);
        for fault in self.faults.draw(received.now, target) {
            let answer = self.inject_fault(fault, envelope, faulted, received);
            if let Some(answer) = answer.await {
                return Some(answer);
            }
        }
        None
    }

    /// Applies one fault before execution. If the server ends meanwhile, the answer is a cut.
    async fn inject_fault(
        &self,
        fault: GalaxyFaultKind,
        envelope: &Envelope<'_>,
        faulted: &mut FaultedRequest<'_>,
        received: &ReceivedRequest,
    ) -> Option<Response> {
        let id = envelope.id.unwrap_or("null");
        let answer = match fault {
            GalaxyFaultKind::Http500 => {
                response::plain_error(StatusCode::INTERNAL_SERVER_ERROR, "broken on purpose")
            }
            GalaxyFaultKind::Http429 { retry_after } => {
                response::too_many(Duration::from_secs(retry_after))
            }
            GalaxyFaultKind::Outage { .. } => {
                response::plain_error(StatusCode::SERVICE_UNAVAILABLE, "down on purpose")
            }
            GalaxyFaultKind::RpcError => {
                let message = "Internal error (on purpose)";
                response::rpc_error(StatusCode::OK, envelope.id, -32603, message)
            }
            GalaxyFaultKind::ToolsMissing(_) => response::rpc_result(id, "{\"tools\":[]}"),
            GalaxyFaultKind::ToolsChanged(_) => {
                response::rpc_result(id, &self.changed_listing(faulted, received))
            }
            GalaxyFaultKind::Slow(duration) => return self.wait_or_stop(duration).await,
            GalaxyFaultKind::McpSession => {
                faulted.connection = None;
                let closed = self.connections.close(faulted.session?)?;
                return self.tell_owner(OwnerRequest::Disconnect(closed)).await;
            }
            GalaxyFaultKind::GameSession => {
                let lost = OwnerRequest::LoseLogin(faulted.connection?);
                return self.tell_owner(lost).await;
            }
            GalaxyFaultKind::RestartWarning => {
                return self.tell_owner(OwnerRequest::WarnOfRestart).await;
            }
            GalaxyFaultKind::Drop | GalaxyFaultKind::Hang(_) | GalaxyFaultKind::Garbage => {
                faulted.spoilt = Some(fault);
                return None;
            }
        };
        Some(answer)
    }

    async fn tell_owner(&self, request: OwnerRequest) -> Option<Response> {
        let sent = self.requests.send(request).await;
        sent.err().map(|_| response::cut_body())
    }

    /// The list of tools after a change, in the interface of the request.
    fn changed_listing(
        &self,
        faulted: &FaultedRequest<'_>,
        received: &ReceivedRequest,
    ) -> Cow<'_, str> {
        let stateless = self.stateless.as_ref();
        match (received.interface, stateless) {
            (GameInterface::Grouped, _) => {
                grouped::changed_listing_json(received.parts.uri.query()).into()
            }
            (GameInterface::Flat, Some(stateless)) if faulted.is_stateless() => {
                Cow::Borrowed(&stateless.changed_list)
            }
            (GameInterface::Flat, Some(_) | None) => Cow::Borrowed(&self.changed_list),
        }
    }

    pub(super) async fn spoil_answer(
        &self,
        answer: Response,
        fault: Option<GalaxyFaultKind>,
    ) -> Response {
        if let Some(GalaxyFaultKind::Hang(duration)) = fault {
            // The connection is cut after the time, and also when the server ends.
            let _ = self.wait_or_stop(duration).await;
        }
        if matches!(
            fault,
            Some(GalaxyFaultKind::Drop | GalaxyFaultKind::Hang(_))
        ) {
            return response::cut_body();
        }
        if fault == Some(GalaxyFaultKind::Garbage) {
            return response::json(StatusCode::OK, "<html><body>Bad gateway?</body></html>");
        }
        answer
    }

    /// Waits, but not past the end of the server.
    async fn wait_or_stop(&self, duration: Duration) -> Option<Response> {
        tokio::select! {
            () = tokio::time::sleep(duration) => None,
            () = self.stop.cancelled() => Some(response::cut_body()),
        }
    }
}

fn fault_target(envelope: &Envelope, connection: Option<ConnectionId>) -> FaultTarget {
    match (connection, envelope.kind) {
        (None, _) => FaultTarget::Stranger,
        (Some(STATELESS), RpcMessageKind::ToolsList) => FaultTarget::StatelessToolsList,
        (
            Some(STATELESS),
            RpcMessageKind::Initialize | RpcMessageKind::LogIn | RpcMessageKind::Other,
        ) => FaultTarget::Stateless,
        (Some(_), RpcMessageKind::ToolsList) => FaultTarget::ToolsList,
        (Some(_), RpcMessageKind::Initialize | RpcMessageKind::LogIn | RpcMessageKind::Other) => {
            FaultTarget::Session
        }
    }
}
