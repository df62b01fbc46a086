//! The messages between the actors and a screen: the state of the swarm, the screen's effects, and
//! the ids of their answers.

use std::sync::Arc;

use super::event::MysisStatus;
use super::ids::MysisId;
use super::order::Order;
use super::reading::{EventQuery, PageQuery, SearchQuery};
use super::rules::SwarmRules;
use super::samples::SampleQuery;
use super::swarm_books::BooksQuery;
use super::system_map::SystemMapQuery;
use zoea_text::redact::Redactor;

/// The id of an order from a screen. Its answer has the same id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OrderId(pub u64);

/// The id of a query of the store. Its answer has the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadId(pub u64);

/// An effect that a screen asks for, in the order of the operator's input.
#[derive(Clone, Debug, PartialEq)]
pub enum UiEffect {
    /// Gives an order.
    Order {
        /// The id of the answer.
        id: OrderId,
        /// The order.
        order: Order,
    },
    /// Reads a page of a conversation.
    Load {
        /// The id of the answer.
        id: ReadId,
        /// The query.
        page: PageQuery,
    },
    /// Searches a text in the store.
    Search {
        /// The id of the answer.
        id: ReadId,
        /// The query.
        search: SearchQuery,
    },
    /// Reads samples.
    ReadSamples {
        /// The id of the answer.
        id: ReadId,
        /// The query.
        query: SampleQuery,
    },
    /// Reads the books, and what was earned.
    ReadBooks {
        /// The id of the answer.
        id: ReadId,
        /// The query.
        query: BooksQuery,
    },
    /// Reads the map of systems.
    ReadSystemMap {
        /// The id of the answer.
        id: ReadId,
        /// The query.
        query: SystemMapQuery,
    },
    /// Reads the processes of the fleet.
    ReadProcesses {
        /// The id of the answer.
        id: ReadId,
    },
    /// Reads stored events.
    ReadEvents {
        /// The id of the answer.
        id: ReadId,
        /// The query.
        query: EventQuery,
    },
    /// Exports a conversation to a file.
    Export {
        mysis: MysisId,
        /// The Mysis' name.
        name: Arc<str>,
        /// The format.
        format: ExportFormat,
    },
    /// Tells what the swarm uses, and asks its servers whether they answer.
    CheckSetup,
    /// Closes the program.
    Quit,
    /// Closes the program, and another one takes its place.
    QuitFor(Successor),
}

/// What takes the place of the program that is quit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Successor {
    /// The swarm without a terminal.
    Headless,
    /// Offline play in this terminal.
    OfflinePlay,
    /// Setup in this terminal.
    Setup,
}

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// For reading.
    Markdown,
    /// For programs.
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

/// The state of the swarm at one moment.
#[derive(Clone, Debug)]
pub struct SwarmSnapshot {
    /// The statuses of the Myses.
    pub statuses: Vec<Arc<MysisStatus>>,
    /// The mission in force.
    pub mission: Option<Arc<str>>,
    /// The rules.
    pub rules: Arc<SwarmRules>,
    /// Removes the known secrets from what the operator enters before it is kept.
    pub redactor: Arc<Redactor>,
}
