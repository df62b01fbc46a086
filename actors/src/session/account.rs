//! Accounts: registration, login and logout by the runtime (docs/design/sessions.md).

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

use crate::domain::event::{Activity, LinkState};
use crate::domain::life::{CallOrder, ToolOutcome};
use crate::domain::message::{CallStatus, Severity};
use crate::domain::record::GameAccount;
use crate::domain::write::{Author, Batch, Write};
use crate::freeze::Departure;
use crate::ports::{LedgerFault, LinkAnswer, LinkCall, LinkFault, LinkReply};
use zoea_text::redact::{REDACTED, password_in_words};

use super::credentials::{self, UNREAD_ACCOUNT_NOTICE, UNREAD_ACCOUNT_TEXT};
use super::{ConnectionPhase, GameSession, Outlet, SessionEvent};
use super::{NO_SERVER, STOPPED, failed, in_time, not_executed};

impl GameSession {
    /// Whether the server offers both `register` and `login`. Only then account rules apply.
    pub(super) fn has_accounts(&self) -> bool {
        let offers = |command: &str| self.tools.tool_of_command(command).is_some();
        offers("register") && offers("login")
    }

    /// Reads the account of this Mysis once.
    pub(super) async fn learn_account(&mut self, outlet: &Outlet) {
        self.save_account(outlet).await;
        // The operator may have recovered the account whose password could not be read.
        if self.knows_account && !self.has_unread_account() {
            return;
        }
        let archive = &self.deps.archive;
        let (account, session) = (archive.account(self.who), archive.saved_session(self.who));
        match futures::future::try_join(account, session).await {
            Ok((account, session)) => {
                self.hide_secrets(account.iter().map(|account| account.password.clone()));
                self.set_unread_account(self.has_unread_account() && account.is_none());
                self.account = account;
                if !self.knows_account {
                    self.saved.clone_from(&session);
                    self.kept = session;
                }
                self.knows_account = true;
            }
            Err(fault) => {
                let text = format!("the game account could not be read: {fault}");
                self.emit_notice(outlet, Severity::Warn, "account", text);
            }
        }
    }

    pub(super) fn is_logged_in(&self) -> bool {
        self.phase == ConnectionPhase::LoggedIn
    }

    pub(super) fn is_open(&self) -> bool {
        !matches!(self.phase, ConnectionPhase::Closed { .. })
    }

    pub(super) fn logged_out(&mut self) {
        self.game_session = None;
        if self.is_open() {
            self.phase = ConnectionPhase::Open;
        }
    }

    /// Logs in with the assigned account, or asks for a link. A refused login leaves the session
    /// open, because the game itself says which calls need a login.
    pub(super) async fn log_in(&mut self, outlet: &Outlet) -> Result<(), LinkFault> {
        if self.logs_in_by_link() {
            return self.ask_for_link(outlet).await;
        }
        let Some(account) = self.account.clone() else {
            return Err(no_account());
        };
        let pass = self.queue_for_login(outlet).await?;
        let departure = self.deps.freeze.depart().await;
        let answer = self.send_login(&account, departure, outlet).await?;
        drop(pass);
        if answer.is_error {
            self.check_limit(&answer)?;
            self.on_login_refused(account, &answer.text, outlet);
            return Ok(());
        }
        let was_refused = self.refused_login().is_some();
        self.logged_in(&answer);
        if was_refused {
            self.deps.links.forget(self.who);
            self.emit_link(outlet, LinkState::Ok);
        }
        self.emit_login(&answer, outlet);
        Ok(())
    }

    async fn send_login(
        &mut self,
        account: &GameAccount,
        departure: Departure,
        outlet: &Outlet,
    ) -> Result<LinkAnswer, LinkFault> {
        outlet.show(Activity::Connecting);
        let arguments = credentials::login_arguments(account);
        self.send_login_call(departure, "login", arguments).await
    }

    pub(super) async fn send_login_call(
        &mut self,
        departure: Departure,
        command: &str,
        arguments: Map<String, Value>,
    ) -> Result<LinkAnswer, LinkFault> {
        let Some(link) = self.link.clone() else {
            return Err(LinkFault::Refused(NO_SERVER.to_string()));
        };
        let (tool, arguments) = credentials::command_call(&self.tools, command, arguments);
        let call = LinkCall {
            tool,
            arguments,
            call_id: format!("{}.{command}", self.who),
            timeout: super::SETTLE_TIMEOUT,
            context: None,
            takes_task: false,
        };
        let answer = in_time(departure.begin(link.call(call))).await;
        let answer = answer.and_then(LinkReply::answer);
        match answer {
            Err(LinkFault::SessionLost(why)) => {
                self.close_session();
                Err(LinkFault::SessionLost(why))
            }
            // A second one is harmless, so a lost answer counts as an unreachable server.
            Err(LinkFault::AnswerLost(why) | LinkFault::Unreachable(why)) => {
                self.mark_unverified();
                Err(LinkFault::Unreachable(why))
            }
            other => other.inspect_err(|fault| self.hold_logins(fault)),
        }
    }

