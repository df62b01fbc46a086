//! Ports: what the actors ask of the outside, and how that can fail.
//!
//! Each fault has a variant for each decision that the caller can take. Answers are futures that
//! own what they need, so that a task can hold them. Dropping the task cancels the request.

mod asking;
mod fleet;
mod observed;
mod shared_limits;
mod stored;
mod terminal;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use thiserror::Error;

use crate::domain::books::{CostEntry, Day, SparedEntry};
use crate::domain::event_record::EventRecord;
use crate::domain::fleet_process::FleetProcess;
use crate::domain::held::HeldText;
use crate::domain::ids::{Incarnation, Moment, MysisId, Now, Timestamp};
use crate::domain::message::Row;
use crate::domain::model::{ModelAnswer, ModelFault, ModelRequest};
use crate::domain::order::Reloaded;
use crate::domain::record::{AccountRecord, GameAccount, SavedSession, StoredHistory};
use crate::domain::samples::{SampleQuery, SampleSeries};
use crate::domain::system_map::{SystemMap, SystemMapQuery};
use crate::domain::tool::Toolset;
use crate::domain::write::Batch;

pub use asking::Asker;
pub use fleet::{
    Fleet, FleetNeighbours, FleetOrder, FleetOrders, FleetReport, FleetStep, MysisPlace,
    OrderOutcome, ProcessSign, PublishedStatus,
};
pub use observed::{AnswerMeter, CallContext, WireFacts};
pub use shared_limits::{LimitNews, LimitReport, SharedLimits};
use stored::kept_nowhere;
pub use stored::{ArchiveFault, ArchiveRead, MysisNames, SwarmRecord};
pub use terminal::{ConversationExporter, Screen, SetupInspector, Terminal, TerminalInput, View};

pub use crate::domain::reading::{
    EventQuery, PageFrom, PageQuery, ResultPiece, ResultQuery, SearchHits, SearchIn, SearchQuery,
};

/// The two clocks. No actor reads any other.
pub trait Clock: Send + Sync + 'static {
    /// The time of the wall clock, for what is shown and stored, and for days. It may be set back
    /// or forward at any time.
    fn now(&self) -> Timestamp;

    /// The time of the monotonic clock, which times all waits. It never goes back.
    fn moment(&self) -> Moment;

    /// The present time of both clocks.
    fn both_clocks(&self) -> Now {
        Now {
            wall: self.now(),
            moment: self.moment(),
        }
    }
}

/// The writing side of the store. Only the Store actor calls it, one call at a time.
pub trait Ledger: Send + Sync + 'static {
    /// Makes batches durable, each as a whole or not at all. The answers are in the order of the
    /// batches. Repeating a batch changes nothing and gives the same answer.
    fn commit(&self, batches: Vec<Batch>) -> BoxFuture<'static, Vec<Result<(), LedgerFault>>>;

    /// Gives a Mysis the oldest free game account of the pool, or the account that it already has.
    fn claim_account(
        &self,
        mysis: MysisId,
        at: Timestamp,
    ) -> BoxFuture<'static, Result<Option<GameAccount>, LedgerFault>>;

    /// Refuses from now on what lives of a Mysis before this one write. They ended here, and another
    /// process may have run the Mysis since.
    fn shut_out(&self, _mysis: MysisId, _before: Incarnation) {}

    /// A step of maintenance, such as updating an index, if enough has accumulated. It takes some
    /// milliseconds, and nobody waits for its result.
    fn maintenance(&self) -> Option<BoxFuture<'static, ()>> {
        None
    }

    /// Reports the number of jobs that wait for the ledger, for metrics.
    fn waiting(&self, _jobs: usize) {}

    /// How often maintenance is tried although nothing was written; `None` for never.
    fn maintenance_interval(&self) -> Option<Duration> {
        None
    }
}

/// Why the ledger did not carry out a request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LedgerFault {
    /// The database is locked, full or unreachable. Another attempt may succeed.
    #[error("{0}")]
    Unavailable(String),
    /// The write contradicts what is stored. No attempt will succeed.
    #[error("{0}")]
    Refused(String),
    /// Another Mysis has the name of the one to be created, maybe since a moment ago, by another process.
    #[error("a mysis of that name exists already")]
    NameTaken,
    /// The author is an older incarnation of its Mysis.
    #[error("a newer incarnation writes for this mysis")]
    Fenced,
}

