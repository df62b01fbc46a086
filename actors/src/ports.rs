//! Ports: what the inside asks of the outside, and how that can fail.
//!
//! Each fault has a variant per decision that the caller can take. Answers are futures that own
//! what they need, so that a task can hold them and dropping the task cancels the request.

mod terminal;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use thiserror::Error;
use tokio::sync::watch;

use crate::domain::books::{CostEntry, Day};
use crate::domain::event_record::EventRecord;
use crate::domain::ids::{Moment, MysisId, Now, Timestamp};
use crate::domain::message::Row;
use crate::domain::model::{AnswerProgress, ModelAnswer, ModelFault, ModelRequest};
use crate::domain::order::Reloaded;
use crate::domain::record::{
    AccountRecord, GameAccount, Mission, MysisRecord, SavedSession, StoredHistory,
};
use crate::domain::screen::ExportFormat;
use crate::domain::tool::Toolset;
use crate::domain::write::Batch;

pub use terminal::{Screen, Terminal, TerminalInput, View};

pub use crate::domain::reading::{
    PageFrom, PageQuery, ResultPiece, ResultQuery, SearchHits, SearchIn, SearchQuery,
};

/// The two clocks. Nothing inside reads another one.
pub trait Clock: Send + Sync + 'static {
    /// This moment by the wall clock, for what is shown and stored, and for days. It may be set
    /// back or forward at any time.
    fn now(&self) -> Timestamp;

    /// This moment by the clock that waits go by: it never goes back, and nobody sets it.
    fn moment(&self) -> Moment;

    /// This moment, by both.
    fn both_clocks(&self) -> Now {
        Now {
            wall: self.now(),
            moment: self.moment(),
        }
    }
}

/// The durable part of the store; one actor calls it, one call at a time.
pub trait Ledger: Send + Sync + 'static {
    /// Makes batches durable, each as a whole or not at all. The answers stand in the batches'
    /// order. A batch that is repeated changes nothing and is answered as the first time.
    fn commit(&self, batches: Vec<Batch>) -> BoxFuture<'static, Vec<Result<(), LedgerFault>>>;

    /// Gives the oldest free game account of the pool to a Mysis; the one it has, if it has one.
    fn claim_account(
        &self,
        mysis: MysisId,
        at: Timestamp,
    ) -> BoxFuture<'static, Result<Option<GameAccount>, LedgerFault>>;

    /// A step of the work that what was committed leaves behind and that can wait, such as an
    /// index: some milliseconds of it, where enough has come together. Nobody waits for it.
    fn maintenance(&self) -> Option<BoxFuture<'static, ()>> {
        None
    }

    /// So many wait for the ledger now; for those who measure.
    fn waiting(&self, _jobs: usize) {}

    /// How often upkeep is asked for although nothing was written; absent: never.
    fn maintenance_interval(&self) -> Option<Duration> {
        None
    }
}

/// Why the ledger did not do it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LedgerFault {
    /// Not now: locked, full, unreachable. Asking again may help.
    #[error("{0}")]
    Unavailable(String),
    /// Never: the write contradicts what is stored.
    #[error("{0}")]
    Refused(String),
    /// The author is an older life of its Mysis.
    #[error("a newer incarnation writes for this mysis")]
    Fenced,
}

/// What is stored, for reading. Reads see every write that was acknowledged before.
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

    /// What a Mysis takes up its conversation from.
    fn load_history(
        &self,
        mysis: MysisId,
    ) -> BoxFuture<'static, Result<StoredHistory, ArchiveFault>>;

    /// A piece of a conversation, oldest row first.
    fn page(&self, page: PageQuery) -> BoxFuture<'static, Result<Vec<Arc<Row>>, ArchiveFault>>;

    /// Rows that hold a text, the newest ones, oldest first.
    fn search(&self, search: SearchQuery) -> BoxFuture<'static, Result<SearchHits, ArchiveFault>>;

    /// A piece of a call's result; `None` where there is no such result.
    fn result_of(
        &self,
        asked: ResultQuery,
    ) -> BoxFuture<'static, Result<Option<ResultPiece>, ArchiveFault>>;

    /// The session with the game server that a Mysis had last, if it may still stand.
    fn saved_session(
        &self,
        mysis: MysisId,
    ) -> BoxFuture<'static, Result<Option<SavedSession>, ArchiveFault>>;

    /// The game account of a Mysis, with its password.
    fn account(
        &self,
        mysis: MysisId,
    ) -> BoxFuture<'static, Result<Option<GameAccount>, ArchiveFault>>;

    /// The books from a day on, by day, Mysis and provider.
    fn books(&self, _since: Day) -> BoxFuture<'static, Result<Vec<CostEntry>, ArchiveFault>> {
        let fault = ArchiveFault("this archive keeps no books".to_string());
        futures::future::ready(Err(fault)).boxed()
    }

    /// The newest events, at most so many, the oldest first.
    fn events(&self, _limit: usize) -> BoxFuture<'static, Result<Vec<EventRecord>, ArchiveFault>> {
        futures::future::ready(Ok(Vec::new())).boxed()
    }

    /// All game accounts with their passwords, the oldest first.
    fn accounts(&self) -> BoxFuture<'static, Result<Vec<AccountRecord>, ArchiveFault>> {
        let fault = ArchiveFault("this archive keeps no accounts".to_string());
        futures::future::ready(Err(fault)).boxed()
    }
}

