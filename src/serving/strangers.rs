//! Strangers: connections on which nobody has shown yet that they may be here.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// All of them, the oldest first.
#[derive(Clone, Debug)]
pub(super) struct Strangers(Arc<Inside>);

#[derive(Debug)]
struct Inside {
    max: usize,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    waiting: BTreeMap<u64, CancellationToken>,
}

/// One connection; clones are of the same one, and with the last of them it is gone.
#[derive(Clone, Debug)]
pub struct Visitor(Arc<Place>);

#[derive(Debug)]
struct Place {
    number: u64,
    out: CancellationToken,
    strangers: Strangers,
}

impl Strangers {
    pub(super) fn new(max: usize) -> Strangers {
        Strangers(Arc::new(Inside {
            max,
            table: Mutex::default(),
        }))
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Never held across an await.
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody comes; where there is no room left, the oldest goes.
    pub(super) fn let_in(&self) -> Visitor {
        let out = CancellationToken::new();
        let mut table = self.table();
        let number = table.next;
        table.next += 1;
        table.waiting.insert(number, out.clone());
        if table.waiting.len() > self.0.max {
            show_oldest_out(&mut table);
        }
        drop(table);
        Visitor(Arc::new(Place {
            number,
            out,
            strangers: self.clone(),
        }))
    }

    pub(super) fn show_oldest_out(&self) {
        show_oldest_out(&mut self.table());
    }
}

fn show_oldest_out(table: &mut Table) {
    if let Some((_, oldest)) = table.waiting.pop_first() {
        oldest.cancel();
    }
}

impl Visitor {
    /// They may be here: the connection is no stranger's any more.
    pub fn admit(&self) {
        let place = &self.0;
        place.strangers.table().waiting.remove(&place.number);
    }

    pub(super) fn is_stranger(&self) -> bool {
        let place = &self.0;
        place.strangers.table().waiting.contains_key(&place.number)
    }

    /// Waits until they have to go.
    pub(super) async fn shown_out(&self) {
        self.0.out.cancelled().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.strangers.table().waiting.remove(&self.number);
    }
}
