//! Opens a session and logs in, and waits for a game server that is away.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::domain::bounds::bounded_text;
use crate::domain::event::{Activity, LinkState};
use crate::domain::game::GameRef;
use crate::domain::gate::circuit::CallOutcome;
use crate::domain::ids::Lane;
use crate::domain::life::LifeInput;
use crate::domain::message::Severity;
use crate::domain::model::ServiceReturn;
use crate::domain::tool::{Toolset, is_own};
use crate::gate::Permit;
use crate::ports::LinkFault;

use super::keeping::as_unreachable;
use super::waiting::NO_ACCESS_WAIT;
use super::{ConnectionPhase, GameSession, NO_SERVER, Outlet, SETTLE_TIMEOUT, own_tools};

/// The most attempts of a swarm at once to open sessions, to log in or to list tools. Each has
/// `SETTLE_TIMEOUT`, and a server that gets those of thousands of Myses in one moment keeps none of
/// them in time.
pub const MAX_ATTEMPTS: usize = 64;

/// The places of attempts that the gate does not count as logins. Clones share them.
#[derive(Clone)]
pub struct AttemptSlots(Arc<Semaphore>);

impl Default for AttemptSlots {
    fn default() -> AttemptSlots {
        AttemptSlots(Arc::new(Semaphore::new(MAX_ATTEMPTS)))
    }
}

/// The most bytes of a reason that are shown for as long as a session does not open.
const MAX_FAULT_BYTES: usize = 500;

/// The waits between lists of tools where the first one is empty: some servers have their tools only a
/// moment after they have begun.
const EMPTY_LIST_WAITS: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];

impl AttemptSlots {
    async fn wait_for_place(&self) -> Option<OwnedSemaphorePermit> {
        // It is never closed.
        self.0.clone().acquire_owned().await.ok()
    }
}

impl GameSession {
    /// Opens the session and logs in, if necessary. With `waits_out`, waits for an operator who logs
    /// the Mysis in by a link.
    pub(super) async fn ensure_logged_in(
        &mut self,
        outlet: &Outlet,
        waits_out: bool,
    ) -> Result<(), LinkFault> {
        loop {
            if !self.is_open() || self.is_doubtful || self.needs_login() {
                let mut pass = self.reach_game(outlet, waits_out).await?;
                self.is_on_trial = pass.is_trial;
                let settled = self.settle_with_game(outlet).await;
                self.is_on_trial = false;
                pass.outcome = self.game_outcome(&settled);
                // The token is that of all; a call may be refused for what it asks.
                if let CallOutcome::OutOfService { is_of_all, .. } = &mut pass.outcome {
                    *is_of_all = true;
                }
                drop(pass);
                settled?;
            }
            self.save_session().await;
            if !waits_out || !self.awaits_link() {
                return Ok(());
            }
            // No permit is held here: a person may take hours.
            self.await_link(outlet).await?;
        }
    }

    /// Whether there is an account to log in with and an attempt is allowed now.
    pub(super) fn needs_login(&self) -> bool {
        let may_try = || {
            let refused = self.refused_login();
            refused.is_none_or(|refused| self.deps.clock.moment() >= refused.not_before)
        };
        let is_needed = match self.logs_in_by_link() {
            true => self.needs_link(),
            false => self.account.is_some() && self.has_accounts(),
        };
        is_needed && self.phase == ConnectionPhase::Open && may_try()
    }

    async fn settle_with_game(&mut self, outlet: &Outlet) -> Result<(), LinkFault> {
        if std::mem::take(&mut self.is_doubtful) {
            self.check_session(outlet).await?;
        }
        if let ConnectionPhase::Closed { failures } = self.phase {
            let before = self.saved.clone();
            let settled = match self.take_up_again().await {
                Ok(Some(phase)) => Ok(phase),
                // Where no other one can be opened, nothing is known of the one before.
                Ok(None) => (self.open_session(outlet).await).inspect_err(|_| self.saved = before),
                Err(fault) => Err(fault),
            };
            match settled {
                Ok(phase) => self.on_opened(failures, phase, outlet),
                Err(fault) => {
                    self.failed_to_open(failures, &fault, outlet);
                    return Err(fault);
                }
            }
        }
        if self.needs_login() {
            self.log_in(outlet).await?;
        }
        Ok(())
    }

    /// What a call, or an attempt to open a session or to log in, says about the game server. Each Mysis has a
    /// session of its own, and maybe a process: the gate finds out whose a failure is.
    pub(super) fn game_outcome(&self, settled: &Result<(), LinkFault>) -> CallOutcome {
        match settled {
            Err(LinkFault::NoAccess(text)) => CallOutcome::OutOfService {
                text: self.without_secrets(text.clone()).into(),
                wait: NO_ACCESS_WAIT,
                ends_by: ServiceReturn::Operator,
                is_of_all: false,
            },
            Err(LinkFault::Unreachable(text) | LinkFault::AnswerLost(text)) => CallOutcome::Fails {
                text: self.without_secrets(text.clone()).into(),
                is_unreachable: false,
                ends_round: false,
                is_refusal: false,
            },
            // Nothing was sent.
            Err(LinkFault::Restarting { .. }) => CallOutcome::Dropped,
            Ok(())
            | Err(LinkFault::Limited { .. } | LinkFault::SessionLost(_) | LinkFault::Refused(_)) => {
                CallOutcome::Works {
                    tokens: None,
                    is_bare: false,
                }
            }
        }
    }

