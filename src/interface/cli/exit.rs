//! Ends of commands: exit statuses that say more than that they failed, and readers that went away.

use std::io::{self, ErrorKind};
use std::time::Duration;

use thiserror::Error;
use zoea_system::terminal::is_unread;

/// The end of a command with an exit status of its own.
#[derive(Debug, Error)]
#[error("{text}")]
pub(super) struct ExitWith {
    pub(super) status: u8,
    /// Whether the text is a remark, since what was asked for is answered.
    pub(super) is_note: bool,
    text: String,
}

impl ExitWith {
    pub(super) fn status(status: u8, text: String) -> ExitWith {
        ExitWith {
            status,
            is_note: false,
            text,
        }
    }

    /// An answer that is no error.
    pub(super) fn note(status: u8, text: String) -> ExitWith {
        ExitWith {
            status,
            is_note: true,
            text,
        }
    }
}

/// How often it is looked whether anybody reads on.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);

/// Waits until nobody reads what is printed any more. In a quiet swarm no line would find that out.
pub(super) async fn until_unread() {
    while !is_unread() {
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}

/// The end of a command that printed for as long as somebody read: a reader that closed the pipe has read enough.
pub(super) fn unless_unread(printed: anyhow::Result<()>) -> anyhow::Result<()> {
    let is_closed = |error: &io::Error| error.kind() == ErrorKind::BrokenPipe;
    match printed {
        Err(error) if error.downcast_ref().is_some_and(is_closed) => Ok(()),
        printed => printed,
    }
}
