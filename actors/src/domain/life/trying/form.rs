//! The forms in which a request is tried, and what the trials of a turn have shown.

use std::sync::Arc;
use std::time::Duration;

use crate::held::{HeldText, Recipient};
use crate::message::{Row, RowKind};
use crate::model::{MAX_OBEYED_RETRY_AFTER, ModelFault, RefusalHint, ServiceReturn};

use super::tools::ToolSearch;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::life) enum AskForm {
    #[default]
    Whole,
    /// A fixed text, for one token.
    Bare,
    /// A fixed text, without a limit.
    Plain,
    Tools,
    /// The conversation without tools that may be at fault.
    WithoutTools,
    /// The conversation with a notice that the model's answer could not be read.
    WithNotice,
    /// The conversation with its calls as words.
    Calls,
    /// The conversation without texts that are not answered yet.
    Without(NewTexts),
    /// The conversation at this part of its size.
    Part(u8),
    /// The conversation with a text that was held back for a day.
    Doubting,
}

/// Texts that the model has not answered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::life) enum NewTexts {
    Results,
    Messages,
    /// The runtime's notices about the game.
    Notices,
    Others,
    /// The model's own words.
    Own,
    All,
    /// The mission and the notes, which stand in every request.
    Standing,
}

impl NewTexts {
    pub(super) fn takes(self, row: &Row) -> bool {
        let is_own = row.utterance().is_some();
        let is_result = row.kind() == Some(RowKind::Result);
        let is_notice = row.kind() == Some(RowKind::Host);
        match self {
            NewTexts::Results => is_result,
            NewTexts::Messages => !is_result && !is_notice && !is_own,
            NewTexts::Notices => is_notice,
            NewTexts::Others => !is_own,
            NewTexts::Own => is_own,
            NewTexts::All => true,
            NewTexts::Standing => false,
        }
    }
}

impl AskForm {
    /// Whether it contains nothing of the conversation.
    pub(in crate::life) fn is_bare(self) -> bool {
        matches!(self, AskForm::Bare | AskForm::Plain | AskForm::Tools)
    }

    /// Whether it is a fixed text alone.
    pub(in crate::life) fn is_fixed_text(self) -> bool {
        matches!(self, AskForm::Bare | AskForm::Plain)
    }

    /// Whether it shows what the form of requests has to be, so that others wait for what it shows.
    pub(super) fn is_about_form(self) -> bool {
        match self {
            AskForm::Bare | AskForm::Tools | AskForm::WithoutTools | AskForm::Calls => true,
            AskForm::Whole
            | AskForm::Plain
            | AskForm::WithNotice
            | AskForm::Without(_)
            | AskForm::Part(_)
            | AskForm::Doubting => false,
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            AskForm::Whole => "the whole request",
            AskForm::Bare => "a fixed text for one token",
            AskForm::Plain => "a fixed text",
            AskForm::Tools => "a fixed text with tools",
            AskForm::WithoutTools => "without a tool",
            AskForm::WithNotice => "with a notice that its answer could not be read",
            AskForm::Calls => "with its calls as text",
            AskForm::Without(NewTexts::Results) => "without the newest results",
            AskForm::Without(NewTexts::Messages) => "without the newest messages",
            AskForm::Without(NewTexts::Notices) => "without the runtime's notes",
            AskForm::Without(NewTexts::Others) => "without all that others said",
            AskForm::Without(NewTexts::Own) => "without its own last words",
            AskForm::Without(NewTexts::All) => "without all that is new",
            AskForm::Without(NewTexts::Standing) => "without its mission and its notes",
            AskForm::Part(2) => "at half its size",
            AskForm::Part(_) => "at a smaller part of its size",
            AskForm::Doubting => "with what was held back",
        }
    }
}

/// The trials within a turn, since the model last answered.
#[derive(Clone, Debug, Default)]
pub(in crate::life) struct Trials {
    pub(in crate::life) form: AskForm,
    /// How often the whole request failed.
    pub(super) failures: u32,
    pub(in crate::life) said: Option<String>,
    pub(super) kind: Option<FailureKind>,
    pub(super) tried: Vec<AskForm>,
    /// The number of the trial that waits for the other processes, where there are any.
    pub(super) claim: Option<i64>,
    pub(super) is_bare_served: bool,
    /// Whether the server refused a fixed text, too, so that time may have cured it.
    pub(super) has_waited: bool,
    /// The limit of bytes before it was tried at half its size.
    pub(super) bytes_before: Option<Option<usize>>,
    pub(super) doubted: Vec<Arc<HeldText>>,
    /// Whether a fallback refused the request, so that its own provider is asked alone until it is served.
    pub(in crate::life) is_own_only: bool,
    /// The bytes of the messages that failed first.
    pub(super) whole_bytes: usize,
    /// How much was known of the server when the whole request was last composed.
    pub(super) known: usize,
    pub(super) runtime_texts: Vec<Arc<str>>,
    /// What the server said of the reason, until it is tried.
    pub(super) hint: RefusalHint,
    pub(super) search: Option<ToolSearch>,
    /// The tools with which a fixed text was served.
    pub(super) taken: Vec<Arc<str>>,
    /// Whether others wait for what this one finds out about the form of requests.
    pub(super) is_judging: bool,
    /// Whom the last request asked first. The operator may have named another one since.
    pub(super) asked: Option<Recipient>,
    /// The rows whose texts the present trial leaves out. It says nothing of what came since.
    pub(super) left_out: Vec<Arc<Row>>,
    /// Who said last that the request is too long.
    pub(in crate::life) shortened_by: Option<Arc<str>>,
}

impl Trials {
    /// The keys of the texts that the present request leaves out.
    pub(super) fn keys_left_out(&self) -> Vec<Arc<str>> {
        if !matches!(self.form, AskForm::Without(_)) {
            return Vec::new();
        }
        let rows = self.left_out.iter();
        rows.map(|row| HeldText::key(&row.words())).collect()
    }

    /// The longest answer in tokens.
    pub(in crate::life) fn max_tokens(&self) -> Option<u32> {
        let is_with_tools = self.form == AskForm::Tools && !self.tried.contains(&AskForm::Plain);
        (self.form == AskForm::Bare || is_with_tools).then_some(1)
    }
}

const PAYMENT_ASKED: &str = "HTTP 402";

/// A failure that may be the fault of what is in the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailureKind {
    Refusal,
    /// It may pass another time.
    Failure,
    /// The server says that it serves no request of ours.
    OutOfService,
}

impl FailureKind {
    pub(super) fn of(fault: &ModelFault) -> Option<FailureKind> {
        // No text is the reason for a payment that is asked for.
        if fault.text().starts_with(PAYMENT_ASKED) {
            return None;
        }
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

pub(super) fn stated_wait(fault: &ModelFault) -> Option<Duration> {
    let wait = match fault {
        ModelFault::Transient { retry_after, .. } => *retry_after,
        ModelFault::OutOfService {
            wait,
            ends_by: ServiceReturn::Time,
            ..
        } => Some(*wait),
        ModelFault::OutOfService { .. }
        | ModelFault::Unreachable { .. }
        | ModelFault::NoDescriptor { .. }
        | ModelFault::Empty { .. }
        | ModelFault::TooLong { .. }
        | ModelFault::Adapted { .. }
        | ModelFault::Refused { .. }
        | ModelFault::Permanent { .. } => None,
    };
    wait.map(|wait| wait.min(MAX_OBEYED_RETRY_AFTER))
}
