//! A server that is a child process: rmcp's `Peer` speaks to it over its standard input and output.
//!
//! One process is one session and ends with it. What it sends is bounded before it is parsed
//! ([`lines`]), and again before it is answered ([`received`]). rmcp finds out whether the server does without sessions, answers what it asks, and
//! cancels calls that take too long. Answers to ours do not pass through its types ([`open_requests`]): they have the same
//! readers as those that come over HTTP.

mod last_words;
mod lines;
mod open_requests;
mod ours;
mod process;
mod received;
mod requests;

use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RunningService};
use rmcp::transport::async_rw::AsyncRwTransport;
use thiserror::Error;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::listing::{PageFailure, read_pages};
use super::patience::CallClock;
use super::{
    Listing, MAX_ANSWER_BYTES, McpFailure, SessionMode, bounded_text, one_line, refusal_text,
    shown_name,
};
use lines::BoundedLines;
use open_requests::OpenRequests;
use ours::{CallDesk, OurSide};
use process::ChildProcess;
use received::{EndedReading, LimitedMessages};

/// How long the end of a process is waited for, so that a failure can tell how it ended.
const END_WAIT: Duration = Duration::from_millis(500);

/// The longest answer to the question for a session that a failure tells, in bytes.
const MAX_REFUSAL_BYTES: usize = 300;

#[derive(Clone)]
pub struct ChildCommand {
    pub command: Arc<[String]>,
    pub environment: Arc<[(String, String)]>,
    /// A program that gets the id of our process, `--` and the command as its arguments, sees to it
    /// that the process does not outlive ours, and becomes the command; `None` for nothing of that
    /// kind.
    pub guard: Option<Arc<[String]>>,
}

impl ChildCommand {
    pub fn program(&self) -> &str {
        self.command.first().map_or("", |program| program)
    }

    /// The program's name without its directory.
    fn short_name(&self) -> &str {
        let name = Path::new(self.program()).file_name();
        name.and_then(|name| name.to_str()).unwrap_or("server")
    }
}

/// Receives why a process was ended by us.
pub type OnEnd = Arc<dyn Fn(&str) + Send + Sync>;

/// A server that is started once for each session.
pub struct ChildServer {
    command: ChildCommand,
    notify_end: Option<OnEnd>,
    keepers: TaskTracker,
    end: CancellationToken,
    /// Whether the server takes `initialize` and nothing before it.
    is_older: AtomicBool,
}

pub struct ChildSession {
    service: RunningService<RoleClient, OurSide>,
    process: ChildProcess,
    version: Arc<str>,
    has_new_tools: Arc<AtomicBool>,
    ended_reading: EndedReading,
    /// The name that the server gives itself, or else the program's, for the operator.
    name: Arc<str>,
    questions: Arc<CallDesk>,
    requests: OpenRequests,
}

/// Why a request to a child process has no result.
#[derive(Debug, Error)]
pub enum ChildFailure {
    /// The process cannot be started, or is no server. No request was sent.
    #[error("{0}")]
    NotReady(String),
    /// The process had ended before the request was sent.
    #[error("{0}")]
    Gone(String),
    #[error("{}", refusal_text(message, *code))]
    Refused {
        /// The JSON-RPC code, if it has one.
        code: Option<i64>,
        message: String,
    },
    /// The request was sent, and the process ended.
    #[error("{0}")]
    Lost(String),
    /// The answer cannot be used.
    #[error("{0}")]
    Broken(String),
    /// There was no answer within the time limit.
    #[error("no answer within {0:?}")]
    TooLate(Duration),
}

impl ChildServer {
    pub fn new(command: ChildCommand) -> ChildServer {
        ChildServer {
            command,
            notify_end: None,
            keepers: TaskTracker::new(),
            end: CancellationToken::new(),
            is_older: AtomicBool::new(false),
        }
    }

    /// The same, which tells why it ends a process that asks or tells too much.
    #[must_use]
    pub fn with_on_end(mut self, on_end: OnEnd) -> ChildServer {
        self.notify_end = Some(on_end);
        self
    }

