//! Orders: what the operator asked for, and the progress of each order.

mod answering;
pub(super) mod asked;
pub(super) mod ordering;
pub(super) mod questions;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use actors::domain::ids::{MissionId, Moment, MysisId, Seq, TurnNumber};
use actors::domain::message::{Row, RowBody};
use actors::domain::order::{CompletedOrder, MysisOrder, Order, OrderResult};

use actors::domain::screen::OrderId;

/// The word for an order that sets a mission.
pub const BROADCAST: &str = "broadcast";
/// The word for orders that undo others.
pub const UNDO: &str = "undo";
const MAX_RECEIPTS: usize = 100;
/// The most receipts whose orders can be undone.
const MAX_UNDO_STEPS: usize = 20;
/// The most receipts whose messages are followed until they are answered.
const MAX_FOLLOWED_RECEIPTS: usize = 30;

/// The orders that were given, and their receipts.
#[derive(Clone, Debug, Default)]
pub struct OrderTracker {
    open: BTreeMap<OrderId, OpenOrder>,
    receipts: VecDeque<Arc<Receipt>>,
    /// What can be undone, the newest last.
    undo: Vec<UndoStep>,
}

/// The orders that undo those of a receipt.
#[derive(Clone, Debug, PartialEq)]
pub struct UndoStep {
    receipt: u64,
    /// The action that is undone, such as `stop`.
    pub what: &'static str,
    pub orders: Vec<Order>,
}

/// An order that is not answered yet.
#[derive(Clone, Debug)]
pub struct OpenOrder {
    receipt: u64,
    /// The Mysis' name as the operator gave it.
    name: Arc<str>,
    /// The Mysis whose turn answers the row that it becomes. A note is read with each request and never answered.
    mysis: Option<MysisId>,
    /// The order that would undo it.
    inverse: Option<Order>,
}

impl OpenOrder {
    pub(super) fn of(
        receipt: u64,
        mysis: Option<MysisId>,
        order: &Order,
        inverse: Option<Order>,
    ) -> OpenOrder {
        let is_note = matches!(
            order,
            Order::ForMysis {
                order: MysisOrder::Note(_),
                ..
            }
        );
        OpenOrder {
            receipt,
            name: order.name().into(),
            mysis: mysis.filter(|_| !is_note),
            inverse,
        }
    }
}

/// The results of one action of the operator, for one Mysis or for several.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Receipt {
    pub number: u64,
    /// The action, such as `stop` or `message`.
    pub what: &'static str,
    /// The Myses it is for, in words.
    pub whom: Arc<str>,
    pub at: Moment,
    /// The number of orders that are not answered yet.
    pub awaited: usize,
    /// The number of orders that were carried out.
    pub done: usize,
    /// The names of the Myses whose orders were refused, and the reasons.
    pub refused: Vec<(Arc<str>, Arc<str>)>,
    /// The mission that it became. The order's answer names it. Until then the first stored mission
    /// row does.
    pub mission: Option<MissionId>,
    /// The number of Myses that cannot take the mission now. They inherit it later.
    pub missed: usize,
    /// The rows that it became, and the progress of each.
    pub tracks: Vec<Track>,
}

/// A message of the operator in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Track {
    pub mysis: MysisId,
    pub seq: Seq,
    pub reached: Reached,
}

/// The progress of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    Stored,
    /// A model call of this turn contained it.
    Seen(TurnNumber),
    /// The Mysis answered it with words.
    Answered,
}

/// An order's answer, as the screen needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct AnsweredOrder {
    pub receipt: u64,
    pub name: Arc<str>,
    pub answer: OrderResult,
}

impl OrderTracker {
    /// The receipts, oldest first.
    pub fn receipts(&self) -> &VecDeque<Arc<Receipt>> {
        &self.receipts
    }

    pub fn receipt(&self, number: u64) -> Option<&Arc<Receipt>> {
        self.receipts
            .iter()
            .find(|receipt| receipt.number == number)
    }

    /// Takes orders that were given together, and their receipt.
    pub fn take_given(&mut self, receipt: Receipt, orders: Vec<(OrderId, OpenOrder)>) {
        if self.receipts.len() == MAX_RECEIPTS {
            self.receipts.pop_front();
        }
        self.receipts.push_back(Arc::new(receipt));
        self.open.extend(orders);
    }

