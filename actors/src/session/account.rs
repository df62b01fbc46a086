//! Accounts: register, login and logout as the runtime makes them (DESIGN 6).

use std::time::Duration;

use serde_json::{Map, Value};

use crate::domain::event::{Activity, LinkState};
use crate::domain::life::CallOrder;
use crate::domain::message::{CallStatus, Severity};
use crate::domain::redact::{REDACTED, forms};
use crate::domain::write::{Account, Author, Batch, Write};
use crate::ports::{LinkAnswer, LinkCall, LinkFault};

use super::{Login, News, Outlet, Phase, Session, answer, in_time, judged, notice};

/// How long a refused login is left alone: the game blocks who fails too often.
const AFTER_REFUSAL: Duration = Duration::from_secs(600);

impl Session {
    /// Account rules apply where the server offers both `register` and `login`.
    pub(super) fn has_accounts(&self) -> bool {
        self.tools.get("register").is_some() && self.tools.get("login").is_some()
    }

    /// Reads the account of this Mysis, once.
    pub(super) async fn learn_account(&mut self, outlet: &dyn Outlet) {
        if self.knows_account {
            return;
        }
        let archive = &self.means.archive;
        let (account, session) = (archive.account(self.who), archive.session(self.who));
        match futures::future::try_join(account, session).await {
            Ok((account, session)) => {
                self.account = account;
                self.saved.clone_from(&session);
                self.kept = session;
                self.knows_account = true;
            }
            Err(fault) => {
                let text = format!("the game account could not be read: {fault}");
                notice(outlet, Severity::Warn, "account", text);
            }
        }
    }

    pub(super) fn is_logged_in(&self) -> bool {
        self.phase == Phase::Open { login: Login::Done }
    }

    /// Whether there is an account to log in, and nothing against trying now.
    pub(super) fn needs_login(&self) -> bool {
        let may_try = match self.phase {
            Phase::Closed { .. } => false,
            Phase::Open { login } => match login {
                Login::Needed => true,
                Login::Done => false,
                Login::Refused { not_before } => self.means.clock.moment() >= not_before,
            },
        };
        may_try && self.account.is_some() && self.has_accounts()
    }

    pub(super) fn logged_out(&mut self) {
        self.game_session = None;
        if let Phase::Open { login } = &mut self.phase {
            *login = Login::Needed;
        }
    }

