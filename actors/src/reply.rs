//! Reply: who waits for the answer to an order, and gets one whatever happens.

use std::fmt;

use crate::domain::event_record::OrderSource;
use crate::domain::order::{Answer, Order, Refusal};

/// An order and who waits for its answer.
#[derive(Debug)]
pub struct Request {
    /// The order.
    pub order: Order,
    /// Where it comes from.
    pub source: OrderSource,
    /// Who waits.
    pub reply: Reply,
}

/// Somebody who waits. Dropped without an answer, as by a dying actor, it answers
/// [`Refusal::Interrupted`], so that nobody waits for ever.
pub struct Reply(Option<Box<dyn FnOnce(Answer) + Send>>);

impl Reply {
    /// Calls back with the answer, once.
    pub fn new(back: impl FnOnce(Answer) + Send + 'static) -> Reply {
        Reply(Some(Box::new(back)))
    }

    /// Nobody waits.
    #[must_use]
    pub fn to_nobody() -> Reply {
        Reply(None)
    }

    /// Answers.
    pub fn answer(mut self, answer: Answer) {
        if let Some(back) = self.0.take() {
            back(answer);
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(back) = self.0.take() {
            back(Err(Refusal::Interrupted));
        }
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply")
    }
}
