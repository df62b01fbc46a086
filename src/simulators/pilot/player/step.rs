//! One step of a player: calls, or words, with the reason for them.

use serde_json::{Value, json};

use crate::answer::{PilotAnswer, PilotFinish, PilotToolCall};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum PlayerStep {
    Act { calls: Vec<WantedCall>, why: String },
    Say { words: String, why: String },
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct WantedCall {
    pub(super) tool: String,
    pub(super) arguments: Value,
}

impl WantedCall {
    pub(super) fn new(tool: &str, arguments: Value) -> Self {
        Self {
            tool: tool.to_owned(),
            arguments,
        }
    }

    pub(super) fn without_arguments(tool: &str) -> Self {
        Self::new(tool, json!({}))
    }
}

impl PlayerStep {
    pub(super) fn call(tool: &str, arguments: Value, why: impl Into<String>) -> Self {
        Self::calls(vec![WantedCall::new(tool, arguments)], why)
    }

    pub(super) fn without_arguments(tool: &str, why: impl Into<String>) -> Self {
        Self::call(tool, json!({}), why)
    }

    pub(super) fn calls(calls: Vec<WantedCall>, why: impl Into<String>) -> Self {
        Self::Act {
            calls,
            why: why.into(),
        }
    }

    pub(super) fn say(words: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Say {
            words: words.into(),
            why: why.into(),
        }
    }

    /// The answer that carries the step out. Sometimes the reason is also in the words beside the
    /// calls.
    pub(super) fn into_answer(self, rng: &mut fastrand::Rng) -> PilotAnswer {
        match self {
            Self::Say { words, why } => PilotAnswer::from_words(words, why),
            Self::Act { calls, why } => PilotAnswer {
                content: (rng.u8(..8) == 0).then(|| why.clone()),
                reasoning: Some(why),
                calls: calls.into_iter().map(WantedCall::into_tool_call).collect(),
                finish: PilotFinish::ToolCalls,
            },
        }
    }
}

impl WantedCall {
    fn into_tool_call(self) -> PilotToolCall {
        PilotToolCall {
            id: String::new(),
            name: self.tool,
            arguments: self.arguments.to_string(),
        }
    }
}
