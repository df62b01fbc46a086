//! The login by a link and a code: the operator picks the character in a browser (docs/design/sessions.md).
//!
//! The session asks for a link, tells the operator, and asks at the pace that the server names
//! whether the operator has decided. No permit of the gate is held meanwhile.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::domain::backoff::Backoff;
use crate::domain::event::{Activity, LinkState};
use crate::domain::ids::{Lane, Timestamp};
use crate::domain::life::ToolOutcome;
use crate::domain::message::{CallStatus, Severity};
use crate::domain::rules::LoginWay;
use crate::ports::{LinkAnswer, LinkFault};

use super::link_answer::{LinkNews, OfferedLink, read_link, read_news, slower};
use super::links::OpenLink;
use super::waiting::MAX_RETRY_WAIT;
use super::{ConnectionPhase, GameSession, Outlet};
use super::{STOPPED, credentials, failed, not_executed};

/// The commands: the first gives a link, the second tells whether the operator has decided.
const ASK: &str = "login_link";
const POLL: &str = "login_link_poll";

/// The first and the longest wait before a new link, after one that nobody used.
const FIRST_LINK_WAIT: Duration = Duration::from_secs(10);
const LONGEST_LINK_WAIT: Duration = Duration::from_secs(1800);

const NOTICE: &str = "login_link";

/// Why there is no link.
const NOT_OFFERED: &str = "login = \"link\" under [mcp], but the game's server offers no \
                           login_link: set login = \"password\", or import an account for it";
const UNREADABLE: &str = "the game's answer to login_link names no link that can be opened";
const DENIED: &str = "the login was denied at the link; start it again for a new one";

const UNUSED: &str = "its link expired unused";
const FROZEN_MEANWHILE: &str =
    "its login link expired while the swarm was frozen; zoea requests a new one";

/// How many questions in a row may fail before a link counts as ended, and by how much longer the
/// pause is after each. The operator may be typing the code.
const MAX_FAILED_POLLS: u32 = 10;
const FAILED_POLL_PAUSE: Duration = Duration::from_secs(5);

/// What the operator has to do, until when. The code comes first, because narrow screens cut the
/// end.
fn request_text(link: &OfferedLink, until: Timestamp) -> String {
    let (code, address) = (&link.user_code, &link.address);
    let until = until.to_string();
    let until = until.get(11..16).unwrap_or(&until);
    format!("enter {code} at {address} by {until} UTC, and pick its character")
}

impl GameSession {
    pub(super) fn logs_in_by_link(&self) -> bool {
        self.rules.login == LoginWay::Link && self.knows_account && self.account.is_none()
    }

    pub(super) fn needs_link(&self) -> bool {
        let link = self.deps.links.state(self.who);
        let now = self.deps.clock.moment();
        let may_ask = link.not_before.is_none_or(|at| now >= at);
        self.refused_link.is_none() && link.open.is_none() && may_ask
    }

    /// Whether the session is open and waits for the operator's decision, or for the time of the
    /// next link.
    pub(super) fn awaits_link(&self) -> bool {
        self.phase == ConnectionPhase::Open && self.logs_in_by_link() && self.refused_link.is_none()
    }

    /// Why no link logs this Mysis in, once. Only the operator can do something about it.
    pub(crate) fn take_refused_link(&mut self) -> Option<String> {
        self.refused_link.take()
    }

    pub(super) async fn ask_for_link(&mut self, outlet: &Outlet) -> Result<(), LinkFault> {
        let offers = |command: &str| self.tools.tool_of_command(command).is_some();
        if !offers(ASK) || !offers(POLL) {
            self.refused_link = Some(NOT_OFFERED.to_string());
            return Ok(());
        }
        let pass = self.queue_for_login(outlet).await?;
        outlet.show(Activity::Connecting);
        let departure = self.deps.freeze.depart().await;
        let answer = self.send_login_call(departure, ASK, Map::new()).await;
        drop(pass);
        let answer = match answer {
            Err(LinkFault::Refused(text)) => return self.refuse_link(&text),
            other => other?,
        };
        if answer.is_error {
            self.check_limit(&answer)?;
            return self.refuse_link(&answer.text);
        }
        let Some(link) = read_link(&answer) else {
            return self.refuse_link(UNREADABLE);
        };
        self.hide_secrets([link.device_code.clone()]);
        let now = self.deps.clock.both_clocks();
        let text: Arc<str> = request_text(&link, now.wall.plus(link.valid)).into();
        let notice = match &link.complete {
            Some(complete) => format!("to log it in, {text}; or open {complete}"),
            None => format!("to log it in, {text}"),
        };
        self.deps.links.change(self.who, |state| {
            state.open = Some(OpenLink {
                device_code: link.device_code,
                text,
                until: now.moment.plus(link.valid),
                frozen_time: self.frozen_time(),
                interval: link.interval,
                next: now.moment.plus(link.interval),
            });
        });
        self.emit_notice(outlet, Severity::Warn, NOTICE, notice);
        Ok(())
    }