    pub fn program(&self) -> &str {
        self.command.program()
    }

    /// Starts a process and opens a session with it. A server that ends or answers something else where it is
    /// asked for its revision is started once more, and asked by `initialize` alone.
    pub async fn open(&self) -> Result<ChildSession, ChildFailure> {
        let knows = self.is_older.load(Ordering::Relaxed);
        let opened = match self.open_once(lifecycle(knows)).await {
            Err(OpenFailure::NoSession(_)) if !knows => {
                self.open_once(lifecycle(true)).await.inspect(|_| {
                    self.is_older.store(true, Ordering::Relaxed);
                })
            }
            Err(failure) => {
                self.is_older.store(false, Ordering::Relaxed);
                Err(failure)
            }
            // rmcp may have found it out, by an answer or after ten seconds without one.
            Ok(session) => {
                let modern = ProtocolVersion::V_2026_07_28;
                let is_older = *session.version != *modern.as_str();
                self.is_older.store(is_older, Ordering::Relaxed);
                Ok(session)
            }
        };
        opened.map_err(|failure| match failure {
            OpenFailure::NoSession(why) | OpenFailure::Final(why) => ChildFailure::NotReady(why),
        })
    }

    async fn open_once(&self, lifecycle: ClientLifecycleMode) -> Result<ChildSession, OpenFailure> {
        let stop = self.end.child_token();
        let started = ChildProcess::start(&self.command, stop, &self.keepers);
        let (process, stdin, stdout) = started.map_err(|error| {
            let program = self.command.program();
            OpenFailure::Final(format!("{program} cannot be started: {error}"))
        })?;
        let ended_reading = EndedReading::new(process.stop_token(), self.notify_end.clone());
        let has_new_tools = Arc::new(AtomicBool::new(false));
        let questions = Arc::new(CallDesk::default());
        let requests = OpenRequests::new(self.command.short_name());
        let ours = OurSide {
            has_new_tools: has_new_tools.clone(),
            questions: questions.clone(),
        };
        let lines = BoundedLines::new(stdout, ended_reading.clone(), requests.clone());
        let messages = AsyncRwTransport::new_client(lines, stdin);
        let received = LimitedMessages::new(messages, ended_reading.clone(), requests.clone());
        let opened = ours.serve_with_lifecycle(received, lifecycle);
        // Cancel-safe: whatever is dropped here is not used again.
        let error = tokio::select! {
            opened = opened => match opened {
                Ok(service) => {
                    let info = service.peer().peer_info();
                    let version = info.as_ref().map(|info| info.protocol_version.to_string());
                    let named = info.as_ref().and_then(|info| info.server_info.as_ref());
                    let named = named.and_then(|server| shown_name(&server.name));
                    return Ok(ChildSession {
                        version: version.unwrap_or_default().into(),
                        name: named.unwrap_or_else(|| self.command.short_name().into()),
                        service,
                        process,
                        has_new_tools,
                        ended_reading,
                        questions,
                        requests,
                    });
                }
                Err(error) => error,
            },
            () = process.is_long_over() => ClientInitializeError::Cancelled,
        };
        if let Some(why) = ended_reading.why() {
            return Err(OpenFailure::Final(why));
        }
        // An answer ends the session before the process.
        let how = match refusal(&error) {
            Some(refusal) => Some(refusal),
            None => process.how_it_ended(END_WAIT).await,
        };
        let how = how.unwrap_or_else(|| format!("it does not speak MCP: {error}"));
        Err(OpenFailure::NoSession(how))
    }

    /// Ends all processes and waits until they have ended.
    pub async fn end(&self) {
        self.end.cancel();
        self.keepers.close();
        self.keepers.wait().await;
    }
}

/// Why a session was not opened.
enum OpenFailure {
    /// The process ended, or answered something else.
    NoSession(String),
    Final(String),
}

fn lifecycle(is_older: bool) -> ClientLifecycleMode {
    match is_older {
        true => ClientLifecycleMode::Initialize,
        false => ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        },
    }
}

