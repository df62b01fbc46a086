//! Reads the size of the request that a Mysis last sent to its model, for the panel.

use actors::domain::last_request::RequestByteCounts;
use actors::domain::order::{CompletedOrder, Order, OrderResult};
use actors::domain::screen::OrderId;

use super::Focus;
use crate::dashboard::facts::Facts;
use crate::dashboard::outbox::Outbox;

/// The size of a Mysis' newest request, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// The size of each part; `None` until the answer came.
    pub parts: Option<RequestByteCounts>,
    asked: Option<OrderId>,
    /// The Mysis' token count when the size was asked for. When it grows, there is a newer request.
    tokens: Option<u64>,
}

impl Focus {
    /// Asks for the size of the newest request, if it may have changed.
    pub(crate) fn weigh_request(&mut self, facts: &Facts, outbox: &mut Outbox) {
        let Some(member) = facts.roster.get(self.mysis()) else {
            return;
        };
        let tokens = Some(member.status.totals.tokens_in);
        if self.weight.asked.is_none() && self.weight.tokens != tokens {
            let name = member.status.name.to_string();
            self.weight.asked = Some(outbox.ask(Order::ShowRequest { name }));
            self.weight.tokens = tokens;
        }
    }

    /// Takes the answer to that. Returns whether it was one.
    pub(crate) fn take_weight(&mut self, id: OrderId, answer: &OrderResult) -> bool {
        if self.weight.asked != Some(id) {
            return false;
        }
        self.weight.asked = None;
        self.weight.parts = match answer {
            Ok(CompletedOrder::Request(sent)) => Some(sent.parts),
            Ok(_) | Err(_) => None,
        };
        true
    }
}
