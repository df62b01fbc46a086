//! Undo: how an order is taken back, where that can be done.

use actors::domain::order::{CompletedOrder, Order};

/// Orders that can be taken back.
const MAX_UNDO_RECEIPTS: usize = 20;

/// Orders that take others back, the newest last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Undo {
    steps: Vec<UndoStep>,
}

/// What takes one receipt's orders back.
#[derive(Clone, Debug, PartialEq)]
pub struct UndoStep {
    /// The receipt that is taken back.
    pub receipt: u64,
    /// What was done.
    pub what: &'static str,
    /// The orders that take it back.
    pub orders: Vec<Order>,
}

impl Undo {
    /// Remembers how an order is taken back that was carried out under a receipt.
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

    /// Whether a receipt's orders can be taken back by the next step.
    #[must_use]
    pub fn is_next(&self, receipt: u64) -> bool {
        self.steps
            .last()
            .is_some_and(|step| step.receipt == receipt)
    }

    /// The next step.
    pub fn take(&mut self) -> Option<UndoStep> {
        self.steps.pop()
    }
}

/// Whether what came of an order is something to be taken back, where it can be.
#[must_use]
pub fn is_change(done: &CompletedOrder) -> bool {
    *done != CompletedOrder::MissionCleared(false)
}
