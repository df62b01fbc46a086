//! The forms in which a request is tried, and what the trials of a turn have shown.

use std::sync::Arc;

use crate::held::HeldText;
use crate::message::{Row, RowKind};
use crate::model::ModelFault;

/// The form of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::life) enum AskForm {
    /// The conversation.
    #[default]
    Whole,
    /// A fixed text, for one token.
    Bare,
    /// A fixed text, without a limit.
    Plain,
    /// The conversation without texts that are not answered yet.
    Without(NewTexts),
    /// The conversation at half its size.
    Half,
    /// The conversation with a text that was held back for a day.
    Doubting,
}

/// Texts that the model has not answered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::life) enum NewTexts {
    /// Results of tools.
    Results,
    /// Messages.
    Messages,
    Both,
}

impl NewTexts {
    pub(super) fn takes(self, row: &Row) -> bool {
        let is_result = row.kind() == Some(RowKind::Result);
        match self {
            NewTexts::Results => is_result,
            NewTexts::Messages => !is_result,
            NewTexts::Both => true,
        }
    }
}

impl AskForm {
    /// Whether it contains nothing of the conversation.
    pub(in crate::life) fn is_bare(self) -> bool {
        match self {
            AskForm::Bare | AskForm::Plain => true,
            AskForm::Whole | AskForm::Without(_) | AskForm::Half | AskForm::Doubting => false,
        }
    }

    /// The longest answer in tokens.
    pub(in crate::life) fn max_tokens(self) -> Option<u32> {
        (self == AskForm::Bare).then_some(1)
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            AskForm::Whole => "the whole request",
            AskForm::Bare => "a fixed text for one token",
            AskForm::Plain => "a fixed text",
            AskForm::Without(NewTexts::Results) => "without the newest results",
            AskForm::Without(NewTexts::Messages) => "without the newest messages",
            AskForm::Without(NewTexts::Both) => "without all that is new",
            AskForm::Half => "at half its size",
            AskForm::Doubting => "with a text that was held back",
        }
    }
}

/// The trials within a turn, since the model last answered.
#[derive(Clone, Debug, Default)]
pub(in crate::life) struct Trials {
    /// The form of the request that is made, or was made last.
    pub(in crate::life) form: AskForm,
    /// How often the whole request failed.
    pub(super) failures: u32,
    /// What the server said first.
    pub(super) said: Option<String>,
    pub(super) kind: Option<FailureKind>,
    pub(super) tried: Vec<AskForm>,
    pub(super) is_bare_served: bool,
    /// Whether the server refused a fixed text, too, so that time may have cured it.
    pub(super) has_waited: bool,
    /// The limit of bytes before it was tried at half its size.
    pub(super) bytes_before: Option<Option<usize>>,
    /// The text that is doubted.
    pub(super) doubted: Option<Arc<HeldText>>,
}

/// A failure that may be the fault of what is in the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailureKind {
    /// The server refused it.
    Refusal,
    /// It may pass another time.
    Failure,
    /// The server says that it serves no request of ours.
    OutOfService,
}

impl FailureKind {
    pub(super) fn of(fault: &ModelFault) -> Option<FailureKind> {
        match fault {
            ModelFault::Refused { .. } => Some(FailureKind::Refusal),
            ModelFault::Transient { .. } | ModelFault::Empty { .. } => Some(FailureKind::Failure),
            ModelFault::OutOfService { .. } => Some(FailureKind::OutOfService),
            ModelFault::Unreachable { .. }
            | ModelFault::NoDescriptor { .. }
            | ModelFault::TooLong { .. }
            | ModelFault::Adapted { .. }
            | ModelFault::Permanent { .. } => None,
        }
    }
}
