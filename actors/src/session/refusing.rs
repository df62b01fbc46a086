//! A login that the game refuses, as after a wipe: the Mysis cannot play, so it waits and asks no model of
//! its own accord (docs/design/sessions.md). A direct message is answered without the game's tools.

use std::time::Duration;

use crate::domain::backoff::Backoff;
use crate::domain::event::{Activity, LinkState};
use crate::domain::message::Severity;
use crate::domain::record::GameAccount;
use zoea_text::clean::one_line;

use super::links::RefusedLogin;
use super::{ConnectionPhase, GameSession, Outlet};

/// The first and the longest wait before the login is tried again. The game blocks clients whose logins fail
/// too often.
const FIRST_WAIT: Duration = Duration::from_secs(60);
const LONGEST_WAIT: Duration = Duration::from_secs(600);
/// How often it is looked whether the operator gave it another account or password.
const ACCOUNT_LOOK: Duration = Duration::from_secs(15);
/// The most bytes of the game's words that are kept.
const MAX_WORDS_BYTES: usize = 300;

impl GameSession {
    /// The refusal of the login with the present account, while it holds.
    pub(super) fn refused_login(&self) -> Option<RefusedLogin> {
        let refused = self.deps.links.state(self.who).refused?;
        let is_its = self.account.as_ref() == Some(&refused.account);
        (self.phase == ConnectionPhase::Open && is_its).then_some(refused)
    }

    /// The game refused the login. The operator is told once of the same words.
    pub(super) fn on_login_refused(&mut self, account: GameAccount, text: &str, outlet: &Outlet) {
        let before = self.deps.links.state(self.who).refused;
        let before = before.filter(|before| before.account == account);
        let text = self.without_secrets(one_line(text).to_string());
        let text = text.trim();
        let words = &text[..text.floor_char_boundary(MAX_WORDS_BYTES)];
        let times = before.as_ref().map_or(0, |before| before.times);
        let wait = Backoff::new(FIRST_WAIT, LONGEST_WAIT).nth_wait(times);
        if before.is_none_or(|before| *before.words != *words) {
            let text = format!("the game refuses the login: {words}");
            self.emit_notice(outlet, Severity::Error, "login_refused", text);
        }
        let refused = RefusedLogin {
            account,
            words: words.into(),
            times: times.saturating_add(1),
            not_before: self.deps.clock.moment().plus(wait),
        };
        self.deps
            .links
            .change(self.who, |state| state.refused = Some(refused));
        self.phase = ConnectionPhase::Open;
    }

    /// Opens the session and logs in. With `waits_out`, waits for as long as the server is away or the game
    /// refuses the login. Returns `false` if the Mysis has no session, or only our own tools.
    pub(super) async fn log_in_or_wait(&mut self, outlet: &Outlet, waits_out: bool) -> bool {
        loop {
            if let Err(fault) = self.ensure_logged_in(outlet, waits_out).await {
                let text = self.without_secrets(fault.to_string());
                tracing::debug!(mysis = %self.who, fault = %text, "session not ready");
                if !waits_out || !self.wait_out(&fault, outlet).await {
                    return false;
                }
                continue;
            }
            let Some(refused) = self.refused_login() else {
                return true;
            };
            self.withhold_tools(LinkState::LoginRefused(refused.words.clone()), outlet);
            if !waits_out {
                return false;
            }
            self.await_allowed_login(&refused, outlet).await;
        }
    }

    /// Opens the session and logs in for a call that is under way. A login that the game refuses is not
    /// waited for.
    pub(super) async fn prepare_for_call(&mut self, outlet: &Outlet) {
        self.learn_account(outlet).await;
        if self.link.is_none() {
            return self.emit_link(outlet, LinkState::None);
        }
        while let Err(fault) = self.ensure_logged_in(outlet, true).await {
            if !self.wait_out(&fault, outlet).await {
                return;
            }
        }
        if self.refused_login().is_none() {
            self.offer_tools_again(outlet);
            self.pin_tools(outlet).await;
        }
    }

    /// Waits until the login may be tried again, or the operator may have given it another account.
    async fn await_allowed_login(&mut self, refused: &RefusedLogin, outlet: &Outlet) {
        let text = refused.words.clone();
        outlet.show(Activity::AwaitingLogin(text.clone()));
        let left = refused.not_before.since(self.deps.clock.moment());
        self.rest_and_show(left.min(ACCOUNT_LOOK), &text, outlet)
            .await;
        match self.deps.archive.account(self.who).await {
            Ok(account) => {
                self.hide_secrets(account.iter().map(|account| account.password.clone()));
                self.account = account;
            }
            Err(fault) => {
                tracing::debug!(mysis = %self.who, %fault, "the account is not read again");
            }
        }
    }
}
