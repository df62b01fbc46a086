//! What a caller and a port share about one call, beyond question and answer: whose it is, how far
//! it has come, what an observer wants to know of it, and how its server asks the operator meanwhile.

use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::BoxFuture;
use tokio::sync::watch;

use crate::domain::ids::{CallKey, TurnRef};
use crate::domain::model::AnswerProgress;
use crate::domain::question::{Decision, Question};

/// The progress of a model's answer, and whose answer it is. Clones share it. Only the newest
/// progress is kept, so a slow reader misses nothing that matters and nothing accumulates.
#[derive(Clone, Debug, Default)]
pub struct AnswerMeter(Arc<MeterState>);

#[derive(Debug, Default)]
struct MeterState {
    turn: Option<TurnRef>,
    progress: watch::Sender<AnswerProgress>,
    /// How often anything came: a comment, an empty piece, the end.
    signs: watch::Sender<u64>,
    is_too_late: AtomicBool,
}

impl AnswerMeter {
    pub fn of_turn(turn: TurnRef) -> AnswerMeter {
        AnswerMeter(Arc::new(MeterState {
            turn: Some(turn),
            ..MeterState::default()
        }))
    }

    /// The turn that waits; `None` if no Mysis asks.
    pub fn turn(&self) -> Option<TurnRef> {
        self.0.turn
    }

    pub fn stands_at(&self, arrived: AnswerProgress) {
        self.0.progress.send_if_modified(|known| {
            let is_new = *known != arrived;
            *known = arrived;
            is_new
        });
    }

    /// Notes that something came that need not be a part of the answer. The server lives.
    pub fn gives_sign_of_life(&self) {
        self.0.signs.send_modify(|signs| *signs += 1);
    }

    #[must_use]
    pub fn subscribe_to_signs(&self) -> watch::Receiver<u64> {
        self.0.signs.subscribe()
    }

    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<AnswerProgress> {
        self.0.progress.subscribe()
    }

    /// Notes that nobody waits any longer because the answer takes too long. A request that is
    /// dropped without this was cancelled.
    pub fn give_up(&self) {
        self.0.is_too_late.store(true, Ordering::Relaxed);
    }

    /// Whether the answer took too long.
    pub fn is_given_up(&self) -> bool {
        self.0.is_too_late.load(Ordering::Relaxed)
    }
}

/// The place of a tool call in a turn, and what the way to the server reports about it.
#[derive(Clone, Debug)]
pub struct CallContext {
    pub turn: TurnRef,
    pub key: CallKey,
    /// The span of the call in W3C's form, for the server; `None` if nobody traces it.
    pub traceparent: Option<Arc<str>>,
    /// Puts questions of the server to the operator; `None` if nobody is asked.
    pub asker: Option<Asker>,
    wire: Arc<Mutex<Option<WireFacts>>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireFacts {
    /// The negotiated version of MCP.
    pub protocol_version: Option<Arc<str>>,
    /// The server's error code, if it answered with an error instead of a result.
    pub error_code: Option<i64>,
    /// The transport as OpenTelemetry names it: `tcp` or `pipe`.
    pub transport: Option<&'static str>,
}

impl CallContext {
    pub fn new(turn: TurnRef, key: CallKey) -> CallContext {
        CallContext {
            turn,
            key,
            traceparent: None,
            asker: None,
            wire: Arc::default(),
        }
    }

    /// Notes that the call went to the server. The newest facts count.
    pub fn report(&self, facts: WireFacts) {
        *self.wire.lock() = Some(facts);
    }

    /// The facts; `None` if the call did not go to the server.
    pub fn wire_facts(&self) -> Option<WireFacts> {
        let facts = self.wire.lock();
        facts.clone()
    }
}

impl PartialEq for CallContext {
    fn eq(&self, other: &CallContext) -> bool {
        (self.turn, self.key, &self.traceparent) == (other.turn, other.key, &other.traceparent)
    }
}

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
