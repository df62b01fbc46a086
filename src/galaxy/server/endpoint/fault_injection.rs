//! What faults do to a request on its way through the door.

use std::time::Duration;

use axum::response::Response;
use http::StatusCode;

use super::{
    super::{
        envelope::{Envelope, RpcMessageKind},
        owner::OwnerRequest,
        response,
    },
    EndpointState,
};
use crate::{
    fault::{FaultEffect, FaultTarget},
    frontend::ConnectionId,
};

/// What faults leave of a request's way.
pub(super) struct FaultedRequest<'a> {
    pub(super) session: Option<&'a str>,
    pub(super) connection: Option<ConnectionId>,
    /// What will become of the answer.
    pub(super) spoilt: Option<FaultEffect>,
}

/// The server ends before the request does.
struct Stopping;

impl<'a> FaultedRequest<'a> {
    pub(super) fn new(session: Option<&'a str>, connection: Option<ConnectionId>) -> Self {
        Self {
            session,
            connection,
            spoilt: None,
        }
    }
}

impl EndpointState {
    /// Lets the faults at a request that is not executed yet; their answer, if they leave no other.
    pub(super) async fn inject_faults(
        &self,
        envelope: &Envelope<'_>,
        passage: &mut FaultedRequest<'_>,
        now: Duration,
    ) -> Option<Response> {
        let target = fault_target(envelope, passage.connection);
        for strike in self.faults.draw_effects(now, target) {
            if let Some(answer) = self.faulty_answer(strike, envelope) {
                return Some(answer);
            }
            if self.apply_effect(strike, passage).await.is_err() {
                return Some(response::cut_body());
            }
        }
        None
    }

    /// What a fault answers in place of executing the request.
    fn faulty_answer(&self, strike: FaultEffect, envelope: &Envelope) -> Option<Response> {
        let answer = match strike {
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

    /// What a fault does before the request is executed.
    async fn apply_effect(
        &self,
        strike: FaultEffect,
        passage: &mut FaultedRequest<'_>,
    ) -> Result<(), Stopping> {
        let request = match strike {
            FaultEffect::Slow(duration) => return self.wait_or_stop(duration).await,
            FaultEffect::McpSession => {
                passage.connection = None;
                let closed = passage.session.and_then(|id| self.connections.close(id));
                closed.map(OwnerRequest::HangUp)
            }
            FaultEffect::GameSession => passage.connection.map(OwnerRequest::LoseLogin),
            FaultEffect::RestartWarning => Some(OwnerRequest::WarnOfRestart),
            FaultEffect::Drop | FaultEffect::Hang(_) | FaultEffect::Garbage => {
                passage.spoilt = Some(strike);
                None
            }
            FaultEffect::Http500
            | FaultEffect::Http429 { .. }
            | FaultEffect::Outage
            | FaultEffect::ToolsMissing
            | FaultEffect::RpcError => None,
        };
        match request {
            Some(request) => self.requests.send(request).await.map_err(|_| Stopping),
            None => Ok(()),
        }
    }

    /// What a fault makes of an answer to a request that was executed.
    pub(super) async fn spoil_answer(
        &self,
        answer: Response,
        strike: Option<FaultEffect>,
    ) -> Response {
        match strike {
            Some(FaultEffect::Drop) => response::cut_body(),
            Some(FaultEffect::Hang(duration)) => {
                // Whether the time was up or the server ends: the connection is cut.
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
        (Some(_), RpcMessageKind::ToolsList) => FaultTarget::ToolsList,
        (Some(_), RpcMessageKind::Initialize | RpcMessageKind::LogIn | RpcMessageKind::Other) => {
            FaultTarget::Session
        }
    }
}
