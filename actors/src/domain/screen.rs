//! What the actors and a screen tell each other: how everything stands, what the screen wants done,
//! and the names under which answers come back to it.

use std::sync::Arc;

use super::event::MysisStatus;
use super::ids::MysisId;
use super::order::Order;
use super::reading::{PageQuery, SearchQuery};
use super::redact::Redactor;
use super::rules::SwarmRules;

/// Names an order that the operator gave; its answer comes back under it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OrderId(pub u64);

/// Names a question to the store; its answer comes back under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadId(pub u64);

/// Something that a screen wants done, in the order in which the operator asked for it.
#[derive(Clone, Debug, PartialEq)]
pub enum UiEffect {
    /// Give this order.
    Order {
        /// The answer comes back under it.
        id: OrderId,
        /// The order.
        order: Order,
    },
    /// Read a piece of a conversation.
    Load {
        /// The answer comes back under it.
        id: ReadId,
        /// Which piece.
        page: PageQuery,
    },
    /// Look for a text in what is stored.
    Search {
        /// The answer comes back under it.
        id: ReadId,
        /// What to look for.
        search: SearchQuery,
    },
    /// Write a conversation to a file.
    Export {
        /// Whose.
        mysis: MysisId,
        /// What it is called.
        name: Arc<str>,
        /// How.
        format: ExportFormat,
    },
    /// The program is to close.
    Quit,
}

/// How a conversation is written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// For reading.
    Markdown,
    /// For programs.
    JsonLines,
}

/// Whose terminal shows the screen, and so what quitting ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TerminalKind {
    /// The program's own: whoever quits there ends the program.
    #[default]
    Own,
    /// One of another process (`zoea attach`): whoever quits there leaves, and the swarm goes on.
    Attached,
}

/// How everything stands at one moment.
#[derive(Clone, Debug)]
pub struct SwarmSnapshot {
    /// How the Myses stand.
    pub statuses: Vec<Arc<MysisStatus>>,
    /// The mission in force.
    pub mission: Option<Arc<str>>,
    /// The rules.
    pub rules: Arc<SwarmRules>,
    /// The known secrets, which are not to be kept with what the operator writes.
    pub redactor: Arc<Redactor>,
}