    fn refuse_link(&mut self, text: &str) -> Result<(), LinkFault> {
        let text = format!("the game gives no link to log it in: {text}");
        self.refused_link = Some(self.without_secrets(text));
        Ok(())
    }

    /// Waits until the operator has decided, or the link has ended, or until another one may be
    /// asked for.
    pub(super) async fn await_link(&mut self, outlet: &Outlet) -> Result<(), LinkFault> {
        let state = self.deps.links.state(self.who);
        let Some(mut link) = state.open else {
            let now = self.deps.clock.moment();
            let wait = state.not_before.map(|at| at.since(now)).unwrap_or_default();
            let text = "its login link has expired; zoea requests a new one soon".into();
            outlet.show(Activity::AwaitingLogin(Arc::clone(&text)));
            self.rest_and_show(wait, &text, outlet).await;
            return Ok(());
        };
        // A session that was opened anew does not know the code yet.
        self.hide_secrets([link.device_code.clone()]);
        let text = link.text.clone();
        outlet.show(Activity::AwaitingLogin(text.clone()));
        let mut failed_polls = 0;
        loop {
            let now = self.deps.clock.moment();
            let wait = link.next.min(link.until).since(now);
            self.rest_and_show(wait, &text, outlet).await;
            if self.deps.clock.moment() >= link.until {
                self.link_expired(&link, outlet);
                return Ok(());
            }
            let answer = self.poll_link(&mut link).await?;
            let news = read_news(&answer);
            failed_polls = match news {
                LinkNews::Pending(interval) => {
                    link.interval = interval.map_or(link.interval, |next| next.max(link.interval));
                    0
                }
                LinkNews::SlowDown => {
                    link.interval = slower(link.interval);
                    0
                }
                LinkNews::Failed if failed_polls + 1 < MAX_FAILED_POLLS => {
                    if let Err(fault) = self.check_limit(&answer) {
                        self.pause_link(&mut link, MAX_RETRY_WAIT);
                        return Err(fault);
                    }
                    failed_polls + 1
                }
                LinkNews::Denied | LinkNews::Expired | LinkNews::LoggedIn | LinkNews::Failed => {
                    self.link_ended(news, &answer, &link, outlet);
                    return Ok(());
                }
            };
            let longer = FAILED_POLL_PAUSE.saturating_mul(failed_polls);
            let pause = link.interval.saturating_add(longer);
            self.pause_link(&mut link, pause);
        }
    }

    fn link_ended(
        &mut self,
        news: LinkNews,
        answer: &LinkAnswer,
        link: &OpenLink,
        outlet: &Outlet,
    ) {
        match news {
            LinkNews::Denied => {
                self.deps.links.forget(self.who);
                self.refused_link = Some(DENIED.to_string());
            }
            LinkNews::Expired => self.link_expired(link, outlet),
            LinkNews::LoggedIn => self.linked(answer, outlet),
            LinkNews::Pending(_) | LinkNews::SlowDown | LinkNews::Failed => {
                let why = format!("the game ended its link ({})", answer.text);
                self.lose_link(&why, outlet);
            }
        }
    }

    /// Waits while the operator is shown what to do. While the swarm is frozen there is nothing to
    /// do: no question leaves.
    pub(super) async fn rest_and_show(&self, wait: Duration, text: &Arc<str>, outlet: &Outlet) {
        let freeze = &self.deps.freeze;
        let thaws = freeze.thaws();
        // Cancel-safe: both only wait.
        tokio::select! {
            biased;
            () = freeze.frozen(thaws) => {
                outlet.show(Activity::Queueing(Lane::Game));
                freeze.thawed().await;
                let shown = Activity::AwaitingLogin(text.clone());
                outlet.show(shown);
            }
            () = tokio::time::sleep(wait) => {}
        }
    }

