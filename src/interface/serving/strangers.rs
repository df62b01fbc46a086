//! Connections on which no request has authenticated yet.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

#[derive(Clone, Debug)]
pub(super) struct UnknownConnections(Arc<Mutex<UnknownConnectionTable>>);

#[derive(Debug)]
struct UnknownConnectionTable {
    max: usize,
    next: u64,
    waiting: BTreeMap<u64, CancellationToken>,
}

/// One connection. All clones mean the same one, and dropping the last of them forgets it.
#[derive(Clone, Debug)]
pub struct AcceptedConnection(Arc<ConnectionSlot>);

#[derive(Debug)]
struct ConnectionSlot {
    number: u64,
    out: CancellationToken,
    strangers: UnknownConnections,
}

impl UnknownConnections {
    pub(super) fn new(max: usize) -> UnknownConnections {
        UnknownConnections(Arc::new(Mutex::new(UnknownConnectionTable {
            max,
            next: 0,
            waiting: BTreeMap::new(),
        })))
    }

    /// Adds a connection. If there is no room left, the oldest one is cut off.
    pub(super) fn add_unknown(&self) -> AcceptedConnection {
        let out = CancellationToken::new();
        let mut table = self.0.lock();
        let number = table.next;
        table.next += 1;
        table.waiting.insert(number, out.clone());
        if table.waiting.len() > table.max {
            evict_oldest(&mut table);
        }
        drop(table);
        AcceptedConnection(Arc::new(ConnectionSlot {
            number,
            out,
            strangers: self.clone(),
        }))
    }

    pub(super) fn evict_oldest(&self) {
        evict_oldest(&mut self.0.lock());
    }
}

fn evict_oldest(table: &mut UnknownConnectionTable) {
    if let Some((_, oldest)) = table.waiting.pop_first() {
        oldest.cancel();
    }
}

impl AcceptedConnection {
    pub fn admit(&self) {
        let place = &self.0;
        place.strangers.0.lock().waiting.remove(&place.number);
    }

    pub(super) fn is_unknown(&self) -> bool {
        let place = &self.0;
        let table = place.strangers.0.lock();
        table.waiting.contains_key(&place.number)
    }

    /// Waits until the connection has to be cut off.
    pub(super) async fn evicted(&self) {
        self.0.out.cancelled().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.strangers.0.lock().waiting.remove(&self.number);
    }
}
