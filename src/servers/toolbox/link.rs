//! The link to a server over HTTP: one MCP session, its list of tools and its calls.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::bounds::{self, MAX_REFUSAL_BYTES};
use actors::domain::tool::Toolset;
use actors::ports::{Link, LinkCall, LinkFault, LinkReply, TaskNews};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::Instant;
use zoea_mcp::{
    HEADER_MISMATCH, McpFailure, ServerSession, SessionMode, TaskAnswer, UpstreamEndpoint,
};

use super::listed::ListedTools;
use super::server::McpServer;
use super::session_health::SessionHealth;
use super::{REQUEST_CODES, bounded, failure, send_call};

/// How long a server may take to say whether it knows a session.
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);
const TASK_TIMEOUT: Duration = Duration::from_secs(30);

/// The session of one Mysis. It is open while there is one.
#[derive(Clone)]
pub(super) struct McpLink {
    server: Arc<McpServer>,
    endpoint: UpstreamEndpoint,
    session: Arc<Mutex<Option<Arc<ServerSession>>>>,
    listed: ListedTools,
    health: Arc<Mutex<SessionHealth>>,
}

impl Link for McpLink {
    fn open(&self) -> BoxFuture<'static, Result<Option<Arc<str>>, LinkFault>> {
        let link = self.clone();
        async move {
            link.put_session(None);
            if let Some(why) = link.health(|health| health.hindrance(Instant::now())) {
                return Err(LinkFault::Unreachable(why));
            }
            let session = ServerSession::open(link.endpoint.clone())
                .await
                .map_err(failure::opening_fault)?;
            link.health(|health| health.on_opened(Instant::now()));
            link.server.note_name(session.server_name());
            let token = session.resume_token();
            link.put_session(Some(session));
            Ok(token)
        }
        .boxed()
    }

    fn resume(&self, resume_token: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        let link = self.clone();
        async move {
            if let Some(why) = link.health(|health| health.reason()) {
                return Err(LinkFault::SessionLost(why));
            }
            let session = ServerSession::resume(link.endpoint.clone(), &resume_token)
                .map_err(LinkFault::SessionLost)?;
            link.put_session(Some(session));
            Ok(())
        }
        .boxed()
    }

    fn tools(&self) -> BoxFuture<'static, Result<Arc<Toolset>, LinkFault>> {
        let link = self.clone();
        async move {
            let session = link.session()?;
            if session.has_new_tools() {
                link.doubt_list();
            }
            let known = match link.listed.is_doubtful() {
                true => None,
                false => link.server.public_list(),
            };
            if let Some(known) = known {
                let before = link.listed.list();
                link.server.notify_change(before.as_ref(), &known.list);
                return Ok(link.listed.keep(known));
            }
            if link.health(SessionHealth::on_listing)
                && let Some(why) = link.is_only_this_one(&session).await
            {
                return Err(LinkFault::SessionLost(why));
            }
            let listed = link.list_again(&session).await;
            let tools = listed.map_err(failure::reading_fault)?;
            link.health(SessionHealth::on_listed);
            Ok(tools)
        }
        .boxed()
    }

    fn has_old_tools(&self) -> bool {
        let has_news = self.session().is_ok_and(|session| session.has_new_tools());
        has_news || self.listed.is_old()
    }

    fn doubts_session(&self) -> bool {
        self.health(|health| health.is_doubtful())
    }

    fn check(&self) -> BoxFuture<'static, Result<(), LinkFault>> {
        let link = self.clone();
        async move {
            if let Some(why) = link.health(|health| health.reason()) {
                return Err(LinkFault::SessionLost(why));
            }
            let session = link.session()?;
            let known = session.check(CHECK_TIMEOUT).await;
            let known = known.map_err(failure::reading_fault);
            let has_session = session.resume_token().is_some();
            let why = link.health(|health| {
                match &known {
                    Ok(()) => health.on_known(Instant::now(), has_session),
                    Err(LinkFault::SessionLost(why)) if health.is_doubtful() => health.on_lost(why),
                    Err(_) => {}
                }
                health.reason()
            });
            match (known, why) {
                (Ok(()), Some(why)) => Err(LinkFault::SessionLost(why)),
                (known, _) => known,
            }
        }
        .boxed()
    }

    fn call(&self, call: LinkCall) -> BoxFuture<'static, Result<LinkReply, LinkFault>> {
        let link = self.clone();
        let call = self.server.complete(call);
        async move { link.send(&*link.session()?, call).await }.boxed()
    }

    fn ask_task(&self, id: Arc<str>) -> BoxFuture<'static, Result<TaskNews, LinkFault>> {
        let link = self.clone();
        async move {
            let answer = link.session()?.task(&id, TASK_TIMEOUT).await;
            answer.map(task_news).or_else(failure::task_fault)
        }
        .boxed()
    }

    fn cancel_task(&self, id: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        let link = self.clone();
        async move {
            let cancelled = link.session()?.cancel_task(&id, TASK_TIMEOUT).await;
            cancelled.map_err(failure::call_fault)
        }
        .boxed()
    }
}

