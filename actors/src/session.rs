//! A session: one Mysis' connection to the game server, kept alive behind the model's back.
//!
//! It opens before it is needed, again after it was lost, and logs in again; it stops and asks the
//! gate before each. A call is repeated only where it cannot have been executed, or only reads. It
//! belongs to one task at a time, so everything in it is single-flight by construction.

mod account;
mod answer;
mod credentials;
mod keeping;
mod own_tools;
mod sending;
mod settling;

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio_util::task::AbortOnDropHandle;

use crate::domain::event::{Activity, LinkState};
use crate::domain::ids::{CallKey, Incarnation, Lane, Moment, MysisId};
use crate::domain::life::{CallOrder, ToolOutcome};
use crate::domain::message::{CallStatus, Severity};
use crate::domain::record::{GameAccount, SavedSession};
use crate::domain::redact::Redactor;
use crate::domain::rules::ToolRules;
use crate::domain::tool::{Toolset, is_own};
use crate::gate::GateHandle;
use crate::ports::{Archive, Clock, Link, LinkAnswer, LinkFault};
use crate::secrets::Secrets;
use crate::store::StoreHandle;

pub use own_tools::own_tools;
use settling::in_time;

/// The longest that opening, listing or logging in may take.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(30);

/// How long one stands aside whose try was in vain, before it queues again.
const REQUEUE_WAIT: Duration = Duration::from_secs(1);

/// The longest wait between two tries of a call.
const MAX_RETRY_WAIT: Duration = Duration::from_secs(60);

/// The longest that is held still at once for a restart.
const MAX_RESTART_PAUSE: Duration = Duration::from_secs(120);

/// How often a refused session is renewed for one call.
const MAX_RENEWALS: u32 = 2;

/// What a session works with.
#[derive(Clone)]
pub struct SessionDeps {
    /// The only writer.
    pub store: StoreHandle,
    /// What is stored.
    pub archive: Arc<dyn Archive>,
    /// Who may log in now.
    pub gate: GateHandle,
    /// The clocks.
    pub clock: Arc<dyn Clock>,
    /// The secrets that are known.
    pub secrets: Secrets,
}

/// Who hears of a session while it works.
pub trait SessionObserver: Send + Sync {
    /// Something changed.
    fn on_event(&self, news: SessionEvent);

    /// Takes over a task that is to go on although the work under way is cut off. It ends with the
    /// Mysis at the latest.
    fn own_task(&self, task: AbortOnDropHandle<()>);

    /// A way to tell that outlives the work under way.
    fn event_sender(&self) -> Box<dyn Fn(SessionEvent) + Send>;

    /// The call under way is about to leave; true once it may.
    fn await_release(&self) -> BoxFuture<'static, bool>;
}

/// What changed in a session.
#[derive(Clone, Debug)]
pub enum SessionEvent {
    /// What it does now.
    Progress(Activity),
    /// How the connection stands.
    Linked {
        /// How it stands.
        link: LinkState,
        /// The tools on offer.
        tools: Arc<Toolset>,
        /// The game account.
        account: Option<Arc<str>>,
    },
    /// A game account and its password became known.
    Learned(GameAccount),
    /// The operator should know.
    Notice {
        /// How much it matters.
        severity: Severity,
        /// A short stable word for it.
        code: &'static str,
        /// The notice.
        text: String,
    },
}

/// The session.
pub struct GameSession {
    who: MysisId,
    incarnation: Incarnation,
    means: SessionDeps,
    link: Option<Arc<dyn Link>>,
    rules: ToolRules,
    phase: ConnectionPhase,
    account: Option<GameAccount>,
    /// Whether account and session of before were read.
    knows_account: bool,
    /// The session of a life before, until it was tried.
    saved: Option<SavedSession>,
    /// What the open session can be taken up again by.
    ticket: Option<Arc<str>>,
    /// What the store knows of the session.
    kept: Option<SavedSession>,
    tools: Arc<Toolset>,
    /// The game's own session id, where the game gives one.
    game_session: Option<String>,
    /// A new account that could not be saved yet.
    unsaved: Option<GameAccount>,
    /// An account was registered, and its password could not be read from the answer.
    has_unread_account: bool,
    /// The secrets of this session alone, the oldest first.
    secrets: Vec<Arc<str>>,
    redactor: Redactor,
    rng: fastrand::Rng,
}