    pub(super) fn account_name(&self) -> Option<Arc<str>> {
        let own = self.account.as_ref().map(|own| own.username.clone());
        own.or_else(|| self.linked_as.clone())
    }

    pub(super) fn logged_in(&mut self, answer: &LinkAnswer) {
        let texts = answer.structured.iter().chain([&answer.text]);
        let mut ids = texts.filter_map(|text| credentials::find_session_id(text));
        self.game_session = ids.next();
        drop(ids);
        self.hide_secrets(self.game_session.clone().map(Into::into));
        self.phase = ConnectionPhase::LoggedIn;
    }

    /// Handles the model's `login`: the assigned credentials are sent, whatever the model wrote.
    pub(super) async fn login_again(&mut self, order: &CallOrder, outlet: &Outlet) -> ToolOutcome {
        if self.account.is_none() {
            return failed("no account: you have none yet. Use register().");
        }
        self.logged_out();
        self.send_prepared(order, outlet).await
    }

    /// Handles `register`: takes the oldest free account of the pool, else a new one.
    pub(super) async fn register_account(
        &mut self,
        order: &CallOrder,
        arguments: Map<String, Value>,
        outlet: &Outlet,
    ) -> ToolOutcome {
        self.learn_account(outlet).await;
        if self.account.is_some() {
            return failed("Already have account. Use login().");
        }
        match self.claim_account(outlet).await {
            Ok(Some(account)) => {
                self.take_account(account);
                self.send_prepared(order, outlet).await
            }
            Ok(None) => self.register_upstream(order, arguments, outlet).await,
            Err(fault) => not_executed(&format!("the account pool cannot be read: {fault}")),
        }
    }

