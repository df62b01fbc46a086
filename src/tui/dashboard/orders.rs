//! Orders: what the operator asked for, and how far each of them is.

pub mod undo;

mod answering;
mod ordering;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use actors::domain::ids::{MissionId, Moment, MysisId, Seq, TurnNumber};
use actors::domain::message::{Row, RowBody};
use actors::domain::order::{CompletedOrder, Order, OrderResult};

use actors::domain::screen::OrderId;

/// What an order for a mission is called.
pub const BROADCAST: &str = "broadcast";
/// Receipts that are kept.
const MAX_RECEIPTS: usize = 100;
/// Receipts whose messages are followed to their answer.
const MAX_FOLLOWED_RECEIPTS: usize = 30;

/// The orders given.
#[derive(Clone, Debug, Default)]
pub struct OrderTracker {
    given: u64,
    open: BTreeMap<OrderId, OpenOrder>,
    receipts: VecDeque<Arc<Receipt>>,
}

/// An order whose answer is still to come.
#[derive(Clone, Debug)]
struct OpenOrder {
    receipt: u64,
    /// Whom it concerns, as the operator calls them.
    name: Arc<str>,
    mysis: Option<MysisId>,
    inverse: Option<Order>,
}

/// An order as it is given.
#[derive(Clone, Debug)]
pub struct NewOrder<'a> {
    /// The order.
    pub order: &'a Order,
    /// Whom it concerns, if that is one Mysis.
    pub mysis: Option<MysisId>,
    /// What would take it back.
    pub inverse: Option<Order>,
}

/// What became of one thing that the operator asked for, of one Mysis or of several.
#[derive(Clone, Debug, PartialEq)]
pub struct Receipt {
    /// Which.
    pub number: u64,
    /// What was asked for, as `stop` or `message`.
    pub what: &'static str,
    /// Whom of, in words.
    pub whom: Arc<str>,
    /// When.
    pub at: Moment,
    /// How many answers are still to come.
    pub awaited: usize,
    /// How many it was carried out for.
    pub done: usize,
    /// Who did not take it, and why.
    pub refused: Vec<(Arc<str>, Arc<str>)>,
    /// The mission it became, as its answer says or, before that, the first row of it.
    pub mission: Option<MissionId>,
    /// How many cannot take that mission now; they inherit it.
    pub missed: usize,
    /// The rows it became, and how far the Myses are with them.
    pub tracks: Vec<Track>,
}

/// A message of the operator in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Track {
    /// Whose.
    pub mysis: MysisId,
    /// Its place.
    pub seq: Seq,
    /// How far the Mysis is with it.
    pub reached: Reached,
}

/// How far a message got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// It is stored.
    Stored,
    /// A model call of this turn held it.
    Seen(TurnNumber),
    /// The Mysis answered it with words, at this place.
    Answered(Seq),
}

/// What an answer means for the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct AnsweredOrder {
    /// The receipt it belongs to.
    pub receipt: u64,
    /// Whom it concerns.
    pub name: Arc<str>,
    /// What became of it.
    pub answer: OrderResult,
    /// Whether no more answers are to come for that receipt.
    pub is_last: bool,
    /// What would take the order back.
    pub inverse: Option<Order>,
}

impl OrderTracker {
    /// The receipts, the oldest first.
    #[must_use]
    pub fn receipts(&self) -> &VecDeque<Arc<Receipt>> {
        &self.receipts
    }

    /// One of them.
    #[must_use]
    pub fn receipt(&self, number: u64) -> Option<&Arc<Receipt>> {
        self.receipts
            .iter()
            .find(|receipt| receipt.number == number)
    }

    /// Opens a receipt.
    pub fn begin(&mut self, what: &'static str, whom: Arc<str>, at: Moment) -> u64 {
        self.given += 1;
        if self.receipts.len() == MAX_RECEIPTS {
            self.receipts.pop_front();
        }
        self.receipts.push_back(Arc::new(Receipt {
            number: self.given,
            what,
            whom,
            at,
            awaited: 0,
            done: 0,
            refused: Vec::new(),
            mission: None,
            missed: 0,
            tracks: Vec::new(),
        }));
        self.given
    }

    /// Gives an order under a receipt.
    pub fn give(&mut self, receipt: u64, given: NewOrder<'_>) -> OrderId {
        self.given += 1;
        let id = OrderId(self.given);
        self.open.insert(
            id,
            OpenOrder {
                receipt,
                name: given.order.name().into(),
                mysis: given.mysis,
                inverse: given.inverse,
            },
        );
        self.change(receipt, |receipt| receipt.awaited += 1);
        id
    }

    /// Names an order that leaves no receipt: one that only asks.
    pub fn ask(&mut self) -> OrderId {
        self.given += 1;
        OrderId(self.given)
    }

    /// An answer came.
    pub fn on_answer(&mut self, id: OrderId, answer: OrderResult) -> Option<AnsweredOrder> {
        let open = self.open.remove(&id)?;
        let mut is_last = true;
        let outcome = answer.clone();
        self.change(open.receipt, |receipt| {
            receipt.awaited = receipt.awaited.saturating_sub(1);
            is_last = receipt.awaited == 0;
            match outcome {
                Err(refusal) => {
                    let why: Arc<str> = refusal.to_string().into();
                    receipt.refused.push((open.name.clone(), why));
                }
                Ok(done) => receipt.record_done(&done, open.mysis),
            }
        });
        Some(AnsweredOrder {
            receipt: open.receipt,
            name: open.name,
            answer,
            is_last,
            inverse: open.inverse,
        })
    }

