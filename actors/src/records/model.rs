//! Requests to models and their answers, independent of any wire format.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::tool::Toolset;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChatMessage {
    /// The system prompt or an operator's note.
    System(Arc<str>),
    /// An order or a nudge.
    User(Arc<str>),
    Assistant {
        /// The text; empty if it only called tools.
        text: Arc<str>,
        calls: Vec<ChatCall>,
        /// What the provider that wrote it wants back with it.
        echo: Option<Arc<Echo>>,
    },
    /// The result of a call of the assistant message before.
    Tool {
        call_id: Arc<str>,
        /// The result, which is never empty.
        text: Arc<str>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatCall {
    /// The id. It is unique within its message.
    pub id: Arc<str>,
    /// A name that providers accept.
    pub name: Arc<str>,
    /// The text of a JSON object.
    pub arguments: Arc<str>,
}

/// What a provider wants back with a message of its model, letter for letter: signatures of thoughts
/// and the like. Nothing of ours reads it, and nobody else gets it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Echo {
    pub provider: Arc<str>,
    /// The model that gets it back, as it was asked for.
    pub model: Arc<str>,
    /// Members of the message, as the text of a JSON object; empty without any.
    pub message: Arc<str>,
    /// The reasoning in the place where it came, likewise. A provider may demand it later.
    pub reasoning: Arc<str>,
    /// Members of each call, likewise.
    pub calls: Vec<Arc<str>>,
}

impl Echo {
    pub fn is_empty(&self) -> bool {
        self.message.is_empty()
            && self.reasoning.is_empty()
            && self.calls.iter().all(|call| call.is_empty())
    }

    /// The most bytes that it adds to a request. Reasoning has a limit of its own.
    pub fn bytes(&self) -> usize {
        let calls: usize = self.calls.iter().map(|call| call.len()).sum();
        self.message.len() + calls
    }

    /// Changes what the server wrote.
    pub fn for_each_text(&mut self, change: impl FnMut(&mut Arc<str>)) {
        let texts = [&mut self.message, &mut self.reasoning].into_iter();
        texts.chain(&mut self.calls).for_each(change);
    }
}

#[derive(Clone, Debug)]
pub struct ModelRequest {
    pub provider: Arc<str>,
    pub model: Arc<str>,
    /// The temperature from 0 to 2; `None` for the provider's default.
    pub temperature: Option<f32>,
    /// The longest answer in tokens; `None` for the provider's default.
    pub max_tokens: Option<u32>,
    pub messages: Arc<[ChatMessage]>,
    pub tools: Arc<Toolset>,
}

/// The model's answer, which may contain nonsense.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelAnswer {
    /// The text without reasoning. It may be empty.
    pub text: String,
    /// The reasoning, wherever the provider put it.
    pub reasoning: Option<String>,
    pub calls: Vec<RequestedCall>,
    /// Why the model stopped, in the provider's word.
    pub finish_reason: Option<String>,
    pub usage: Option<TokenUsage>,
    /// The cost that it reports, in millionths of a US dollar.
    pub stated_cost: Option<u64>,
    /// The name of the model that answered, if the provider reports it.
    pub model: Option<String>,
    /// What is not plausible in the answer, for the operator. It is only set the first time.
    pub doubt: Option<Arc<str>>,
    pub echo: Option<Box<Echo>>,
    /// Why the calls must not be made; they are answered with it instead. The server refused what
    /// its own model wrote.
    pub refusal: Option<String>,
    pub facts: Box<AnswerFacts>,
}

/// Facts about an answer that no row needs. Metrics and traces report them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerFacts {
    pub id: Option<String>,
    /// The part of the answer's tokens that was reasoning, if the server reports it.
    pub reasoning_tokens: Option<u64>,
    /// The tokens of the request that were written to the provider's cache, if it reports them.
    pub cache_write_tokens: Option<u64>,
    pub is_streamed: bool,
}

/// The progress of a streamed answer in bytes; zero for an answer that is not streamed.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default)]
pub struct AnswerProgress {
    pub words: u64,
    /// Its reasoning.
    pub thoughts: u64,
}

crate::stored_as_list!(AnswerProgress: words, thoughts);

impl AnswerProgress {
    /// Whether the model is still thinking, and the size of the reasoning or of the answer so far,
    /// as `1.2 KB`.
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

/// A call that the model asks for, unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestedCall {
    /// The provider's id. It may be empty or repeated.
    pub id: String,
    pub name: String,
    /// The arguments. They may not be JSON.
    pub arguments: String,
}

/// Tokens that the provider reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenUsage {
    pub input: u64,
    /// Tokens of the answer, including reasoning.
    pub output: u64,
    /// The part of `input` that came from the provider's cache.
    pub cached: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportedUse {
    pub usage: Option<TokenUsage>,
    /// The cost in millionths of a US dollar.
    pub stated_cost: Option<u64>,
}

