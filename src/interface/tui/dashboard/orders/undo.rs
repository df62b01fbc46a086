//! Undo: the orders that reverse earlier ones.

use actors::domain::order::{CompletedOrder, Order};

/// The most receipts that can be undone.
const MAX_UNDO_RECEIPTS: usize = 20;

/// The undo steps, newest last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Undo {
    steps: Vec<UndoStep>,
}

/// The orders that undo one receipt.
#[derive(Clone, Debug, PartialEq)]
pub struct UndoStep {
    /// The receipt that is undone.
    pub receipt: u64,
    /// The action that is undone, such as `stop`.
    pub what: &'static str,
    pub orders: Vec<Order>,
}

impl Undo {
    /// Adds an order that undoes a completed order of this receipt.
    pub fn remember(&mut self, receipt: u64, what: &'static str, order: Order) {
        if let Some(step) = self.steps.iter_mut().find(|step| step.receipt == receipt) {
            return step.orders.push(order);
        }
        if self.steps.len() == MAX_UNDO_RECEIPTS {
            self.steps.remove(0);
        }
        self.steps.push(UndoStep {
            receipt,
            what,
            orders: vec![order],
        });
    }

    /// Whether this receipt is the next one to be undone.
    #[must_use]
    pub fn is_next(&self, receipt: u64) -> bool {
        self.steps
            .last()
            .is_some_and(|step| step.receipt == receipt)
    }

    /// Takes the newest step.
    pub fn take(&mut self) -> Option<UndoStep> {
        self.steps.pop()
    }
}

/// Whether a completed order changed anything that could be undone.
#[must_use]
pub fn is_change(done: &CompletedOrder) -> bool {
    *done != CompletedOrder::MissionCleared(false)
}