/// How far the connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionPhase {
    /// Not open; so many tries in a row failed.
    Closed { failures: u32 },
    /// Open.
    Open { login: LoginState },
}

/// Whether the account is logged in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoginState {
    /// Not yet, or not any more.
    Needed,
    /// It is.
    Done,
    /// The game refuses it; asking again before a moment would only get this machine blocked.
    Refused { not_before: Moment },
}

impl GameSession {
    /// A session that is not open yet.
    #[must_use]
    pub fn new(
        who: MysisId,
        incarnation: Incarnation,
        link: Option<Arc<dyn Link>>,
        means: SessionDeps,
        rules: ToolRules,
    ) -> GameSession {
        let seed = who.0.unsigned_abs() ^ incarnation.0.unsigned_abs();
        GameSession {
            who,
            incarnation,
            means,
            link,
            rules,
            phase: ConnectionPhase::Closed { failures: 0 },
            account: None,
            knows_account: false,
            saved: None,
            ticket: None,
            kept: None,
            tools: own_tools(),
            game_session: None,
            unsaved: None,
            has_unread_account: false,
            secrets: Vec::new(),
            redactor: Redactor::default(),
            rng: fastrand::Rng::with_seed(seed),
        }
    }

    /// How tools are called from here on.
    pub fn take_rules(&mut self, rules: ToolRules) {
        self.rules = rules;
    }

    /// The tools on offer now.
    #[must_use]
    pub fn tools(&self) -> &Arc<Toolset> {
        &self.tools
    }

    /// Opens the session and logs in. Who `waits_out` waits for as long as the game server is away;
    /// anybody else goes on without it then, as does everybody where waiting mends nothing.
    pub async fn prepare(&mut self, outlet: &dyn SessionObserver, waits_out: bool) {
        self.learn_account(outlet).await;
        if self.link.is_none() {
            return self.tell_link(outlet, LinkState::None);
        }
        while let Err(fault) = self.ensure_logged_in(outlet, waits_out).await {
            let told = self.without_secrets(fault.to_string());
            tracing::debug!(mysis = %self.who, fault = %told, "session not ready");
            if !waits_out || !self.wait_out(&fault, outlet).await {
                return;
            }
        }
    }

    /// Waits a little where the server is away or wants to be left alone, so that it can be tried
    /// again; `false` where waiting mends nothing. How often it is tried is the gate's business.
    async fn wait_out(&mut self, fault: &LinkFault, outlet: &dyn SessionObserver) -> bool {
        match fault {
            LinkFault::Restarting { back_in } => self.stand_by(*back_in, outlet).await,
            LinkFault::Unreachable(_) | LinkFault::Limited { .. } => {
                outlet.on_event(SessionEvent::Progress(Activity::Queueing(Lane::Game)));
                tokio::time::sleep(with_jitter(REQUEUE_WAIT, &mut self.rng)).await;
            }
            LinkFault::SessionLost(_) | LinkFault::Refused(_) | LinkFault::AnswerLost(_) => {
                return false;
            }
        }
        true
    }

    /// Makes a call and says what came of it. Whatever happens, there is an outcome.
    pub async fn call(&mut self, order: &CallOrder, outlet: &dyn SessionObserver) -> ToolOutcome {
        let started = self.means.clock.moment();
        let arguments = match serde_json::from_str(&order.arguments) {
            Ok(Value::Object(arguments)) => arguments,
            Ok(_) | Err(_) => Map::new(),
        };
        let (text, status) = if is_own(&order.tool) {
            self.call_own(order, &arguments, outlet).await
        } else {
            self.call_game(order, arguments, outlet).await
        };
        // A game may tell them in any of its answers.
        let text = self.without_secrets(text);
        ToolOutcome {
            tick: answer::answer_tick(&text),
            text,
            status,
            ms: self.means.clock.moment().millis_since(started),
        }
    }

