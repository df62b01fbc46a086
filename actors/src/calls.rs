//! The calls under way of all Myses of this process, of which each begins and ends its own.

use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::domain::ids::{Lane, Moment, MysisId};
use crate::domain::open_calls::{CallKind, OpenCallId, OpenCalls};
use crate::ports::Clock;

/// A sign of life is noted at most so often.
const NOTED_EACH_MS: i64 = 500;

/// The calls under way. Clones share them.
#[derive(Clone)]
pub struct CallWatch {
    calls: Arc<Mutex<OpenCalls>>,
    clock: Arc<dyn Clock>,
}

/// A call under way. Dropping it ends the call without an answer.
pub struct WatchedCall {
    watch: CallWatch,
    id: OpenCallId,
    is_answered: bool,
    noted: AtomicI64,
}

impl CallWatch {
    pub fn new(clock: Arc<dyn Clock>) -> CallWatch {
        CallWatch {
            calls: Arc::default(),
            clock,
        }
    }

    pub fn calls(&self) -> MutexGuard<'_, OpenCalls> {
        // Each change of them is complete in itself.
        self.calls.lock()
    }

    pub fn begin(&self, lane: Lane, name: &Arc<str>, mysis: MysisId) -> WatchedCall {
        let name = name.clone();
        let now = self.clock.moment();
        let id = self.calls().begin(CallKind { lane, name }, mysis, now);
        WatchedCall {
            watch: self.clone(),
            id,
            is_answered: false,
            noted: AtomicI64::new(i64::MIN),
        }
    }
}

impl WatchedCall {
    pub fn note_sign_of_life(&self) {
        let Moment(now) = self.watch.clock.moment();
        let before = self.noted.load(Ordering::Relaxed);
        if now >= before.saturating_add(NOTED_EACH_MS) {
            self.noted.store(now, Ordering::Relaxed);
            self.watch.calls().note_sign_of_life(self.id, Moment(now));
        }
    }

    pub fn end(mut self, is_answered: bool) {
        self.is_answered = is_answered;
    }
}

impl Drop for WatchedCall {
    fn drop(&mut self) {
        let now = self.watch.clock.moment();
        self.watch.calls().end(self.id, self.is_answered, now);
    }
}
