//! Accounts: registration, login and logout by the runtime (DESIGN 6).

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

use crate::domain::event::{Activity, LinkState};
use crate::domain::life::CallOrder;
use crate::domain::message::{CallStatus, Severity};
use crate::domain::record::GameAccount;
use crate::domain::redact::{REDACTED, Redactor, hide_passwords, password_in_words};
use crate::domain::write::{Author, Batch, Write};
use crate::ports::{LedgerFault, LinkAnswer, LinkCall, LinkFault};

use super::credentials::{self, UNREAD_ACCOUNT_NOTICE, UNREAD_ACCOUNT_TEXT};
use super::{ConnectionPhase, GameSession, LoginState, SessionEvent, SessionObserver};
use super::{answer, answer_outcome, in_time};

/// How long a refused login is not repeated. The game blocks clients whose logins fail too often.
const REFUSED_LOGIN_WAIT: Duration = Duration::from_secs(600);

/// The most secrets of its own that a session remembers: the password and the newest session ids.
const MAX_KEPT_SECRETS: usize = 8;

impl GameSession {
    /// Whether the server offers both `register` and `login`. Only then account rules apply.
    pub(super) fn has_accounts(&self) -> bool {
        let offers = |command: &str| self.tools.tool_of_command(command).is_some();
        offers("register") && offers("login")
    }

    /// Reads the account of this Mysis once.
    pub(super) async fn learn_account(&mut self, outlet: &dyn SessionObserver) {
        self.save_account(outlet).await;
        // The operator may have recovered the account whose password could not be read.
        if self.knows_account && !self.has_unread_account {
            return;
        }
        let archive = &self.deps.archive;
        let (account, session) = (archive.account(self.who), archive.saved_session(self.who));
        match futures::future::try_join(account, session).await {
            Ok((account, session)) => {
                self.hide_secrets(account.iter().map(|account| account.password.clone()));
                self.has_unread_account &= account.is_none();
                self.account = account;
                if !self.knows_account {
                    self.saved.clone_from(&session);
                    self.kept = session;
                }
                self.knows_account = true;
            }
            Err(fault) => {
                let text = format!("the game account could not be read: {fault}");
                self.tell_notice(outlet, Severity::Warn, "account", text);
            }
        }
    }

    pub(super) fn is_logged_in(&self) -> bool {
        self.phase
            == ConnectionPhase::Open {
                login: LoginState::Done,
            }
    }

    /// Whether there is an account to log in with and an attempt is allowed now.
    pub(super) fn needs_login(&self) -> bool {
        let may_try = match self.phase {
            ConnectionPhase::Closed { .. } => false,
            ConnectionPhase::Open { login } => match login {
                LoginState::Needed => true,
                LoginState::Done => false,
                LoginState::Refused { not_before } => self.deps.clock.moment() >= not_before,
            },
        };
        may_try && self.account.is_some() && self.has_accounts()
    }

    pub(super) fn logged_out(&mut self) {
        self.game_session = None;
        if let ConnectionPhase::Open { login } = &mut self.phase {
            *login = LoginState::Needed;
        }
    }

    /// Logs in with the assigned account. A refused login leaves the session open, because the game
    /// itself says which calls need a login.
    pub(super) async fn log_in(&mut self, outlet: &dyn SessionObserver) -> Result<(), LinkFault> {
        let answer = self.send_login(outlet).await?;
        if !answer.is_error {
            self.logged_in(&answer);
            return Ok(());
        }
        if answer::error_code(&answer) == Some("rate_limited") {
            let fault = LinkFault::Limited {
                text: answer.text,
                retry_after: None,
            };
            self.hold_logins(&fault);
            return Err(fault);
        }
        let text = format!("the game refuses the login: {}", answer.text);
        self.tell_notice(outlet, Severity::Error, "login_refused", text);
        let not_before = self.deps.clock.moment().plus(REFUSED_LOGIN_WAIT);
        self.phase = ConnectionPhase::Open {
            login: LoginState::Refused { not_before },
        };
        Ok(())
    }

