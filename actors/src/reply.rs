//! Replies: every order gets exactly one answer.

use std::fmt;

use crate::domain::event_record::OrderSource;
use crate::domain::ids::FleetOrderId;
use crate::domain::order::{Order, OrderRefusal, OrderResult};

#[derive(Debug)]
pub struct OrderRequest {
    pub order: Order,
    pub source: OrderSource,
    pub reply: OrderReply,
}

/// The reply to an order. If it is dropped without an answer, for example by a dying actor, it
/// answers [`OrderRefusal::Interrupted`], so that no caller waits forever.
pub struct OrderReply {
    back: Option<Box<dyn FnOnce(OrderResult) + Send>>,
    ticket: Option<FleetOrderId>,
}

impl OrderReply {
    pub fn new(back: impl FnOnce(OrderResult) + Send + 'static) -> OrderReply {
        OrderReply {
            back: Some(Box::new(back)),
            ticket: None,
        }
    }

    pub fn to_nobody() -> OrderReply {
        OrderReply {
            back: None,
            ticket: None,
        }
    }

    /// The reply to an order of another process. What the Mysis writes for it marks it as done.
    #[must_use]
    pub fn with_ticket(mut self, ticket: Option<FleetOrderId>) -> OrderReply {
        self.ticket = ticket;
        self
    }

    /// The order of another process that this is the reply to.
    pub fn ticket(&self) -> Option<FleetOrderId> {
        self.ticket
    }

    pub fn answer(mut self, answer: OrderResult) {
        if let Some(back) = self.back.take() {
            back(answer);
        }
    }
}

impl Drop for OrderReply {
    fn drop(&mut self) {
        if let Some(back) = self.back.take() {
            back(Err(OrderRefusal::Interrupted));
        }
    }
}

impl fmt::Debug for OrderReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply")
    }
}
