//! The slot: what is to be shown next. The newest picture takes the place of any other, so that a
//! terminal that does not read costs one picture and holds nobody up.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::dashboard::Dashboard;
use crate::dashboard::action::TerminalAction;
use crate::screen::Display;

/// Acts that wait while the terminal does not read; more are dropped.
const MAX_WAITING_ACTIONS: usize = 64;

/// What is to be shown next: the dashboard, or what another process drew of one.
pub struct PictureSlot<P> {
    state: Mutex<SlotState<P>>,
    changed: Condvar,
}

struct SlotState<P> {
    last: Arc<P>,
    is_new: bool,
    acts: VecDeque<TerminalAction>,
    is_over: bool,
}

/// What the drawing thread is to do.
pub(super) enum DrawJob<P> {
    Show(Arc<P>),
    TerminalAction(TerminalAction),
    End,
}

/// Puts an act behind those that wait; nobody needs to hear twice what has not been heard once.
pub fn queue_action(acts: &mut VecDeque<TerminalAction>, act: TerminalAction) {
    let is_waiting = acts.contains(&act);
    if !is_waiting && acts.len() < MAX_WAITING_ACTIONS {
        acts.push_back(act);
    }
}

impl<P> PictureSlot<P> {
    pub(super) fn new(first: P) -> PictureSlot<P> {
        PictureSlot {
            state: Mutex::new(SlotState {
                last: Arc::new(first),
                is_new: true,
                acts: VecDeque::new(),
                is_over: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Waits for something to do.
    pub(super) fn wait(&self) -> DrawJob<P> {
        let mut state = self.lock();
        loop {
            if state.is_over {
                return DrawJob::End;
            }
            if let Some(act) = state.acts.pop_front() {
                return DrawJob::TerminalAction(act);
            }
            if std::mem::take(&mut state.is_new) {
                return DrawJob::Show(state.last.clone());
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nothing more is to be shown.
    pub(super) fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    /// Whether somebody called the end.
    pub(super) fn is_over(&self) -> bool {
        self.lock().is_over
    }

    /// Shows what was shown last once more.
    pub(super) fn again(&self) {
        self.lock().is_new = true;
        self.changed.notify_all();
    }

    /// Shows this, in place of whatever was to be shown before.
    pub fn put(&self, picture: Arc<P>) {
        let mut state = self.lock();
        state.last = picture;
        state.is_new = true;
        drop(state);
        self.changed.notify_all();
    }

    /// What was given to be shown last.
    pub fn newest(&self) -> Arc<P> {
        self.lock().last.clone()
    }

    /// Does what only a terminal can do.
    pub fn perform(&self, act: TerminalAction) {
        queue_action(&mut self.lock().acts, act);
        self.changed.notify_all();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, SlotState<P>> {
        // Nothing that panics happens under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Display for PictureSlot<Dashboard> {
    fn show(&self, dashboard: Arc<Dashboard>) {
        self.put(dashboard);
    }

    fn last_shown(&self) -> Arc<Dashboard> {
        self.newest()
    }

    fn perform_action(&self, act: TerminalAction) {
        self.perform(act);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Weak;

    use crate::dashboard::DashboardOptions;

    use super::*;

    fn picture() -> Dashboard {
        Dashboard::new(DashboardOptions::default())
    }

    #[test]
    fn while_nobody_draws_only_the_newest_picture_is_held() {
        let slot = PictureSlot::new(picture());
        let shown: Vec<Weak<Dashboard>> = (0..10_000)
            .map(|_| {
                let picture = Arc::new(picture());
                let known = Arc::downgrade(&picture);
                slot.show(picture);
                slot.perform_action(TerminalAction::Bell);
                known
            })
            .collect();
        let held = shown.iter().filter(|known| known.strong_count() > 0);
        assert_eq!(held.count(), 1);
        assert!(Arc::ptr_eq(
            &shown[9_999].upgrade().unwrap(),
            &slot.last_shown()
        ));
        let acts =
            std::iter::from_fn(|| matches!(slot.wait(), DrawJob::TerminalAction(_)).then_some(()));
        assert_eq!(acts.count(), 1, "one bell says it all");
    }
}
