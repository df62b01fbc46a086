//! Reply: who waits for the answer to an order, and gets one whatever happens.

use std::fmt;

use crate::domain::event_record::OrderSource;
use crate::domain::order::{Order, OrderRefusal, OrderResult};

/// An order and who waits for its answer.
#[derive(Debug)]
pub struct OrderRequest {
    /// The order.
    pub order: Order,
    /// Where it comes from.
    pub source: OrderSource,
    /// Who waits.
    pub reply: OrderReply,
}

/// Somebody who waits. Dropped without an answer, as by a dying actor, it answers
/// [`OrderRefusal::Interrupted`], so that nobody waits for ever.
pub struct OrderReply(Option<Box<dyn FnOnce(OrderResult) + Send>>);

impl OrderReply {
    /// Calls back with the answer, once.
    pub fn new(back: impl FnOnce(OrderResult) + Send + 'static) -> OrderReply {
        OrderReply(Some(Box::new(back)))
    }

    /// Nobody waits.
    #[must_use]
    pub fn to_nobody() -> OrderReply {
        OrderReply(None)
    }

    /// Answers.
    pub fn answer(mut self, answer: OrderResult) {
        if let Some(back) = self.0.take() {
            back(answer);
        }
    }
}

impl Drop for OrderReply {
    fn drop(&mut self) {
        if let Some(back) = self.0.take() {
            back(Err(OrderRefusal::Interrupted));
        }
    }
}

impl fmt::Debug for OrderReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply")
    }
}
