//! The messages between the actors and a screen: the state of the swarm, the screen's effects, and
//! the ids of their answers.

use std::sync::Arc;

use strum::EnumTryAs;
use zoea_text::redact::Redactor;

use super::event::MysisStatus;
use super::event_record::EventRecord;
use super::fleet_process::FleetProcess;
use super::ids::{MysisId, Timestamp};
use super::message::Row;
use super::order::Order;
use super::reading::{EventQuery, PageQuery, SearchHits, SearchQuery};
use super::rules::SwarmRules;
use super::samples::{SampleQuery, SampleSeries};
use super::swarm_books::{BooksQuery, SwarmBooks};
use super::system_map::{SystemMap, SystemMapQuery};

/// The id of an order from a screen. Its answer has the same id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OrderId(pub u64);

/// The id of a query of the store. Its answer has the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadId(pub u64);

/// An effect that a screen asks for, in the order of the operator's input.
#[derive(Clone, Debug, PartialEq)]
pub enum UiEffect {
    Order {
        id: OrderId,
        order: Order,
    },
    Read {
        id: ReadId,
        query: StoreQuery,
    },
    Write(FileOrder),
    /// Sums up what happened since a time.
    SumUp(Timestamp),
    /// Tells what the swarm uses, and asks its servers whether they answer.
    CheckSetup,
    Quit,
    /// Closes the program, and another one takes its place.
    QuitFor(Successor),
}

/// What a screen reads from the store. The answer is the variant of the same name.
#[derive(Clone, Debug, PartialEq)]
pub enum StoreQuery {
    Page(PageQuery),
    Search(SearchQuery),
    Samples(SampleQuery),
    Books(BooksQuery),
    SystemMap(SystemMapQuery),
    Processes,
    Events(EventQuery),
}

#[derive(Clone, Debug, EnumTryAs)]
pub enum StoreAnswer {
    Page(Vec<Arc<Row>>),
    Search(SearchHits),
    Samples(Vec<SampleSeries>),
    Books(SwarmBooks),
    SystemMap(SystemMap),
    Processes(Vec<FleetProcess>),
    /// Stored events, oldest first.
    Events(Vec<EventRecord>),
}

/// What happened while the operator was away, in words; empty where nothing did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AwaySummary {
    /// What was earned, what it cost, and the calls that routines saved.
    pub gains: String,
    pub held_up: String,
    /// What was away, for how long.
    pub outages: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileOrder {
    Conversation {
        mysis: MysisId,
        name: Arc<str>,
        format: ExportFormat,
    },
    /// The report since a time, in the operator's words; `None`: of today.
    Report(Option<Arc<str>>),
    Backup,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Successor {
    /// The swarm without a terminal.
    Headless,
    OfflinePlay,
    Setup,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    Markdown,
    JsonLines,
}

/// The terminal that shows the screen. It decides what quitting ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TerminalKind {
    /// The program's own terminal. Quitting ends the program.
    #[default]
    Own,
    /// A terminal of another process (`zoea attach`). Quitting detaches it, and the swarm goes on.
    Attached,
}

#[derive(Clone, Debug)]
pub struct SwarmSnapshot {
    pub statuses: Vec<Arc<MysisStatus>>,
    pub mission: Option<Arc<str>>,
    pub rules: Arc<SwarmRules>,
    /// Removes the known secrets from what the operator enters before it is kept.
    pub redactor: Arc<Redactor>,
}