impl ReportedUse {
    pub fn of_answer(answer: &ModelAnswer) -> ReportedUse {
        ReportedUse {
            usage: answer.usage,
            stated_cost: answer.stated_cost,
        }
    }

    pub fn of_result(result: &Result<ModelAnswer, ModelFault>) -> ReportedUse {
        match result {
            Ok(answer) => ReportedUse::of_answer(answer),
            Err(fault) => ReportedUse {
                usage: fault.usage(),
                stated_cost: None,
            },
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    pub provider: Arc<str>,
    pub usage: TokenUsage,
    /// The cost in millionths of a US dollar; `None` if the provider has no price.
    pub cost_micros: Option<u64>,
}

/// The longest pause for which a request waits in its lane. A server that names a longer one is
/// left alone until then, and its fallback is used.
pub const MAX_OBEYED_RETRY_AFTER: Duration = Duration::from_secs(60);

/// The tokens of a prompt that exceeds a model's context, and of that context, as the server states
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextLimit {
    pub prompt: u64,
    pub context: u64,
}

/// Who ends a time in which a provider serves no requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceReturn {
    /// It ends by itself.
    Time,
    /// The operator has to act: at the provider's account, or where its server is started.
    Operator,
}

/// What the other conversations of a provider got since one of them began to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OthersGet {
    Served,
    /// Some are served, others fail.
    Both,
    /// Those that asked failed, too.
    Refused,
    /// They did not ask since, or have no answer yet.
    Unknown,
    /// No other conversation uses the provider.
    Nobody,
}

/// What a refusal says of its reason, which a trial has to prove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RefusalHint {
    #[default]
    Nothing,
    /// The server's words point at the definitions of these tools.
    Tools(Vec<Arc<str>>),
    /// The server ended the answer without a word, as some do where the model's call is malformed.
    Ended,
}

/// Why a model call failed, by the possible reactions (DESIGN 2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelFault {
    /// Another attempt may succeed: timeout, 429, 5xx, network, incomplete or unreadable body, no
    /// choice.
    Transient {
        /// The failure, without secrets.
        text: String,
        retry_after: Option<Duration>,
    },
    /// The server cannot be reached. Another attempt, or a fallback, may succeed.
    Unreachable {
        /// The failure, without secrets.
        text: String,
    },
    /// This machine had no file descriptor for a connection. The provider was not called and is not
    /// to blame. Another attempt may succeed.
    NoDescriptor { text: String },
    /// The answer had no choice, but it was paid for. Another attempt may succeed.
    Empty {
        text: String,
        usage: Option<TokenUsage>,
    },
    /// The request exceeds the model's context. A shorter one may succeed.
    TooLong {
        /// The failure, without secrets.
        text: String,
        /// By how much, if the server states it.
        limit: Option<ContextLimit>,
    },
    /// The provider serves no request of this swarm for a while, whatever is asked: nothing is left
    /// to spend, its server lacks something, or it names a time that is far away.
    OutOfService {
        /// The failure and the remedy, without secrets.
        text: String,
        /// The time until the next attempt.
        wait: Duration,
        ends_by: ServiceReturn,
    },
    /// The provider refused the form of the request, which is changed from now on. Another attempt
    /// may succeed at once. No change is learnt twice, so this ends.
    Adapted {
        /// The change and its reason, without secrets.
        text: String,
    },
    /// The server refuses this request, and it is not known why: 400, 403, 404, 422, or an answer that
    /// it ended without a word. Another request shows whose fault that is.
    Refused {
        /// The failure, without secrets.
        text: String,
        usage: Option<TokenUsage>,
        hint: RefusalHint,
    },
    /// Another attempt is useless: a credential was refused, or the configuration is wrong.
    Permanent {
        /// The failure, without secrets.
        text: String,
    },
}

impl ModelFault {
    pub fn text(&self) -> &str {
        match self {
            ModelFault::Transient { text, .. }
            | ModelFault::Unreachable { text }
            | ModelFault::NoDescriptor { text }
            | ModelFault::Empty { text, .. }
            | ModelFault::TooLong { text, .. }
            | ModelFault::OutOfService { text, .. }
            | ModelFault::Adapted { text }
            | ModelFault::Refused { text, .. }
            | ModelFault::Permanent { text } => text,
        }
    }

    /// The usage, if the provider reported it.
    pub fn usage(&self) -> Option<TokenUsage> {
        match self {
            ModelFault::Empty { usage, .. } | ModelFault::Refused { usage, .. } => *usage,
            ModelFault::Transient { .. }
            | ModelFault::Unreachable { .. }
            | ModelFault::NoDescriptor { .. }
            | ModelFault::TooLong { .. }
            | ModelFault::OutOfService { .. }
            | ModelFault::Adapted { .. }
            | ModelFault::Permanent { .. } => None,
        }
    }
}
