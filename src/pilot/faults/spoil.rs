//! Faults of the model: the content of the answer is bad.

use crate::answer::PilotAnswer;
use crate::player::{Nonsense, garble_as};

/// The change to the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerFault {
    /// Neither words nor calls.
    EmptyReply,
    /// Calls without an id.
    EmptyId,
    /// One id for all calls, in every answer.
    RepeatedId,
    /// A tool that the request does not offer.
    UnknownTool,
    /// Arguments that are not JSON.
    BadJsonArgs,
    /// Arguments that end in the middle.
    CutArgs,
    /// Tokens of a channel syntax within the tool's name.
    ChannelToken,
}

impl AnswerFault {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::EmptyReply => "empty-reply",
            Self::EmptyId => "empty-id",
            Self::RepeatedId => "repeated-id",
            Self::UnknownTool => "unknown-tool",
            Self::BadJsonArgs => "bad-json-args",
            Self::CutArgs => "cut-args",
            Self::ChannelToken => "channel-token",
        }
    }

    /// Changes the answer. Returns whether it had anything to change.
    pub(crate) fn apply(self, answer: &mut PilotAnswer, rng: &mut fastrand::Rng) -> bool {
        match self {
            Self::EmptyReply => garble_as(answer, Nonsense::Empty, rng),
            Self::EmptyId => set_call_ids(answer, ""),
            Self::RepeatedId => set_call_ids(answer, "call_0"),
            Self::UnknownTool => garble_as(answer, Nonsense::UnknownTool, rng),
            Self::BadJsonArgs => garble_as(answer, Nonsense::BadJson, rng),
            Self::CutArgs => garble_as(answer, Nonsense::CutArguments, rng),
            Self::ChannelToken => garble_as(answer, Nonsense::ChannelToken, rng),
        }
    }
}

fn set_call_ids(answer: &mut PilotAnswer, id: &str) -> bool {
    for call in &mut answer.calls {
        id.clone_into(&mut call.id);
    }
    !answer.calls.is_empty()
}