    /// Asks once whether the operator has decided.
    async fn poll_link(&mut self, link: &mut OpenLink) -> Result<LinkAnswer, LinkFault> {
        let code = Value::String(link.device_code.to_string());
        let arguments = [("device_code".to_string(), code)].into_iter().collect();
        // However this question ends, the next one comes a pause later.
        self.pause_link(link, Duration::ZERO);
        let departure = self.deps.freeze.depart().await;
        match self.send_login_call(departure, POLL, arguments).await {
            // The next session goes on asking.
            Err(LinkFault::SessionLost(why)) => Err(LinkFault::Unreachable(why)),
            Err(LinkFault::Refused(text)) => Ok(LinkAnswer {
                text: format!("Error: refused: {text}"),
                structured: None,
                is_error: true,
            }),
            other => other.inspect_err(|fault| {
                if let LinkFault::Limited { retry_after, .. } = fault {
                    self.pause_link(link, retry_after.unwrap_or(MAX_RETRY_WAIT));
                }
            }),
        }
    }

    /// Sets the time of the next question: after the server's pause, or after a longer one.
    fn pause_link(&self, link: &mut OpenLink, at_least: Duration) {
        let now = self.deps.clock.moment();
        link.next = now.plus(link.interval.max(at_least));
        let known = link.clone();
        self.deps
            .links
            .change(self.who, |state| state.open = Some(known));
    }

    /// The link's time is over. If the swarm was frozen meanwhile, that says nothing about the
    /// operator, and another one is asked for at once.
    fn link_expired(&mut self, link: &OpenLink, outlet: &Outlet) {
        if self.frozen_time() == link.frozen_time {
            return self.lose_link(UNUSED, outlet);
        }
        self.deps.links.change(self.who, |state| state.open = None);
        self.emit_notice(outlet, Severity::Info, NOTICE, FROZEN_MEANWHILE.to_string());
    }

    /// The link has ended without a decision. Another one is asked for after a wait.
    fn lose_link(&mut self, why: &str, outlet: &Outlet) {
        let unused = self.deps.links.state(self.who).unused;
        let wait = Backoff::new(FIRST_LINK_WAIT, LONGEST_LINK_WAIT).nth_wait(unused);
        let at = self.deps.clock.moment().plus(wait);
        self.deps.links.change(self.who, |state| {
            state.open = None;
            state.unused = unused.saturating_add(1);
            state.not_before = Some(at);
        });
        let text = format!("{why}; zoea requests a new one in {wait:?}");
        self.emit_notice(outlet, Severity::Warn, NOTICE, text);
    }

    fn linked(&mut self, answer: &LinkAnswer, outlet: &Outlet) {
        self.deps.links.forget(self.who);
        let mut texts = answer.structured.iter().chain([&answer.text]);
        let name = texts.find_map(|text| credentials::find_player_name(text));
        self.linked_as = name.map(Into::into);
        self.logged_in(answer);
        let name = self.linked_as.as_deref().unwrap_or("its character");
        let text = format!("logged in by the link as {name}");
        self.emit_notice(outlet, Severity::Info, NOTICE, text);
        self.emit_link(outlet, LinkState::Ok);
        self.emit_login(answer, outlet);
    }

    /// Answers a command about the login of a Mysis that the operator logs in; `None` for any other
    /// command. The model can neither log in nor out.
    pub(super) async fn answer_linked(
        &mut self,
        command: &str,
        outlet: &Outlet,
    ) -> Option<ToolOutcome> {
        let refused = |text: &str| Some(failed(text));
        match command {
            "register" => refused("Already have account. Use login()."),
            "logout" => refused("only the operator can log you in again: stay logged in."),
            "login" | "login_token" | ASK | POLL => {
                // It is not marked as sent before: a person may take hours.
                let text = match self.ensure_logged_in(outlet, true).await {
                    Ok(()) if self.is_logged_in() => {
                        if !outlet.await_release().await {
                            return Some(not_executed(STOPPED));
                        }
                        let name = self.linked_as.as_deref().unwrap_or("your character");
                        let message = json!({ "message": format!("Logged in as {name}.") });
                        let message = message.to_string();
                        return Some(ToolOutcome::new(CallStatus::Done, message));
                    }
                    Ok(()) => "the operator did not log you in".to_string(),
                    Err(fault) => fault.to_string(),
                };
                Some(not_executed(&text))
            }
            _ => None,
        }
    }
}
