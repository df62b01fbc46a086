//! The part of a conversation that is held in memory: what requests are composed from.
//!
//! Everything is stored; this window is bounded. It keeps the orders that are not answered yet,
//! the turn under way, the last complete loop before it and the newest order, and of all of them
//! only what a request can show.

mod window;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::ids::{CallKey, Seq, TurnNumber};
use super::message::{CallRecord, Row, RowKind};
use super::record::StoredHistory;

/// The window on one Mysis' conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    rows: VecDeque<Arc<Row>>,
    notes: Vec<Arc<Row>>,
    last: Seq,
    /// The newest turn in which the model spoke, and how often it did.
    spoken: (TurnNumber, u32),
    /// The most that is held of one result, in bytes.
    hold: usize,
    /// How long the reasoning of rows was, which is not held.
    reasoning: BTreeMap<Seq, usize>,
    /// Direct messages up to here are answered, by words that are not held any more.
    answered: Seq,
}

/// A call without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingCall {
    /// Which.
    pub key: CallKey,
    /// The call as recorded.
    pub call: CallRecord,
}

impl Conversation {
    /// Takes up a conversation again from its newest rows and its standing notes. Of one result,
    /// `hold` bytes are held: as many as a request can show.
    #[must_use]
    pub fn restore(recollection: StoredHistory, hold: usize) -> Conversation {
        let mut conversation = Conversation {
            rows: VecDeque::new(),
            notes: recollection.notes,
            last: recollection.last,
            spoken: (TurnNumber(0), 0),
            hold,
            reasoning: BTreeMap::new(),
            answered: Seq::default(),
        };
        for row in recollection.rows {
            conversation.take_in(&row);
        }
        conversation
    }

    /// The newest place given out.
    #[must_use]
    pub fn last_seq(&self) -> Seq {
        self.last
    }

    /// The rows held, oldest first.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &Arc<Row>> + Clone {
        self.rows.iter()
    }

    /// The operator's persistent notes that stand, oldest first.
    #[must_use]
    pub fn notes(&self) -> &[Arc<Row>] {
        &self.notes
    }

    /// Adds a row at the end.
    pub fn push(&mut self, row: &Arc<Row>) {
        if row.kind() == Some(RowKind::Note) {
            self.notes.push(row.clone());
        }
        self.take_in(row);
    }

    /// What is never sent is not held.
    fn take_in(&mut self, row: &Arc<Row>) {
        self.last = self.last.max(row.seq);
        if row.utterance().is_some() {
            let (turn, count) = self.spoken;
            let before = if turn == row.turn { count } else { 0 };
            self.spoken = (row.turn, before.saturating_add(1));
        }
        let reasoning = row.utterance().and_then(|said| said.reasoning.as_ref());
        if let Some(reasoning) = reasoning {
            self.reasoning.insert(row.seq, reasoning.len());
        }
        if row.kind().is_some_and(RowKind::is_sendable) {
            self.rows.push_back(window::lighten_row(row, self.hold));
        }
    }

    /// Bytes of the reasoning that belongs to the rows held.
    #[must_use]
    pub fn reasoning_bytes(&self) -> usize {
        self.reasoning.values().sum()
    }

    /// Forgets the operator's notes.
    pub fn clear_notes(&mut self) {
        self.notes.clear();
    }

    /// The direct messages that no words of the model answer yet, oldest first.
    pub fn unanswered_prompts(&self) -> impl Iterator<Item = &Arc<Row>> {
        let answered = self.answered_upto();
        self.rows
            .iter()
            .filter(move |row| row.kind() == Some(RowKind::Prompt) && row.seq > answered)
    }

    /// The newest place that the model's words answer.
    fn answered_upto(&self) -> Seq {
        let newest_reply = self
            .rows
            .iter()
            .rev()
            .find(|row| row.is_sendable() && row.kind() == Some(RowKind::Reply));
        let answered =
            newest_reply.and_then(|row| row.utterance().map(|said| said.newest_seen(row.seq)));
        answered.unwrap_or_default().max(self.answered)
    }

    /// The newest direct message among so many of the newest sendable rows.
    #[must_use]
    pub fn newest_prompt_within(&self, window: usize) -> Option<&Arc<Row>> {
        self.rows
            .iter()
            .rev()
            .filter(|row| row.is_sendable())
            .take(window)
            .find(|row| row.kind() == Some(RowKind::Prompt))
    }

    /// The newest row that the model said, empty replies included.
    #[must_use]
    pub fn last_utterance(&self) -> Option<&Arc<Row>> {
        self.rows.iter().rev().find(|row| row.utterance().is_some())
    }

    /// How often the model has spoken in a turn; of older turns than the newest nothing is known.
    #[must_use]
    pub fn utterances_in(&self, turn: TurnNumber) -> u32 {
        let (spoken, count) = self.spoken;
        if spoken == turn { count } else { 0 }
    }

    /// The calls that have no result, in order.
    #[must_use]
    pub fn open_calls(&self) -> Vec<PendingCall> {
        let answered: BTreeSet<CallKey> = self
            .rows
            .iter()
            .filter_map(|row| answered_call(row))
            .collect();
        self.rows
            .iter()
            .flat_map(|row| calls_of(row))
            .filter(|open| open.call.status.is_open() && !answered.contains(&open.key))
            .collect()
    }
}

/// The call that a row answers.
fn answered_call(row: &Row) -> Option<CallKey> {
    row.result().map(|(call, _, _)| call)
}

fn calls_of(row: &Row) -> Vec<PendingCall> {
    (0_u16..)
        .zip(row.calls())
        .map(|(position, call)| PendingCall {
            key: CallKey {
                seq: row.seq,
                position,
            },
            call: call.clone(),
        })
        .collect()
}
