//! The game session of one Mysis: its connection to the game server, which the model does not see.
//!
//! It opens before it is needed and again after it was lost, and it logs in. Before each of these
//! it waits for the gate's admission. A call is repeated only if it was not executed, or only
//! reads. A session belongs to one task at a time, so nothing in it runs twice at once.

mod account;
mod answer;
mod asking;
mod credentials;
mod following;
mod keeping;
mod link_answer;
mod linking;
mod links;
mod outlet;
mod own_tools;
mod refusing;
mod secrecy;
mod sending;
mod settling;
mod waiting;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::calls::CallWatch;
use crate::domain::event::LinkState;
use crate::domain::ids::{Incarnation, MysisId};
use crate::domain::life::{CallOrder, LifeInput, ToolOutcome};
use crate::domain::message::{CallStatus, Severity};
use crate::domain::record::{GameAccount, SavedSession};
use crate::domain::rules::ToolRules;
use crate::domain::tool::{Toolset, command_of_call, is_own};
use crate::domain::tool_filter::ToolPermit;
use crate::domain::tool_offer::ToolOffer;
use crate::freeze::FreezeSwitch;
use crate::gate::GateHandle;
use crate::ports::{Archive, Clock, Link};
use crate::secrets::Secrets;
use crate::store::StoreHandle;
use zoea_text::redact::Redactor;

pub use asking::QuestionNumbers;
pub use links::PendingLinks;
pub use outlet::{Outlet, SessionEvent};
pub use own_tools::own_tools;
use sending::{STOPPED, failed, not_executed};
use settling::in_time;
pub use settling::{AttemptSlots, MAX_ATTEMPTS};

/// How long opening, listing tools or logging in may take.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(30);

/// How often a lost session is opened again for one call.
const MAX_RENEWALS: u32 = 2;

#[derive(Clone)]
pub struct SessionDeps {
    /// The only way to write.
    pub store: StoreHandle,
    pub archive: Arc<dyn Archive>,
    pub gate: GateHandle,
    pub freeze: FreezeSwitch,
    pub calls: CallWatch,
    pub attempts: AttemptSlots,
    pub clock: Arc<dyn Clock>,
    pub secrets: Secrets,
    pub held: crate::shared::HeldBack,
    /// The links by which Myses wait to be logged in.
    pub links: PendingLinks,
    pub questions: QuestionNumbers,
}

pub struct GameSession {
    who: MysisId,
    incarnation: Incarnation,
    deps: SessionDeps,
    link: Option<Arc<dyn Link>>,
    rules: ToolRules,
    permit: ToolPermit,
    phase: ConnectionPhase,
    /// Why the session does not open.
    link_fault: Option<Arc<str>>,
    /// Whether the server has to be asked if it still knows the open session.
    is_doubtful: bool,
    /// Whether it makes the trial call to a server that is away, which waits for no other attempt.
    is_on_trial: bool,
    account: Option<GameAccount>,
    knows_account: bool,
    /// The session of the previous incarnation, until it was tried.
    saved: Option<SavedSession>,
    resume_token: Option<Arc<str>>,
    kept: Option<SavedSession>,
    /// The tools that are available: those of the turn, if the server is there.
    tools: Arc<Toolset>,
    listed: Option<Arc<Toolset>>,
    /// The list that the present turn began with. It holds until the next turn.
    pinned: Option<Arc<Toolset>>,
    has_waited_for_tools: bool,
    /// Whether only our own tools are offered, because the Mysis is not logged in: it waits for a link, or the
    /// game refuses the login.
    is_withheld: bool,
    /// The game's own session id, if the game uses one.
    game_session: Option<String>,
    /// A new account that is not saved yet.
    unsaved: Option<GameAccount>,
    /// The player whom the operator picked at a link, where there is no account of our own.
    linked_as: Option<Arc<str>>,
    /// Why no link logs the Mysis in.
    refused_link: Option<String>,
    /// Whether it logged in, or learnt which game its tools are of, since that was asked for.
    has_news: bool,
    /// The secrets of this session alone, oldest first.
    secrets: Vec<Arc<str>>,
    redactor: Redactor,
    /// For how long the swarm was frozen while a call was with the server.
    frozen_in_flight: Duration,
    rng: fastrand::Rng,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionPhase {
    /// Closed after this many failed attempts in a row.
    Closed {
        failures: u32,
    },
    /// Open, and not logged in.
    Open,
    LoggedIn,
}

/// Why nothing can be asked of a server.
const NO_SERVER: &str = "the configuration has no tool server";

impl GameSession {
    /// A session that is not open yet.
    pub fn new(
        who: MysisId,
        incarnation: Incarnation,
        link: Option<Arc<dyn Link>>,
        deps: SessionDeps,
        rules: ToolRules,
    ) -> GameSession {
        let seed = who.0.unsigned_abs() ^ incarnation.0.unsigned_abs();
        GameSession {
            who,
            incarnation,
            deps,
            link,
            rules,
            permit: ToolPermit::default(),
            phase: ConnectionPhase::Closed { failures: 0 },
            link_fault: None,
            is_doubtful: false,
            is_on_trial: false,
            account: None,
            knows_account: false,
            saved: None,
            resume_token: None,
            kept: None,
            tools: own_tools(),
            listed: None,
            pinned: None,
            has_waited_for_tools: false,
            is_withheld: false,
            game_session: None,
            unsaved: None,
            linked_as: None,
            refused_link: None,
            has_news: false,
            secrets: Vec::new(),
            redactor: Redactor::default(),
            frozen_in_flight: Duration::ZERO,
            rng: fastrand::Rng::with_seed(seed),
        }
    }