/// What a process answered that opens no session; `None` if it answered nothing.
fn refusal(error: &ClientInitializeError) -> Option<String> {
    if let ClientInitializeError::LegacyFallbackFailed { fallback, .. } = error {
        return refusal(fallback);
    }
    let shown = |text: &str| bounded_text(one_line(text), MAX_REFUSAL_BYTES);
    if let ClientInitializeError::JsonRpcError(error) = error {
        let said = shown(&error.message);
        return Some(format!("it refuses the session: {said} ({})", error.code.0));
    }
    let is_silent = matches!(
        error,
        ClientInitializeError::ConnectionClosed(_)
            | ClientInitializeError::TransportError { .. }
            | ClientInitializeError::Cancelled
    );
    let is_other = matches!(
        error,
        ClientInitializeError::ExpectedInitResponse(_)
            | ClientInitializeError::ExpectedInitResult(_)
    );
    // The library's own texts for these are values in Rust.
    let said = if is_other {
        "it answered the question for a session with something else".to_string()
    } else if let ClientInitializeError::NoCompatibleProtocolVersion {
        server_supported, ..
    } = error
    {
        let known: Vec<&str> = server_supported.iter().map(|it| it.as_str()).collect();
        shown(&format!("it supports the revisions {}", known.join(", ")))
    } else {
        shown(&error.to_string())
    };
    (!is_silent).then(|| format!("it does not speak MCP: {said}"))
}

impl ChildSession {
    /// The negotiated version of the protocol; empty where it is not known.
    pub fn version(&self) -> &Arc<str> {
        &self.version
    }

    /// Whether the server has said that its tools changed since they were listed.
    pub fn has_new_tools(&self) -> bool {
        self.has_new_tools.load(Ordering::Relaxed)
    }

    /// Whether the process has ended, or cannot be spoken to any longer.
    pub fn is_over(&self) -> bool {
        self.service.is_closed()
            || self.service.peer().is_transport_closed()
            || self.ended_reading.why().is_some()
    }

    /// The name that the server gives itself, or else the program's.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Ends the process and waits until it has ended.
    pub async fn end(&self) {
        self.service.cancellation_token().cancel();
        self.process.end().await;
    }

    /// Lists all tools of the server that are valid and within the limits, and the reasons for
    /// those left out.
    pub async fn tools(&self, limit: Duration) -> Result<Arc<Listing>, ChildFailure> {
        // What is said while the list is on its way may be about what comes after it.
        self.has_new_tools.store(false, Ordering::Relaxed);
        // Arguments are repeated in headers over HTTP only.
        let limits = (MAX_ANSWER_BYTES, &Mutex::default());
        read_pages(SessionMode::Sessions, limits, |request, _| async move {
            // Each page has the limit, and nobody is asked meanwhile.
            self.ask(request, limit, &CallClock::default()).await
        })
        .await
    }

    /// Why there is no more to be had of the process.
    pub async fn why_it_is_over(&self) -> String {
        if let Some(why) = self.ended_reading.why() {
            return why;
        }
        let how = self.process.how_it_ended(END_WAIT).await;
        how.unwrap_or_else(|| "the server's process has closed its output".to_string())
    }
}

impl From<McpFailure> for ChildFailure {
    fn from(failure: McpFailure) -> ChildFailure {
        match failure {
            McpFailure::Refused { code, message, .. } => ChildFailure::Refused { code, message },
            McpFailure::RefusedAfterAsking { .. }
            | McpFailure::Status { .. }
            | McpFailure::SessionGone
            | McpFailure::Http { .. }
            | McpFailure::Broken(_)
            | McpFailure::TooLate(_) => ChildFailure::Broken(failure.to_string()),
        }
    }
}

impl PageFailure for ChildFailure {
    fn of_page(&self) -> Option<&str> {
        let ChildFailure::Broken(why) = self else {
            return None;
        };
        Some(why)
    }
}

#[cfg(test)]
mod tests;
