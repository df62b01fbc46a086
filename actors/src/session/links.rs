//! What Myses wait for to be logged in: links, and logins that the game refused.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::domain::ids::{Moment, MysisId};
use crate::domain::record::GameAccount;

/// The links of all Myses, in memory only. They outlive a Mysis' tasks and its session, so that an
/// order which cuts off the waiting does not make the code on the screen worthless. Clones share
/// them.
#[derive(Clone, Default)]
pub struct PendingLinks(Arc<Mutex<BTreeMap<MysisId, PendingState>>>);

#[derive(Clone, Default)]
pub(super) struct PendingState {
    pub(super) open: Option<OpenLink>,
    /// How many links in a row nobody used.
    pub(super) unused: u32,
    pub(super) not_before: Option<Moment>,
    pub(super) has_unread_account: bool,
    /// The login that the game refused last, until one succeeds.
    pub(super) refused: Option<RefusedLogin>,
}

#[derive(Clone)]
pub(super) struct RefusedLogin {
    pub(super) account: GameAccount,
    pub(super) words: Arc<str>,
    pub(super) times: u32,
    /// When it is tried again.
    pub(super) not_before: Moment,
}

#[derive(Clone)]
pub(super) struct OpenLink {
    /// Whoever knows it can play as the character that the operator picks. It is shown nowhere.
    pub(super) device_code: Arc<str>,
    /// What the operator has to do, until when.
    pub(super) text: Arc<str>,
    pub(super) until: Moment,
    /// For how long the swarm had been frozen when it was asked for.
    pub(super) frozen_time: Duration,
    pub(super) interval: Duration,
    /// When the server may be asked again.
    pub(super) next: Moment,
}

impl PendingLinks {
    pub(super) fn state(&self, who: MysisId) -> PendingState {
        self.locked(|links| links.get(&who).cloned().unwrap_or_default())
    }

    pub(super) fn change(&self, who: MysisId, change: impl FnOnce(&mut PendingState)) {
        self.locked(|links| change(links.entry(who).or_default()));
    }

    pub(super) fn set_unread_account(&self, who: MysisId, is_unread: bool) {
        if self.state(who).has_unread_account != is_unread {
            self.change(who, |state| state.has_unread_account = is_unread);
        }
    }

    /// The operator wants a refused login to be tried again at once.
    pub fn try_login_again(&self, who: MysisId) {
        self.locked(|links| {
            if let Some(refused) = links.get_mut(&who).and_then(|state| state.refused.as_mut()) {
                refused.not_before = Moment::default();
            }
        });
    }

    pub fn forget(&self, who: MysisId) {
        self.locked(|links| links.remove(&who));
    }

    /// The lock is never held across an await.
    fn locked<T>(&self, access: impl FnOnce(&mut BTreeMap<MysisId, PendingState>) -> T) -> T {
        access(&mut self.0.lock())
    }
}