    /// Removes the receipt of what was no order.
    pub fn withdraw(&mut self, number: u64) {
        self.receipts.retain(|receipt| receipt.number != number);
    }

    /// Takes an order's answer. Returns `None` if the order is unknown.
    pub fn on_answer(&mut self, id: OrderId, answer: OrderResult) -> Option<AnsweredOrder> {
        let open = self.open.remove(&id)?;
        let mut what = UNDO;
        let mut receipts = self.receipts.iter_mut();
        let receipt = receipts.find(|receipt| receipt.number == open.receipt);
        if let Some(receipt) = receipt.map(Arc::make_mut) {
            what = receipt.what;
            receipt.awaited = receipt.awaited.saturating_sub(1);
            match &answer {
                Err(refusal) => {
                    let why: Arc<str> = refusal.to_string().into();
                    receipt.refused.push((open.name.clone(), why));
                }
                Ok(done) => receipt.record_done(done, open.mysis),
            }
        }
        // An undo itself cannot be undone.
        if let (Ok(done), Some(inverse)) = (&answer, open.inverse)
            && *done != CompletedOrder::MissionCleared(false)
            && what != UNDO
        {
            self.remember_undo(open.receipt, what, inverse);
        }
        Some(AnsweredOrder {
            receipt: open.receipt,
            name: open.name,
            answer,
        })
    }

    fn remember_undo(&mut self, receipt: u64, what: &'static str, order: Order) {
        if let Some(step) = self.undo.iter_mut().find(|step| step.receipt == receipt) {
            return step.orders.push(order);
        }
        if self.undo.len() == MAX_UNDO_STEPS {
            self.undo.remove(0);
        }
        self.undo.push(UndoStep {
            receipt,
            what,
            orders: vec![order],
        });
    }

    /// Whether the orders of this receipt are the last ones that can be undone.
    pub fn can_undo(&self, receipt: u64) -> bool {
        self.undo.last().is_some_and(|step| step.receipt == receipt)
    }

    /// Takes the orders that undo the last receipt that can be undone.
    pub fn take_undo(&mut self) -> Option<UndoStep> {
        self.undo.pop()
    }

    /// Takes a stored row, which may be a message of the operator or the Mysis' reply to one.
    pub fn on_row_stored(&mut self, mysis: MysisId, row: &Row) {
        if let RowBody::Mission { id, .. } = row.body {
            self.match_mission(id);
        }
        for place in self.receipts.len().saturating_sub(MAX_FOLLOWED_RECEIPTS)..self.receipts.len()
        {
            let receipt = &self.receipts[place];
            let concerns = receipt.is_followed() && receipt.concerns(mysis, row);
            if concerns {
                Arc::make_mut(&mut self.receipts[place]).follow(mysis, row);
            }
        }
    }

    /// Assigns a mission to a receipt. Its rows come before the order's answer, so an unknown
    /// mission belongs to the oldest broadcast that is not answered yet.
    fn match_mission(&mut self, mission: MissionId) {
        let mut receipts = self.receipts.iter();
        if receipts.any(|receipt| receipt.mission == Some(mission)) {
            return;
        }
        let waits = |receipt: &&mut Arc<Receipt>| {
            receipt.what == BROADCAST && receipt.awaited > 0 && receipt.mission.is_none()
        };
        if let Some(receipt) = self.receipts.iter_mut().find(waits) {
            Arc::make_mut(receipt).mission = Some(mission);
        }
    }
}

impl Receipt {
    /// Takes the answer of an order. The row that it became is followed if it belongs to this Mysis.
    fn record_done(&mut self, done: &CompletedOrder, mysis: Option<MysisId>) {
        self.done += 1;
        if let CompletedOrder::Stored(seq) = done {
            let track = mysis.map(|mysis| Track {
                mysis,
                seq: *seq,
                reached: Reached::Stored,
            });
            self.tracks.extend(track);
        }
        if let CompletedOrder::Broadcast {
            mission, missed, ..
        } = done
        {
            if self.mission != Some(*mission) {
                // The rows that were assigned before belong to another operator's mission.
                self.tracks.clear();
            }
            self.mission = Some(*mission);
            self.missed = missed.len();
        }
    }