    /// Waits until the game server is back, or until the gate admits this Mysis as the trial call.
    async fn reach_game(&self, outlet: &Outlet, waits_out: bool) -> Result<Permit, LinkFault> {
        outlet.show(Activity::Queueing(Lane::Game));
        let admitted = self
            .deps
            .gate
            .enter_lane(Lane::Game, self.who, waits_out)
            .await;
        let admitted = admitted.ok_or_else(is_closing)?;
        admitted.map_err(|why| LinkFault::Unreachable(why.to_string()))
    }

    async fn open_session(&mut self, outlet: &Outlet) -> Result<ConnectionPhase, LinkFault> {
        let Some(link) = self.link.clone() else {
            return Err(LinkFault::Unreachable(NO_SERVER.to_string()));
        };
        let pass = self.queue_for_login(outlet).await?;
        outlet.show(Activity::Connecting);
        self.game_session = None;
        self.resume_token = self
            .reach(link.open())
            .await
            .inspect_err(|fault| self.hold_logins(fault))?;
        drop(pass);
        match self.reach(link.tools()).await {
            Ok(tools) => self.take_tools(tools),
            Err(fault @ LinkFault::NoAccess(_)) => {
                self.hold_logins(&fault);
                return Err(fault);
            }
            Err(fault) => {
                let text = format!("it does not list its tools: {fault}");
                return Err(LinkFault::Unreachable(text));
            }
        }
        Ok(ConnectionPhase::Open)
    }

    /// Takes a list of the server. During a turn that began with another one, that one stays.
    pub(super) fn take_tools(&mut self, tools: Arc<Toolset>) {
        self.tools = self.pinned.clone().unwrap_or_else(|| tools.clone());
        self.take_list(tools);
    }

    fn take_list(&mut self, tools: Arc<Toolset>) {
        let known = self.listed.as_ref().and_then(|listed| listed.game());
        self.has_news |= tools.game().is_some() && tools.game() != known;
        self.listed = Some(tools);
    }

    /// Where a turn begins: asks for the tools again if their list is old, and keeps the newest one
    /// for the turn.
    pub(super) async fn pin_tools(&mut self, outlet: &Outlet) {
        let (None, Some(link)) = (&self.pinned, self.link.clone()) else {
            return;
        };
        for wait in EMPTY_LIST_WAITS {
            let is_empty =
                |tools: &Arc<Toolset>| tools.tools().iter().all(|tool| is_own(&tool.name));
            if self.has_waited_for_tools || !self.listed.as_ref().is_some_and(is_empty) {
                break;
            }
            tokio::time::sleep(wait).await;
            if let Ok(tools) = self.reach(link.tools()).await {
                self.take_list(tools);
            }
        }
        self.has_waited_for_tools = true;
        if link.has_old_tools() {
            match self.reach(link.tools()).await {
                Ok(tools) => self.take_list(tools),
                Err(fault) => {
                    let fault = self.without_secrets(fault.to_string());
                    tracing::debug!(mysis = %self.who, %fault, "the tools are not listed again");
                }
            }
        }
        let Some(newest) = self.listed.clone() else {
            return;
        };
        self.pinned = Some(newest.clone());
        if !Arc::ptr_eq(&self.tools, &newest) {
            self.tools = newest;
            self.emit_link(outlet, LinkState::Ok);
        }
    }

    /// Offers our own tools alone. The game's stay known, as the login needs them.
    pub(super) fn withhold_tools(&mut self, link: LinkState, outlet: &Outlet) {
        self.is_withheld = true;
        outlet.tell_life(LifeInput::Linked {
            link,
            fault: None,
            tools: own_tools(),
            account: self.account_name(),
        });
    }

    /// Offers the game's tools, too, where they were withheld.
    pub(super) fn offer_tools_again(&mut self, outlet: &Outlet) {
        if std::mem::take(&mut self.is_withheld) {
            self.emit_link(outlet, LinkState::Ok);
        }
    }

