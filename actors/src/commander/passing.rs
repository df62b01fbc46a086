//! Orders between processes: gives those for a Mysis elsewhere to the process that runs it, and carries
//! out those that others gave for a Mysis here, each once.
//!
//! An order is done in the transaction of what its Mysis writes for it. Until that is known, nobody
//! else takes it up: not a later step here, which may have read it before that transaction, and not
//! another process, which needs the lease.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::domain::ids::FleetOrderId;
use crate::domain::order::memo::{
    answer_from_text, answer_to_text, order_from_text, order_to_text,
};
use crate::domain::order::{CompletedAction, CompletedOrder, Order, OrderRefusal, OrderResult};
use crate::domain::write::Batch;
use crate::fleet::FleetMsg;
use crate::ports::{FleetOrder, FleetOrders, OrderOutcome};
use crate::reply::{OrderReply, OrderRequest};

use super::members::{Leaving, SwarmMember};
use super::{CommanderMsg, CommanderState};

/// How long the caller waits for what becomes of an order that is stored.
const ANSWER_TIME: Duration = Duration::from_secs(5);

/// What is said of an order that is not understood.
const UNKNOWN_ORDER: &str = "the process that runs this Mysis has an older version of zoea, which \
                             does not know this order";

#[derive(Default)]
pub(super) struct PassedOrders {
    given: BTreeMap<FleetOrderId, GivenOrder>,
    /// Those of others that are carried out here.
    in_hand: BTreeMap<FleetOrderId, OrderInHand>,
}

/// An order that was given here for a Mysis elsewhere.
struct GivenOrder {
    order: Arc<FleetOrder>,
    name: String,
    is_deletion: bool,
    process: Arc<str>,
    reply: OrderReply,
    stored: Option<Instant>,
}

enum OrderInHand {
    Open,
    /// Its answer is on its way. The fleet's actor may die over it.
    Answered(Arc<str>),
    /// Its Mysis died over it. What it wrote is stored since then, so who reads the order later sees
    /// whether it is done.
    Dropped(Instant),
}

impl PassedOrders {
    /// The orders that are not stored yet.
    pub(super) fn unstored(&self) -> impl Iterator<Item = &Arc<FleetOrder>> {
        let given = self.given.values().filter(|given| given.stored.is_none());
        given.map(|given| &given.order)
    }

    /// The answers to orders of others that are not stored yet.
    pub(super) fn unanswered(&self) -> impl Iterator<Item = (FleetOrderId, Arc<str>)> {
        self.in_hand.iter().filter_map(|(id, state)| match state {
            OrderInHand::Answered(answer) => Some((*id, answer.clone())),
            OrderInHand::Open | OrderInHand::Dropped(_) => None,
        })
    }

    /// The answer to an order that was given here, if it is known.
    fn answer_of(&self, outcome: &OrderOutcome) -> Option<(FleetOrderId, OrderResult)> {
        match outcome {
            OrderOutcome::Answered(id, text) => {
                let process = || self.given.get(id).map(|given| given.process.clone());
                let unknown = || Ok(CompletedOrder::Passed(process().unwrap_or_default()));
                Some((*id, answer_from_text(text).unwrap_or_else(unknown)))
            }
            OrderOutcome::Missing(id) => {
                let given = self.given.get(id)?;
                let answer = match given.is_deletion {
                    true => Ok(CompletedOrder::Done(CompletedAction::Deleted)),
                    false => Err(OrderRefusal::unknown_mysis(&given.name, [])),
                };
                Some((*id, answer))
            }
        }
    }

    /// The orders whose callers have waited long enough.
    fn late(&self) -> Vec<FleetOrderId> {
        let is_late = |given: &GivenOrder| {
            let stored = given.stored;
            stored.is_some_and(|stored| stored.elapsed() >= ANSWER_TIME)
        };
        let late = self.given.iter().filter(|(_, given)| is_late(given));
        late.map(|(id, _)| *id).collect()
    }
}

impl CommanderState {
    /// Gives an order for a Mysis of another process to that one. Returns the request if it is for
    /// this process.
    pub(super) fn pass_on(&mut self, request: OrderRequest) -> Option<OrderRequest> {
        let name = request.order.name();
        // A command is no process of the fleet, and could not wait for the answer.
        if self.fleet.is_none() || self.members.named(name).is_some() {
            return Some(request);
        }
        let Some(status) = self.neighbours.named(name).cloned() else {
            return Some(request);
        };
        let (Some(place), Some(content)) = (
            &status.elsewhere,
            order_to_text(&request.order, &self.rules.redactor()),
        ) else {
            return Some(request);
        };
        let id = FleetOrderId(self.rng.i64(1..));
        let order = Arc::new(FleetOrder {
            id,
            mysis: status.id,
            source: Some(request.source),
            content: content.into(),
        });
        let given = GivenOrder {
            order: order.clone(),
            name: name.to_string(),
            is_deletion: matches!(request.order, Order::Delete { .. }),
            process: place.process.clone(),
            reply: request.reply,
            stored: None,
        };
        self.passed.given.insert(id, given);
        self.send_to_fleet(FleetMsg::Give(order));
        None
    }

