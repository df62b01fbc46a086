//! Terminal actions: what only a terminal can do, beside showing pictures.

use std::sync::Arc;

use super::history::InputHistory;

/// What only a terminal can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TerminalAction {
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
    KeepHistory(InputHistory),
}
