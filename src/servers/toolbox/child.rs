//! The link to a server that is a child process: a process for each Mysis, because a server without
//! sessions of its own knows one player only. A process that is gone is started again, after a wait
//! that doubles while it does not live long.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::backoff::Backoff;
use actors::domain::bounds::{self, MAX_REFUSAL_BYTES};
use actors::domain::tool::Toolset;
use actors::ports::{Link, LinkAnswer, LinkCall, LinkFault, LinkReply};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;
use zoea_mcp::{
    COMMAND_FAILED_CODE, CallTerms, ChildCommand, ChildFailure, ChildServer, ChildSession,
    FailedCalls,
};

use super::listed::ListedTools;
use super::server::McpServer;
use super::{REQUEST_CODES, bounded, call_params, error_answer, failure, wire_facts};

/// What MCP over standard streams goes by, in the words of OpenTelemetry.
const TRANSPORT: &str = "pipe";
/// How long a server may take to start. Some are fetched from a registry first.
const START_TIMEOUT: Duration = Duration::from_secs(300);
const LIST_TIMEOUT: Duration = Duration::from_secs(30);
/// The first wait before a process is started again, and the longest one.
const FIRST_RESTART_WAIT: Duration = Duration::from_secs(1);
const LONGEST_RESTART_WAIT: Duration = Duration::from_secs(60);
/// A process that lived so long is started again at once.
const LONG_LIFE: Duration = Duration::from_secs(60);

#[derive(Clone)]
pub(super) struct ChildLink {
    child: Arc<ChildServer>,
    server: Arc<McpServer>,
    failed_calls: Option<FailedCalls>,
    state: Arc<Mutex<ChildState>>,
    /// A start that is under way. It goes on where nobody waits for it any longer.
    starting: Arc<tokio::sync::Mutex<Option<Starting>>>,
    listed: ListedTools,
}

type Starting = AbortOnDropHandle<Result<ChildSession, ChildFailure>>;

#[derive(Default)]
struct ChildState {
    session: Option<Arc<ChildSession>>,
    started_at: Option<Instant>,
    /// Processes in a row that did not live long.
    short_lives: u32,
    not_before: Option<Instant>,
    last_end: String,
    /// Whether the last call was refused in words that may mean the session with a server behind it.
    is_doubtful: bool,
}

/// A server that is started by this command. Why its processes are ended is told.
pub(super) fn server(command: ChildCommand, server: &Arc<McpServer>) -> Arc<ChildServer> {
    let (program, server) = (command.program().to_string(), server.clone());
    let notify = move |why: &str| server.notify_end(&format!("{program}: {why}"));
    Arc::new(ChildServer::new(command).with_on_end(Arc::new(notify)))
}

impl ChildState {
    /// Notes that the process is gone, or was none.
    fn note_end(&mut self, now: Instant) {
        let lived = self.started_at.take().map(|at| now.duration_since(at));
        if lived.is_some_and(|lived| lived >= LONG_LIFE) {
            self.short_lives = 0;
            self.not_before = None;
            return;
        }
        let waits = Backoff::new(FIRST_RESTART_WAIT, LONGEST_RESTART_WAIT);
        self.not_before = Some(now + waits.nth_wait(self.short_lives));
        self.short_lives = self.short_lives.saturating_add(1);
    }

    /// How long no process is started.
    fn wait(&self, now: Instant) -> Option<Duration> {
        let wait = self.not_before?.saturating_duration_since(now);
        (!wait.is_zero()).then_some(wait)
    }
}

impl ChildLink {
    pub(super) fn new(
        child: Arc<ChildServer>,
        server: Arc<McpServer>,
        failed_calls: Option<FailedCalls>,
    ) -> ChildLink {
        ChildLink {
            child,
            server,
            failed_calls,
            state: Arc::default(),
            starting: Arc::default(),
            listed: ListedTools::default(),
        }
    }

