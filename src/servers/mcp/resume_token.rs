//! Resume tokens: with one, another process resumes a session after the process that opened it has
//! ended.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{ServerSession, SessionMode, UpstreamEndpoint};

/// A session's id and its server. As JSON it is the token that is stored for each Mysis.
#[derive(Serialize, Deserialize)]
struct ResumeToken {
    /// The server's URL. The id must not be sent to another server.
    url: Arc<str>,
    session: Arc<str>,
    version: Arc<str>,
}

impl ServerSession {
    /// The token for resuming this session; `None` if the server keeps no sessions.
    pub fn resume_token(&self) -> Option<Arc<str>> {
        let token = ResumeToken {
            url: self.endpoint.url.clone(),
            session: self.session.clone()?,
            version: self.version.clone(),
        };
        serde_json::to_string(&token).ok().map(Into::into)
    }

    /// Resumes a session without asking the server. The first request shows whether the server
    /// still knows it.
    pub fn resume(endpoint: UpstreamEndpoint, token: &str) -> Result<ServerSession, String> {
        let token: ResumeToken = serde_json::from_str(token)
            .map_err(|error| format!("the resume token cannot be read: {error}"))?;
        if token.url != endpoint.url {
            return Err(format!(
                "the resume token is for another server, {}",
                token.url
            ));
        }
        Ok(ServerSession {
            session: Some(token.session),
            version: token.version,
            ..ServerSession::new(endpoint, SessionMode::Sessions)
        })
    }
}

/// An id that no request of the session had before, and none of another session has. A server may still be
/// at work on an older one. Servers on the official SDKs send an answer to the newest request with its id,
/// and some share one transport among all their clients. It fits into 31 bits, which is what some servers have for it.
pub(super) fn fresh_request_id() -> i64 {
    let random = RandomState::new().build_hasher().finish();
    (random >> 33).try_into().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(url: &str) -> UpstreamEndpoint {
        UpstreamEndpoint::new(url, zoea_http::build_client().expect("a client"))
    }

    #[test]
    fn a_token_is_good_where_it_was_written_only() {
        let here = "http://127.0.0.1:1/mcp";
        let stored = r#"{"url":"http://127.0.0.1:1/mcp","session":"s-1","version":"2025-11-25"}"#;
        let session = ServerSession::resume(endpoint(here), stored).expect("a session");
        assert_eq!(session.resume_token().as_deref(), Some(stored));
        let again = ServerSession::resume(endpoint(here), stored).expect("a session");
        let ids = [session, again].map(|session| session.last_request.into_inner());
        assert_ne!(ids[0], ids[1], "an earlier request may still be answered");
        assert!(ids.iter().all(|id| (0..1 << 31).contains(id)), "{ids:?}");
        for (token, url) in [
            (stored, "http://127.0.0.1:2/mcp"),
            (r#"{"session":"s-1","server":{}}"#, here),
            ("", here),
        ] {
            let wrong = ServerSession::resume(endpoint(url), token).err();
            assert!(wrong.is_some_and(|why| why.starts_with("the resume token ")));
        }
    }

    #[test]
    fn a_server_without_sessions_gives_no_token() {
        let session = ServerSession::new(endpoint("http://127.0.0.1:1/mcp"), SessionMode::Sessions);
        assert_eq!(session.resume_token(), None);
    }
}
