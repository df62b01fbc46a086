//! The part of a conversation that is held in memory: what requests are composed from.
//!
//! Everything is stored; this window is bounded. It keeps the orders that are not answered yet,
//! the turn under way, the last complete loop before it and enough rows to find the newest order.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use super::ids::{CallKey, Seq, TurnNumber};
use super::message::{Body, Call, Kind, Row};
use super::write::Recollection;

/// Rows that stay whatever else is dropped, so that short conversations are whole.
const ALWAYS_KEPT: usize = 24;

/// The most that is held of one result, in bytes; requests cut it shorter, the store has it whole.
const HELD_OF_A_RESULT: usize = 16 << 10;

/// Orders that stay even while nobody answers them; of more, the oldest and the newest.
const KEPT_ORDERS: usize = 100;

/// The window on one Mysis' conversation.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    rows: VecDeque<Arc<Row>>,
    notes: Vec<Arc<Row>>,
    last: Seq,
}

/// A call without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCall {
    /// Which.
    pub key: CallKey,
    /// The call as recorded.
    pub call: Call,
}

impl Conversation {
    /// Takes up a conversation again from its newest rows and its standing notes.
    #[must_use]
    pub fn recalled(recollection: Recollection) -> Conversation {
        Conversation {
            rows: recollection.rows.into_iter().map(lightened).collect(),
            notes: recollection.notes,
            last: recollection.last,
        }
    }

    /// The newest place given out.
    #[must_use]
    pub fn last(&self) -> Seq {
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
    pub fn push(&mut self, row: Arc<Row>) {
        self.last = self.last.max(row.seq);
        if row.kind() == Some(Kind::Note) {
            self.notes.push(row.clone());
        }
        self.rows.push_back(lightened(row));
    }

    /// Forgets the operator's notes.
    pub fn clear_notes(&mut self) {
        self.notes.clear();
    }

    /// The direct messages that no words of the model answer yet, oldest first.
    pub fn unanswered(&self) -> impl Iterator<Item = &Arc<Row>> {
        let answered = self
            .rows
            .iter()
            .rev()
            .filter(|row| row.is_sendable() && row.kind() == Some(Kind::Reply))
            .find_map(|row| row.utterance())
            .map(|reply| reply.horizon)
            .unwrap_or_default();
        self.rows
            .iter()
            .filter(move |row| row.kind() == Some(Kind::Prompt) && row.seq > answered)
    }

    /// The newest direct message among so many of the newest sendable rows.
    #[must_use]
    pub fn newest_prompt_within(&self, window: usize) -> Option<&Arc<Row>> {
        self.rows
            .iter()
            .rev()
            .filter(|row| row.is_sendable())
            .take(window)
            .find(|row| row.kind() == Some(Kind::Prompt))
    }

    /// The newest row that the model said, empty replies included.
    #[must_use]
    pub fn last_utterance(&self) -> Option<&Arc<Row>> {
        self.rows.iter().rev().find(|row| row.utterance().is_some())
    }

    /// How often the model has spoken in a turn.
    #[must_use]
    pub fn utterances_in(&self, turn: TurnNumber) -> u32 {
        let count = self
            .rows
            .iter()
            .filter(|row| row.turn == turn && row.utterance().is_some())
            .count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// The calls that have no result, in order.
    #[must_use]
    pub fn open_calls(&self) -> Vec<OpenCall> {
        let answered: BTreeSet<CallKey> = self.rows.iter().filter_map(|row| answers(row)).collect();
        self.rows
            .iter()
            .flat_map(|row| calls_of(row))
            .filter(|open| open.call.status.is_open() && !answered.contains(&open.key))
            .collect()
    }

    /// Drops what no request after this turn can need; `window` is how many rows are searched for
    /// an order.
    pub fn trim(&mut self, turn: TurnNumber, window: usize) {
        let floor = self.first_needed(turn, window);
        while self.rows.len() > ALWAYS_KEPT && self.rows.front().is_some_and(|row| row.seq < floor)
        {
            self.rows.pop_front();
        }
        self.drop_middle_orders();
    }

    /// The oldest row that a request may need.
    fn first_needed(&self, turn: TurnNumber, window: usize) -> Seq {
        let window_starts = self
            .rows
            .iter()
            .rev()
            .filter(|row| row.is_sendable())
            .take(window.max(1))
            .last()
            .map(|row| row.seq);
        let turn_starts = self
            .rows
            .iter()
            .find(|row| row.turn >= turn)
            .map(|row| row.seq);
        let unanswered = self.unanswered().next().map(|row| row.seq);
        let floor = [window_starts, turn_starts, unanswered]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or_default();
        self.rows
            .iter()
            .rev()
            .filter(|row| row.seq < floor)
            .find(|row| row.kind() == Some(Kind::Call))
            .map_or(floor, |row| row.seq)
    }

    /// Drops the oldest words and results while all rows together hold more than so many bytes of
    /// text. Orders and the newest loop stay.
    pub fn lighten(&mut self, bytes: usize) {
        let mut held: usize = self.rows.iter().map(|row| row.text().len()).sum();
        if held <= bytes {
            return;
        }
        let newest_call = self
            .rows
            .iter()
            .rev()
            .find(|row| row.kind() == Some(Kind::Call))
            .map(|row| row.seq)
            .unwrap_or_default();
        self.rows.retain(|row| {
            let is_old = row.seq < newest_call;
            let drop = held > bytes
                && is_old
                && match row.kind() {
                    Some(Kind::Call | Kind::Result | Kind::Reply | Kind::Host | Kind::Audit)
                    | None => true,
                    Some(Kind::Prompt | Kind::Mission | Kind::Peer | Kind::Note) => false,
                };
            if drop {
                held -= row.text().len();
            }
            !drop
        });
    }

    fn drop_middle_orders(&mut self) {
        let is_order = |row: &Arc<Row>| row.kind().and_then(Kind::role) == Some("user");
        let orders = self.rows.iter().filter(|row| is_order(row)).count();
        let mut place = 0;
        self.rows.retain(|row| {
            if !is_order(row) {
                return true;
            }
            place += 1;
            place == 1 || place + KEPT_ORDERS > orders
        });
    }
}

/// A row that holds no more of a long result than a request can use.
fn lightened(row: Arc<Row>) -> Arc<Row> {
    let Some((call, text, meta)) = row.result() else {
        return row;
    };
    if text.len() <= HELD_OF_A_RESULT {
        return row;
    }
    let end = text.floor_char_boundary(HELD_OF_A_RESULT);
    let body = Body::Result {
        call,
        text: text[..end].into(),
        meta: meta.clone(),
    };
    Arc::new(Row {
        body,
        ..Row::clone(&row)
    })
}

/// The call that a row answers.
fn answers(row: &Row) -> Option<CallKey> {
    row.result().map(|(call, _, _)| call)
}

fn calls_of(row: &Row) -> Vec<OpenCall> {
    (0_u16..)
        .zip(row.calls())
        .map(|(position, call)| OpenCall {
            key: CallKey {
                seq: row.seq,
                position,
            },
            call: call.clone(),
        })
        .collect()
}