    /// Logs in with the assigned account. A refused login leaves the session open: the game says
    /// itself which calls need one.
    pub(super) async fn log_in(&mut self, outlet: &dyn Outlet) -> Result<(), LinkFault> {
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
            self.heed(&fault);
            return Err(fault);
        }
        let text = format!("the game refuses the login: {}", answer.text);
        notice(outlet, Severity::Error, "login_refused", text);
        let not_before = self.means.clock.moment().plus(AFTER_REFUSAL);
        self.phase = Phase::Open {
            login: Login::Refused { not_before },
        };
        Ok(())
    }

    async fn send_login(&mut self, outlet: &dyn Outlet) -> Result<LinkAnswer, LinkFault> {
        let (Some(account), Some(link)) = (self.account.clone(), self.link.clone()) else {
            return Err(LinkFault::Refused("there is no account".to_string()));
        };
        let _pass = self.queue_for_login(outlet).await?;
        outlet.news(News::Progress(Activity::Connecting));
        let credentials = [
            ("username", account.username),
            ("password", account.password),
        ];
        let call = LinkCall {
            tool: "login".into(),
            arguments: credentials
                .into_iter()
                .map(|(key, value)| (key.to_string(), Value::String(value.to_string())))
                .collect(),
            call_id: format!("{}.login", self.who),
            timeout: super::SETTLING,
        };
        let answer = in_time(link.call(call)).await;
        match answer {
            Err(LinkFault::SessionLost(why)) => {
                self.close();
                Err(LinkFault::SessionLost(why))
            }
            // Logging in twice does no harm: a lost answer is a server that is not there.
            Err(LinkFault::AnswerLost(why)) => Err(LinkFault::Unreachable(why)),
            other => other.inspect_err(|fault| self.heed(fault)),
        }
    }

    fn logged_in(&mut self, answer: &LinkAnswer) {
        self.game_session = answer::member(answer, &["session_id"]);
        self.phase = Phase::Open { login: Login::Done };
    }

    /// The model's `login`: the assigned credentials go upstream, whatever it wrote.
    pub(super) async fn login_again(
        &mut self,
        order: &CallOrder,
        outlet: &dyn Outlet,
    ) -> (String, CallStatus) {
        if self.account.is_none() {
            let text = "Error: no account: you have none yet. Use register().".to_string();
            return (text, CallStatus::Failed);
        }
        self.logged_out();
        let (text, status) = self.send_prepared(order, outlet).await;
        (self.without_secrets(text), status)
    }

    /// `register`: the oldest free account of the pool, else a new one.
    pub(super) async fn register(
        &mut self,
        order: &CallOrder,
        arguments: Map<String, Value>,
        outlet: &dyn Outlet,
    ) -> (String, CallStatus) {
        self.learn_account(outlet).await;
        if self.account.is_some() {
            let text = "Error: Already have account. Use login().".to_string();
            return (text, CallStatus::Failed);
        }
        match self.means.store.claim_account(self.who).await {
            Ok(Some(account)) => {
                self.take(account, outlet);
                let (text, status) = self.send_prepared(order, outlet).await;
                (self.without_secrets(text), status)
            }
            Ok(None) => self.register_upstream(order, arguments, outlet).await,
            Err(fault) => (
                format!("Error: not executed: the account pool cannot be read: {fault}"),
                CallStatus::NotExecuted,
            ),
        }
    }

    /// Sends `login` as a call of the model's own, so that it is recorded and marked like any.
    async fn send_prepared(
        &mut self,
        order: &CallOrder,
        outlet: &dyn Outlet,
    ) -> (String, CallStatus) {
        if !outlet.leaving().await {
            return super::not_executed("the mysis was stopped");
        }
        if matches!(self.phase, Phase::Open { .. }) {
            return match self.send_login(outlet).await {
                Ok(answer) => {
                    if !answer.is_error {
                        self.logged_in(&answer);
                        self.tell(outlet, LinkState::Ok);
                    }
                    judged(answer)
                }
                Err(fault) => super::not_executed(&fault.to_string()),
            };
        }
        // Not open yet: settling opens it and logs in.
        match self.settle(outlet).await {
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

    /// Registers a new account; it is saved before the model hears of it.
    async fn register_upstream(
        &mut self,
        order: &CallOrder,
        arguments: Map<String, Value>,
        outlet: &dyn Outlet,
    ) -> (String, CallStatus) {
        let wanted = arguments.get("username").and_then(Value::as_str);
        let wanted = wanted.unwrap_or_default().to_string();
        let pass = match self.queue_for_login(outlet).await {
            Ok(pass) => pass,
            Err(fault) => return super::not_executed(&fault.to_string()),
        };
        let (text, status) = self.send(order, arguments, outlet).await;
        drop(pass);
        if status != CallStatus::Done {
            return (text, status);
        }
        let answer = LinkAnswer {
            text,
            is_error: false,
        };
        let Some(password) = answer::member(&answer, &["password"]) else {
            return judged(answer);
        };
        let username = answer::member(&answer, &["player", "username"]).unwrap_or(wanted);
        let account = Account {
            username: username.into(),
            password: password.into(),
        };
        self.take(account.clone(), outlet);
        self.logged_in(&answer);
        self.tell(outlet, LinkState::Ok);
        let saved = self
            .means
            .store
            .write(Batch {
                author: Author::Mysis(self.who, self.incarnation),
                writes: vec![Write::SaveAccount {
                    mysis: self.who,
                    account,
                    at: self.means.clock.now(),
                }],
            })
            .await;
        if let Err(fault) = saved {
            let text = format!("the new game account could not be saved: {fault}");
            notice(outlet, Severity::Error, "account", text);
        }
        (self.without_secrets(answer.text), CallStatus::Done)
    }

    fn take(&mut self, account: Account, outlet: &dyn Outlet) {
        outlet.news(News::Learned(account.clone()));
        self.account = Some(account);
        self.knows_account = true;
    }

    /// A text without the password and without the game's session id.
    pub(super) fn without_secrets(&self, text: String) -> String {
        let password = self.account.as_ref().map(|account| &*account.password);
        let mut text = text;
        for secret in [password, self.game_session.as_deref()]
            .into_iter()
            .flatten()
            .filter(|secret| !secret.is_empty())
        {
            for form in forms(secret) {
                text = text.replace(&*form, REDACTED);
            }
        }
        text
    }
}
