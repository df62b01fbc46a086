//! The part of a conversation in memory, from which requests are composed.
//!
//! Everything is stored; this window is bounded. It keeps unanswered orders, the current turn, the
//! last complete loop before it, the newest order, and the earlier turns that a request may contain.
//! Of each row it keeps only what a request can contain.

mod held;
mod window;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::ids::{CallKey, Seq, TurnNumber};
use super::message::{CallRecord, Row, RowKind};
use super::record::StoredHistory;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    rows: VecDeque<Arc<Row>>,
    notes: Vec<Arc<Row>>,
    last: Seq,
    /// The newest turn with a message of the model, and the number of its messages.
    spoken: (TurnNumber, u32),
    /// The most bytes that are kept of one result.
    hold: usize,
    /// The length of the reasoning of rows, which is not kept itself.
    reasoning: BTreeMap<Seq, usize>,
    /// Direct messages up to this row are answered, by replies that are no longer in memory.
    answered: Seq,
    /// From this row on, all rows of the conversation are in memory.
    complete_from: Seq,
    /// The open calls that the server works on, each with the id of the server's task.
    tasks: BTreeMap<CallKey, Arc<str>>,
    /// The rows that are only in the store while the Mysis rests.
    left: BTreeSet<Seq>,
}

/// A call without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingCall {
    pub key: CallKey,
    pub call: CallRecord,
    /// The id under which the server works on it, if it told one. Its outcome can be asked for.
    pub task: Option<Arc<str>>,
}

impl Conversation {
    /// Restores a conversation from its newest rows and its notes. At most `hold` bytes of each
    /// result are kept, as many as a request can contain.
    pub fn restore(recollection: StoredHistory, hold: usize) -> Conversation {
        let mut conversation = Conversation {
            notes: recollection.notes,
            last: recollection.last,
            hold,
            tasks: recollection.tasks,
            ..Conversation::default()
        };
        for row in recollection.rows {
            conversation.take_in(&row);
        }
        conversation
    }

    /// Leaves all rows to the store, and remembers which they are.
    pub fn leave(&mut self) {
        self.left = self.rows.drain(..).map(|row| row.seq).collect();
        self.rows = VecDeque::new();
        self.notes = Vec::new();
        self.reasoning = BTreeMap::new();
    }

    /// Takes the rows up again that were left, and those that came since.
    pub fn take_up(&mut self, history: StoredHistory) {
        let stored = Conversation::restore(history, self.hold);
        let left = std::mem::take(&mut self.left);
        let is_of_it = |row: &Arc<Row>| row.seq > self.last || left.contains(&row.seq);
        self.rows = stored.rows.into_iter().filter(is_of_it).collect();
        self.notes = stored.notes;
        self.reasoning = stored.reasoning;
        self.last = self.last.max(stored.last);
    }

    pub fn last_seq(&self) -> Seq {
        self.last
    }

    /// The first row from which on all rows are in memory. Of older ones, only some are.
    pub fn complete_from(&self) -> Seq {
        self.complete_from
    }

    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &Arc<Row>> + Clone {
        self.rows.iter()
    }

    /// The operator's notes that were not cleared, oldest first.
    pub fn notes(&self) -> &[Arc<Row>] {
        &self.notes
    }

    pub fn push(&mut self, row: &Arc<Row>) {
        if row.kind() == Some(RowKind::Note) {
            self.notes.push(row.clone());
        }
        self.take_in(row);
    }

    /// Takes a row into memory, unless it is never sent.
    fn take_in(&mut self, row: &Arc<Row>) {
        self.last = self.last.max(row.seq);
        if self.drop_answered_step(row) {
            return;
        }
        if row.utterance().is_some() && row.routine().is_none() {
            let (turn, count) = self.spoken;
            let before = if turn == row.turn { count } else { 0 };
            self.spoken = (row.turn, before.saturating_add(1));
        }
        let reasoning = row.utterance().and_then(|said| said.reasoning.as_ref());
        if let Some(reasoning) = reasoning {
            self.reasoning.insert(row.seq, reasoning.len());
        }
        if let Some(call) = answered_call(row) {
            self.tasks.remove(&call);
        }
        if row.kind().is_some_and(RowKind::is_sendable) {
            self.rows.push_back(window::lighten_row(row, self.hold));
        }
    }

