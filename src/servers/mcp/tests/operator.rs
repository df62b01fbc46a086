//! An operator who answers the questions of servers in tests.

use std::sync::Arc;

use actors::domain::question::{AnswerValues, Decision, Question};
use actors::ports::Asker;
use futures::FutureExt;
use serde_json::{Map, json};
use tokio::sync::{Semaphore, watch};

#[derive(Clone)]
pub(crate) struct Operator {
    pub(crate) asked: watch::Sender<Vec<Question>>,
    /// How often a question was taken away before its answer.
    pub(crate) withdrawn: watch::Sender<usize>,
    /// An answer is given for each permit.
    bell: Arc<Semaphore>,
    decision: Decision,
}

/// A question that the operator sees.
struct Shown<'a>(&'a watch::Sender<usize>);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|withdrawn| *withdrawn += 1);
    }
}

impl Operator {
    /// One who answers so whenever the bell rings.
    pub(crate) fn deciding(decision: Decision) -> Operator {
        Operator {
            asked: watch::Sender::new(Vec::new()),
            withdrawn: watch::Sender::new(0),
            bell: Arc::new(Semaphore::new(0)),
            decision,
        }
    }

    /// One who accepts with `{"ore": "iron"}`.
    pub(crate) fn accepting() -> Operator {
        let values = Map::from_iter([("ore".to_string(), json!("iron"))]);
        Operator::deciding(Decision::Accept(AnswerValues(values)))
    }

    /// The same, who needs no bell.
    pub(crate) fn at_once(self) -> Operator {
        self.ring(Semaphore::MAX_PERMITS);
        self
    }

    pub(crate) fn ring(&self, times: usize) {
        self.bell.add_permits(times);
    }

    pub(crate) fn asker(&self) -> Asker {
        let operator = self.clone();
        Asker::new(move |question| operator.clone().answer(question).boxed())
    }

    async fn answer(self, question: Question) -> Decision {
        let shown = Shown(&self.withdrawn);
        self.asked.send_modify(|asked| asked.push(question));
        self.bell.acquire().await.expect("a bell").forget();
        std::mem::forget(shown);
        self.decision.clone()
    }

    /// The messages so far, once there are this many.
    pub(crate) async fn until_asked(&self, count: usize) -> Vec<String> {
        let mut asked = self.asked.subscribe();
        let asked = asked.wait_for(|asked| asked.len() >= count).await;
        let asked = asked.expect("an operator");
        asked
            .iter()
            .map(|asked| asked.message.to_string())
            .collect()
    }
}
