//! The port to the game server: one session, its calls, and how they can fail.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use thiserror::Error;

use crate::domain::life::ToolOutcome;
use crate::domain::message::CallStatus;
use crate::domain::tool::Toolset;

use super::CallContext;

/// One Mysis' session with the game server. Its methods are called one at a time.
pub trait Link: Send + Sync + 'static {
    /// Opens a new session in place of an older one. Returns the token with which another process
    /// can resume it; `None` if the server keeps no sessions.
    fn open(&self) -> BoxFuture<'static, Result<Option<Arc<str>>, LinkFault>>;

    /// Resumes a session with the token that `open` returned, without asking the server. The next
    /// request shows whether the server still knows it.
    fn resume(&self, resume_token: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>>;

    /// The tools of the server and our own. Sessions with equal tools share one set.
    fn tools(&self) -> BoxFuture<'static, Result<Arc<Toolset>, LinkFault>>;

    /// Whether the tools should be listed again: the list is too old, or the server has said or
    /// shown that it has changed. Nothing is sent.
    fn has_old_tools(&self) -> bool {
        false
    }

    /// Whether the answers to the last calls say that the server may not know the session any more.
    /// Nothing is sent.
    fn doubts_session(&self) -> bool {
        false
    }

    /// Whether the last call was answered without the server.
    fn spared_server(&self) -> bool {
        false
    }

    /// Asks whether the server still knows the session, which costs it less than a list of tools.
    fn check(&self) -> BoxFuture<'static, Result<(), LinkFault>> {
        let tools = self.tools();
        async move { tools.await.map(|_| ()) }.boxed()
    }

    fn call(&self, call: LinkCall) -> BoxFuture<'static, Result<LinkReply, LinkFault>>;

    /// Asks for the outcome of a call that the server works on. The question changes nothing.
    fn ask_task(&self, _id: Arc<str>) -> BoxFuture<'static, Result<TaskNews, LinkFault>> {
        let text = "there are no tasks here".to_string();
        futures::future::ready(Ok(TaskNews::Unknown(text))).boxed()
    }

    /// Asks the server to cancel a call that it works on. It may be too late for that.
    fn cancel_task(&self, _id: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        futures::future::ready(Ok(())).boxed()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct LinkCall {
    pub tool: Arc<str>,
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// Our id of the call, for the server's records.
    pub call_id: String,
    pub timeout: Duration,
    /// Its place in a turn; `None` for a call of the runtime's own.
    pub context: Option<CallContext>,
    /// Whether the caller takes a task of the server in place of an answer.
    pub takes_task: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkReply {
    Answer(LinkAnswer),
    /// The server works on the call. The answer has to be asked for.
    Task(ServerTask),
}

impl LinkReply {
    /// The answer, for a caller that takes no task.
    ///
    /// # Errors
    /// The server works on the call all the same, and nobody asks for the outcome.
    pub fn answer(self) -> Result<LinkAnswer, LinkFault> {
        match self {
            LinkReply::Answer(answer) => Ok(answer),
            LinkReply::Task(_) => Err(LinkFault::AnswerLost(
                "the server answered with a task that zoea did not request".to_string(),
            )),
        }
    }
}

impl From<LinkAnswer> for LinkReply {
    fn from(answer: LinkAnswer) -> LinkReply {
        LinkReply::Answer(answer)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerTask {
    pub id: Arc<str>,
    /// The pause before the first question that the server asks for.
    pub poll_after: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskNews {
    /// It is not done. The server asks for this pause before the next question.
    Working(Option<Duration>),
    /// It waits for input that nobody can give.
    WantsInput,
    Done(LinkAnswer),
    Failed(String),
    Cancelled,
    /// The server does not know it, or not any more.
    Unknown(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkAnswer {
    pub text: String,
    /// Structured content beside the text, as JSON. Only the runtime reads it.
    pub structured: Option<String>,
    pub is_error: bool,
}

impl From<LinkAnswer> for ToolOutcome {
    fn from(answer: LinkAnswer) -> ToolOutcome {
        let status = match answer.is_error {
            true => CallStatus::Failed,
            false => CallStatus::Done,
        };
        ToolOutcome::new(status, answer.text)
    }
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkFault {
    /// The request did not reach the server, so it was not executed.
    #[error("{0}")]
    Unreachable(String),
    /// The server does not know the session, so the request was not executed.
    #[error("{0}")]
    SessionLost(String),
    /// The server refuses for now, so the request was not executed.
    #[error("{text}")]
    Limited {
        text: String,
        /// The pause that it asks for.
        retry_after: Option<Duration>,
    },
    /// The server announced a restart. The request was not sent.
    #[error("the game server restarts; zoea sends it no calls until it is back")]
    Restarting {
        /// The time until this Mysis may send again.
        back_in: Duration,
    },
    /// The server refuses access, so the request was not executed. The operator has to mend a
    /// token.
    #[error("{0}")]
    NoAccess(String),
    /// The server refuses this request, so it was not executed.
    #[error("{0}")]
    Refused(String),
    /// The request was sent and no answer came. Whether it was executed is unknown.
    #[error("{0}")]
    AnswerLost(String),
}
