//! The inputs and effects of a Mysis' life.

use std::sync::Arc;
use std::time::Duration;

use crate::budget::BudgetLimits;
use crate::compose::Breakdown;
use crate::event::{Activity, EventKind, LinkState};
use crate::held::HeldChange;
use crate::ids::{CallKey, Timestamp, TurnNumber};
use crate::message::{CallStatus, Severity};
use crate::model::{ChatMessage, ModelAnswer, ModelFault, OthersGet};
use crate::order::{MysisOrder, OrderResult};
use crate::question::Decision;
use crate::record::Mission;
use crate::role_list::{ListKey, ListNews};
use crate::rules::SwarmRules;
use crate::tool::Toolset;
use crate::tool_offer::ToolOffer;
use crate::write::Write;

/// The id of a task on the outside. An answer with another id is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskId(pub u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WriteId(pub u64);

/// The id of a timer. Setting a timer leaves the others: each runs until the life no longer waits for it
/// (`Life::awaited_alarms`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AlarmId(pub u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReplyId(pub u64);

#[derive(Clone, Debug)]
pub enum LifeInput {
    Ordered {
        reply: ReplyId,
        order: MysisOrder,
    },
    /// The mission in force changed. This does not deliver it.
    MissionStands(Option<Mission>),
    RulesChanged(Arc<SwarmRules>),
    Recorded {
        write_id: WriteId,
        outcome: Result<(), String>,
    },
    Progressed {
        work: TaskId,
        activity: Activity,
    },
    Linked {
        link: LinkState,
        /// Why there is no session, if the server said it.
        fault: Option<Arc<str>>,
        tools: Arc<Toolset>,
        account: Option<Arc<str>>,
    },
    /// The game answered the login, with what it tells of the player.
    LoggedIn {
        account: Option<Arc<str>>,
        text: String,
    },
    Assigned(Arc<str>),
    Noticed {
        severity: Severity,
        /// A short stable word for its kind.
        code: &'static str,
        text: String,
    },
    /// The share of its budget, or of the swarm's, that is spent, in percent.
    Spent(u64),
    /// The model must not be called before a certain time.
    Held {
        work: TaskId,
        why: Arc<str>,
        until: Timestamp,
    },
    /// The request was not sent and is out of date: the swarm was frozen meanwhile, or the Mysis logged
    /// in.
    Outdated {
        work: TaskId,
    },
    Replied {
        work: TaskId,
        provider: Arc<str>,
        result: Result<ModelAnswer, ModelFault>,
        ms: u64,
        /// What other conversations get, if it failed.
        others: OthersGet,
    },
    StillAway {
        work: TaskId,
        provider: Arc<str>,
        fault: ModelFault,
        others: OthersGet,
    },
    /// The task that called the model panicked.
    Died {
        work: TaskId,
        text: String,
    },
    /// The Mysis cannot be logged in until the operator does something.
    LoginRefused {
        work: TaskId,
        text: String,
    },
    /// A tool call is ready to be sent.
    Leaving {
        work: TaskId,
    },
    /// The server works on the call that was sent, under this id.
    TaskGiven {
        work: TaskId,
        /// The server's id.
        task: Arc<str>,
    },
    Returned {
        work: TaskId,
        outcome: ToolOutcome,
    },
    Rang {
        alarm: AlarmId,
    },
    /// It was held up a while ago. If it still is, its wait is counted and stored.
    StillWaiting,
    /// The program is closing. Calls that were sent may return; nothing new begins.
    WindDown,
    /// Another process takes over. The turn in progress is finished.
    HandOver,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutcome {
    /// The result, or what went wrong.
    pub text: String,
    /// How the call ended. It is never an open status.
    pub status: CallStatus,
    /// How long it took; `None` if that was not measured.
    pub ms: Option<u64>,
    pub tick: Option<i64>,
}

impl ToolOutcome {
    /// One whose time was not measured and that tells no tick.
    pub fn new(status: CallStatus, text: impl Into<String>) -> ToolOutcome {
        ToolOutcome {
            text: text.into(),
            status,
            ms: None,
            tick: None,
        }
    }
}

/// An effect of a Mysis' life. Effects are carried out in order.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Store a batch, then report the result.
    Record {
        write_id: WriteId,
        writes: Vec<Write>,
        can_wait: bool,
    },
    Ask(ModelQuery),
    /// Call a tool. Before the call is sent, the task reports it and waits for the release.
    Call(CallOrder),
    /// Release a tool call, so that it is sent, or its outcome asked for.
    Release {
        work: TaskId,
    },
    /// Give the server the answer to its question, and then the operator the result of the order.
    AnswerQuestion {
        reply: ReplyId,
        question: u64,
        /// The answer, whose values fit.
        decision: Decision,
    },
    HeldBack(HeldChange),
    /// Tell the list of tools of a role, which all its Myses share.
    ToolNews(ListKey, ListNews),
    /// Ask the server to cancel what it works on under this id. Nothing waits for that.
    CancelTask(Arc<str>),
    /// End all tasks on the outside.
    Abort,
    /// Set a timer. The others stay.
    Wake {
        alarm: AlarmId,
        /// The wait, before jitter is added.
        after: Duration,
        /// Whether a random part of up to a tenth is added.
        jitter: bool,
    },
    Answer {
        reply: ReplyId,
        answer: OrderResult,
    },
    Emit(EventKind),
    /// Report that nothing is left to do before the program ends.
    Leave,
}

#[derive(Clone, Debug)]
pub struct ModelQuery {
    pub work: TaskId,
    pub turn: TurnNumber,
    /// The providers to ask: the Mysis' own provider, then its fallbacks.
    pub routes: Vec<Route>,
    /// The estimated tokens of the request.
    pub tokens: u64,
    /// The limits of a day that hold for this Mysis in place of those for each.
    pub limits: BudgetLimits,
    /// Whether it contains nothing of the conversation: it shows whether the server serves anything.
    pub is_bare: bool,
    /// The longest answer in tokens.
    pub max_tokens: Option<u32>,
    pub messages: Arc<[ChatMessage]>,
    pub tools: ToolOffer,
    pub breakdown: Breakdown,
    /// Whether an operator's direct message waits for the answer.
    pub is_urgent: bool,
    /// Whether no call of a tool came before it in its turn.
    pub begins_turn: bool,
    /// Whether this is the Mysis' last attempt: if it fails, the provider counts as away.
    pub is_last_try: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    pub provider: Arc<str>,
    pub model: Arc<str>,
    pub temperature: Option<f32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOrder {
    pub work: TaskId,
    pub turn: TurnNumber,
    pub key: CallKey,
    pub tool: Arc<str>,
    /// Its arguments: a JSON object as text.
    pub arguments: Arc<str>,
    /// Whether the call can be repeated without harm.
    pub read_only: bool,
    /// The id under which the server works on it already. The call is not sent; its outcome is
    /// asked for.
    pub task: Option<Arc<str>>,
}

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Live,
    /// It takes orders and stores them for the next run, because no swarm is running.
    QueueOnly,
    /// It finishes calls that were sent, because the program is closing.
    Draining,
}
