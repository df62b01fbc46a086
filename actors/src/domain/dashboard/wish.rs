//! Wishes: what the dashboard wants done by others.

use std::sync::Arc;

use crate::domain::ids::MysisId;
use crate::domain::order::Order;
use crate::domain::reading::{Page, Search};

use super::history::History;
use super::transcript::pages::Stamp;

/// Names an order that the operator gave; its answer comes back under it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OrderId(pub u64);

/// Something to be done, in the order in which it was wished.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
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
        stamp: Stamp,
        /// Which piece.
        page: Page,
    },
    /// Look for a text in what is stored.
    Search {
        /// The answer comes back under it.
        stamp: Stamp,
        /// What to look for.
        search: Search,
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
    /// The terminal is to do something.
    Act(Act),
    /// The program is to close.
    Quit,
}

/// What only a terminal can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Go to the background, as with any other program of the shell.
    Suspend,
    /// Draw everything anew.
    Redraw,
    /// Give this to whoever copies and pastes.
    Copy(Arc<str>),
    /// Ring the bell.
    Bell,
    /// Show this where the operator sees it while looking elsewhere.
    Notify(String),
    /// Write the screen to files, as text and as a picture.
    Dump,
    /// Write this to a file.
    Write {
        /// The file's name, without its ending.
        name: String,
        /// What stands in it.
        text: Arc<str>,
    },
    /// Keep what the operator wrote, for the next run.
    KeepHistory(History),
}

/// How a conversation is written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// For reading.
    Markdown,
    /// For programs.
    JsonLines,
}