    /// Reads or changes the state. The lock is never held across an await.
    fn state<T>(&self, access: impl FnOnce(&mut ChildState) -> T) -> T {
        access(&mut self.state.lock())
    }

    fn session(&self) -> Result<Arc<ChildSession>, LinkFault> {
        self.state(|state| state.session.clone())
            .ok_or_else(|| LinkFault::SessionLost("the server's process was ended".to_string()))
    }

    /// Ends the process before, and starts one unless the last ones ended too soon.
    async fn open_again(&self) -> Result<(), LinkFault> {
        if let Some(before) = self.state(|state| state.session.take()) {
            before.end().await;
            let why = before.why_it_is_over().await;
            self.state(|state| {
                state.note_end(Instant::now());
                state.last_end = why;
            });
        }
        let wait = self.state(|state| Some((state.wait(Instant::now())?, state.last_end.clone())));
        if let Some((wait, why)) = wait {
            let (program, wait) = (self.child.program(), wait.as_secs() + 1);
            let text = format!("{program}: {why}; it is started again in {wait} s");
            let text = bounds::bounded_text(text, MAX_REFUSAL_BYTES);
            return Err(LinkFault::Unreachable(text));
        }
        match self.start().await {
            Ok(session) => {
                self.server.note_name(Some(session.name()));
                self.state(|state| {
                    state.session = Some(Arc::new(session));
                    state.started_at = Some(Instant::now());
                });
                Ok(())
            }
            Err(failure) => {
                self.state(|state| {
                    state.note_end(Instant::now());
                    state.last_end = failure.to_string();
                });
                let text = format!("{}: {failure}", self.child.program());
                let text = bounds::bounded_text(text, MAX_REFUSAL_BYTES);
                Err(LinkFault::Unreachable(text))
            }
        }
    }

    /// Starts a process, or goes on to wait for one that is starting.
    async fn start(&self) -> Result<ChildSession, ChildFailure> {
        let mut starting = self.starting.lock().await;
        let start = starting.get_or_insert_with(|| {
            let child = self.child.clone();
            let start = async move {
                let opened = tokio::time::timeout(START_TIMEOUT, child.open()).await;
                opened.unwrap_or(Err(ChildFailure::TooLate(START_TIMEOUT)))
            };
            AbortOnDropHandle::new(tokio::spawn(start))
        });
        let started = start.await;
        *starting = None;
        started.unwrap_or_else(|error| Err(ChildFailure::NotReady(error.to_string())))
    }

    async fn send(&self, call: LinkCall) -> Result<LinkAnswer, LinkFault> {
        let session = self.session()?;
        let report = |error_code| {
            if let Some(context) = &call.context {
                context.report(wire_facts(session.version(), TRANSPORT, error_code));
            }
        };
        // A call that is cancelled was under way all the same.
        report(None);
        let terms = CallTerms {
            limit: call.timeout,
            takes_task: false,
            asker: call.context.as_ref().and_then(|of| of.asker.as_ref()),
        };
        let reply = session.call(call_params(&call), terms).await;
        let doubts = matches!(&reply, Err(ChildFailure::Refused { code, message })
            if may_mean_session(*code, message));
        self.state(|state| state.is_doubtful = doubts);
        if let Err(ChildFailure::Refused { code, message }) = &reply {
            report(*code);
            if let Some(calls) = &self.failed_calls {
                let (server, refusal) = (session.name(), (*code, &**message));
                calls
                    .keep_refusal(server, call_params(&call), refusal)
                    .await;
            }
        }
        match reply {
            Ok(reply) => reply.answer().map(bounded),
            Err(ChildFailure::Refused { code, message }) if code == Some(COMMAND_FAILED_CODE) => {
                Ok(error_answer(&message))
            }
            Err(failure) => {
                if let ChildFailure::Refused {
                    code: Some(code), ..
                } = &failure
                    && REQUEST_CODES.contains(code)
                {
                    self.listed.doubt();
                }
                Err(call_fault(failure))
            }
        }
    }
}

