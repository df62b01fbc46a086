//! The slot between the Ui actor and the drawing thread. It holds the newest picture only, so that
//! a terminal that does not read costs one picture and delays nobody.

use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::dashboard::Dashboard;
use crate::dashboard::action::TerminalAction;
use crate::screen::Display;

/// The most actions that wait while the terminal does not read. Further ones are dropped.
const MAX_WAITING_ACTIONS: usize = 64;

/// How long the reader of keys may take to leave the terminal alone.
const READER_REST_TIMEOUT: Duration = Duration::from_secs(2);

/// The next picture: a dashboard, or what another process drew of one.
pub struct PictureSlot<P> {
    state: Mutex<SlotState<P>>,
    changed: Condvar,
}

struct SlotState<P> {
    last: Arc<P>,
    is_new: bool,
    acts: VecDeque<TerminalAction>,
    is_over: bool,
    /// Whether another program reads the terminal, and whether the reader of keys knows it.
    is_lent: bool,
    reader_rests: bool,
}

pub(super) enum DrawJob<P> {
    Show(Arc<P>),
    TerminalAction(TerminalAction),
    End,
}

/// Queues an action. One that already waits is not queued again, because it would have the same
/// effect.
pub fn queue_action(acts: &mut VecDeque<TerminalAction>, act: TerminalAction) {
    if !acts.contains(&act) && acts.len() < MAX_WAITING_ACTIONS {
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
                is_lent: false,
                reader_rests: false,
            }),
            changed: Condvar::new(),
        }
    }

    pub(super) fn wait(&self) -> DrawJob<P> {
        let mut state = self.state.lock();
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
            self.changed.wait(&mut state);
        }
    }

    pub(super) fn end(&self) {
        self.state.lock().is_over = true;
        self.changed.notify_all();
    }

    pub(super) fn is_over(&self) -> bool {
        self.state.lock().is_over
    }

    /// Waits until the reader of keys leaves the terminal alone.
    pub(super) fn lend_input(&self) {
        let mut state = self.state.lock();
        state.is_lent = true;
        let is_waiting = |state: &mut SlotState<P>| !state.reader_rests && !state.is_over;
        // A reader that ended does not answer.
        let _ = self
            .changed
            .wait_while_for(&mut state, is_waiting, READER_REST_TIMEOUT);
    }

    /// Lets the reader of keys go on.
    pub(super) fn take_input_back(&self) {
        self.state.lock().is_lent = false;
        self.changed.notify_all();
    }

    /// Lets the reader of keys wait as long as another program reads the terminal.
    pub(super) fn rest_while_lent(&self) {
        let mut state = self.state.lock();
        if !state.is_lent {
            return;
        }
        state.reader_rests = true;
        self.changed.notify_all();
        let is_lent = |state: &mut SlotState<P>| state.is_lent && !state.is_over;
        self.changed.wait_while(&mut state, is_lent);
        state.reader_rests = false;
    }

    pub(super) fn again(&self) {
        self.state.lock().is_new = true;
        self.changed.notify_all();
    }

    /// Shows this picture in place of any that waits.
    pub fn put(&self, picture: Arc<P>) {
        let mut state = self.state.lock();
        state.last = picture;
        state.is_new = true;
        drop(state);
        self.changed.notify_all();
    }

    pub fn newest(&self) -> Arc<P> {
        self.state.lock().last.clone()
    }

    pub fn perform(&self, act: TerminalAction) {
        queue_action(&mut self.state.lock().acts, act);
        self.changed.notify_all();
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
