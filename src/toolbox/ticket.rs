//! Tickets: what an MCP session is taken up again by after the process that opened it has ended.

use std::sync::Arc;

use actors::ports::LinkFault;
use rmcp::RoleClient;
use rmcp::model::{ClientConfig, InitializeResult};
use rmcp::service::RunningService;
use serde::{Deserialize, Serialize};

use super::wire::SessionId;

/// The session's id and what the server said of itself when it was opened.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Ticket {
    /// Where it was opened: its id is no other server's business.
    url: Arc<str>,
    pub(super) session: Arc<str>,
    pub(super) server: InitializeResult,
}

impl Ticket {
    /// Of a session that was just opened; `None` where the server keeps no sessions.
    pub(super) fn of(
        url: Arc<str>,
        service: &RunningService<RoleClient, ClientConfig>,
        session: &SessionId,
    ) -> Option<Ticket> {
        let mut server = service.peer_info()?.as_ref().clone();
        // Nobody reads them, and they can be long.
        server.instructions = None;
        let server = serde_json::to_value(server).ok()?;
        Some(Ticket {
            url,
            session: session.get()?,
            server: serde_json::from_value(server).ok()?,
        })
    }

    /// As text.
    pub(super) fn written(&self) -> Arc<str> {
        serde_json::to_string(self).unwrap_or_default().into()
    }

    /// One that was written for the server at this URL.
    pub(super) fn read(text: &str, url: &str) -> Result<Ticket, LinkFault> {
        let ticket: Ticket = serde_json::from_str(text).map_err(|error| {
            LinkFault::SessionLost(format!("the ticket cannot be read: {error}"))
        })?;
        if &*ticket.url != url {
            let text = format!("the ticket is for another server, {}", ticket.url);
            return Err(LinkFault::SessionLost(text));
        }
        Ok(ticket)
    }
}