/// The reading side of the store. Reads see every write that was acknowledged before.
pub trait Archive: Send + Sync + 'static {
    /// The whole swarm, without conversations.
    fn swarm(&self) -> BoxFuture<'static, Result<SwarmRecord, ArchiveFault>>;

    /// The Myses of the swarm by name.
    fn names(&self) -> BoxFuture<'static, Result<MysisNames, ArchiveFault>> {
        let swarm = self.swarm();
        async move {
            let myses = swarm.await?.myses.into_iter();
            Ok(myses.map(|mysis| (mysis.id, mysis.profile.name)).collect())
        }
        .boxed()
    }

    /// The part of its history from which a Mysis continues.
    fn load_history(
        &self,
        mysis: MysisId,
    ) -> BoxFuture<'static, Result<StoredHistory, ArchiveFault>>;

    /// A page of a conversation, oldest row first.
    fn page(&self, page: PageQuery) -> BoxFuture<'static, Result<Vec<Arc<Row>>, ArchiveFault>>;

    /// The newest rows that contain a text, oldest first.
    fn search(&self, search: SearchQuery) -> BoxFuture<'static, Result<SearchHits, ArchiveFault>>;

    /// A part of a call's result; `None` if there is no such result.
    fn result_of(
        &self,
        asked: ResultQuery,
    ) -> BoxFuture<'static, Result<Option<ResultPiece>, ArchiveFault>>;

    /// The last game session of a Mysis, if it may still be open.
    fn saved_session(
        &self,
        mysis: MysisId,
    ) -> BoxFuture<'static, Result<Option<SavedSession>, ArchiveFault>>;

    /// The game account of a Mysis, with its password.
    fn account(
        &self,
        mysis: MysisId,
    ) -> BoxFuture<'static, Result<Option<GameAccount>, ArchiveFault>>;

    /// The books since a day, by day, Mysis and provider.
    fn books(&self, _since: Day) -> BoxFuture<'static, Result<Vec<CostEntry>, ArchiveFault>> {
        kept_nowhere("books")
    }

    /// How many calls routines made in the models' place since a day, by day and Mysis.
    fn spared_calls(&self, _since: Day) -> ArchiveRead<Vec<SparedEntry>> {
        kept_nowhere("books")
    }

    /// The texts that are held back from models, oldest first.
    fn held_texts(&self) -> ArchiveRead<Vec<HeldText>> {
        futures::future::ready(Ok(Vec::new())).boxed()
    }

    /// Samples, by Mysis or as their sum.
    fn samples(&self, _query: SampleQuery) -> ArchiveRead<Vec<SampleSeries>> {
        kept_nowhere("samples")
    }

    /// The map of systems, made of the newest results that tell of any.
    fn system_map(&self, _query: SystemMapQuery) -> ArchiveRead<SystemMap> {
        kept_nowhere("map")
    }

    /// Stored events, oldest first.
    fn events(&self, _query: EventQuery) -> ArchiveRead<Vec<EventRecord>> {
        futures::future::ready(Ok(Vec::new())).boxed()
    }

    /// The processes that run Myses of the database, or did lately, by name; none where one process
    /// has it for itself.
    fn processes(&self) -> BoxFuture<'static, Result<Vec<FleetProcess>, ArchiveFault>> {
        futures::future::ready(Ok(Vec::new())).boxed()
    }

    /// All game accounts with their passwords, oldest first.
    fn accounts(&self) -> BoxFuture<'static, Result<Vec<AccountRecord>, ArchiveFault>> {
        kept_nowhere("accounts")
    }
}

/// The model servers.
pub trait Models: Send + Sync + 'static {
    /// Asks once. The caller decides about retries. A streamed answer updates the meter and is
    /// returned when it is complete.
    fn ask(
        &self,
        request: ModelRequest,
        meter: AnswerMeter,
    ) -> BoxFuture<'static, Result<ModelAnswer, ModelFault>>;

    /// The exact body that [`Models::ask`] sends for a request; `None` if there is no such text.
    fn request_body(&self, _request: &ModelRequest) -> Option<String> {
        None
    }

    /// The URL of a provider's server; `None` if it is not known.
    fn server_url(&self, _provider: &str) -> Option<String> {
        None
    }
}

/// The game server or another MCP server.
pub trait Upstream: Send + Sync + 'static {
    /// A connection for one Mysis, not opened yet; `None` where no server is configured.
    fn link(&self, mysis: MysisId) -> Option<Arc<dyn Link>>;
}

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

    /// Calls a tool once.
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

/// A tool call as it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkCall {
    /// The tool.
    pub tool: Arc<str>,
    /// Its arguments.
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// Our id of the call, for the server's records.
    pub call_id: String,
    /// How long it may take.
    pub timeout: Duration,
    /// Its place in a turn; `None` for a call of the runtime's own.
    pub context: Option<CallContext>,
    /// Whether the caller takes a task of the server in place of an answer.
    pub takes_task: bool,
}

/// The reply to a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkReply {
    /// The answer.
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
                "the server answered with a task, which was not asked for".to_string(),
            )),
        }
    }
}

impl From<LinkAnswer> for LinkReply {
    fn from(answer: LinkAnswer) -> LinkReply {
        LinkReply::Answer(answer)
    }
}

/// A call that the server works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerTask {
    /// The server's id.
    pub id: Arc<str>,
    /// The pause before the first question that the server asks for.
    pub poll_after: Option<Duration>,
}

/// What a server says of a call that it works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskNews {
    /// It is not done. The server asks for this pause before the next question.
    Working(Option<Duration>),
    /// It waits for input that nobody can give.
    WantsInput,
    /// It is done, with this answer.
    Done(LinkAnswer),
    /// The server failed to carry it out.
    Failed(String),
    /// It was cancelled.
    Cancelled,
    /// The server does not know it, or not any more.
    Unknown(String),
}

/// A tool's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkAnswer {
    /// Its text.
    pub text: String,
    /// Structured content beside the text, as JSON. Only the runtime reads it.
    pub structured: Option<String>,
    /// Whether the server marks it as a failure.
    pub is_error: bool,
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
        /// The server's text.
        text: String,
        /// The pause that it asks for.
        retry_after: Option<Duration>,
    },
    /// The server announced a restart. The request was not sent.
    #[error("the game server restarts; it is left alone until it is back")]
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

/// The configuration, which can be read again while the program runs.
pub trait Configuration: fmt::Debug + Send + Sync + 'static {
    /// Reads and applies it. Returns the mistakes if the old one stays in force.
    fn reload(&self) -> BoxFuture<'static, Result<Reloaded, Vec<String>>>;
}

/// Keeps over restarts whether the swarm is frozen.
pub trait FreezeKeeper: Send + Sync + 'static {
    /// Stores since when the swarm is frozen, or that it is not. Returns why that failed.
    fn keep(&self, since: Option<Timestamp>) -> BoxFuture<'static, Result<(), String>>;
}
