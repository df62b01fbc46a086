//! What a request is made of, for the trace (docs/design/requests.md).

use zoea_text::json_size::escaped_len;

use super::Composition;
use super::part::{OrderKind, RequestPart};

/// The bytes of a request's texts by kind, inside JSON and without their framing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Breakdown {
    /// The system prompt, and what the role says.
    pub system_prompt: usize,
    pub notes: usize,
    pub prompts: usize,
    /// The mission, and deliveries of missions.
    pub missions: usize,
    /// Imported messages of other Myses.
    pub peers: usize,
    pub nudges: usize,
    pub continuations: usize,
    pub runtime_note: usize,
    /// Replies of the model without calls.
    pub replies: usize,
    /// Calls of the model, with the text beside them.
    pub calls: usize,
    pub results: usize,
    /// Reasoning of the rows in memory. It is not sent.
    pub reasoning_left_out: usize,
}

impl Breakdown {
    /// The bytes from the operator.
    pub fn of_operator(&self) -> usize {
        self.notes + self.prompts + self.missions
    }

    /// The bytes from the runtime.
    pub fn of_runtime(&self) -> usize {
        self.system_prompt + self.nudges + self.continuations + self.runtime_note
    }

    /// The bytes from the model itself.
    pub fn of_model(&self) -> usize {
        self.replies + self.calls
    }
}

/// The bytes of a composition's texts. `system` and `note` are those of the system message and the
/// runtime note.
pub(super) fn request_breakdown(
    composition: &Composition<'_>,
    parts: &[RequestPart],
    (system, note): (usize, usize),
) -> Breakdown {
    let notes = composition.conversation.notes().iter();
    // Notes may be cut. The system prompt comes before them.
    let notes = notes.map(|note| escaped_len(note.text())).sum::<usize>();
    let notes = notes.min(system.saturating_sub(escaped_len(composition.system)));
    let mut breakdown = Breakdown {
        system_prompt: system - notes,
        notes,
        runtime_note: note,
        reasoning_left_out: composition.conversation.reasoning_bytes(),
        ..Breakdown::default()
    };
    for part in parts {
        match part {
            RequestPart::Order(order) => {
                let bytes = match order.kind {
                    OrderKind::Prompt => &mut breakdown.prompts,
                    OrderKind::Mission => &mut breakdown.missions,
                    OrderKind::Role => &mut breakdown.system_prompt,
                    OrderKind::Peer => &mut breakdown.peers,
                    OrderKind::Nudge => &mut breakdown.nudges,
                    OrderKind::Continuation => &mut breakdown.continuations,
                };
                *bytes += order.text.size();
            }
            RequestPart::Spoken(said) => {
                let words = match said.pairs.is_empty() {
                    true => &mut breakdown.replies,
                    false => &mut breakdown.calls,
                };
                *words += said.text.size();
                for pair in &said.pairs {
                    breakdown.calls += escaped_len(&pair.name) + pair.arguments.size();
                    breakdown.results += pair.result.as_ref().map_or(0, |of| of.text.size());
                }
            }
        }
    }
    breakdown
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::compose::tests::composition;
    use crate::compose::{TurnOwner, compose, wire_bytes};
    use crate::conversation::Conversation;
    use crate::ids::{Seq, Timestamp, TurnNumber};
    use crate::message::{Row, RowBody, Utterance};
    use crate::record::StoredHistory;

    fn row(seq: i64, body: RowBody) -> Arc<Row> {
        Arc::new(Row {
            seq: Seq(seq),
            at: Timestamp(seq),
            turn: TurnNumber(seq),
            body,
        })
    }

    #[test]
    fn every_byte_is_of_some_kind_and_what_is_left_out_is_counted() {
        let thought = Utterance {
            text: "I mined.".into(),
            reasoning: Some("a long thought".into()),
            seen_up_to: Seq(2),
            ..Utterance::default()
        };
        let note = row(
            1,
            RowBody::Note {
                text: "never sell".into(),
            },
        );
        let rows = vec![
            note.clone(),
            row(2, RowBody::Prompt { text: "go".into() }),
            row(3, RowBody::Reply(thought)),
            row(
                4,
                RowBody::Prompt {
                    text: "and now?".into(),
                },
            ),
        ];
        let recollection = StoredHistory {
            rows,
            notes: vec![note],
            last: Seq(4),
            ..StoredHistory::default()
        };
        let conversation = Conversation::restore(recollection, 4096);
        let notices = ["the game is away".to_string()];
        let composed = compose(&Composition {
            owner: &TurnOwner::Prompt(Seq(2)),
            turn: TurnNumber(4),
            budget: 64 << 10,
            ..composition("you are alpha", &conversation, &notices)
        });
        let kinds = composed.breakdown;
        for (kind, bytes) in [
            ("system prompt", kinds.system_prompt),
            ("notes", kinds.notes),
            ("prompts", kinds.prompts),
            ("replies", kinds.replies),
            ("runtime note", kinds.runtime_note),
        ] {
            assert!(bytes > 0, "{kind}");
        }
        assert_eq!((kinds.missions, kinds.calls, kinds.results), (0, 0, 0));
        assert_eq!(kinds.reasoning_left_out, "a long thought".len());
        let sources = kinds.of_operator() + kinds.of_runtime() + kinds.of_model();
        let bytes = wire_bytes(&composed.messages);
        let frames = bytes.checked_sub(sources).unwrap();
        assert!(
            frames <= 64 * composed.messages.len(),
            "{frames} of {bytes}"
        );
    }
}