    async fn send_login(&mut self, outlet: &dyn SessionObserver) -> Result<LinkAnswer, LinkFault> {
        let (Some(account), Some(link)) = (self.account.clone(), self.link.clone()) else {
            return Err(LinkFault::Refused("there is no account".to_string()));
        };
        let _pass = self.queue_for_login(outlet).await?;
        outlet.on_event(SessionEvent::Progress(Activity::Connecting));
        let (tool, arguments) = credentials::login_call(&self.tools, &account);
        let call = LinkCall {
            tool,
            arguments,
            call_id: format!("{}.login", self.who),
            timeout: super::SETTLE_TIMEOUT,
            context: None,
        };
        let answer = in_time(link.call(call)).await;
        match answer {
            Err(LinkFault::SessionLost(why)) => {
                self.close_session();
                Err(LinkFault::SessionLost(why))
            }
            // A second login is harmless, so a lost answer counts as an unreachable server.
            Err(LinkFault::AnswerLost(why) | LinkFault::Unreachable(why)) => {
                self.mark_unverified();
                Err(LinkFault::Unreachable(why))
            }
            other => other.inspect_err(|fault| self.hold_logins(fault)),
        }
    }

    fn logged_in(&mut self, answer: &LinkAnswer) {
        let told = answer.structured.iter().chain([&answer.text]);
        let mut ids = told.filter_map(|text| credentials::find_session_id(text));
        self.game_session = ids.next();
        drop(ids);
        self.hide_secrets(self.game_session.clone().map(Into::into));
        self.phase = ConnectionPhase::Open {
            login: LoginState::Done,
        };
    }

    /// Handles the model's `login`: the assigned credentials are sent, whatever the model wrote.
    pub(super) async fn login_again(
        &mut self,
        order: &CallOrder,
        outlet: &dyn SessionObserver,
    ) -> (String, CallStatus) {
        if self.account.is_none() {
            let text = "Error: no account: you have none yet. Use register().".to_string();
            return (text, CallStatus::Failed);
        }
        self.logged_out();
        self.send_prepared(order, outlet).await
    }

    /// Handles `register`: takes the oldest free account of the pool, else a new one.
    pub(super) async fn register_account(
        &mut self,
        order: &CallOrder,
        arguments: Map<String, Value>,
        outlet: &dyn SessionObserver,
    ) -> (String, CallStatus) {
        self.learn_account(outlet).await;
        if self.account.is_some() {
            let text = "Error: Already have account. Use login().".to_string();
            return (text, CallStatus::Failed);
        }
        match self.claim_account(outlet).await {
            Ok(Some(account)) => {
                self.take_account(account);
                self.send_prepared(order, outlet).await
            }
            Ok(None) => self.register_upstream(order, arguments, outlet).await,
            Err(fault) => (
                format!("Error: not executed: the account pool cannot be read: {fault}"),
                CallStatus::NotExecuted,
            ),
        }
    }

