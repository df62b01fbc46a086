//! How the way to a server puts the server's questions to the operator.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::domain::question::{Decision, Question};

/// Puts questions of a server to the operator while a call is under way. Dropping the future
/// withdraws the question.
#[derive(Clone)]
pub struct Asker(Arc<AskOperator>);

type AskOperator = dyn Fn(Question) -> BoxFuture<'static, Decision> + Send + Sync;

impl Asker {
    /// One that asks so. The future does nothing before it is polled.
    pub fn new(
        ask: impl Fn(Question) -> BoxFuture<'static, Decision> + Send + Sync + 'static,
    ) -> Asker {
        Asker(Arc::new(ask))
    }

    /// Asks, and waits for the decision. An operator who does not answer in time cancels.
    pub fn ask(&self, question: Question) -> BoxFuture<'static, Decision> {
        (self.0)(question)
    }
}

impl fmt::Debug for Asker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Asker")
    }
}
