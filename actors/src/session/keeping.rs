//! Keeping: a session outlives its process, so that the next one needs no login (DESIGN 7).
//!
//! The game forgets a session after 30 idle minutes; one that it has forgotten costs one request to
//! find out, and is opened anew.

use crate::domain::record::SavedSession;
use crate::domain::write::{Author, Batch, Write};
use crate::ports::LinkFault;

use super::{GameSession, LoginState, in_time};

impl GameSession {
    /// Takes up the session of before, once; `None` where there is none or it is gone.
    pub(super) async fn take_up_again(&mut self) -> Result<Option<LoginState>, LinkFault> {
        let (Some(saved), Some(link)) = (self.saved.take(), self.link.clone()) else {
            return Ok(None);
        };
        let taken_up = async {
            in_time(link.resume(saved.ticket.clone())).await?;
            in_time(link.tools()).await
        };
        match taken_up.await {
            Ok(tools) => self.tools = tools,
            // The server may only be away: the session is tried again with it.
            Err(
                fault @ (LinkFault::Unreachable(_)
                | LinkFault::AnswerLost(_)
                | LinkFault::Limited { .. }
                | LinkFault::Restarting { .. }),
            ) => {
                self.hold_logins(&fault);
                self.saved = Some(saved);
                return Err(as_unreachable(fault));
            }
            Err(fault @ (LinkFault::SessionLost(_) | LinkFault::Refused(_))) => {
                let fault = self.without_secrets(fault.to_string());
                tracing::debug!(mysis = %self.who, %fault, "session of before is gone");
                return Ok(None);
            }
        }
        let is_own = |name| Some(name) == self.account.as_ref().map(|own| &own.username);
        let has_id = !self.needs_session_id() || self.game_session.is_some();
        let is_logged_in = saved.account.as_ref().is_some_and(is_own) && has_id;
        self.ticket = Some(saved.ticket);
        Ok(Some(if is_logged_in {
            LoginState::Done
        } else {
            LoginState::Needed
        }))
    }

    /// Whether calls carry a session id of the game's own, which is never written down.
    fn needs_session_id(&self) -> bool {
        let mut tools = self.tools.tools().iter();
        tools.any(|tool| tool.schema.contains(r#""session_id""#))
    }

    /// Writes down what the session can be taken up again by, where that changed. Nothing depends
    /// on it but a login that may be spared.
    pub(super) async fn save_session(&mut self) {
        let now = self.ticket.clone().map(|ticket| {
            let account = self.account.as_ref();
            let account = account.filter(|_| self.is_logged_in());
            SavedSession {
                ticket,
                account: account.map(|account| account.username.clone()),
            }
        });
        if now == self.kept {
            return;
        }
        let batch = Batch {
            author: Author::Mysis(self.who, self.incarnation),
            writes: vec![Write::KeepSession {
                mysis: self.who,
                session: now.clone(),
            }],
        };
        match self.means.store.write(batch).await {
            Ok(()) => self.kept = now,
            Err(fault) => tracing::debug!(mysis = %self.who, %fault, "session not kept"),
        }
    }
}

/// Looking whether a session stands does no harm twice: a lost answer is a server that is not there.
fn as_unreachable(fault: LinkFault) -> LinkFault {
    match fault {
        LinkFault::AnswerLost(why) => LinkFault::Unreachable(why),
        LinkFault::Unreachable(_)
        | LinkFault::Limited { .. }
        | LinkFault::Restarting { .. }
        | LinkFault::SessionLost(_)
        | LinkFault::Refused(_) => fault,
    }
}
