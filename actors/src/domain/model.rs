//! What is said to a model and what it answers, free of any wire format.

use std::sync::Arc;
use std::time::Duration;

use super::tool::Toolset;

/// One message of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatMessage {
    /// The system prompt or an operator's note.
    System(Arc<str>),
    /// The operator's words, a mission, a nudge.
    User(Arc<str>),
    /// The model's own words and calls; never empty of both.
    Assistant {
        /// Its words; empty where it only called tools.
        text: Arc<str>,
        /// Its calls.
        calls: Vec<ChatCall>,
    },
    /// The answer to one call of the assistant message before.
    Tool {
        /// The call's id within that message.
        call_id: Arc<str>,
        /// The answer; never empty.
        text: Arc<str>,
    },
}

/// One call within an assistant message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatCall {
    /// Unique within its message.
    pub id: Arc<str>,
    /// A name that the wire allows.
    pub name: Arc<str>,
    /// A JSON object as text.
    pub arguments: Arc<str>,
}

/// One call of the model, complete.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The provider's name in the configuration.
    pub provider: Arc<str>,
    /// The model to ask for.
    pub model: Arc<str>,
    /// 0 to 2; absent: the provider's own default.
    pub temperature: Option<f32>,
    /// The longest answer in tokens; absent: as the provider likes.
    pub max_tokens: Option<u32>,
    /// The conversation.
    pub messages: Arc<[ChatMessage]>,
    /// The tools on offer.
    pub tools: Arc<Toolset>,
}

/// What the model answered, nonsense included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelAnswer {
    /// Its words, without reasoning; may be empty.
    pub text: String,
    /// Its reasoning, wherever the provider put it.
    pub reasoning: Option<String>,
    /// The calls it wants made.
    pub calls: Vec<RequestedCall>,
    /// Why it stopped, in the provider's words.
    pub finish_reason: Option<String>,
    /// What the provider says it cost.
    pub usage: Option<TokenUsage>,
    /// The model that answered, if the provider says so.
    pub model: Option<String>,
    /// What of it is not believed, for the operator; only where that was not told before.
    pub doubt: Option<Arc<str>>,
}

/// How much of an answer is there while it is still coming, in bytes; nothing of one that comes in
/// one piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerProgress {
    /// Its words and its calls.
    pub words: u64,
    /// Its reasoning.
    pub thoughts: u64,
}

impl AnswerProgress {
    /// Whether the model is still thinking, and how much of that, or of its answer, is there, as
    /// `1.2 KB`.
    #[must_use]
    pub fn describe_progress(self) -> (bool, String) {
        let is_thinking = self.words == 0;
        let bytes = if is_thinking {
            self.thoughts
        } else {
            self.words
        };
        let text = match bytes {
            0..100_000 => format!("{}.{} KB", bytes / 1000, bytes % 1000 / 100),
            _ => format!("{} KB", bytes / 1000),
        };
        (is_thinking, text)
    }
}

/// A call as the model asked for it, letter for letter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestedCall {
    /// The provider's id; may be empty or repeated.
    pub id: String,
    /// The tool's name; may name no tool.
    pub name: String,
    /// The arguments; may be no JSON.
    pub arguments: String,
}

/// Tokens as the provider reported them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenUsage {
    /// Tokens of the request.
    pub input: u64,
    /// Tokens of the answer, reasoning included.
    pub output: u64,
    /// How many of `input` came from the provider's cache.
    pub cached: u64,
}

/// What one model call cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The provider that answered.
    pub provider: Arc<str>,
    /// The tokens that it reported.
    pub usage: TokenUsage,
    /// The cost in millionths of a US dollar; absent where the provider has no price.
    pub cost_micros: Option<u64>,
}

/// The longest that a provider's Retry-After is obeyed.
pub const MAX_OBEYED_RETRY_AFTER: Duration = Duration::from_secs(60);

/// Why a model call failed, by what can be done about it (DESIGN 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelFault {
    /// Worth trying again: timeout, 429, 5xx, network, cut or unreadable body, no choices.
    Transient {
        /// What happened, without secrets.
        text: String,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// Worth trying again, elsewhere if there is such a place: nobody is there.
    Unreachable {
        /// What happened, without secrets.
        text: String,
    },
    /// Worth trying again: this machine had no descriptor left for a connection. The provider was not
    /// asked, and has no part in it.
    NoDescriptor {
        /// What happened, and the remedy.
        text: String,
    },
    /// Worth trying again: there was no choice in the answer, which was paid for all the same.
    Empty {
        /// What happened.
        text: String,
        /// What the provider says it cost.
        usage: Option<TokenUsage>,
    },
    /// Worth trying again, shorter: it is more than the model can take.
    TooLong {
        /// What happened, without secrets.
        text: String,
    },
    /// Worth trying again at once: what the provider refused is written otherwise from here on.
    /// The same thing is never learnt twice, so this comes to an end.
    Adapted {
        /// What changed, and why, without secrets.
        text: String,
    },
    /// Not worth trying again: 400, 401, 403, 404.
    Permanent {
        /// What happened, without secrets.
        text: String,
    },
}

impl ModelFault {
    /// What happened.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            ModelFault::Transient { text, .. }
            | ModelFault::Unreachable { text }
            | ModelFault::NoDescriptor { text }
            | ModelFault::Empty { text, .. }
            | ModelFault::TooLong { text }
            | ModelFault::Adapted { text }
            | ModelFault::Permanent { text } => text,
        }
    }

    /// What it cost, as far as the provider said so.
    #[must_use]
    pub fn usage(&self) -> Option<TokenUsage> {
        match self {
            ModelFault::Empty { usage, .. } => *usage,
            ModelFault::Transient { .. }
            | ModelFault::Unreachable { .. }
            | ModelFault::NoDescriptor { .. }
            | ModelFault::TooLong { .. }
            | ModelFault::Adapted { .. }
            | ModelFault::Permanent { .. } => None,
        }
    }
}