    /// Whether rows can still change this receipt.
    fn is_followed(&self) -> bool {
        self.mission.is_some()
            || self.awaited > 0
            || self
                .tracks
                .iter()
                .any(|track| !matches!(track.reached, Reached::Answered))
    }

    fn concerns(&self, mysis: MysisId, row: &Row) -> bool {
        match &row.body {
            RowBody::Mission { id, .. } => self.mission == Some(*id),
            RowBody::Reply(_) | RowBody::Call { .. } => {
                self.tracks.iter().any(|track| track.mysis == mysis)
            }
            RowBody::Prompt { .. }
            | RowBody::Peer { .. }
            | RowBody::Note { .. }
            | RowBody::Result { .. }
            | RowBody::Host { .. }
            | RowBody::Audit { .. }
            | RowBody::Unknown { .. } => false,
        }
    }

    fn follow(&mut self, mysis: MysisId, row: &Row) {
        if let RowBody::Mission { .. } = &row.body {
            let is_known = self.tracks.iter().any(|track| track.mysis == mysis);
            if !is_known {
                self.tracks.push(Track {
                    mysis,
                    seq: row.seq,
                    reached: Reached::Stored,
                });
            }
        }
        let Some(utterance) = row.utterance() else {
            return;
        };
        let answers = row.calls().is_empty() && !utterance.text.trim().is_empty();
        for track in &mut self.tracks {
            if track.mysis != mysis || utterance.seen_up_to < track.seq {
                continue;
            }
            track.reached = match track.reached {
                Reached::Stored | Reached::Seen(_) if answers => Reached::Answered,
                Reached::Stored => Reached::Seen(row.turn),
                Reached::Seen(_) | Reached::Answered => track.reached,
            };
        }
    }

    pub fn progress(&self) -> String {
        let mut parts = Vec::new();
        if self.awaited > 0 {
            parts.push(if self.done + self.refused.len() == 0 {
                "sent".to_string()
            } else {
                format!("{} of {}", self.done, self.total())
            });
        } else if self.done > 0 && self.tracks.is_empty() {
            parts.push(match self.total() {
                1 => "done".to_string(),
                total => format!("done for {} of {total}", self.done),
            });
        }
        if !self.refused.is_empty() {
            parts.push(format!("{} refused", self.refused.len()));
        }
        parts.extend(self.delivery_text());
        if self.missed > 0 {
            parts.push(format!("{} will inherit it", self.missed));
        }
        parts.join(" · ")
    }

    fn delivery_text(&self) -> Option<String> {
        if let [track] = self.tracks[..] {
            return Some(match track.reached {
                Reached::Stored => "stored".to_string(),
                Reached::Seen(turn) => {
                    format!("stored · seen in turn {}", turn.0)
                }
                Reached::Answered => "stored · answered".to_string(),
            });
        }
        let all = self.tracks.len();
        let answered = self.count(|reached| matches!(reached, Reached::Answered));
        let seen = self.count(|reached| reached != Reached::Stored);
        (all > 0).then(|| format!("stored for {all} · seen by {seen} · answered by {answered}"))
    }

    fn count(&self, is_counted: impl Fn(Reached) -> bool) -> usize {
        let tracks = self.tracks.iter();
        tracks.filter(|it| is_counted(it.reached)).count()
    }