    pub(super) fn follow_orders(&mut self, began: Option<Instant>, orders: FleetOrders) {
        for id in &orders.given {
            if let Some(given) = self.passed.given.get_mut(id) {
                given.stored = Some(Instant::now());
            }
        }
        for outcome in &orders.outcomes {
            if let Some((id, answer)) = self.passed.answer_of(outcome) {
                self.answer_given(id, answer);
            }
        }
        for id in self.passed.late() {
            let process = self
                .passed
                .given
                .get(&id)
                .map(|given| given.process.clone());
            self.answer_given(id, Ok(CompletedOrder::Passed(process.unwrap_or_default())));
            self.send_to_fleet(FleetMsg::NotAwaited(id));
        }
        let is_stored = |dropped: Instant| began.is_some_and(|began| began > dropped);
        self.passed.in_hand.retain(|id, state| match state {
            OrderInHand::Open | OrderInHand::Answered(_) => !orders.answered.contains(id),
            OrderInHand::Dropped(since) => !is_stored(*since),
        });
        for order in orders.open {
            self.carry_out_passed(&order);
        }
    }

    fn answer_given(&mut self, id: FleetOrderId, answer: OrderResult) {
        if let Some(given) = self.passed.given.remove(&id) {
            given.reply.answer(answer);
        }
    }

    /// Carries out an order of another process, unless that is under way. One that is handed over may
    /// stay for minutes, to the end of its turn, so it carries out what comes until then.
    fn carry_out_passed(&mut self, passed: &FleetOrder) {
        let id = passed.id;
        let member = self.members.get(passed.mysis);
        let is_lost = |member: &SwarmMember| member.leaving == Some(Leaving::Lost);
        let Some(member) = member.filter(|member| !is_lost(member)) else {
            return;
        };
        if self.passed.in_hand.contains_key(&id) {
            return;
        }
        let name = member.status.name.clone();
        self.passed.in_hand.insert(id, OrderInHand::Open);
        let order = order_from_text(&name, &passed.content);
        let Some((order, source)) = order.zip(passed.source) else {
            let refusal = OrderRefusal::Because(UNKNOWN_ORDER.to_string());
            return self.on_passed_answered(id, &Err(refusal));
        };
        let commander = self.myself.clone();
        let reply = OrderReply::new(move |answer| {
            // If the Commander is gone, the order stays open for another process.
            let _ = commander.cast(CommanderMsg::PassedAnswered(id, answer));
        });
        let request = OrderRequest {
            order,
            source,
            reply: reply.with_ticket(Some(id)),
        };
        self.carry_out_order(request);
    }

    /// Takes the answer to an order of another process. Where it is not known whether the order was
    /// carried out, the database tells once all writes that were on their way are stored.
    pub(super) fn on_passed_answered(&mut self, id: FleetOrderId, answer: &OrderResult) {
        match answer {
            // Whoever has the Mysis takes it up again, here too if that comes back.
            Err(OrderRefusal::Closing | OrderRefusal::Interrupted | OrderRefusal::Store(_)) => {
                let (store, commander) = (self.store_handle(), self.myself.clone());
                let nothing = Batch::of_commander(Vec::new());
                self.jobs.spawn(async move {
                    // A refusal comes after the writes before it, too.
                    let _ = store.write(nothing).await;
                    let _ = commander.cast(CommanderMsg::PassedDropped(id));
                });
            }
            Ok(_) | Err(_) => {
                let text: Arc<str> = answer_to_text(answer).into();
                let answered = OrderInHand::Answered(text.clone());
                self.passed.in_hand.insert(id, answered);
                self.send_to_fleet(FleetMsg::Answer(id, text));
            }
        }
    }

    /// The Mysis died over an order. The next step that begins now tells whether it is done.
    pub(super) fn on_passed_dropped(&mut self, id: FleetOrderId) {
        let since = Instant::now();
        self.passed.in_hand.insert(id, OrderInHand::Dropped(since));
    }
}
