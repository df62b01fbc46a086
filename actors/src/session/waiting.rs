//! Waits of a session: for a server that is away, restarts, limits the machine or refuses access.

use std::time::Duration;

use crate::domain::backoff::Backoff;
use crate::domain::event::Activity;
use crate::domain::gate::circuit::CallOutcome;
use crate::domain::ids::{Lane, Moment};
use crate::domain::model::OthersGet;
use crate::ports::{LinkAnswer, LinkFault};

use super::answer;
use super::{ConnectionPhase, GameSession, Outlet};

/// How long a Mysis waits after a failed attempt before it asks for admission again.
const REQUEUE_WAIT: Duration = Duration::from_secs(1);

/// The longest wait of one that fails while others are served: as long as between two trial calls.
const LONGEST_OWN_WAIT: Duration = Duration::from_secs(4);

/// The longest wait between two attempts of a call.
pub(super) const MAX_RETRY_WAIT: Duration = Duration::from_secs(60);

/// The longest single wait for a server that restarts.
const MAX_RESTART_PAUSE: Duration = Duration::from_secs(120);

/// How long the whole swarm waits before it asks a server again that refuses access.
pub(super) const NO_ACCESS_WAIT: Duration = Duration::from_secs(30);

impl GameSession {
    pub(super) fn frozen_time(&self) -> Duration {
        self.deps.freeze.frozen_time(self.deps.clock.moment())
    }

    /// A clock that measures calls: it stands still while the swarm is frozen, unless the call is
    /// with the server.
    pub(super) fn stopwatch(&self) -> Moment {
        let held = self.frozen_time().saturating_sub(self.frozen_in_flight);
        self.deps.clock.moment().minus(held)
    }

    /// Waits a little if the server is away or asks for a pause. Returns `false` if waiting cannot
    /// help. The gate decides how often the server is tried.
    pub(super) async fn wait_out(&mut self, fault: &LinkFault, outlet: &Outlet) -> bool {
        match fault {
            LinkFault::Restarting { back_in } => self.stand_by(*back_in, outlet).await,
            LinkFault::Unreachable(_) => {
                let others = self.deps.gate.others_get(&Lane::Game, self.who).await;
                let wait = match others {
                    // The gate holds nobody back for what this Mysis alone gets.
                    OthersGet::Served => self.show_own_wait(fault, outlet),
                    OthersGet::Refused
                    | OthersGet::Both
                    | OthersGet::Unknown
                    | OthersGet::Nobody => {
                        outlet.show(Activity::Queueing(Lane::Game));
                        REQUEUE_WAIT
                    }
                };
                tokio::time::sleep(with_jitter(wait, &mut self.rng)).await;
            }
            LinkFault::NoAccess(_) | LinkFault::Limited { .. } => {
                outlet.show(Activity::Queueing(Lane::Game));
                tokio::time::sleep(with_jitter(REQUEUE_WAIT, &mut self.rng)).await;
            }
            LinkFault::SessionLost(_) | LinkFault::Refused(_) | LinkFault::AnswerLost(_) => {
                return false;
            }
        }
        true
    }

    fn show_own_wait(&self, fault: &LinkFault, outlet: &Outlet) -> Duration {
        let why = self.without_secrets(fault.to_string()).into();
        outlet.show(Activity::CoolingDown(Lane::Game, why));
        let failures = match self.phase {
            ConnectionPhase::Closed { failures } => failures.saturating_sub(1),
            ConnectionPhase::Open | ConnectionPhase::LoggedIn => 0,
        };
        Backoff::new(REQUEUE_WAIT, LONGEST_OWN_WAIT).nth_wait(failures)
    }

    pub(super) fn report_call<T>(&self, sent: &Result<T, LinkFault>) {
        let outcome = match sent {
            Err(LinkFault::Limited { text, retry_after }) => CallOutcome::Refuses {
                text: self.without_secrets(text.clone()).into(),
                wait: Some(retry_after.unwrap_or(MAX_RETRY_WAIT)),
                is_of_all: false,
                ends_round: false,
            },
            // The session alone is lost, and is opened anew.
            Err(LinkFault::SessionLost(_)) => return,
            // An answer of before says nothing of the server now.
            Ok(_) if self.link.as_ref().is_some_and(|link| link.spared_server()) => return,
            Ok(_) => self.game_outcome(&Ok(())),
            Err(fault) => self.game_outcome(&Err(fault.clone())),
        };
        (self.deps.gate).report_outcome(Lane::Game, self.who, outcome);
    }

    pub(super) async fn cool_down(&mut self, fault: &LinkFault, wait: Duration, outlet: &Outlet) {
        self.hold_logins(fault);
        // Where there are accounts, it is about to get one or to log in.
        let lane = match self.has_accounts() && !self.is_logged_in() {
            true => Lane::Logins,
            false => Lane::Game,
        };
        let mut asked = wait;
        if let LinkFault::Limited { retry_after, .. } = fault {
            asked = retry_after.unwrap_or(wait);
        }
        let why = self.without_secrets(fault.to_string()).into();
        outlet.show(Activity::CoolingDown(lane, why));
        let wait = with_jitter(asked.max(wait).min(MAX_RETRY_WAIT), &mut self.rng);
        tokio::time::sleep(wait).await;
    }

    /// Waits while the server restarts. This is a pause and not a fault (DESIGN 2).
    pub(super) async fn stand_by(&self, back_in: Duration, outlet: &Outlet) {
        let why = LinkFault::Restarting { back_in }.to_string();
        outlet.show(Activity::Paused(why.into()));
        tokio::time::sleep(back_in.min(MAX_RESTART_PAUSE)).await;
    }

    pub(super) fn check_limit(&self, answer: &LinkAnswer) -> Result<(), LinkFault> {
        if answer::error_code(answer) != Some("rate_limited") {
            return Ok(());
        }
        let fault = LinkFault::Limited {
            text: answer.text.clone(),
            retry_after: None,
        };
        self.hold_logins(&fault);
        Err(fault)
    }

    /// Pauses all logins, because a server limits the whole machine and further logins would
    /// prolong the limit, or because it refuses access, which concerns all Myses alike.
    pub(super) fn hold_logins(&self, fault: &LinkFault) {
        let wait = match fault {
            LinkFault::Limited { retry_after, .. } => retry_after.unwrap_or(MAX_RETRY_WAIT),
            LinkFault::NoAccess(_) => NO_ACCESS_WAIT,
            LinkFault::Restarting { .. }
            | LinkFault::Unreachable(_)
            | LinkFault::SessionLost(_)
            | LinkFault::Refused(_)
            | LinkFault::AnswerLost(_) => return,
        };
        let why = self.without_secrets(fault.to_string()).into();
        self.deps.gate.hold_lane(Lane::Logins, why, wait);
    }
}

/// The wait plus up to a tenth, so that the swarm does not return all at once.
fn with_jitter(wait: Duration, rng: &mut fastrand::Rng) -> Duration {
    wait + wait.mul_f64(rng.f64() / 10.0)
}