    fn total(&self) -> usize {
        self.awaited + self.done + self.refused.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::domain::message::{CallRecord, CallStatus, Utterance};
    use actors::domain::order::{CompletedAction, OrderRefusal};

    fn words(seq: i64, seen_up_to: i64, text: &str) -> Row {
        let utterance = Utterance {
            text: text.into(),
            seen_up_to: Seq(seen_up_to),
            ..Utterance::default()
        };
        let calls = vec![CallRecord {
            id: "".into(),
            name: "mine".into(),
            arguments: "{}".into(),
            status: CallStatus::Recorded,
            read_only: false,
            routine: None,
        }];
        Row {
            seq: Seq(seq),
            at: actors::domain::ids::Timestamp(0),
            turn: TurnNumber(7),
            body: if text.is_empty() {
                RowBody::Call { utterance, calls }
            } else {
                RowBody::Reply(utterance)
            },
        }
    }

    const RECEIPT: u64 = 9;

    /// A tracker with these orders, which are numbered from 1 on.
    fn given(what: &'static str, mysis: Option<MysisId>, orders: &[Order]) -> OrderTracker {
        let numbered = (1..).zip(orders);
        let open: Vec<(OrderId, OpenOrder)> = numbered
            .map(|(id, order)| (OrderId(id), OpenOrder::of(RECEIPT, mysis, order, None)))
            .collect();
        let receipt = Receipt {
            number: RECEIPT,
            what,
            awaited: open.len(),
            ..Receipt::default()
        };
        let mut tracker = OrderTracker::default();
        tracker.take_given(receipt, open);
        tracker
    }

    fn progress(orders: &OrderTracker) -> String {
        orders.receipt(RECEIPT).unwrap().progress()
    }

    #[test]
    fn a_message_is_followed_from_the_store_to_its_answer() {
        let order = MysisOrder::Prompt("mine".into()).for_mysis("alpha");
        let mut orders = given("message", Some(MysisId(1)), &[order]);
        let id = OrderId(1);
        assert_eq!(progress(&orders), "sent");
        orders.on_answer(id, Ok(CompletedOrder::Stored(Seq(12))));
        assert_eq!(progress(&orders), "stored");
        orders.on_row_stored(
            MysisId(1),
            &words(13, 11, "I was thinking of something else"),
        );
        orders.on_row_stored(MysisId(2), &words(14, 20, "not me"));
        assert_eq!(progress(&orders), "stored");
        orders.on_row_stored(MysisId(1), &words(15, 12, ""));
        assert_eq!(progress(&orders), "stored · seen in turn 7");
        orders.on_row_stored(MysisId(1), &words(17, 16, "done"));
        assert_eq!(progress(&orders), "stored · answered");
        assert_eq!(
            orders.on_answer(id, Ok(CompletedOrder::Done(CompletedAction::Started))),
            None
        );
    }

    #[test]
    fn the_receipt_of_a_note_follows_no_row_as_no_turn_answers_it() {
        let order = MysisOrder::Note("sell at home".into()).for_mysis("alpha");
        let mut orders = given("note", Some(MysisId(1)), &[order]);
        orders.on_answer(OrderId(1), Ok(CompletedOrder::Stored(Seq(12))));
        orders.on_row_stored(MysisId(1), &words(13, 12, "all is well"));
        assert_eq!(progress(&orders), "done");
    }

    #[test]
    fn a_mission_is_followed_although_its_rows_come_before_its_answer() {
        let order = Order::Broadcast {
            text: "mine".to_string(),
        };
        let mut orders = given(BROADCAST, None, &[order]);
        let mission = |id, seq| Row {
            body: RowBody::Mission {
                id: MissionId(id),
                text: "mine".into(),
            },
            ..words(seq, 0, "")
        };
        orders.on_row_stored(MysisId(1), &mission(3, 7));
        orders.on_row_stored(MysisId(1), &words(8, 7, ""));
        orders.on_row_stored(MysisId(2), &mission(3, 9));
        orders.on_row_stored(MysisId(2), &mission(4, 10));
        let answer = CompletedOrder::Broadcast {
            mission: MissionId(3),
            delivered: vec!["a".into(), "b".into()],
            missed: vec!["c".into()],
            elsewhere: Vec::new(),
        };
        orders.on_answer(OrderId(1), Ok(answer));
        let wanted = "stored for 2 · seen by 1 · answered by 0 · 1 will inherit it";
        assert_eq!(progress(&orders), wanted);
    }

    #[test]
    fn an_order_to_several_says_for_how_many_it_was_carried_out() {
        let stop = ["a", "b", "c"].map(|name| MysisOrder::Stop.for_mysis(name));
        let mut orders = given("stop", None, &stop);
        let ids = [1, 2, 3].map(OrderId);
        orders.on_answer(ids[0], Ok(CompletedOrder::Done(CompletedAction::Stopped)));
        orders.on_answer(ids[1], Err(OrderRefusal::AlreadyStopped));
        assert_eq!(progress(&orders), "1 of 3 · 1 refused");
        orders.on_answer(ids[2], Ok(CompletedOrder::Done(CompletedAction::Stopped)));
        assert_eq!(progress(&orders), "done for 2 of 3 · 1 refused");
    }
}