    /// Sends `login` like a call of the model, so that it is recorded and marked as sent.
    async fn send_prepared(
        &mut self,
        order: &CallOrder,
        outlet: &dyn SessionObserver,
    ) -> (String, CallStatus) {
        if !outlet.await_release().await {
            return super::not_executed("the mysis was stopped");
        }
        if matches!(self.phase, ConnectionPhase::Open { .. }) {
            return match self.send_login(outlet).await {
                Ok(answer) => {
                    if !answer.is_error {
                        self.logged_in(&answer);
                        self.tell_link(outlet, LinkState::Ok);
                    }
                    answer_outcome(answer)
                }
                Err(fault) => super::not_executed(&fault.to_string()),
            };
        }
        // The session is not open yet. Opening it includes the login.
        match self.ensure_logged_in(outlet, true).await {
            Ok(()) => {
                let name = self
                    .account
                    .as_ref()
                    .map(|account| account.username.clone());
                let name = name.unwrap_or_default();
                tracing::debug!(tool = %order.tool, "logged in while opening");
                (
                    format!(r#"{{"message":"Logged in as {name}."}}"#),
                    CallStatus::Done,
                )
            }
            Err(fault) => super::not_executed(&fault.to_string()),
        }
    }

    /// Registers a new account. It is saved before the model learns of it.
    async fn register_upstream(
        &mut self,
        order: &CallOrder,
        arguments: Map<String, Value>,
        outlet: &dyn SessionObserver,
    ) -> (String, CallStatus) {
        if self.has_unread_account {
            return (UNREAD_ACCOUNT_TEXT.to_string(), CallStatus::Failed);
        }
        let wanted = arguments.get("username").and_then(Value::as_str);
        let wanted = wanted.map(str::to_string);
        let pass = match self.queue_for_login(outlet).await {
            Ok(pass) => pass,
            Err(fault) => return super::not_executed(&fault.to_string()),
        };
        let sent = self.send_whole(order, arguments, outlet).await;
        drop(pass);
        let answer = match sent {
            Ok(answer) => answer,
            Err(outcome) => return outcome,
        };
        let told = answer.structured.iter().chain([&answer.text]);
        let found = told
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
        outlet.on_event(SessionEvent::Learned(account.clone()));
        self.logged_in(&answer);
        self.tell_link(outlet, LinkState::Ok);
        self.unsaved = Some(account);
        self.save_account(outlet).await;
        answer_outcome(answer)
    }

    /// Handles an answer to `register` without a readable password. The operator has to recover it.
    /// Another registration would lose another account.
    fn registered_unread(
        &mut self,
        answer: LinkAnswer,
        outlet: &dyn SessionObserver,
    ) -> (String, CallStatus) {
        if answer.is_error {
            return answer_outcome(answer);
        }
        self.has_unread_account = true;
        self.tell_notice(
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
        (format!("{text}\n[{UNREAD_ACCOUNT_TEXT}]"), CallStatus::Done)
    }

    /// Saves an account that is not saved yet. If that fails now, it is tried again later.
    pub(super) async fn save_account(&mut self, outlet: &dyn SessionObserver) {
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
                let text = format!("the new game account could not be saved: {fault}; trying on");
                self.tell_notice(outlet, Severity::Error, "account", text);
            }
        }
    }

    /// Claims an account from the store. Even if the Mysis is stopped meanwhile, it learns of the
    /// account that the store has given it.
    async fn claim_account(
        &self,
        outlet: &dyn SessionObserver,
    ) -> Result<Option<GameAccount>, LedgerFault> {
        let (store, secrets, who) = (self.deps.store.clone(), self.deps.secrets.clone(), self.who);
        let tell = outlet.event_sender();
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
        self.has_unread_account = false;
    }

    /// Adds secrets of this session.
    pub(super) fn hide_secrets(&mut self, secrets: impl IntoIterator<Item = Arc<str>>) {
        self.secrets.extend(secrets);
        // Old session ids are dropped, except for the newest, which an answer may still contain.
        let old = self.secrets.len().saturating_sub(MAX_KEPT_SECRETS);
        self.secrets.drain(..old);
        self.redactor = Redactor::new(self.secrets.iter().cloned());
    }

    /// A text without passwords and without the game's session id.
    pub(super) fn without_secrets(&self, text: String) -> String {
        let text = self.redactor.clean_own(text);
        let text = self.deps.secrets.redactor().clean_own(text);
        match hide_passwords(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(hidden) => hidden,
        }
    }
}

/// Runs a future to its end even if the caller is cut off. The Mysis owns the task.
async fn run_to_the_end<T: Send + 'static>(
    outlet: &dyn SessionObserver,
    job: impl Future<Output = Result<T, LedgerFault>> + Send + 'static,
) -> Result<T, LedgerFault> {
    let (done, answer) = oneshot::channel();
    let task = tokio::spawn(async move {
        // The caller may be gone.
        let _ = done.send(job.await);
    });
    outlet.own_task(AbortOnDropHandle::new(task));
    let broken = |_| Err(LedgerFault::Unavailable("it was broken off".to_string()));
    answer.await.unwrap_or_else(broken)
}
