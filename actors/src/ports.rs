//! Ports: what the actors ask of the outside, and how that can fail.
//!
//! Each fault has a variant for each decision that the caller can take. Answers are futures that
//! own what they need, so that a task can hold them. Dropping the task cancels the request.

mod fleet;
mod link;
mod observed;
mod shared_limits;
mod terminal;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use thiserror::Error;

use crate::domain::books::{CostEntry, Day, SavedCalls};
use crate::domain::budget::BudgetRules;
use crate::domain::event_record::EventRecord;
use crate::domain::fleet_process::FleetProcess;
use crate::domain::held::HeldText;
use crate::domain::ids::{Incarnation, Moment, MysisId, Now, Timestamp};
use crate::domain::message::Row;
use crate::domain::model::{ModelAnswer, ModelFault, ModelRequest};
use crate::domain::order::Reloaded;
use crate::domain::record::{
    AccountRecord, GameAccount, Mission, MysisRecord, SavedSession, StoredHistory,
};
use crate::domain::samples::{SampleQuery, SampleSeries};
use crate::domain::system_map::{SystemMap, SystemMapQuery};
use crate::domain::write::Batch;

pub use fleet::{
    Fleet, FleetNeighbours, FleetOrder, FleetOrders, FleetReport, FleetStep, MysisPlace,
    OrderOutcome, ProcessSign, PublishedStatus,
};
pub use link::{Link, LinkAnswer, LinkCall, LinkFault, LinkReply, ServerTask, TaskNews};
pub use observed::{AnswerMeter, Asker, CallContext, WireFacts};
pub use shared_limits::{LimitNews, LimitReport, SharedLimits};
pub use terminal::{Archivist, Screen, SetupInspector, Terminal, TerminalInput, View};

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
    /// The author may not write for its Mysis any more: a newer incarnation does, or another process.
    #[error(
        "this mysis runs elsewhere by now: another zoea process has taken it, or it was begun anew"
    )]
    Fenced,
}

/// The reading side of the store. Reads see every write that was acknowledged before.
pub trait Archive: Send + Sync + 'static {
    /// The whole swarm, without conversations.
    fn swarm(&self) -> BoxFuture<'static, Result<SwarmRecord, ArchiveFault>>;

    fn names(&self) -> BoxFuture<'static, Result<MysisNames, ArchiveFault>> {
        let swarm = self.swarm();
        async move {
            let myses = swarm.await?.myses.into_iter();
            Ok(myses.map(|mysis| (mysis.id, mysis.profile.name)).collect())
        }
        .boxed()
    }

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

    fn account(
        &self,
        mysis: MysisId,
    ) -> BoxFuture<'static, Result<Option<GameAccount>, ArchiveFault>>;

    /// The books since a day, by day, Mysis and provider.
    fn books(&self, _since: Day) -> BoxFuture<'static, Result<Vec<CostEntry>, ArchiveFault>> {
        kept_nowhere("books")
    }

    /// How many calls routines made in the models' place since a day, by day and Mysis.
    fn saved_calls(&self, _since: Day) -> ArchiveRead<Vec<SavedCalls>> {
        kept_nowhere("books")
    }

    /// The texts that are held back from models, oldest first.
    fn held_texts(&self) -> ArchiveRead<Vec<HeldText>> {
        futures::future::ready(Ok(Vec::new())).boxed()
    }

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

pub type MysisNames = Vec<(MysisId, Arc<str>)>;

/// The store could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ArchiveFault(pub String);

pub type ArchiveRead<T> = BoxFuture<'static, Result<T, ArchiveFault>>;

/// The answer of an archive that does not keep this.
fn kept_nowhere<T: Send + 'static>(what: &str) -> ArchiveRead<T> {
    let fault = ArchiveFault(format!("this archive keeps no {what}"));
    futures::future::ready(Err(fault)).boxed()
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SwarmRecord {
    /// All Myses, in the order of their creation.
    pub myses: Vec<MysisRecord>,
    pub mission: Option<Mission>,
    /// The passwords of all game accounts, so that they can be redacted.
    pub passwords: Vec<Arc<str>>,
    /// The books of the newest day with any charge.
    pub books: Vec<CostEntry>,
}

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

/// The configuration, which can be read again while the program runs.
pub trait Configuration: fmt::Debug + Send + Sync + 'static {
    /// Reads and applies it. Returns the mistakes if the old one stays in force.
    fn reload(&self) -> BoxFuture<'static, Result<Reloaded, Vec<String>>>;

    /// Stores what the operator allows the swarm for one day, beside the limits for which that holds. Returns why that
    /// failed.
    fn keep_raise(&self, budget: BudgetRules) -> BoxFuture<'static, Result<(), String>>;
}

/// Keeps over restarts whether the swarm is frozen.
pub trait FreezeKeeper: Send + Sync + 'static {
    /// Stores since when the swarm is frozen, or that it is not. Returns why that failed.
    fn keep(&self, since: Option<Timestamp>) -> BoxFuture<'static, Result<(), String>>;
}

/// Keeps copies of Myses that are deleted, for a day, and brings them back.
pub trait DeletedMyses: Send + Sync + 'static {
    /// Keeps a copy of all that is stored of a Mysis. It is durable when this returns.
    fn keep(&self, mysis: MysisId) -> BoxFuture<'static, Result<(), String>>;

    /// Stores the Mysis of the newest copy under this name again. It is at rest.
    fn bring_back(&self, name: &str) -> BoxFuture<'static, Result<MysisRecord, String>>;
}

pub struct NoCopies;

impl DeletedMyses for NoCopies {
    fn keep(&self, _mysis: MysisId) -> BoxFuture<'static, Result<(), String>> {
        futures::future::ready(Ok(())).boxed()
    }

    fn bring_back(&self, name: &str) -> BoxFuture<'static, Result<MysisRecord, String>> {
        let why = format!("no copy of `{name}` is kept here");
        futures::future::ready(Err(why)).boxed()
    }
}

pub type KeptCopies = Arc<dyn DeletedMyses>;
