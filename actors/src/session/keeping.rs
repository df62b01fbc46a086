//! Keeps sessions across processes, so that a restart needs no login (docs/design/storage.md).
//!
//! The game forgets a session after 30 idle minutes. One request shows whether a session is
//! forgotten; then a new one is opened.

use std::sync::Arc;

use crate::domain::event::LinkState;
use crate::domain::life::LifeInput;
use crate::domain::record::SavedSession;
use crate::domain::write::{Author, Batch, Write};
use crate::ports::LinkFault;

use super::{ConnectionPhase, GameSession, Outlet};

impl GameSession {
    pub(super) fn emit_link(&self, outlet: &Outlet, link: LinkState) {
        outlet.tell_life(LifeInput::Linked {
            link,
            fault: self.link_fault.clone(),
            tools: self.tools.clone(),
            account: self.account_name(),
        });
    }

    /// Resumes the stored session, once. Returns `None` if there is none or it is lost.
    pub(super) async fn take_up_again(&mut self) -> Result<Option<ConnectionPhase>, LinkFault> {
        let (Some(saved), Some(link)) = (self.saved.take(), self.link.clone()) else {
            return Ok(None);
        };
        let taken_up = async {
            self.reach(link.resume(saved.resume_token.clone())).await?;
            self.reach(link.tools()).await
        };
        match taken_up.await {
            Ok(tools) => self.take_tools(tools),
            // The server may only be away. The session is tried again when it is back.
            Err(
                fault @ (LinkFault::Unreachable(_)
                | LinkFault::AnswerLost(_)
                | LinkFault::NoAccess(_)
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
        let is_linked = self.logs_in_by_link();
        let is_own = |name: &Arc<str>| match &self.account {
            Some(own) => *name == own.username,
            None => is_linked,
        };
        let has_id = !self.needs_session_id() || self.game_session.is_some();
        let is_logged_in = saved.account.as_ref().is_some_and(is_own) && has_id;
        if is_logged_in && is_linked {
            self.linked_as.clone_from(&saved.account);
        }
        self.resume_token = Some(saved.resume_token);
        Ok(Some(match is_logged_in {
            true => ConnectionPhase::LoggedIn,
            false => ConnectionPhase::Open,
        }))
    }

    /// Whether calls carry the game's own session id. That id is never stored.
    fn needs_session_id(&self) -> bool {
        let mut tools = self.tools.tools().iter();
        tools.any(|tool| tool.schema.contains(r#""session_id""#))
    }

    /// Stores the token of the session if it has changed. A failure only costs a login later.
    pub(super) async fn save_session(&mut self) {
        let now = self.resume_token.clone().map(|resume_token| SavedSession {
            resume_token,
            account: self.account_name().filter(|_| self.is_logged_in()),
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
        match self.deps.store.write(batch).await {
            Ok(()) => self.kept = now,
            Err(fault) => tracing::debug!(mysis = %self.who, %fault, "session not kept"),
        }
    }
}

/// A second check of a session is harmless, so a lost answer counts as an unreachable server.
pub(super) fn as_unreachable(fault: LinkFault) -> LinkFault {
    if let LinkFault::AnswerLost(why) = fault {
        return LinkFault::Unreachable(why);
    }
    fault
}