    /// Drops a step of a routine that this row answers. The model never sees it, so that only a call in
    /// progress stays in memory. Returns whether there was one.
    fn drop_answered_step(&mut self, row: &Row) -> bool {
        let Some(call) = answered_call(row) else {
            return false;
        };
        let asker = self.rows.iter().rposition(|row| row.seq == call.seq);
        let step = asker.filter(|place| self.rows[*place].routine().is_some());
        let Some(step) = step else {
            return false;
        };
        self.tasks.remove(&call);
        self.rows.remove(step);
        true
    }

    /// The bytes of the reasoning of the rows in memory.
    pub fn reasoning_bytes(&self) -> usize {
        self.reasoning.values().sum()
    }

    pub fn clear_notes(&mut self) {
        self.notes.clear();
    }

    /// The direct messages that no reply answers yet, oldest first.
    pub fn unanswered_prompts(&self) -> impl Iterator<Item = &Arc<Row>> {
        let answered = self.answered_upto();
        self.rows
            .iter()
            .filter(move |row| row.kind() == Some(RowKind::Prompt) && row.seq > answered)
    }

    /// The newest row that the model's replies answer.
    fn answered_upto(&self) -> Seq {
        let answered = self.rows.iter().rev().find_map(|row| answered_by(row));
        answered.unwrap_or_default().max(self.answered)
    }

    /// The newest direct message among the newest `window` sendable rows.
    pub fn newest_prompt_within(&self, window: usize) -> Option<&Arc<Row>> {
        self.rows
            .iter()
            .rev()
            .filter(|row| row.is_sendable())
            .take(window)
            .find(|row| row.kind() == Some(RowKind::Prompt))
    }

    /// The newest message of the model, even an empty one.
    pub fn last_utterance(&self) -> Option<&Arc<Row>> {
        self.rows.iter().rev().find(|row| row.utterance().is_some())
    }

    /// The number of messages of the model in a turn. It is only known for the newest turn.
    pub fn utterances_in(&self, turn: TurnNumber) -> u32 {
        let (spoken, count) = self.spoken;
        if spoken == turn { count } else { 0 }
    }

    /// The calls without a result, in order.
    pub fn open_calls(&self) -> Vec<PendingCall> {
        let answered = self.answered_calls();
        let calls = self.rows.iter().flat_map(|row| row.keyed_calls());
        calls
            .filter(|(key, call)| call.status.is_open() && !answered.contains(key))
            .map(|(key, call)| PendingCall {
                key,
                call: call.clone(),
                task: self.tasks.get(&key).cloned(),
            })
            .collect()
    }

    fn answered_calls(&self) -> BTreeSet<CallKey> {
        let rows = self.rows.iter();
        rows.filter_map(|row| answered_call(row)).collect()
    }

    /// Notes the id under which the server works on an open call, or that it does not any more.
    pub fn note_task(&mut self, call: CallKey, task: Option<Arc<str>>) {
        self.tasks.remove(&call);
        self.tasks.extend(task.map(|task| (call, task)));
    }
}

/// The newest row that a reply answers.
fn answered_by(row: &Row) -> Option<Seq> {
    let is_reply = row.is_sendable() && row.kind() == Some(RowKind::Reply);
    let said = row.utterance().filter(|_| is_reply)?;
    Some(said.newest_seen(row.seq))
}

fn answered_call(row: &Row) -> Option<CallKey> {
    row.result().map(|(call, _, _)| call)
}
