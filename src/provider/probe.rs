//! Hearing: how one answer came. The request goes through a library, so that what it cannot carry
//! back is kept beside it.

use std::sync::{Mutex, OnceLock, PoisonError};

use actors::domain::model::AnswerProgress;
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
    meter: AnswerMeter,
    came: OnceLock<ResponseForm>,
    /// The answer of a stream.
    joined: Mutex<Option<ReceivedAnswer>>,
    /// Bytes of the request.
    sent: OnceLock<u64>,
}

impl ResponseProbe {
    pub(super) fn new(meter: AnswerMeter) -> ResponseProbe {
        ResponseProbe {
            meter,
            came: OnceLock::new(),
            joined: Mutex::default(),
            sent: OnceLock::new(),
        }
    }

    /// So much is there now.
    pub(super) fn stands_at(&self, arrived: AnswerProgress) {
        self.meter.stands_at(arrived);
    }

    pub(super) fn came(&self, came: ResponseForm) {
        // A request is sent once, so that nothing is lost here.
        let _ = self.came.set(came);
    }

    /// The answer came in pieces, and this is what they say together.
    pub(super) fn keep_joined(&self, answer: ReceivedAnswer) {
        let mut joined = self.joined.lock().unwrap_or_else(PoisonError::into_inner);
        *joined = Some(answer);
    }

    /// The answer that came in pieces; `None` where it did not.
    pub(super) fn take_joined(&self) -> Option<ReceivedAnswer> {
        let mut joined = self.joined.lock().unwrap_or_else(PoisonError::into_inner);
        joined.take()
    }

    /// The request has so many bytes.
    pub(super) fn sends(&self, bytes: u64) {
        let _ = self.sent.set(bytes);
    }

    /// The bytes of the request; none where it was not even sent.
    pub(super) fn sent(&self) -> u64 {
        self.sent.get().copied().unwrap_or(0)
    }

    /// How it came; `None` where there was no answer.
    pub(super) fn how(&self) -> Option<ResponseForm> {
        self.came.get().copied()
    }
}
