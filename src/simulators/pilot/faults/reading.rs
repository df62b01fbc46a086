//! A fault of reading: the model does not see the request as it was sent.

use crate::answer::count_tokens;
use crate::request::{ChatEntry, PilotRequest};

/// What is read of a request of `prompt_tokens` where only so many are read: the system messages and
/// the newest others. `None` where it is read as a whole.
pub(crate) fn cut_prompt<'a>(
    request: &PilotRequest<'a>,
    prompt_tokens: u64,
    tokens: u64,
) -> Option<PilotRequest<'a>> {
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
    Some(cut)
}

fn entry_bytes(entry: &ChatEntry<'_>) -> usize {
    match entry {
        ChatEntry::System(text) | ChatEntry::User(text) | ChatEntry::Result { text, .. } => {
            text.len()
        }
        ChatEntry::Assistant { text, calls } => {
            let calls = calls.iter();
            let calls = calls.map(|call| call.tool.len() + call.arguments.len());
            text.len() + calls.sum::<usize>()
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
        assert_eq!(cut_prompt(&request, 500, 500), None);
        let cut = cut_prompt(&request, 1010, 500).expect("it is cut");
        assert_eq!(
            cut.entries,
            [ChatEntry::System("be good".into()), user("the last order")]
        );
    }
}