    /// Sends `login` like a call of the model, so that it is recorded and marked as sent: once it has
    /// been admitted and can leave.
    async fn send_prepared(&mut self, order: &CallOrder, outlet: &Outlet) -> ToolOutcome {
        if self.is_open() {
            let pass = match self.queue_for_login(outlet).await {
                Ok(pass) => pass,
                Err(fault) => return not_executed(&fault.to_string()),
            };
            let departure = self.depart(order, outlet).await;
            if !outlet.await_release().await {
                return not_executed(STOPPED);
            }
            let sent = match self.account.clone() {
                Some(account) => self.send_login(&account, departure, outlet).await,
                None => Err(no_account()),
            };
            drop(pass);
            return match sent {
                Ok(answer) => {
                    // The model gets the answer. A limit pauses the logins of the runtime, too.
                    if self.check_limit(&answer).is_ok() && !answer.is_error {
                        self.logged_in(&answer);
                        self.emit_link(outlet, LinkState::Ok);
                    }
                    answer.into()
                }
                Err(fault) => not_executed(&fault.to_string()),
            };
        }
        // The session is not open yet. Opening it includes the login.
        match self.ensure_logged_in(outlet, true).await {
            Ok(()) => {
                if !outlet.await_release().await {
                    return not_executed(STOPPED);
                }
                let name = self
                    .account
                    .as_ref()
                    .map(|account| account.username.clone());
                let name = name.unwrap_or_default();
                tracing::debug!(tool = %order.tool, "logged in while opening");
                let text = format!(r#"{{"message":"Logged in as {name}."}}"#);
                ToolOutcome::new(CallStatus::Done, text)
            }
            Err(fault) => not_executed(&fault.to_string()),
        }
    }

    /// Registers a new account. It is saved before the model learns of it.
    pub(super) async fn register_upstream(
        &mut self,
        order: &CallOrder,
        arguments: Map<String, Value>,
        outlet: &Outlet,
    ) -> ToolOutcome {
        if self.has_unread_account() {
            return ToolOutcome::new(CallStatus::Failed, UNREAD_ACCOUNT_TEXT);
        }
        let wanted = arguments.get("username").and_then(Value::as_str);
        let wanted = wanted.map(str::to_string);
        // Its place is given back at once: sending it may need a new session, and so another place.
        if let Err(fault) = self.queue_for_login(outlet).await {
            return not_executed(&fault.to_string());
        }
        let answer = match self.send_whole(order, arguments, outlet).await {
            Ok(answer) => answer,
            Err(outcome) => return outcome,
        };
        let texts = answer.structured.iter().chain([&answer.text]);
        let found = texts
            .filter_map(|text| credentials::find_credentials(text, !answer.is_error))
            .next();
        let Some((name, password)) = found else {
            return self.registered_unread(answer, outlet);
        };
        let Some(username) = name.or(wanted) else {
            return self.registered_unread(answer, outlet);
        };
        let account = GameAccount {
            username: username.into(),
            password: password.into(),
        };
        self.take_account(account.clone());
        outlet.tell(SessionEvent::Learned(account.clone()));
        self.logged_in(&answer);
        self.emit_link(outlet, LinkState::Ok);
        self.unsaved = Some(account);
        self.save_account(outlet).await;
        answer.into()
    }

    /// Handles an answer to `register` without a readable password. The operator has to recover it.
    /// Another registration would lose another account.
    fn registered_unread(&mut self, answer: LinkAnswer, outlet: &Outlet) -> ToolOutcome {
        if answer.is_error {
            return answer.into();
        }
        self.set_unread_account(true);
        self.emit_notice(
            outlet,
            Severity::Error,
            "account",
            UNREAD_ACCOUNT_NOTICE.to_string(),
        );
        let text = match password_in_words(&answer.text) {
            Some(place) => {
                let mut text = answer.text;
                text.replace_range(place, REDACTED);
                text
            }
            None => answer.text,
        };
        let text = format!("{text}\n[{UNREAD_ACCOUNT_TEXT}]");
        ToolOutcome::new(CallStatus::Done, text)
    }

    /// Saves an account that is not saved yet. If that fails now, it is tried again later.
    pub(super) async fn save_account(&mut self, outlet: &Outlet) {
        let Some(account) = self.unsaved.clone() else {
            return;
        };
        let batch = Batch {
            author: Author::Mysis(self.who, self.incarnation),
            writes: vec![Write::SaveAccount {
                mysis: self.who,
                account,
                at: self.deps.clock.now(),
            }],
        };
        let store = self.deps.store.clone();
        // Stopping the Mysis must not abort this write, because the password is stored nowhere
        // else.
        let saving = run_to_the_end(outlet, async move { store.write(batch).await });
        match saving.await {
            Ok(()) => self.unsaved = None,
            Err(fault) => {
                let text = format!("the new game account could not be saved: {fault}; retrying");
                self.emit_notice(outlet, Severity::Error, "account", text);
            }
        }
    }

    /// Claims an account from the store. Even if the Mysis is stopped meanwhile, it learns of the
    /// account that the store has given it.
    async fn claim_account(&self, outlet: &Outlet) -> Result<Option<GameAccount>, LedgerFault> {
        let (store, secrets, who) = (self.deps.store.clone(), self.deps.secrets.clone(), self.who);
        let tell = outlet.sender();
        let claim = run_to_the_end(outlet, async move {
            let claimed = store.claim_account(who).await?;
            if let Some(account) = &claimed {
                secrets.learn([account.password.clone()]);
                tell(SessionEvent::Learned(account.clone()));
            }
            Ok(claimed)
        });
        claim.await
    }

    fn take_account(&mut self, account: GameAccount) {
        self.deps.secrets.learn([account.password.clone()]);
        self.hide_secrets([account.password.clone()]);
        self.account = Some(account);
        self.knows_account = true;
        self.set_unread_account(false);
    }

    /// Whether an account was registered whose password could not be read from the answer. Another one is
    /// not registered, also in the next session of the Mysis.
    fn has_unread_account(&self) -> bool {
        self.deps.links.state(self.who).has_unread_account
    }

    fn set_unread_account(&self, is_unread: bool) {
        self.deps.links.set_unread_account(self.who, is_unread);
    }
}

/// Runs a future to its end even if the caller is cut off. The Mysis owns the task.
async fn run_to_the_end<T: Send + 'static>(
    outlet: &Outlet,
    job: impl Future<Output = Result<T, LedgerFault>> + Send + 'static,
) -> Result<T, LedgerFault> {
    let (done, answer) = oneshot::channel();
    let task = tokio::spawn(async move {
        // The caller may be gone.
        let _ = done.send(job.await);
    });
    outlet.tell(SessionEvent::OwnTask(AbortOnDropHandle::new(task)));
    let broken = |_| Err(LedgerFault::Unavailable("it was broken off".to_string()));
    answer.await.unwrap_or_else(broken)
}

fn no_account() -> LinkFault {
    LinkFault::Refused("there is no account".to_string())
}
