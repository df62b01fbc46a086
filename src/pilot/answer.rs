//! What the pilot answers, before it takes the shape of a wire format.

use super::chance::Mix;

/// The pilot's answer to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What it says; none beside most tool calls.
    pub content: Option<String>,
    /// Why it answers so.
    pub reasoning: Option<String>,
    /// The tools it calls.
    pub calls: Vec<ToolCall>,
    /// Why the answer ends where it ends.
    pub finish: Finish,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Joins the call to its result.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as text; not always JSON, as with any model.
    pub arguments: String,
}

/// OpenAI's `finish_reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// It has said what it wanted to say.
    Stop,
    /// It waits for the results of its calls.
    ToolCalls,
    /// It ran out of tokens.
    Length,
}

impl Finish {
    /// The word on the wire.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
        }
    }
}

/// The number of tokens that so many bytes count as: four bytes are one token, a part of a token is one.
#[must_use]
pub fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

impl Answer {
    /// An answer in words.
    pub(super) fn words(content: impl Into<String>, reasoning: impl Into<String>) -> Self {
        Self {
            content: Some(content.into()),
            reasoning: Some(reasoning.into()),
            calls: Vec::new(),
            finish: Finish::Stop,
        }
    }

    /// The tokens of all that is said, thought and called.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        let texts = [&self.content, &self.reasoning].into_iter().flatten();
        let calls = self
            .calls
            .iter()
            .map(|call| call.name.len() + call.arguments.len());
        tokens(texts.map(String::len).chain(calls).sum())
    }

    /// Cuts the answer to a number of tokens: words are kept before calls and calls before thoughts.
    pub(super) fn limit(&mut self, most: u64) {
        if self.tokens() <= most {
            return;
        }
        let mut room = usize::try_from(most.saturating_mul(4)).unwrap_or(usize::MAX);
        if let Some(content) = &mut self.content {
            cut(content, &mut room);
        }
        for call in &mut self.calls {
            room = room.saturating_sub(call.name.len());
            cut(&mut call.arguments, &mut room);
        }
        if let Some(reasoning) = &mut self.reasoning {
            cut(reasoning, &mut room);
        }
        self.reasoning = self.reasoning.take().filter(|text| !text.is_empty());
        self.finish = Finish::Length;
    }

    /// Gives every call an id that follows from the request.
    pub(super) fn number(&mut self, fingerprint: Mix) {
        for (place, call) in self.calls.iter_mut().enumerate() {
            call.id = format!("call_{:016x}{place:02}", fingerprint.number(5).bits());
        }
    }
}

/// Cuts the text to the room that is left, and takes what it needs from the room.
fn cut(text: &mut String, room: &mut usize) {
    text.truncate(text.floor_char_boundary(*room));
    *room -= text.len();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Answer {
        Answer {
            content: Some("Über Erz".into()),
            reasoning: Some("Weil es sich lohnt.".into()),
            calls: vec![ToolCall {
                id: String::new(),
                name: "mine".into(),
                arguments: r#"{"poi":"main_belt"}"#.into(),
            }],
            finish: Finish::ToolCalls,
        }
    }

    #[test]
    fn a_limit_keeps_words_before_calls_before_thoughts() {
        let mut whole = answer();
        whole.limit(13);
        assert_eq!(whole, answer());

        let mut cut = answer();
        cut.limit(6);
        assert_eq!(cut.content.as_deref(), Some("Über Erz"));
        assert_eq!(cut.calls[0].arguments, r#"{"poi":"mai"#);
        assert_eq!(cut.reasoning, None);
        assert_eq!(cut.finish, Finish::Length);
    }

    #[test]
    fn a_letter_is_never_cut_in_two() {
        let mut answer = Answer::words("äöü", "");
        answer.limit(0);
        assert_eq!(answer.content.as_deref(), Some(""));
        let mut answer = Answer::words("aäöü", "");
        answer.limit(1);
        assert_eq!(answer.content.as_deref(), Some("aä"));
    }
}