    pub fn take_rules(&mut self, rules: ToolRules, permit: ToolPermit) {
        self.rules = rules;
        self.permit = permit;
    }

    /// The tools that a request offers now. The list may have changed since they were chosen.
    pub fn offered_tools(&self, offer: &ToolOffer) -> Arc<Toolset> {
        match self.is_withheld {
            true => offer.of_catalog(&own_tools(), &self.permit),
            false => offer.of_catalog(&self.tools, &self.permit),
        }
    }

    /// Opens the session and logs in. With `waits_out`, waits for as long as the game server is
    /// away. Without it, or if waiting cannot help, returns without a session. Only where a turn
    /// begins, changed tools take the place of the known ones.
    pub async fn prepare(&mut self, outlet: &Outlet, waits_out: bool, begins_turn: bool) {
        if begins_turn {
            self.pinned = None;
        }
        self.learn_account(outlet).await;
        if self.link.is_none() {
            return self.emit_link(outlet, LinkState::None);
        }
        if !self.log_in_or_wait(outlet, waits_out).await {
            return;
        }
        // Without waiting nothing logs the Mysis in now, and a call of the game would wait for that.
        if !waits_out && self.awaits_link() {
            return self.withhold_tools(LinkState::Ok, outlet);
        }
        self.offer_tools_again(outlet);
        self.pin_tools(outlet).await;
    }

    /// Makes a call. There is an outcome in every case.
    pub async fn call(&mut self, order: &CallOrder, outlet: &Outlet) -> ToolOutcome {
        let started = self.stopwatch();
        let arguments = match serde_json::from_str(&order.arguments) {
            Ok(Value::Object(arguments)) => arguments,
            Ok(_) | Err(_) => Map::new(),
        };
        let outcome = if is_own(&order.tool) {
            self.call_own(order, &arguments, outlet).await
        } else {
            self.call_game(order, arguments, outlet).await
        };
        // A game may reveal secrets in any of its answers.
        let text = self.without_secrets(outcome.text);
        ToolOutcome {
            tick: self.tick_in(&text),
            text,
            status: outcome.status,
            ms: Some(self.stopwatch().millis_since(started)),
        }
    }

    async fn call_own(
        &self,
        order: &CallOrder,
        arguments: &Map<String, Value>,
        outlet: &Outlet,
    ) -> ToolOutcome {
        if !outlet.await_release().await {
            return not_executed(STOPPED);
        }
        let archive = &*self.deps.archive;
        let held = self.deps.held.now();
        let call = own_tools::OwnToolCall {
            mysis: self.who,
            held: &held,
            search_others: self.rules.search_others,
        };
        match own_tools::answer_own_call(archive, call, &order.tool, arguments).await {
            Ok(text) => ToolOutcome::new(CallStatus::Done, text),
            Err(text) => failed(&text),
        }
    }

    async fn call_game(
        &mut self,
        order: &CallOrder,
        arguments: Map<String, Value>,
        outlet: &Outlet,
    ) -> ToolOutcome {
        let command = command_of_call(&order.tool, &order.arguments);
        // After a restart a call may come before the first request to the model.
        if order.task.is_some() || !self.knows_account {
            self.prepare_for_call(outlet).await;
        }
        if self.logs_in_by_link()
            && order.task.is_none()
            && let Some(answer) = self.answer_linked(&command, outlet).await
        {
            return answer;
        }
        if self.has_accounts() {
            match &*command {
                "register" if order.task.is_some() => {
                    return self.register_upstream(order, arguments, outlet).await;
                }
                "register" => return self.register_account(order, arguments, outlet).await,
                // A token of the model's would log in another account.
                "login" | "login_token" | "login_link" | "login_link_poll" => {
                    return self.login_again(order, outlet).await;
                }
                _ => {}
            }
        }
        let outcome = self.send_call(order, arguments, outlet).await;
        if &*command == "logout" && outcome.status == CallStatus::Done {
            self.logged_out();
        }
        outcome
    }

    fn emit_notice(&self, outlet: &Outlet, severity: Severity, code: &'static str, text: String) {
        let text = self.without_secrets(text);
        outlet.tell_life(LifeInput::Noticed {
            severity,
            code,
            text,
        });
    }
}
