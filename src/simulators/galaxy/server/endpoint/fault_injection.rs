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
    fault::{FaultEffect, FaultTarget},
    frontend::{ConnectionId, STATELESS},
    grouped,
};

pub(super) struct FaultedRequest<'a> {
    pub(super) session: Option<&'a str>,
    pub(super) connection: Option<ConnectionId>,
    pub(super) spoilt: Option<FaultEffect>,
}

/// The server ended before the request did.
struct Stopping;

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
        for effect in self.faults.draw_effects(received.now, target) {
            if let Some(answer) = self.faulty_answer(effect, envelope, faulted, received) {
                return Some(answer);
            }
            if self.apply_effect(effect, faulted).await.is_err() {
                return Some(response::cut_body());
            }
        }
        None
    }

    /// The answer of a fault that replaces execution.
    fn faulty_answer(
        &self,
        effect: FaultEffect,
        envelope: &Envelope,
        faulted: &FaultedRequest<'_>,
        received: &ReceivedRequest,
    ) -> Option<Response> {
        let answer = match effect {
            FaultEffect::Http500 => {
                response::plain_error(StatusCode::INTERNAL_SERVER_ERROR, "broken on purpose")
            }
            FaultEffect::Http429 { retry_after } => {
                response::too_many(Duration::from_secs(retry_after))
            }
            FaultEffect::Outage => {
                response::plain_error(StatusCode::SERVICE_UNAVAILABLE, "down on purpose")
            }
            FaultEffect::RpcError => {
                let message = "Internal error (on purpose)";
                response::rpc_error(StatusCode::OK, envelope.id, -32603, message)
            }
            FaultEffect::ToolsMissing => {
                response::rpc_result(envelope.id.unwrap_or("null"), "{\"tools\":[]}")
            }
            FaultEffect::ToolsChanged => {
                let listing = self.changed_listing(faulted, received);
                response::rpc_result(envelope.id.unwrap_or("null"), &listing)
            }
            FaultEffect::Drop
            | FaultEffect::Hang(_)
            | FaultEffect::Slow(_)
            | FaultEffect::McpSession
            | FaultEffect::GameSession
            | FaultEffect::Garbage
            | FaultEffect::RestartWarning => return None,
        };
        Some(answer)
    }

    /// The list of tools after a change, in the interface of the request.
    fn changed_listing(
        &self,
        faulted: &FaultedRequest<'_>,
        received: &ReceivedRequest,
    ) -> Cow<'_, str> {
        match (received.interface, faulted.is_stateless()) {
            (GameInterface::Grouped, _) => {
                grouped::changed_listing_json(received.parts.uri.query()).into()
            }
            (GameInterface::Flat, true) => Cow::Borrowed(&self.listings.changed_stateless),
            (GameInterface::Flat, false) => Cow::Borrowed(&self.listings.changed),
        }
    }

    /// Applies a fault that acts before the request is executed.
    async fn apply_effect(
        &self,
        effect: FaultEffect,
        faulted: &mut FaultedRequest<'_>,
    ) -> Result<(), Stopping> {
        let request = match effect {
            FaultEffect::Slow(duration) => return self.wait_or_stop(duration).await,
            FaultEffect::McpSession => {
                faulted.connection = None;
                let closed = faulted.session.and_then(|id| self.connections.close(id));
                closed.map(OwnerRequest::Disconnect)
            }
            FaultEffect::GameSession => faulted.connection.map(OwnerRequest::LoseLogin),
            FaultEffect::RestartWarning => Some(OwnerRequest::WarnOfRestart),
            FaultEffect::Drop | FaultEffect::Hang(_) | FaultEffect::Garbage => {
                faulted.spoilt = Some(effect);
                None
            }
            FaultEffect::Http500
            | FaultEffect::Http429 { .. }
            | FaultEffect::Outage
            | FaultEffect::ToolsMissing
            | FaultEffect::ToolsChanged
            | FaultEffect::RpcError => None,
        };
        match request {
            Some(request) => self.requests.send(request).await.map_err(|_| Stopping),
            None => Ok(()),
        }
    }

    pub(super) async fn spoil_answer(
        &self,
        answer: Response,
        effect: Option<FaultEffect>,
    ) -> Response {
        match effect {
            Some(FaultEffect::Drop) => response::cut_body(),
            Some(FaultEffect::Hang(duration)) => {
                // The connection is cut after the time, and also when the server ends.
                let _ = self.wait_or_stop(duration).await;
                response::cut_body()
            }
            Some(FaultEffect::Garbage) => {
                response::json(StatusCode::OK, "<html><body>Bad gateway?</body></html>")
            }
            Some(
                FaultEffect::Http500
                | FaultEffect::Http429 { .. }
                | FaultEffect::Slow(_)
                | FaultEffect::McpSession
                | FaultEffect::GameSession
                | FaultEffect::RestartWarning
                | FaultEffect::Outage
                | FaultEffect::ToolsMissing
                | FaultEffect::ToolsChanged
                | FaultEffect::RpcError,
            )
            | None => answer,
        }
    }

    /// Waits, but not past the end of the server.
    async fn wait_or_stop(&self, duration: Duration) -> Result<(), Stopping> {
        tokio::select! {
            () = tokio::time::sleep(duration) => Ok(()),
            () = self.stop.cancelled() => Err(Stopping),
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