impl McpLink {
    pub(super) fn new(server: Arc<McpServer>, endpoint: UpstreamEndpoint) -> McpLink {
        McpLink {
            server,
            endpoint,
            session: Arc::default(),
            listed: ListedTools::default(),
            health: Arc::default(),
        }
    }

    /// Reads or changes what is known of the session. The lock is never held across an await.
    fn health<T>(&self, access: impl FnOnce(&mut SessionHealth) -> T) -> T {
        access(&mut self.health.lock())
    }

    fn session(&self) -> Result<Arc<ServerSession>, LinkFault> {
        let session = self.session.lock();
        session
            .clone()
            .ok_or_else(|| LinkFault::SessionLost("the session is closed".to_string()))
    }

    fn put_session(&self, session: Option<ServerSession>) {
        let mut slot = self.session.lock();
        *slot = session.map(Arc::new);
    }

    /// Opens another session beside one in which the server lists no tools. If that is opened and this one
    /// still has no list, the server has forgotten it, and the answer says so. One that is away opens none.
    async fn is_only_this_one(&self, session: &ServerSession) -> Option<String> {
        session.resume_token()?;
        let other = ServerSession::open(self.endpoint.clone());
        tokio::time::timeout(CHECK_TIMEOUT, other)
            .await
            .ok()?
            .ok()?;
        let listed = tokio::time::timeout(CHECK_TIMEOUT, session.tools()).await;
        let why = match listed {
            Ok(Ok(_)) => return None,
            Ok(Err(failure)) => failure.to_string(),
            Err(_) => format!("no answer within {CHECK_TIMEOUT:?}"),
        };
        let why = format!("a new session opens where this one fails: {why}");
        Some(bounds::bounded_text(why, MAX_REFUSAL_BYTES))
    }

    async fn list_again(&self, session: &ServerSession) -> Result<Arc<Toolset>, McpFailure> {
        let request = self.server.request_list();
        let listing = session.tools().await?;
        let before = self.listed.list();
        let dated = self.server.take_listing(request, &listing, before.as_ref());
        Ok(self.listed.keep(dated))
    }

    /// Notes that the server contradicts the list of its tools.
    fn doubt_list(&self) {
        self.listed.doubt();
        self.server.forget_public_list();
    }

    /// Notes a refusal that may mean an unknown tool. Nobody asks for a young list again for it.
    fn suspect_list(&self) {
        match self.listed.is_young() {
            true => self.listed.doubt(),
            false => self.doubt_list(),
        }
    }

    /// Sends a call. If its headers follow an old list of tools, the list is asked for and the call,
    /// which was not executed, is sent once more.
    async fn send(&self, session: &ServerSession, call: LinkCall) -> Result<LinkReply, LinkFault> {
        let sent = send_call(session, call.clone()).await;
        self.health(|health| health.on_answer(&sent));
        match sent {
            // Of a server with sessions the code is an error of its own, and says nothing about the call.
            Err(McpFailure::Refused {
                code: Some(HEADER_MISMATCH),
                ..
            }) if session.mode() == SessionMode::Stateless => {
                self.doubt_list();
                // The call was not executed, and waits no longer for the list than for an answer.
                let listed = Box::pin(self.list_again(session));
                let listed = tokio::time::timeout(call.timeout, listed);
                let listed = listed
                    .await
                    .unwrap_or(Err(McpFailure::TooLate(call.timeout)));
                listed.map_err(failure::opening_fault)?;
                match send_call(session, call).await {
                    // Here the code says that nothing was done.
                    Err(
                        failure @ McpFailure::Refused {
                            code: Some(HEADER_MISMATCH),
                            ..
                        },
                    ) => {
                        let text = bounds::bounded_text(failure.to_string(), MAX_REFUSAL_BYTES);
                        Err(LinkFault::Refused(text))
                    }
                    sent => sent.map_err(failure::call_fault),
                }
            }
            sent => {
                if let Err(McpFailure::Refused {
                    code: Some(code), ..
                }) = &sent
                    && REQUEST_CODES.contains(code)
                {
                    self.suspect_list();
                }
                sent.map_err(failure::call_fault)
            }
        }
    }
}

fn task_news(answer: TaskAnswer) -> TaskNews {
    match answer {
        TaskAnswer::Working(pause) => TaskNews::Working(pause),
        TaskAnswer::WantsInput => TaskNews::WantsInput,
        TaskAnswer::Done(result) => TaskNews::Done(bounded(result)),
        TaskAnswer::Refused(code, text) => {
            let is_open = code.is_some_and(|code| failure::leaves_open(code, &text));
            let text = bounds::bounded_text(text, MAX_REFUSAL_BYTES);
            match is_open {
                true => TaskNews::Unknown(text),
                false => TaskNews::Failed(text),
            }
        }
        TaskAnswer::Cancelled => TaskNews::Cancelled,
    }
}
