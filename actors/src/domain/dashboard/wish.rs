//! Wishes: what the dashboard wants done by others.

use crate::domain::order::Order;
use crate::domain::reading::Page;

use super::transcript::pages::Stamp;

/// Names an order that the operator gave; its answer comes back under it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OrderId(pub u64);

/// Something to be done, in the order in which it was wished.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// Give this order.
    Order {
        /// The answer comes back under it.
        id: OrderId,
        /// The order.
        order: Order,
    },
    /// Read a piece of a conversation.
    Load {
        /// The answer comes back under it.
        stamp: Stamp,
        /// Which piece.
        page: Page,
    },
    /// The terminal is to do something.
    Act(Act),
    /// The program is to close.
    Quit,
}

/// What only a terminal can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Go to the background, as with any other program of the shell.
    Suspend,
    /// Draw everything anew.
    Redraw,
}
