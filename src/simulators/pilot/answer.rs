//! The pilot's answer, before it takes the shape of a wire format.

use super::chance::Mix;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PilotAnswer {
    /// The words; none beside most tool calls.
    pub content: Option<String>,
    /// The reason for the answer, which is sent as the reasoning of a model.
    pub reasoning: Option<String>,
    pub calls: Vec<PilotToolCall>,
    pub finish: PilotFinish,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PilotToolCall {
    /// The id that joins the call to its result.
    pub id: String,
    pub name: String,
    /// The arguments as text. It is not always JSON, as with any model.
    pub arguments: String,
}

/// OpenAI's `finish_reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PilotFinish {
    Stop,
    ToolCalls,
    /// The answer ran out of tokens.
    Length,
}

impl PilotFinish {
    /// The value on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
        }
    }
}

/// The bytes that count as one token.
pub(super) const TOKEN_BYTES: usize = 4;

/// The number of tokens that this many bytes count as: four bytes are one token, rounded up.
pub fn count_tokens(bytes: usize) -> u64 {
    bytes.div_ceil(TOKEN_BYTES) as u64
}

impl PilotAnswer {
    pub(super) fn from_words(content: impl Into<String>, reasoning: impl Into<String>) -> Self {
        Self {
            content: Some(content.into()),
            reasoning: Some(reasoning.into()),
            calls: Vec::new(),
            finish: PilotFinish::Stop,
        }
    }

    /// The tokens of words, reasoning and calls together.
    pub fn token_count(&self) -> u64 {
        let texts = [&self.content, &self.reasoning].into_iter().flatten();
        let calls = self
            .calls
            .iter()
            .map(|call| call.name.len() + call.arguments.len());
        count_tokens(texts.map(String::len).chain(calls).sum())
    }

    /// Cuts the answer to `most` tokens. Words are kept before calls, and calls before reasoning.
    pub(super) fn truncate_tokens(&mut self, most: u64) {
        if self.token_count() <= most {
            return;
        }
        let mut room = usize::try_from(most.saturating_mul(4)).unwrap_or(usize::MAX);
        if let Some(content) = &mut self.content {
            cut_text(content, &mut room);
        }
        for call in &mut self.calls {
            room = room.saturating_sub(call.name.len());
            cut_text(&mut call.arguments, &mut room);
        }
        if let Some(reasoning) = &mut self.reasoning {
            cut_text(reasoning, &mut room);
        }
        self.reasoning = self.reasoning.take().filter(|text| !text.is_empty());
        self.finish = PilotFinish::Length;
    }

    /// Gives every call an id that follows from the request.
    pub(super) fn assign_ids(&mut self, fingerprint: Mix) {
        for (place, call) in self.calls.iter_mut().enumerate() {
            call.id = format!("call_{:016x}{place:02}", fingerprint.with_number(5).bits());
        }
    }
}

fn cut_text(text: &mut String, room: &mut usize) {
    text.truncate(text.floor_char_boundary(*room));
    *room -= text.len();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> PilotAnswer {
        PilotAnswer {
            content: Some("Über Erz".into()),
            reasoning: Some("Weil es sich lohnt.".into()),
            calls: vec![PilotToolCall {
                id: String::new(),
                name: "mine".into(),
                arguments: r#"{"poi":"main_belt"}"#.into(),
            }],
            finish: PilotFinish::ToolCalls,
        }
    }

    #[test]
    fn a_limit_keeps_words_before_calls_before_thoughts() {
        let mut whole = answer();
        whole.truncate_tokens(13);
        assert_eq!(whole, answer());

        let mut cut = answer();
        cut.truncate_tokens(6);
        assert_eq!(cut.content.as_deref(), Some("Über Erz"));
        assert_eq!(cut.calls[0].arguments, r#"{"poi":"mai"#);
        assert_eq!(cut.reasoning, None);
        assert_eq!(cut.finish, PilotFinish::Length);
    }

    #[test]
    fn a_letter_is_never_cut_in_two() {
        let mut answer = PilotAnswer::from_words("äöü", "");
        answer.truncate_tokens(0);
        assert_eq!(answer.content.as_deref(), Some(""));
        let mut answer = PilotAnswer::from_words("aäöü", "");
        answer.truncate_tokens(1);
        assert_eq!(answer.content.as_deref(), Some("aä"));
    }
}
