//! What is seen at the ports: each model call, each tool call and each session with the game's
//! server, reported to observers when it is over.
//!
//! Observers are called by the tasks of the Myses, so they must not wait for anything.

mod links;
mod models;
mod server;

use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::{CallKey, Timestamp, TurnRef};
use actors::domain::model::{ModelAnswer, ModelFault, ModelRequest};
use actors::ports::{LinkAnswer, LinkCall, LinkFault, WireFacts};

pub use links::ObservedUpstream;
pub use models::ObservedModels;
pub use server::ModelServer;

pub trait CallObserver: Send + Sync {
    /// A model call begins. It ends with [`CallObserver::on_model_call`].
    fn on_model_call_begun(&self, _turn: Option<TurnRef>, _at: Timestamp) {}

    fn on_model_call(&self, call: &ModelCallReport<'_>);

    /// The span of a tool call that is about to be sent, in W3C's form, for the server.
    fn traceparent(&self, _turn: TurnRef, _key: CallKey, _at: Timestamp) -> Option<Arc<str>> {
        None
    }

    /// A tool call got its answer, or none.
    fn on_tool_call(&self, call: &ToolCallReport<'_>);

    fn on_session_over(&self, _took: Duration) {}
}

pub type CallObservers = Arc<[Arc<dyn CallObserver>]>;

pub struct ModelCallReport<'a> {
    /// The turn that asked; `None` if no Mysis did.
    pub turn: Option<TurnRef>,
    pub request: &'a ModelRequest,
    pub server: Option<&'a ModelServer>,
    pub began: Timestamp,
    pub ended: Timestamp,
    pub took: Duration,
    /// The time until the first part of a streamed answer.
    pub first_chunk: Option<Duration>,
    pub end: ModelCallEnd<'a>,
}

#[derive(Clone, Copy, Debug)]
pub enum ModelCallEnd<'a> {
    Answered(&'a ModelAnswer),
    Failed(&'a ModelFault),
    /// The answer took too long.
    TimedOut,
    /// It was cancelled, because its Mysis was stopped or the program ends.
    Aborted,
}

impl ModelCallEnd<'_> {
    pub fn outcome(&self) -> &'static str {
        match self {
            ModelCallEnd::Answered(_) => "ok",
            ModelCallEnd::Failed(ModelFault::Transient { .. }) => "transient",
            ModelCallEnd::Failed(ModelFault::Permanent { .. } | ModelFault::Refused { .. }) => {
                "permanent"
            }
            ModelCallEnd::Failed(ModelFault::Unreachable { .. }) => "unreachable",
            ModelCallEnd::Failed(ModelFault::NoDescriptor { .. }) => "no_descriptor",
            ModelCallEnd::Failed(ModelFault::Empty { .. }) => "empty",
            ModelCallEnd::Failed(ModelFault::TooLong { .. }) => "too_long",
            ModelCallEnd::Failed(ModelFault::OutOfService { .. }) => "out_of_service",
            ModelCallEnd::Failed(ModelFault::Adapted { .. }) => "adapted",
            ModelCallEnd::TimedOut => "timeout",
            ModelCallEnd::Aborted => "aborted",
        }
    }

    /// The kind of the failure; `None` for an answer.
    pub fn error_type(&self) -> Option<&'static str> {
        match self {
            ModelCallEnd::Answered(_) => None,
            ModelCallEnd::Failed(_) | ModelCallEnd::TimedOut | ModelCallEnd::Aborted => {
                Some(self.outcome())
            }
        }
    }
}

pub struct ToolCallReport<'a> {
    pub call: &'a LinkCall,
    pub took: Duration,
    /// The answer; `None` if the call was cancelled.
    pub answer: Option<Result<&'a LinkAnswer, &'a LinkFault>>,
    /// What is known of the way to the server; `None` if the call did not get there.
    pub wire: Option<WireFacts>,
}

impl ToolCallReport<'_> {
    /// The kind of the failure; `None` for a good answer.
    pub fn error_type(&self) -> Option<&'static str> {
        Some(match self.answer {
            None => "aborted",
            Some(Ok(answer)) if answer.is_error => "tool_error",
            Some(Ok(_)) => return None,
            Some(Err(LinkFault::Unreachable(_))) => "unreachable",
            Some(Err(LinkFault::SessionLost(_))) => "session_lost",
            Some(Err(LinkFault::Limited { .. })) => "limited",
            Some(Err(LinkFault::Restarting { .. })) => "restarting",
            Some(Err(LinkFault::Refused(_))) => "refused",
            Some(Err(LinkFault::NoAccess(_))) => "no_access",
            Some(Err(LinkFault::AnswerLost(_))) => "answer_lost",
        })
    }
}
