//! Ends of commands whose exit status says more than that they failed.

use thiserror::Error;

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
