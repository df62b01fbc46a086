//! Hearing: how one answer came. The request goes through a library, so that what it cannot carry
//! back is kept beside it.

use std::sync::{Mutex, PoisonError};

use actors::ports::AnswerMeter;

use super::answer::ReceivedAnswer;

/// How an answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResponseForm {
    /// In one piece.
    Whole,
    /// In pieces, all of them.
    InPieces {
        /// Whether it says what it cost.
        has_usage: bool,
    },
    /// In pieces, of which some are missing.
    Cut,
}

/// What is heard of one request's answer.
#[derive(Debug)]
pub(super) struct ResponseProbe {
    pub(super) meter: AnswerMeter,
    heard: Mutex<HeardResponse>,
}

/// What was heard until now.
#[derive(Debug, Default)]
pub(super) struct HeardResponse {
    /// How the answer came; `None` where there was none.
    pub(super) form: Option<ResponseForm>,
    /// The answer, where it came in pieces.
    pub(super) joined: Option<ReceivedAnswer>,
    /// The bytes of the request; none where it was not even sent.
    pub(super) sent_bytes: u64,
}

impl ResponseProbe {
    pub(super) fn new(meter: AnswerMeter) -> ResponseProbe {
        ResponseProbe {
            meter,
            heard: Mutex::default(),
        }
    }

    /// Keeps what is heard now.
    pub(super) fn note(&self, hear: impl FnOnce(&mut HeardResponse)) {
        hear(&mut self.heard.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// All that was heard; then nothing is.
    pub(super) fn take(&self) -> HeardResponse {
        std::mem::take(&mut self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
