//! Tickets: what an MCP session is taken up again by after the process that opened it has ended.

use std::sync::Arc;

use actors::ports::LinkFault;
use serde::{Deserialize, Serialize};

use crate::mcp::SessionIdentity;

/// A session's pass, and where it is good.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ResumeToken {
    /// Where the session was opened: its id is no other server's business.
    url: Arc<str>,
    session: Arc<str>,
    version: Arc<str>,
}

impl ResumeToken {
    /// For this session; `None` where the server keeps no sessions.
    pub(super) fn of(url: &Arc<str>, pass: &SessionIdentity) -> Option<ResumeToken> {
        Some(ResumeToken {
            url: url.clone(),
            session: pass.session.clone()?,
            version: pass.version.clone(),
        })
    }

    /// As text.
    pub(super) fn written(&self) -> Arc<str> {
        serde_json::to_string(self).unwrap_or_default().into()
    }

    /// The pass of a ticket that was written for the server at this URL.
    pub(super) fn read(text: &str, url: &str) -> Result<SessionIdentity, LinkFault> {
        let ticket: ResumeToken = serde_json::from_str(text).map_err(|error| {
            LinkFault::SessionLost(format!("the ticket cannot be read: {error}"))
        })?;
        if &*ticket.url != url {
            let text = format!("the ticket is for another server, {}", ticket.url);
            return Err(LinkFault::SessionLost(text));
        }
        Ok(SessionIdentity {
            session: Some(ticket.session),
            version: ticket.version,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_good_where_it_was_written_only() {
        let pass = SessionIdentity {
            session: Some("s-1".into()),
            version: "2025-11-25".into(),
        };
        let here: Arc<str> = "http://127.0.0.1:1/mcp".into();
        let ticket = ResumeToken::of(&here, &pass).expect("a ticket").written();
        assert_eq!(ResumeToken::read(&ticket, &here), Ok(pass));
        for wrong in [
            ResumeToken::read(&ticket, "http://127.0.0.1:2/mcp"),
            ResumeToken::read(r#"{"session":"s-1","server":{}}"#, &here),
            ResumeToken::read("", &here),
        ] {
            assert!(matches!(wrong, Err(LinkFault::SessionLost(_))), "{wrong:?}");
        }
    }

    #[test]
    fn a_server_without_sessions_gives_no_ticket() {
        let pass = SessionIdentity {
            session: None,
            version: "2025-11-25".into(),
        };
        assert!(ResumeToken::of(&"http://127.0.0.1:1/mcp".into(), &pass).is_none());
    }
}