impl Link for ChildLink {
    fn open(&self) -> BoxFuture<'static, Result<Option<Arc<str>>, LinkFault>> {
        let link = self.clone();
        // A process does not outlive us, so that there is nothing to resume.
        async move { link.open_again().await.map(|()| None) }.boxed()
    }

    fn resume(&self, _: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        let text = "a server's process has no session to resume".to_string();
        futures::future::ready(Err(LinkFault::SessionLost(text))).boxed()
    }

    fn tools(&self) -> BoxFuture<'static, Result<Arc<Toolset>, LinkFault>> {
        let link = self.clone();
        async move {
            let session = link.session()?;
            if session.has_new_tools() {
                link.listed.doubt();
            }
            let request = link.server.request_list();
            let listing = session.tools(LIST_TIMEOUT).await.map_err(reading_fault)?;
            link.state(|state| state.is_doubtful = false);
            let before = link.listed.list();
            let dated = link.server.take_listing(request, &listing, before.as_ref());
            Ok(link.listed.keep(dated))
        }
        .boxed()
    }

    fn has_old_tools(&self) -> bool {
        self.session().is_ok_and(|session| session.has_new_tools()) || self.listed.is_old()
    }

    fn doubts_session(&self) -> bool {
        self.state(|state| state.is_doubtful)
    }

    fn call(&self, call: LinkCall) -> BoxFuture<'static, Result<LinkReply, LinkFault>> {
        let link = self.clone();
        let call = self.server.complete(call);
        async move { link.send(call).await.map(LinkReply::from) }.boxed()
    }
}

/// Whether a call that was refused so shows that the server may have lost a session with one behind it. The
/// call is refused all the same, since the words may be about another session.
fn may_mean_session(code: Option<i64>, message: &str) -> bool {
    let is_about_call =
        code.is_some_and(|code| code == COMMAND_FAILED_CODE || REQUEST_CODES.contains(&code));
    !is_about_call && failure::names_a_session(message)
}

/// Classifies a failed listing of tools. A server that refuses that, whatever it says, may have lost a
/// session with one behind it: another process opens another one.
fn reading_fault(failure: ChildFailure) -> LinkFault {
    if let ChildFailure::Refused { .. } = &failure {
        let text = bounds::bounded_text(failure.to_string(), MAX_REFUSAL_BYTES);
        return LinkFault::SessionLost(text);
    }
    call_fault(failure)
}

/// Classifies a failed call by whether it may have been executed.
fn call_fault(failure: ChildFailure) -> LinkFault {
    let text = bounds::bounded_text(failure.to_string(), MAX_REFUSAL_BYTES);
    match failure {
        ChildFailure::NotReady(_) => LinkFault::Unreachable(text),
        ChildFailure::Gone(_) => LinkFault::SessionLost(text),
        ChildFailure::Refused {
            code: Some(code),
            message,
        } if failure::leaves_open(code, &message) => LinkFault::AnswerLost(text),
        ChildFailure::Refused { .. } => LinkFault::Refused(text),
        ChildFailure::Lost(_) | ChildFailure::Broken(_) | ChildFailure::TooLate(_) => {
            LinkFault::AnswerLost(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_ends_soon_is_started_later_each_time_and_a_long_life_forgives() {
        let now = Instant::now();
        let secs = Duration::from_secs;
        let mut state = ChildState::default();
        let mut waits = Vec::new();
        for _ in 0..8 {
            state.started_at = Some(now);
            state.note_end(now + secs(59));
            waits.push(state.wait(now + secs(59)).unwrap().as_secs());
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(state.wait(now + secs(59 + 60)), None);
        state.started_at = Some(now);
        state.note_end(now + secs(60));
        assert_eq!(state.wait(now + secs(60)), None);
        // One that could not be started at all counts as well.
        state.note_end(now);
        assert_eq!(state.wait(now), Some(secs(1)));
    }
}