    /// What the server is called in sentences, by the tools that it listed last.
    fn server_words(&self) -> &'static str {
        let listed = self.listed.as_ref().and_then(|tools| tools.game());
        listed.unwrap_or(GameRef::AnyTools).server()
    }

    fn on_opened(&mut self, failures: u32, phase: ConnectionPhase, outlet: &Outlet) {
        self.phase = phase;
        self.link_fault = None;
        // A newer session is open now, so the stored one is not tried again.
        self.saved = None;
        if failures > 0 {
            let text = format!("{} answers again", self.server_words());
            self.emit_notice(outlet, Severity::Info, "mcp_up", text);
        }
        self.emit_link(outlet, LinkState::Ok);
    }

    fn failed_to_open(&mut self, failures: u32, fault: &LinkFault, outlet: &Outlet) {
        let (link, severity) = match fault {
            LinkFault::NoAccess(_) => (LinkState::NoAccess, Severity::Error),
            LinkFault::Unreachable(_)
            | LinkFault::SessionLost(_)
            | LinkFault::Limited { .. }
            | LinkFault::Restarting { .. }
            | LinkFault::Refused(_)
            | LinkFault::AnswerLost(_) => (LinkState::Down, Severity::Warn),
        };
        if failures == 0 {
            let server = self.server_words();
            let text = format!("{server} cannot be used: {fault}; retrying");
            self.emit_notice(outlet, severity, "mcp_down", text);
        }
        self.phase = ConnectionPhase::Closed {
            failures: failures.saturating_add(1),
        };
        let why = self.without_secrets(fault.to_string());
        self.link_fault = Some(bounded_text(why, MAX_FAULT_BYTES).into());
        self.tools = own_tools();
        self.emit_link(outlet, link);
    }

    /// Marks the session and its tools as gone if the server cannot be reached.
    pub(super) fn note_absence(&mut self, fault: &LinkFault, outlet: &Outlet) {
        if matches!(fault, LinkFault::Unreachable(_)) && self.is_open() {
            self.failed_to_open(0, fault, outlet);
            self.saved.clone_from(&self.kept);
        }
    }

    /// Marks the session as unverified, because the server or the session may be gone. It is
    /// checked before its next use.
    pub(super) fn mark_unverified(&mut self) {
        self.is_doubtful = self.is_open();
    }

    /// Asks whether the server still knows the session. If it does not, the session counts as closed,
    /// and is only taken up again if the server lists its tools in it all the same.
    async fn check_session(&mut self, outlet: &Outlet) -> Result<(), LinkFault> {
        let Some(link) = self.link.clone().filter(|_| self.is_open()) else {
            return Ok(());
        };
        let Err(fault) = self.reach(link.check()).await else {
            return Ok(());
        };
        self.hold_logins(&fault);
        self.saved.clone_from(&self.kept);
        self.phase = ConnectionPhase::Closed { failures: 0 };
        match fault {
            LinkFault::SessionLost(why) | LinkFault::Refused(why) => {
                let why = self.without_secrets(why);
                tracing::debug!(mysis = %self.who, %why, "the session is not known any more");
                Ok(())
            }
            LinkFault::Unreachable(_)
            | LinkFault::AnswerLost(_)
            | LinkFault::NoAccess(_)
            | LinkFault::Limited { .. }
            | LinkFault::Restarting { .. } => {
                let fault = as_unreachable(fault);
                self.failed_to_open(0, &fault, outlet);
                Err(fault)
            }
        }
    }

    pub(super) async fn queue_for_login(&self, outlet: &Outlet) -> Result<Permit, LinkFault> {
        outlet.show(Activity::Queueing(Lane::Logins));
        let admitted = self
            .deps
            .gate
            .enter_lane(Lane::Logins, self.who, true)
            .await;
        let admitted = admitted.ok_or_else(is_closing)?;
        admitted.map_err(|why| LinkFault::Unreachable(why.to_string()))
    }

    /// Makes an attempt to open, resume or list tools: not before there is a place for it and the
    /// swarm is thawed, and within a limit that does not count that time.
    pub(super) async fn reach<T>(
        &self,
        attempt: BoxFuture<'static, Result<T, LinkFault>>,
    ) -> Result<T, LinkFault> {
        let _place = match self.is_on_trial {
            true => None,
            false => self.deps.attempts.wait_for_place().await,
        };
        let departure = self.deps.freeze.depart().await;
        let watched = (self.deps.calls).begin(Lane::Game, &"a session".into(), self.who);
        let result = in_time(departure.begin(attempt)).await;
        watched.end(result.is_ok());
        result
    }

    pub(super) fn close_session(&mut self) {
        self.is_doubtful = false;
        self.game_session = None;
        self.resume_token = None;
        self.phase = ConnectionPhase::Closed { failures: 0 };
    }
}

/// The fault for a program that is closing. Waiting cannot help.
fn is_closing() -> LinkFault {
    LinkFault::Refused("the program is closing".to_string())
}

/// Limits the time of an attempt. This limit is far below that of a call.
pub(super) async fn in_time<T>(
    attempt: impl Future<Output = Result<T, LinkFault>>,
) -> Result<T, LinkFault> {
    match tokio::time::timeout(SETTLE_TIMEOUT, attempt).await {
        Ok(result) => result,
        Err(_) => Err(LinkFault::Unreachable(format!(
            "no answer within {SETTLE_TIMEOUT:?}"
        ))),
    }
}
