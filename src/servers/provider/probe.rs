//! Records how an answer came. The request goes through a library, which cannot return these facts
//! itself.

use parking_lot::Mutex;

use actors::ports::AnswerMeter;
use zoea_http::kept::RawAnswer;

use super::answer::ReceivedAnswer;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResponseForm {
    /// Not streamed.
    Whole,
    /// Streamed and complete.
    InPieces { has_usage: bool },
    /// Streamed and complete, but the usage did not come in time.
    Late,
    /// Streamed and incomplete.
    Cut,
}

#[derive(Debug)]
pub(super) struct ResponseProbe {
    pub(super) meter: AnswerMeter,
    observed: Mutex<ObservedResponse>,
}

#[derive(Debug, Default)]
pub(super) struct ObservedResponse {
    /// The form of the answer; `None` if there is none.
    pub(super) form: Option<ResponseForm>,
    /// The answer, if it was streamed.
    pub(super) joined: Option<ReceivedAnswer>,
    /// The cost in millionths of a US dollar, if a header states it.
    pub(super) stated_cost: Option<u64>,
    /// The size of the request in bytes; 0 if it was not sent.
    pub(super) sent_bytes: u64,
    /// What came, if anything did.
    pub(super) raw: Option<RawAnswer>,
}

impl ResponseProbe {
    /// Keeps a piece of the body, as long as there is room.
    pub(super) fn keep(&self, bytes: &[u8]) {
        self.note(|observed| {
            if let Some(raw) = &mut observed.raw {
                raw.take(bytes);
            }
        });
    }

    pub(super) fn new(meter: AnswerMeter) -> ResponseProbe {
        ResponseProbe {
            meter,
            observed: Mutex::default(),
        }
    }

    pub(super) fn note(&self, change: impl FnOnce(&mut ObservedResponse)) {
        change(&mut self.observed.lock());
    }

    /// Takes the recorded facts and resets them.
    pub(super) fn take(&self) -> ObservedResponse {
        std::mem::take(&mut self.observed.lock())
    }
}
