//! The texts of a request that a trial can leave out: what others said, what the model said itself, and
//! what the runtime tells of the game.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::held::{HELD_SENTENCE, HeldKind, HeldText, is_order};
use crate::ids::{CallKey, Seq};
use crate::life::Life;
use crate::message::{HostMeta, Row, RowBody, Severity};

use super::{AskForm, NewTexts};

impl Life {
    pub(super) fn remembers(&self, held: &HeldText) -> bool {
        let rows = self.conversation.rows();
        let mut rows = rows.chain(self.conversation.notes());
        let mut mission = self.mission.iter();
        rows.any(|row| held.is_row(row))
            || mission.any(|mission| held.is_order(&mission.text))
            || self.runtime_texts().any(|text| held.is(&text))
    }

    /// The rows with new texts that are not held back yet. What the runtime tells comes first.
    pub(super) fn new_rows(&self) -> Vec<Arc<Row>> {
        let unanswered = self.conversation.unanswered_texts();
        let rows = self.runtime_rows().into_iter().chain(unanswered);
        rows.filter(|row| !self.is_held_row(row)).collect()
    }

    fn is_held_row(&self, row: &Row) -> bool {
        !self.held.is_empty() && self.held.find_row(&self.recipient(), row).is_some()
    }

    /// The rows whose texts a trial leaves out that is made now.
    pub(super) fn rows_left_out(&self, form: AskForm) -> Vec<Arc<Row>> {
        let AskForm::Without(new) = form else {
            return Vec::new();
        };
        if new == NewTexts::Standing {
            return self.standing_rows();
        }
        let rows = self.new_rows().into_iter().chain(self.own_row());
        rows.filter(|row| new.takes(row)).collect()
    }

    /// The model's newest message, if it is not held back yet.
    pub(super) fn own_row(&self) -> Option<Arc<Row>> {
        let own = self.conversation.newest_own_words()?;
        (!self.is_held_row(own)).then(|| own.clone())
    }

    /// What the runtime tells in each request, as far as that comes from elsewhere.
    pub(super) fn runtime_texts(&self) -> impl Iterator<Item = Arc<str>> {
        let looks = self.game.snapshots().iter();
        let looks = looks.map(|known| known.digest.clone());
        let notices = self.notices().into_iter();
        looks.chain(notices.map(|(_, notice)| notice.into()))
    }

    /// What the runtime tells and has told in no request that was served, as rows. Of a result that
    /// stands in the conversation, its row says it.
    fn runtime_rows(&self) -> Vec<Arc<Row>> {
        let rows = self.conversation.rows();
        let shown: BTreeSet<CallKey> = rows.filter_map(|row| Some(row.result()?.0)).collect();
        let seen = self.conversation.seen_by_model();
        let is_old = |call: CallKey| call.seq != Seq(0) && call.seq <= seen;
        let looks = self.game.snapshots().iter();
        let old = looks.filter(|known| shown.contains(&known.call) || is_old(known.call));
        let mut known: BTreeSet<&str> = old.map(|known| &*known.digest).collect();
        known.extend(self.served.runtime_texts.iter().map(|text| &**text));
        known.insert(HELD_SENTENCE);
        let texts = self.runtime_texts();
        let new = texts.filter(|text| !known.contains(&**text));
        new.map(|text| Arc::new(self.runtime_row(text))).collect()
    }

    fn runtime_row(&self, text: Arc<str>) -> Row {
        Row {
            seq: Seq(0),
            at: self.now.wall,
            turn: self.turn,
            body: RowBody::Host {
                text,
                meta: HostMeta {
                    severity: Severity::Info,
                    code: "told".into(),
                    attempt: None,
                    bill: None,
                },
            },
        }
    }

    /// The mission and the notes that are not held back yet, as rows.
    pub(super) fn standing_rows(&self) -> Vec<Arc<Row>> {
        let mission = self.mission.as_ref().map(|mission| {
            Arc::new(Row {
                seq: Seq(0),
                at: mission.at,
                turn: self.turn,
                body: RowBody::Mission {
                    id: mission.id,
                    text: mission.text.clone(),
                },
            })
        });
        let notes = self.conversation.notes().iter().cloned();
        let rows = mission.into_iter().chain(notes);
        rows.filter(|row| !self.is_held_row(row)).collect()
    }

    /// The texts of the orders that a request may hold.
    fn order_texts(&self) -> Vec<Arc<str>> {
        let rows = self.conversation.rows().chain(self.conversation.notes());
        let orders = rows.filter(|row| is_order(row));
        let orders = orders.map(|row| row.text().clone());
        let mission = self.mission.iter().map(|mission| mission.text.clone());
        orders.chain(mission).collect()
    }

    pub(in crate::life) fn leaves_out_texts(&self) -> bool {
        !self.held.is_empty() || matches!(self.trials.form, AskForm::Without(_))
    }

    /// Which texts stand in no request now: those that are held back, and those that are tried without.
    pub(in crate::life) fn texts_left_out(&self) -> impl Fn(&str) -> bool + use<> {
        let (held, whom) = (self.held.clone(), self.recipient());
        let mut doubted = self.trials.doubted.clone();
        doubted.retain(|held| held.kind == HeldKind::Text);
        let tried = self.trials.keys_left_out();
        let orders = match held.is_empty() {
            true => Vec::new(),
            false => self.order_texts(),
        };
        let is = move |held: &HeldText, text: &str| {
            let is_of_order = || orders.iter().any(|order| **order == *text);
            held.is(text) && (held.is_order(text) || !is_of_order())
        };
        move |text: &str| {
            let is_doubted = doubted.iter().any(|doubted| is(doubted, text));
            let mut texts = held.all().iter();
            let is_held = texts.any(|held| held.is_from(&whom) && is(held, text));
            (is_held && !is_doubted) || (!tried.is_empty() && tried.contains(&HeldText::key(text)))
        }
    }
}
