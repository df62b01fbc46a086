//! Connections on which no request has authenticated yet.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use tokio_util::sync::CancellationToken;

/// Connections in the order in which they came. Some may be known or gone by now.
#[derive(Debug)]
pub(super) struct UnknownConnections {
    max: usize,
    waiting: VecDeque<Weak<ConnectionSlot>>,
}

/// One connection. All clones mean the same one, and dropping the last of them forgets it.
#[derive(Clone, Debug, Default)]
pub struct AcceptedConnection(Arc<ConnectionSlot>);

#[derive(Debug, Default)]
struct ConnectionSlot {
    /// Whether it was admitted, or is cut off.
    is_settled: AtomicBool,
    out: CancellationToken,
}

impl UnknownConnections {
    pub(super) fn new(max: usize) -> UnknownConnections {
        UnknownConnections {
            max,
            waiting: VecDeque::new(),
        }
    }

    /// Adds a connection. If there is no room left, the oldest one is cut off.
    pub(super) fn add_unknown(&mut self) -> AcceptedConnection {
        let added = AcceptedConnection::default();
        let is_open = |slot: &ConnectionSlot| !slot.is_settled.load(Ordering::Relaxed);
        self.waiting
            .retain(|slot| slot.upgrade().is_some_and(|slot| is_open(&slot)));
        self.waiting.push_back(Arc::downgrade(&added.0));
        if self.waiting.len() > self.max {
            self.evict_oldest();
        }
        added
    }

    pub(super) fn evict_oldest(&mut self) {
        while let Some(oldest) = self.waiting.pop_front() {
            if let Some(slot) = oldest.upgrade()
                && !slot.is_settled.swap(true, Ordering::Relaxed)
            {
                return slot.out.cancel();
            }
        }
    }
}

impl AcceptedConnection {
    pub fn admit(&self) {
        self.0.is_settled.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_unknown(&self) -> bool {
        !self.0.is_settled.load(Ordering::Relaxed)
    }

    /// Waits until the connection has to be cut off.
    pub(super) async fn evicted(&self) {
        self.0.out.cancelled().await;
    }
}
