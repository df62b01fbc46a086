//! The screen of an attached terminal: holds the newest picture until the client asks for it.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::Notify;
use zoea_tui::Display;
use zoea_tui::dashboard::Dashboard;
use zoea_tui::dashboard::action::TerminalAction;

use zoea_tui::queue_action;

/// What an attached terminal has to show and to do next.
pub(super) struct RemoteScreen {
    state: Mutex<RemoteScreenState>,
    news: Notify,
}

struct RemoteScreenState {
    last: Arc<Dashboard>,
    is_new: bool,
    acts: VecDeque<TerminalAction>,
}

impl RemoteScreen {
    pub(super) fn new(first: Dashboard) -> RemoteScreen {
        RemoteScreen {
            state: Mutex::new(RemoteScreenState {
                last: Arc::new(first),
                is_new: false,
                acts: VecDeque::new(),
            }),
            news: Notify::new(),
        }
    }

    /// Waits for an update. Only one task may wait. Cancel-safe: an update stays until it is taken.
    pub(super) async fn wait_for_update(&self) {
        while self.is_empty() {
            self.news.notified().await;
        }
    }

    fn is_empty(&self) -> bool {
        let state = self.state.lock();
        !state.is_new && state.acts.is_empty()
    }

    /// What has come since this was asked last: the newest picture, if it is new, and actions.
    pub(super) fn take(&self) -> (Option<Arc<Dashboard>>, Vec<TerminalAction>) {
        let mut state = self.state.lock();
        let is_new = std::mem::take(&mut state.is_new);
        let picture = is_new.then(|| state.last.clone());
        (picture, state.acts.drain(..).collect())
    }

    /// Makes the next update contain a picture, whether it is new or not.
    pub(super) fn mark_new(&self) {
        self.state.lock().is_new = true;
        self.news.notify_one();
    }
}

impl Display for RemoteScreen {
    fn show(&self, dashboard: Arc<Dashboard>) {
        self.state.lock().last = dashboard;
        self.mark_new();
    }

    fn last_shown(&self) -> Arc<Dashboard> {
        self.state.lock().last.clone()
    }

    fn perform_action(&self, act: TerminalAction) {
        queue_action(&mut self.state.lock().acts, act);
        self.news.notify_one();
    }
}
