//! What goes into the life of a Mysis and what comes out of it.

use std::sync::Arc;
use std::time::Duration;

use crate::compose::Breakdown;
use crate::event::{Activity, EventKind, LinkState};
use crate::ids::{CallKey, Timestamp};
use crate::message::{CallStatus, Severity};
use crate::model::{ChatMessage, ModelAnswer, ModelFault};
use crate::order::{MysisOrder, OrderResult};
use crate::record::Mission;
use crate::redact::Redactor;
use crate::rules::SwarmRules;
use crate::tool::Toolset;
use crate::write::Write;

/// Names one piece of work on the outside; an answer with another name is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskId(pub u64);

/// Names one request to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WriteId(pub u64);

/// Names one alarm; one that rings for another is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AlarmId(pub u64);

/// Names somebody who waits for the answer to an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReplyId(pub u64);

/// What happens to a Mysis.
#[derive(Clone, Debug)]
pub enum LifeInput {
    /// The operator wants something.
    Ordered {
        /// Who waits for the answer.
        asker: ReplyId,
        /// What.
        order: MysisOrder,
    },
    /// The swarm's mission is this now; it is not delivered by this.
    MissionStands(Option<Mission>),
    /// The rules or the known secrets changed.
    RulesChanged {
        /// The rules.
        rules: Arc<SwarmRules>,
        /// The secrets.
        redactor: Arc<Redactor>,
    },
    /// The store has it, or will never have it.
    Recorded {
        /// Which request.
        ticket: WriteId,
        /// What came of it.
        outcome: Result<(), String>,
    },
    /// The work on the outside is at this point.
    Progressed {
        /// Which work.
        work: TaskId,
        /// What it does now.
        activity: Activity,
    },
    /// The session with the game server changed.
    Linked {
        /// How it stands.
        link: LinkState,
        /// The tools on offer now.
        tools: Arc<Toolset>,
        /// The Mysis' game account, if it has one.
        account: Option<Arc<str>>,
    },
    /// It has this game account from here on.
    Assigned(Arc<str>),
    /// Something about the outside that the operator should know.
    Noticed {
        /// How much it matters.
        severity: Severity,
        /// A short stable word for it.
        code: &'static str,
        /// The notice.
        text: String,
    },
    /// The model is not asked before a moment.
    Held {
        /// Which work.
        work: TaskId,
        /// Why.
        why: Arc<str>,
        /// Until when.
        until: Timestamp,
    },
    /// The model answered.
    Replied {
        /// Which work.
        work: TaskId,
        /// The provider that was asked.
        provider: Arc<str>,
        /// Its answer.
        result: Result<ModelAnswer, ModelFault>,
        /// How long it took, in milliseconds.
        ms: u64,
    },
    /// The model was tried although its provider is away, and still is.
    StillAway {
        /// Which work.
        work: TaskId,
        /// The provider that was asked.
        provider: Arc<str>,
        /// What it came to.
        fault: ModelFault,
    },
    /// The work that asks the model went down.
    Died {
        /// Which work.
        work: TaskId,
        /// How.
        text: String,
    },
    /// A tool call is about to leave.
    Leaving {
        /// Which work.
        work: TaskId,
    },
    /// A tool call is over.
    Returned {
        /// Which work.
        work: TaskId,
        /// What came of it.
        outcome: ToolOutcome,
    },
    /// An alarm rings.
    Rang {
        /// Which.
        alarm: AlarmId,
    },
    /// The program is closing: what has left may come back, nothing new begins.
    WindDown,
}

/// What came of a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutcome {
    /// The answer, or what went wrong.
    pub text: String,
    /// How it ended; never open.
    pub status: CallStatus,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The game tick that the answer names, if it names one.
    pub tick: Option<i64>,
}

/// What is to be done for a Mysis, in this order.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Make this durable, then say so.
    Record {
        /// Which request.
        ticket: WriteId,
        /// What.
        writes: Vec<Write>,
    },
    /// Ask the model.
    Ask(ModelQuery),
    /// Call a tool; before it leaves, say that it is leaving and wait for the release.
    Call(CallOrder),
    /// The tool call may leave.
    Release {
        /// Which work.
        work: TaskId,
    },
    /// Tear down all work on the outside.
    Abort,
    /// Ring an alarm.
    Wake {
        /// Which.
        alarm: AlarmId,
        /// When, before jitter.
        after: Duration,
        /// Whether up to a tenth more is to be added by chance.
        jitter: bool,
    },
    /// Answer an order.
    Answer {
        /// Who waits.
        asker: ReplyId,
        /// The answer.
        answer: OrderResult,
    },
    /// Tell those who watch.
    Tell(EventKind),
    /// Nothing is left to be done before the end of the program.
    Leave,
}

/// A question to the model.
#[derive(Clone, Debug)]
pub struct ModelQuery {
    /// Which work.
    pub work: TaskId,
    /// Whom to ask: the Mysis' own provider, then those that take over for it.
    pub routes: Vec<Route>,
    /// How many tokens the request is, about.
    pub tokens: u64,
    /// The conversation.
    pub messages: Arc<[ChatMessage]>,
    /// What it is made of, by kind.
    pub breakdown: Breakdown,
    /// Whether an operator's direct message waits for it.
    pub is_urgent: bool,
    /// Whether the Mysis has no other try left: if this one fails, the provider is away.
    pub is_last_try: bool,
}

/// One way to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The provider's name.
    pub provider: Arc<str>,
    /// The model.
    pub model: Arc<str>,
    /// The temperature, if any is set.
    pub temperature: Option<f32>,
}

/// A tool call to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOrder {
    /// Which work.
    pub work: TaskId,
    /// Which call.
    pub key: CallKey,
    /// The tool.
    pub tool: Arc<str>,
    /// Its arguments: a JSON object as text.
    pub arguments: Arc<str>,
    /// Whether repeating it does no harm.
    pub read_only: bool,
}

/// What a Mysis does and since when; for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CurrentActivity {
    pub(super) activity: Activity,
    pub(super) since: Timestamp,
    pub(super) until: Option<Timestamp>,
}

impl CurrentActivity {
    pub(super) fn resting(since: Timestamp) -> CurrentActivity {
        CurrentActivity {
            activity: Activity::Resting,
            since,
            until: None,
        }
    }
}

/// What a Mysis may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Everything.
    Live,
    /// Take orders and keep them for the next flight: no swarm is running.
    QueueOnly,
    /// Finish what has left: the program is closing.
    Draining,
}