/// Myses with their names.
pub type MysisNames = Vec<(MysisId, Arc<str>)>;

/// The store could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ArchiveFault(pub String);

/// The whole swarm as stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SwarmRecord {
    /// All Myses, in the order of their creation.
    pub myses: Vec<MysisRecord>,
    /// The mission in force.
    pub mission: Option<Mission>,
    /// The passwords of all game accounts, so that they can be redacted.
    pub passwords: Vec<Arc<str>>,
    /// The books of the newest day that something was spent on.
    pub books: Vec<CostEntry>,
}

/// The model servers.
pub trait Models: Send + Sync + 'static {
    /// Asks once; retries are the caller's. An answer that comes in pieces moves the meter, and is
    /// handed over when it is whole.
    fn ask(
        &self,
        request: ModelRequest,
        meter: AnswerMeter,
    ) -> BoxFuture<'static, Result<ModelAnswer, ModelFault>>;

    /// The body that [`Models::ask`] sends for a request, letter for letter; `None` where there is
    /// no such text.
    fn request_body(&self, _request: &ModelRequest) -> Option<String> {
        None
    }
}

/// How much of an answer is there. Only the newest figure is kept: whoever looks seldom misses none
/// that matters, and nothing piles up.
#[derive(Debug, Default)]
pub struct AnswerMeter(watch::Sender<AnswerProgress>);

impl AnswerMeter {
    /// So much is there now.
    pub fn stands_at(&self, arrived: AnswerProgress) {
        self.0.send_if_modified(|known| {
            let is_new = *known != arrived;
            *known = arrived;
            is_new
        });
    }

    /// For whoever looks.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<AnswerProgress> {
        self.0.subscribe()
    }
}

/// The game server, or any other MCP server.
pub trait Upstream: Send + Sync + 'static {
    /// A connection for one Mysis, not opened yet; `None` where no server is configured.
    fn link(&self, mysis: MysisId) -> Option<Arc<dyn Link>>;
}

/// One Mysis' session with the game server. Its user calls it once at a time.
pub trait Link: Send + Sync + 'static {
    /// Opens a new session; an older one is given up. Answers with what it can be taken up again
    /// by, in another process; `None` where the server keeps no sessions.
    fn open(&self) -> BoxFuture<'static, Result<Option<Arc<str>>, LinkFault>>;

    /// Takes a session up again by what `open` answered, without asking the server: whether it
    /// still knows the session shows at the next request.
    fn resume(&self, ticket: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>>;

    /// The tools on offer, ours included; one shared set for all whose tools are equal.
    fn tools(&self) -> BoxFuture<'static, Result<Arc<Toolset>, LinkFault>>;

    /// Calls a tool once.
    fn call(&self, call: LinkCall) -> BoxFuture<'static, Result<LinkAnswer, LinkFault>>;
}

/// A call on the wire.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkCall {
    /// The tool.
    pub tool: Arc<str>,
    /// Its arguments.
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// Our name for the call, for the server's own records.
    pub call_id: String,
    /// The longest it may take.
    pub timeout: Duration,
}

/// A tool's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkAnswer {
    /// Its text.
    pub text: String,
    /// What it tells beside the text, as JSON: for the runtime alone.
    pub aside: Option<String>,
    /// Whether the server calls it a failure.
    pub is_error: bool,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkFault {
    /// The request never got there: it was not executed.
    #[error("{0}")]
    Unreachable(String),
    /// The server does not know the session (any more): it was not executed.
    #[error("{0}")]
    SessionLost(String),
    /// The server refuses for now: it was not executed.
    #[error("{text}")]
    Limited {
        /// What the server says.
        text: String,
        /// How long it asks to wait.
        retry_after: Option<Duration>,
    },
    /// The server announced a restart and is left alone: nothing was sent.
    #[error("the game server restarts; it is left alone until it is back")]
    Restarting {
        /// In what time this one may ask again.
        back_in: Duration,
    },
    /// The server refuses this request: it was not executed.
    #[error("{0}")]
    Refused(String),
    /// The request left and no answer came: nobody knows.
    #[error("{0}")]
    AnswerLost(String),
}

/// The configuration, where it can be read again while the program runs.
pub trait Configuration: fmt::Debug + Send + Sync + 'static {
    /// Reads it again and takes it up; why it stays as it was, where it does.
    fn reload(&self) -> BoxFuture<'static, Result<Reloaded, Vec<String>>>;
}

/// Writes conversations to files.
pub trait ConversationExporter: Send + Sync + 'static {
    /// Writes one; what became of it, in words for the operator.
    fn export(
        &self,
        mysis: MysisId,
        name: Arc<str>,
        format: ExportFormat,
    ) -> BoxFuture<'static, Result<String, String>>;
}
