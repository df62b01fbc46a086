//! Orders of the operator that are held back: a need for as long as they are in force (decision 341).

use std::sync::Arc;

use crate::held::{HeldText, HeldTexts, UndeliveredOrder};
use crate::ids::Seq;
use crate::life::Life;
use crate::message::{RowKind, Severity};

#[derive(Clone, Debug)]
pub(in crate::life) struct HeldOrder {
    kind: RowKind,
    /// The row of a message or a note; 0 for a mission.
    seq: Seq,
    text: Arc<str>,
    /// Whether no newer message of the operator came since.
    pub(in crate::life) is_newest: bool,
    pub(in crate::life) undelivered: Arc<UndeliveredOrder>,
}

impl HeldOrder {
    /// The order in a row of this kind; `None` if it holds none.
    pub(super) fn of(kind: RowKind, seq: Seq, held: &HeldText) -> Option<HeldOrder> {
        let (seq, what) = match kind {
            RowKind::Prompt => (seq, "message"),
            RowKind::Mission => (Seq(0), "mission"),
            RowKind::Note => (seq, "note"),
            RowKind::Peer
            | RowKind::Reply
            | RowKind::Call
            | RowKind::Result
            | RowKind::Host
            | RowKind::Audit => return None,
        };
        Some(HeldOrder {
            kind,
            seq,
            text: held.text.clone(),
            is_newest: true,
            undelivered: Arc::new(held.undelivered(what)),
        })
    }

    fn is(&self, other: &HeldOrder) -> bool {
        (self.kind, self.seq, &self.text) == (other.kind, other.seq, &other.text)
    }
}

impl Life {
    /// Sets the texts that were held back before this life began. The operator knows of them.
    pub fn begin_with_held(&mut self, held: Arc<HeldTexts>) {
        self.held = held;
        self.undelivered = self.held_orders();
    }

    /// The order that the operator has to give in another way.
    pub(in crate::life) fn undelivered_order(&self) -> Option<Arc<UndeliveredOrder>> {
        let order = self.undelivered.iter().find(|order| order.is_newest)?;
        Some(order.undelivered.clone())
    }

    /// Notes which orders in force are held back, and tells the operator of new ones.
    pub(in crate::life) fn watch_held_orders(&mut self) {
        if self.held.is_empty() && self.undelivered.is_empty() {
            return;
        }
        let now = self.held_orders();
        let before = std::mem::replace(&mut self.undelivered, now.clone());
        for order in now {
            if !before.iter().any(|known| known.is(&order)) {
                let why = order.undelivered.why.clone();
                self.record_notice(Severity::Error, "not_delivered", &why);
            }
        }
    }

    /// The messages that wait for an answer and the newest one, the mission and the notes, as far as they
    /// are held back.
    fn held_orders(&self) -> Vec<HeldOrder> {
        if self.held.is_empty() {
            return Vec::new();
        }
        let whom = self.recipient();
        let find = |text: &str| {
            let held = self.held.find_order(&whom, text);
            held.filter(|held| !held.is_forgotten())
        };
        let mut rows = self.conversation.rows().rev();
        let newest = rows.find(|row| row.kind() == Some(RowKind::Prompt));
        let unanswered = self.conversation.unanswered_prompts();
        let unanswered = unanswered.filter(|row| newest.is_none_or(|it| row.seq < it.seq));
        let messages = newest.into_iter().chain(unanswered);
        let messages = messages.map(|row| (row.seq, row.text()));
        // A message that is in memory no longer is the newest one still, unless there is another.
        let known = self.undelivered.iter();
        let known = known.filter(|known| known.kind == RowKind::Prompt && newest.is_none());
        let messages = messages.chain(known.map(|known| (known.seq, &known.text)));
        let messages = messages.filter_map(|(seq, text)| {
            Some(HeldOrder {
                is_newest: newest.is_none_or(|row| row.seq <= seq),
                ..HeldOrder::of(RowKind::Prompt, seq, find(text)?)?
            })
        });
        let mission = self.mission.as_ref();
        let mission =
            mission.and_then(|it| HeldOrder::of(RowKind::Mission, Seq(0), find(&it.text)?));
        let notes = self.conversation.notes().iter();
        let notes =
            notes.filter_map(|row| HeldOrder::of(RowKind::Note, row.seq, find(row.text())?));
        messages.chain(mission).chain(notes).collect()
    }
}
