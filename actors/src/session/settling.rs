//! Settling: opening a session, and waiting longer each time that fails.

use std::time::Duration;

use futures::future::BoxFuture;

use crate::domain::arrival::QUEUEING;
use crate::domain::event::{Activity, LinkState};
use crate::domain::gate::Lane;
use crate::domain::ids::Moment;
use crate::domain::message::Severity;
use crate::gate::Pass;
use crate::ports::LinkFault;

use super::{LONGEST_WAIT, Login, News, Outlet, Phase, SETTLING, Session, own_tools, with_jitter};

impl Session {
    /// Opens what is not open and logs in who is not logged in.
    pub(super) async fn settle(&mut self, outlet: &dyn Outlet) -> Result<(), LinkFault> {
        if let Phase::Closed { failures, .. } = self.phase {
            let settled = match self.take_up_again().await {
                Some(login) => Ok(login),
                None => self.open(outlet).await,
            };
            match settled {
                Ok(login) => self.opened(failures, login, outlet),
                Err(fault) => {
                    self.failed_to_open(failures, &fault, outlet);
                    return Err(fault);
                }
            }
        }
        if self.needs_login() {
            self.log_in(outlet).await?;
        }
        self.keep().await;
        Ok(())
    }

    async fn open(&mut self, outlet: &dyn Outlet) -> Result<Login, LinkFault> {
        let Some(link) = self.link.clone() else {
            return Err(LinkFault::Unreachable(
                "there is no game server in the configuration".to_string(),
            ));
        };
        let pass = self.queue_for_login(outlet).await?;
        outlet.news(News::Progress(Activity::Connecting));
        self.game_session = None;
        self.ticket = in_time(link.open())
            .await
            .inspect_err(|fault| self.heed(fault))?;
        drop(pass);
        match in_time(link.tools()).await {
            Ok(tools) => self.tools = tools,
            Err(fault) => {
                let text = format!("it does not list its tools: {fault}");
                return Err(LinkFault::Unreachable(text));
            }
        }
        Ok(Login::Needed)
    }

    fn opened(&mut self, failures: u32, login: Login, outlet: &dyn Outlet) {
        self.phase = Phase::Open { login };
        // A session of before that could not be reached is not gone back to from a newer one.
        self.saved = None;
        if failures > 0 {
            let text = "the game server answers again".to_string();
            self.notice(outlet, Severity::Info, "mcp_up", text);
        }
        self.tell(outlet, LinkState::Ok);
    }

    fn failed_to_open(&mut self, failures: u32, fault: &LinkFault, outlet: &dyn Outlet) {
        if failures == 0 {
            let text = format!("the game server cannot be used: {fault}; trying on");
            self.notice(outlet, Severity::Warn, "mcp_down", text);
        }
        let wait = self.wait_after(failures);
        self.phase = Phase::Closed {
            failures: failures.saturating_add(1),
            not_before: self.means.clock.moment().plus(wait),
        };
        self.tools = own_tools();
        self.tell(outlet, LinkState::Down);
    }

    /// A server that was open and cannot be reached any more is gone, its tools with it.
    pub(super) fn note_absence(&mut self, fault: &LinkFault, outlet: &dyn Outlet) {
        if matches!(fault, LinkFault::Unreachable(_)) && matches!(self.phase, Phase::Open { .. }) {
            self.failed_to_open(0, fault, outlet);
        }
    }

    /// The waits of the configuration, then the last of them doubled and doubled again.
    fn wait_after(&mut self, failures: u32) -> Duration {
        let place = usize::try_from(failures).unwrap_or(usize::MAX);
        let wait = self.rules.retry.get(place).copied().unwrap_or_else(|| {
            let last = self.rules.retry.last().copied();
            let doublings = place.saturating_sub(self.rules.retry.len()).min(6);
            last.unwrap_or(Duration::from_secs(2)) * (2 << doublings)
        });
        with_jitter(wait.min(LONGEST_WAIT), &mut self.dice)
    }

    pub(super) async fn queue_for_login(&self, outlet: &dyn Outlet) -> Result<Pass, LinkFault> {
        let queueing = Activity::Queueing(QUEUEING.into());
        outlet.news(News::Progress(queueing));
        let pass = self.means.gate.admit(Lane::Logins).await;
        pass.ok_or_else(|| LinkFault::Unreachable("the program is closing".to_string()))
    }

    pub(super) fn close(&mut self) {
        self.game_session = None;
        self.ticket = None;
        self.phase = Phase::Closed {
            failures: 0,
            not_before: Moment(0),
        };
    }
}

/// Settling has a time limit of its own, far below that of a call.
pub(super) async fn in_time<T>(
    attempt: BoxFuture<'static, Result<T, LinkFault>>,
) -> Result<T, LinkFault> {
    match tokio::time::timeout(SETTLING, attempt).await {
        Ok(result) => result,
        Err(_) => Err(LinkFault::Unreachable(format!(
            "no answer within {SETTLING:?}"
        ))),
    }
}
