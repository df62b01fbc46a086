//! The inputs and effects of a Mysis' life.

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

/// The id of a task on the outside. An answer with another id is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskId(pub u64);

/// The id of a write to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WriteId(pub u64);

/// The id of a timer. One with another id is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AlarmId(pub u64);

/// The id of an order's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReplyId(pub u64);

/// An input of a Mysis' life.
#[derive(Clone, Debug)]
pub enum LifeInput {
    /// An order of the operator.
    Ordered {
        /// The id of the reply.
        asker: ReplyId,
        /// The order.
        order: MysisOrder,
    },
    /// The mission in force changed. This does not deliver it.
    MissionStands(Option<Mission>),
    /// New rules or secrets.
    RulesChanged {
        /// The rules.
        rules: Arc<SwarmRules>,
        /// Removes the known secrets from texts.
        redactor: Arc<Redactor>,
    },
    /// The store has answered a write.
    Recorded {
        /// The id of the write.
        ticket: WriteId,
        /// The store's answer.
        outcome: Result<(), String>,
    },
    /// The activity of a task changed.
    Progressed {
        work: TaskId,
        /// The new activity.
        activity: Activity,
    },
    /// The connection to the game server changed.
    Linked {
        /// The state of the connection.
        link: LinkState,
        /// The tools that are available now.
        tools: Arc<Toolset>,
        /// The Mysis' game account, if it has one.
        account: Option<Arc<str>>,
    },
    /// The Mysis has this game account from now on.
    Assigned(Arc<str>),
    /// A notice about the outside for the operator.
    Noticed {
        /// The severity.
        severity: Severity,
        /// A short stable word for its kind.
        code: &'static str,
        /// The notice.
        text: String,
    },
    /// The model must not be called before a certain time.
    Held {
        work: TaskId,
        /// The reason.
        why: Arc<str>,
        /// The time.
        until: Timestamp,
    },
    /// The model answered or failed.
    Replied {
        work: TaskId,
        /// The provider that was asked.
        provider: Arc<str>,
        /// The answer or the fault.
        result: Result<ModelAnswer, ModelFault>,
        /// The duration in milliseconds.
        ms: u64,
    },
    /// A trial call to a provider that is away has failed.
    StillAway {
        work: TaskId,
        /// The provider that was asked.
        provider: Arc<str>,
        /// The fault.
        fault: ModelFault,
    },
    /// The task that called the model panicked.
    Died {
        work: TaskId,
        /// The panic's text.
        text: String,
    },
    /// A tool call is ready to be sent.
    Leaving {
        /// The id of the task.
        work: TaskId,
    },
    /// A tool call has ended.
    Returned {
        work: TaskId,
        /// The outcome.
        outcome: ToolOutcome,
    },
    /// A timer has run out.
    Rang {
        /// The id of the timer.
        alarm: AlarmId,
    },
    /// The program is closing. Calls that were sent may return; nothing new begins.
    WindDown,
}

/// The outcome of a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutcome {
    /// The result, or what went wrong.
    pub text: String,
    /// How the call ended. It is never an open status.
    pub status: CallStatus,
    /// The duration in milliseconds.
    pub ms: u64,
    /// The game tick in the result, if there is one.
    pub tick: Option<i64>,
}

/// An effect of a Mysis' life. Effects are carried out in order.
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