    /// A row was stored: it may be a message of the operator, or show that one was seen.
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

    /// Rows of a mission come before the answer to its order: a mission that nobody knows yet is
    /// that of the oldest order for one that waits.
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

    fn change(&mut self, number: u64, change: impl FnOnce(&mut Receipt)) {
        let receipt = self
            .receipts
            .iter_mut()
            .find(|receipt| receipt.number == number);
        if let Some(receipt) = receipt {
            change(Arc::make_mut(receipt));
        }
    }
}

impl Receipt {
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
                // What was taken for this one was somebody else's.
                self.tracks.clear();
            }
            self.mission = Some(*mission);
            self.missed = missed.len();
        }
    }

    /// Whether rows can still say something about it.
    fn is_followed(&self) -> bool {
        self.mission.is_some()
            || self.awaited > 0
            || self
                .tracks
                .iter()
                .any(|track| !matches!(track.reached, Reached::Answered(_)))
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
                Reached::Stored | Reached::Seen(_) if answers => Reached::Answered(row.seq),
                Reached::Stored => Reached::Seen(row.turn),
                Reached::Seen(_) | Reached::Answered(_) => track.reached,
            };
        }
    }

    /// How far it is, in words.
    #[must_use]
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
                Reached::Stored => format!("stored as #{}", track.seq),
                Reached::Seen(turn) => {
                    format!("stored as #{} · seen in turn {}", track.seq, turn.0)
                }
                Reached::Answered(seq) => format!("stored as #{} · answered #{seq}", track.seq),
            });
        }
        let all = self.tracks.len();
        let answered = self.count(|reached| matches!(reached, Reached::Answered(_)));
        let seen = self.count(|reached| reached != Reached::Stored);
        (all > 0).then(|| format!("stored for {all} · seen by {seen} · answered by {answered}"))
    }

    fn count(&self, is_counted: impl Fn(Reached) -> bool) -> usize {
        self.tracks
            .iter()
            .filter(|track| is_counted(track.reached))
            .count()
    }

    fn total(&self) -> usize {
        self.awaited + self.done + self.refused.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::domain::message::{CallRecord, CallStatus, Utterance};
    use actors::domain::order::{MysisOrder, OrderRefusal};

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

    #[test]
    fn a_message_is_followed_from_the_store_to_its_answer() {
        let mut orders = OrderTracker::default();
        let receipt = orders.begin("message", "alpha".into(), Moment(0));
        let order = MysisOrder::Prompt("mine".into()).for_mysis("alpha");
        let given = NewOrder {
            order: &order,
            mysis: Some(MysisId(1)),
            inverse: None,
        };
        let id = orders.give(receipt, given);
        let progress = |orders: &OrderTracker| orders.receipt(receipt).unwrap().progress();
        assert_eq!(progress(&orders), "sent");
        orders.on_answer(id, Ok(CompletedOrder::Stored(Seq(12))));
        assert_eq!(progress(&orders), "stored as #12");
        orders.on_row_stored(
            MysisId(1),
            &words(13, 11, "I was thinking of something else"),
        );
        orders.on_row_stored(MysisId(2), &words(14, 20, "not me"));
        assert_eq!(progress(&orders), "stored as #12");
        orders.on_row_stored(MysisId(1), &words(15, 12, ""));
        assert_eq!(progress(&orders), "stored as #12 · seen in turn 7");
        orders.on_row_stored(MysisId(1), &words(17, 16, "done"));
        assert_eq!(progress(&orders), "stored as #12 · answered #17");
        assert_eq!(orders.on_answer(id, Ok(CompletedOrder::Started)), None);
    }

    #[test]
    fn a_mission_is_followed_although_its_rows_come_before_its_answer() {
        let mut orders = OrderTracker::default();
        let receipt = orders.begin(BROADCAST, "the swarm".into(), Moment(0));
        let given = NewOrder {
            order: &Order::Broadcast {
                text: "mine".to_string(),
            },
            mysis: None,
            inverse: None,
        };
        let id = orders.give(receipt, given);
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
        };
        orders.on_answer(id, Ok(answer));
        let progress = orders.receipt(receipt).unwrap().progress();
        let wanted = "stored for 2 · seen by 1 · answered by 0 · 1 will inherit it";
        assert_eq!(progress, wanted);
    }

    #[test]
    fn an_order_to_several_says_for_how_many_it_was_carried_out() {
        let mut orders = OrderTracker::default();
        let receipt = orders.begin("stop", "3 myses".into(), Moment(0));
        let ids = ["a", "b", "c"].map(|name| {
            let name = name.to_string();
            let given = NewOrder {
                order: &MysisOrder::Stop.for_mysis(name),
                mysis: None,
                inverse: None,
            };
            orders.give(receipt, given)
        });
        orders.on_answer(ids[0], Ok(CompletedOrder::Stopped));
        let outcome = orders
            .on_answer(ids[1], Err(OrderRefusal::AlreadyStopped))
            .unwrap();
        assert!(!outcome.is_last);
        let progress = |orders: &OrderTracker| orders.receipt(receipt).unwrap().progress();
        assert_eq!(progress(&orders), "1 of 3 · 1 refused");
        assert!(
            orders
                .on_answer(ids[2], Ok(CompletedOrder::Stopped))
                .unwrap()
                .is_last
        );
        assert_eq!(progress(&orders), "done for 2 of 3 · 1 refused");
    }
}
