//! A value that several tasks wait for. They are woken in the order in which they began to wait: who
//! waited first goes first, and a simulation repeats itself. `tokio::sync::watch` wakes in any order.

use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;

use tokio::sync::Notify;

/// The value. Clones share it.
pub(crate) struct InOrder<T>(Arc<Shared<T>>);

struct Shared<T> {
    value: Mutex<T>,
    changed: Notify,
}

impl<T> Clone for InOrder<T> {
    fn clone(&self) -> InOrder<T> {
        InOrder(self.0.clone())
    }
}

impl<T: fmt::Debug> fmt::Debug for InOrder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.value.lock().fmt(f)
    }
}

impl<T> InOrder<T> {
    pub(crate) fn new(value: T) -> InOrder<T> {
        InOrder(Arc::new(Shared {
            value: Mutex::new(value),
            changed: Notify::new(),
        }))
    }

    pub(crate) fn read<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        look(&self.0.value.lock())
    }

    /// Changes the value. Those who wait are woken if the change says so.
    pub(crate) fn change(&self, change: impl FnOnce(&mut T) -> bool) {
        let has_changed = change(&mut self.0.value.lock());
        if has_changed {
            self.0.changed.notify_waiters();
        }
    }

    /// Waits until a look finds something, and returns that.
    pub(crate) async fn find<R>(&self, mut look: impl FnMut(&T) -> Option<R>) -> R {
        loop {
            let mut changed = std::pin::pin!(self.0.changed.notified());
            // It waits from here on, so no change between the look and the wait is missed.
            changed.as_mut().enable();
            if let Some(found) = self.read(&mut look) {
                return found;
            }
            changed.await;
        }
    }

    /// Waits until this holds.
    pub(crate) async fn until(&self, mut holds: impl FnMut(&T) -> bool) {
        self.find(|value| holds(value).then_some(())).await;
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt;
    use futures::stream::FuturesUnordered;

    use super::*;

    #[tokio::test]
    async fn who_waited_first_goes_first() {
        let open = InOrder::new(false);
        let went = InOrder::new(Vec::new());
        let mut all = FuturesUnordered::new();
        for number in 0..100 {
            let (open, went) = (open.clone(), went.clone());
            all.push(async move {
                open.until(|open| *open).await;
                went.change(|went| {
                    went.push(number);
                    false
                });
            });
        }
        assert!(futures::poll!(all.next()).is_pending());
        open.change(|open| {
            *open = true;
            true
        });
        while all.next().await.is_some() {}
        let in_order: Vec<usize> = (0..100).collect();
        // The first poll of all begins their waits in this order.
        let mut began = went.read(Clone::clone);
        if began.first() != Some(&0) {
            began.reverse();
        }
        assert_eq!(began, in_order);
    }

    #[tokio::test]
    async fn a_change_that_tells_nobody_wakes_nobody_and_is_seen_with_the_next() {
        let value = InOrder::new(1);
        let mut waits = std::pin::pin!(value.find(|value| (*value > 1).then_some(*value)));
        assert!(futures::poll!(&mut waits).is_pending());
        let add = |is_sent| {
            value.change(|value| {
                *value += 1;
                is_sent
            });
        };
        add(false);
        add(true);
        assert_eq!(waits.await, 3);
    }
}
