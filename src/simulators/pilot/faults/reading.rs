//! Faults of reading: the model does not see the request as it was sent.

use std::borrow::Cow;

use strum::IntoStaticStr;

use crate::answer::count_tokens;
use crate::request::{ChatEntry, PilotRequest};

#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ReadingFault {
    /// Of a long one the system messages and the newest others are read, and nobody is told.
    CutPrompt {
        /// The longest request that is read as a whole.
        tokens: u64,
    },
}

impl ReadingFault {
    /// What is read of a request of so many tokens, and how many tokens that are; `None` where it is
    /// read as a whole.
    pub(crate) fn apply<'a>(
        self,
        request: &PilotRequest<'a>,
        prompt_tokens: u64,
    ) -> Option<(PilotRequest<'a>, u64)> {
        let Self::CutPrompt { tokens } = self;
        let mut surplus = prompt_tokens.checked_sub(tokens).filter(|more| *more > 0)?;
        let mut cut = request.clone();
        let newest = cut.entries.pop();
        cut.entries.retain(|entry| {
            let is_dropped = surplus > 0 && !matches!(entry, ChatEntry::System(_));
            if is_dropped {
                surplus = surplus.saturating_sub(count_tokens(entry_bytes(entry)));
            }
            !is_dropped
        });
        cut.entries.extend(newest);
        Some((cut, tokens))
    }
}

fn entry_bytes(entry: &ChatEntry<'_>) -> usize {
    let of_call = |name: &str, arguments: &str| name.len() + arguments.len();
    let bytes = |text: &Cow<'_, str>| text.len();
    match entry {
        ChatEntry::System(text) | ChatEntry::User(text) | ChatEntry::Result { text, .. } => {
            bytes(text)
        }
        ChatEntry::Assistant { text, calls } => {
            let calls = calls.iter().map(|call| of_call(call.tool, call.arguments));
            bytes(text) + calls.sum::<usize>()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_request_the_oldest_messages_are_not_read_and_the_first_words_stay() {
        let long = "x".repeat(4000);
        let user = |text: &'static str| ChatEntry::User(text.into());
        let request = PilotRequest {
            entries: vec![
                ChatEntry::System("be good".into()),
                user("the first order"),
                ChatEntry::User(long.as_str().into()),
                user("the last order"),
            ],
            ..PilotRequest::default()
        };
        let fault = ReadingFault::CutPrompt { tokens: 500 };
        assert_eq!(fault.apply(&request, 500), None);
        let (cut, tokens) = fault.apply(&request, 1010).expect("it is cut");
        assert_eq!(tokens, 500);
        assert_eq!(
            cut.entries,
            [ChatEntry::System("be good".into()), user("the last order")]
        );
    }
}