    async fn call_own(
        &self,
        order: &CallOrder,
        arguments: &Map<String, Value>,
        outlet: &dyn SessionObserver,
    ) -> (String, CallStatus) {
        if !outlet.await_release().await {
            return not_executed("the mysis was stopped");
        }
        let archive = &*self.means.archive;
        let asker = own_tools::OwnToolCall {
            mysis: self.who,
            search_others: self.rules.search_others,
        };
        match own_tools::answer_own_call(archive, asker, &order.tool, arguments).await {
            Ok(text) => (text, CallStatus::Done),
            Err(text) => (format!("Error: {text}"), CallStatus::Failed),
        }
    }

    async fn call_game(
        &mut self,
        order: &CallOrder,
        arguments: Map<String, Value>,
        outlet: &dyn SessionObserver,
    ) -> (String, CallStatus) {
        if self.has_accounts() {
            match &*order.tool {
                "register" => return self.register_account(order, arguments, outlet).await,
                "login" => return self.login_again(order, outlet).await,
                _ => {}
            }
        }
        let outcome = self.send_call(order, arguments, outlet).await;
        if &*order.tool == "logout" && outcome.1 == CallStatus::Done {
            self.logged_out();
        }
        outcome
    }

    async fn cool_down(&mut self, fault: &LinkFault, wait: Duration, outlet: &dyn SessionObserver) {
        self.hold_logins(fault);
        let asked = match fault {
            LinkFault::Limited { retry_after, .. } => retry_after.unwrap_or(wait),
            LinkFault::Restarting { .. }
            | LinkFault::Unreachable(_)
            | LinkFault::SessionLost(_)
            | LinkFault::Refused(_)
            | LinkFault::AnswerLost(_) => wait,
        };
        let why = self.without_secrets(fault.to_string()).into();
        outlet.on_event(SessionEvent::Progress(Activity::CoolingDown(why)));
        let wait = with_jitter(asked.max(wait).min(MAX_RETRY_WAIT), &mut self.rng);
        tokio::time::sleep(wait).await;
    }

    /// The server restarts: the Mysis holds still until it may come back, which is a pause and no
    /// fault (DESIGN 2).
    async fn stand_by(&self, back_in: Duration, outlet: &dyn SessionObserver) {
        let why = LinkFault::Restarting { back_in }.to_string();
        outlet.on_event(SessionEvent::Progress(Activity::Paused(why.into())));
        tokio::time::sleep(back_in.min(MAX_RESTART_PAUSE)).await;
    }

    /// A server that limits one of us limits this machine: every further login would make it last
    /// longer.
    fn hold_logins(&self, fault: &LinkFault) {
        if let LinkFault::Limited { retry_after, .. } = fault {
            let wait = retry_after.unwrap_or(MAX_RETRY_WAIT);
            self.means.gate.hold_lane(Lane::Logins, wait);
        }
    }

    fn tell_notice(
        &self,
        outlet: &dyn SessionObserver,
        severity: Severity,
        code: &'static str,
        text: String,
    ) {
        let text = self.without_secrets(text);
        outlet.on_event(SessionEvent::Notice {
            severity,
            code,
            text,
        });
    }

    fn tell_link(&self, outlet: &dyn SessionObserver, link: LinkState) {
        outlet.on_event(SessionEvent::Linked {
            link,
            tools: self.tools.clone(),
            account: self
                .account
                .as_ref()
                .map(|account| account.username.clone()),
        });
    }
}

fn answer_outcome(answer: LinkAnswer) -> (String, CallStatus) {
    let status = if answer.is_error {
        CallStatus::Failed
    } else {
        CallStatus::Done
    };
    (answer.text, status)
}

fn not_executed(why: &str) -> (String, CallStatus) {
    (
        format!("Error: not executed: {why}"),
        CallStatus::NotExecuted,
    )
}

/// Our name for a call, unique in the whole swarm and for ever.
fn call_name(who: MysisId, key: CallKey) -> String {
    format!("{who}.{key}")
}

/// A wait with up to a tenth more, so that a swarm does not come back all at once.
fn with_jitter(wait: Duration, rng: &mut fastrand::Rng) -> Duration {
    wait + wait.mul_f64(rng.f64() / 10.0)
}
