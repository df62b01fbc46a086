//! What faults do to a request on its way through the door.

use std::time::Duration;

use axum::response::Response;
use http::StatusCode;

use super::{
    super::{
        envelope::{Envelope, Kind},
        owner::Request,
        response,
    },
    Inside,
};
use crate::{
    fault::{Strike, Target},
    frontend::Connection,
};

/// What faults leave of a request's way.
pub(super) struct Passage<'a> {
    pub(super) session: Option<&'a str>,
    pub(super) connection: Option<Connection>,
    /// What will become of the answer.
    pub(super) spoilt: Option<Strike>,
}

/// The server ends before the request does.
struct Stopping;

impl<'a> Passage<'a> {
    pub(super) fn new(session: Option<&'a str>, connection: Option<Connection>) -> Self {
        Self {
            session,
            connection,
            spoilt: None,
        }
    }
}

impl Inside {
    /// Lets the faults at a request that is not executed yet; their answer, if they leave no other.
    pub(super) async fn sabotage(
        &self,
        envelope: &Envelope<'_>,
        passage: &mut Passage<'_>,
        now: Duration,
    ) -> Option<Response> {
        let target = target(envelope, passage.connection);
        for strike in self.faults.strikes(now, target) {
            if let Some(answer) = self.refuse(strike, envelope) {
                return Some(answer);
            }
            if self.strike(strike, passage).await.is_err() {
                return Some(response::cut());
            }
        }
        None
    }

    /// What a fault answers in place of executing the request.
    fn refuse(&self, strike: Strike, envelope: &Envelope) -> Option<Response> {
        let answer = match strike {
            Strike::Http500 => {
                response::broken(StatusCode::INTERNAL_SERVER_ERROR, "broken on purpose")
            }
            Strike::Http429 { retry_after } => response::too_many(Duration::from_secs(retry_after)),
            Strike::Outage => response::broken(StatusCode::SERVICE_UNAVAILABLE, "down on purpose"),
            Strike::RpcError => {
                let message = "Internal error (on purpose)";
                response::rpc_error(StatusCode::OK, envelope.id, -32603, message)
            }
            Strike::ToolsMissing => {
                response::rpc_result(envelope.id.unwrap_or("null"), "{\"tools\":[]}")
            }
            Strike::Drop
            | Strike::Hang(_)
            | Strike::Slow(_)
            | Strike::McpSession
            | Strike::GameSession
            | Strike::Garbage
            | Strike::RestartWarning => return None,
        };
        Some(answer)
    }

    /// What a fault does before the request is executed.
    async fn strike(&self, strike: Strike, passage: &mut Passage<'_>) -> Result<(), Stopping> {
        let request = match strike {
            Strike::Slow(duration) => return self.wait(duration).await,
            Strike::McpSession => {
                passage.connection = None;
                let closed = passage.session.and_then(|id| self.connections.close(id));
                closed.map(Request::HangUp)
            }
            Strike::GameSession => passage.connection.map(Request::LoseLogin),
            Strike::RestartWarning => Some(Request::WarnOfRestart),
            Strike::Drop | Strike::Hang(_) | Strike::Garbage => {
                passage.spoilt = Some(strike);
                None
            }
            Strike::Http500
            | Strike::Http429 { .. }
            | Strike::Outage
            | Strike::ToolsMissing
            | Strike::RpcError => None,
        };
        match request {
            Some(request) => self.requests.send(request).await.map_err(|_| Stopping),
            None => Ok(()),
        }
    }

    /// What a fault makes of an answer to a request that was executed.
    pub(super) async fn spoil(&self, answer: Response, strike: Option<Strike>) -> Response {
        match strike {
            Some(Strike::Drop) => response::cut(),
            Some(Strike::Hang(duration)) => {
                // Whether the time was up or the server ends: the connection is cut.
                let _ = self.wait(duration).await;
                response::cut()
            }
            Some(Strike::Garbage) => {
                response::json(StatusCode::OK, "<html><body>Bad gateway?</body></html>")
            }
            Some(
                Strike::Http500
                | Strike::Http429 { .. }
                | Strike::Slow(_)
                | Strike::McpSession
                | Strike::GameSession
                | Strike::RestartWarning
                | Strike::Outage
                | Strike::ToolsMissing
                | Strike::RpcError,
            )
            | None => answer,
        }
    }

    /// Waits, but not past the end of the server.
    async fn wait(&self, duration: Duration) -> Result<(), Stopping> {
        tokio::select! {
            () = tokio::time::sleep(duration) => Ok(()),
            () = self.stop.cancelled() => Err(Stopping),
        }
    }
}

fn target(envelope: &Envelope, connection: Option<Connection>) -> Target {
    match (connection, envelope.kind) {
        (None, _) => Target::Stranger,
        (Some(_), Kind::ToolsList) => Target::ToolsList,
        (Some(_), Kind::Initialize | Kind::LogIn | Kind::Other) => Target::Session,
    }
}
