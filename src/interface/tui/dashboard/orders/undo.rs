//! Undo: the orders that reverse earlier ones.

use actors::domain::order::{CompletedOrder, Order};

const MAX_UNDO_RECEIPTS: usize = 20;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Undo {
    steps: Vec<UndoStep>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct UndoStep {
    pub receipt: u64,
    /// The action that is undone, such as `stop`.
    pub what: &'static str,
    pub orders: Vec<Order>,
}

impl Undo {
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

    #[must_use]
    pub fn is_next(&self, receipt: u64) -> bool {
        self.steps
            .last()
            .is_some_and(|step| step.receipt == receipt)
    }

    pub fn take(&mut self) -> Option<UndoStep> {
        self.steps.pop()
    }
}

#[must_use]
pub fn is_change(done: &CompletedOrder) -> bool {
    *done != CompletedOrder::MissionCleared(false)
}
