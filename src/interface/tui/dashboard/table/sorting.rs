//! The order of the table.

use std::cmp::Ordering;

use actors::domain::event::MysisStatus;
use actors::domain::ids::Timestamp;
use actors::domain::outages::ServerOutages;
use zoea_text::natural::compare_natural;

use super::columns::{Column, ColumnOrder};

/// A column, and which end of it comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sorting {
    pub by: Column,
    /// If not, the useful end comes first: `a`, the errored, the most, the newest.
    pub is_reversed: bool,
}

impl Sorting {
    /// Sorts by a column. The same column again reverses the direction.
    #[must_use]
    pub fn with_column(self, by: Column) -> Sorting {
        if self.by == by {
            return self.reverse();
        }
        Sorting {
            by,
            is_reversed: false,
        }
    }

    #[must_use]
    pub fn reverse(self) -> Sorting {
        Sorting {
            is_reversed: !self.is_reversed,
            ..self
        }
    }

    /// The rank of a Mysis in the orders that need more than a comparison: by need, by state and by what it earned.
    pub fn rank(self, status: &MysisStatus, now: Timestamp, outages: &ServerOutages) -> i64 {
        match self.by.order() {
            ColumnOrder::Rank(rank) => rank(status, now, outages),
            ColumnOrder::Compare(_) => 0,
        }
    }

    pub fn compare_ranked(self, a: (i64, &MysisStatus), b: (i64, &MysisStatus)) -> Ordering {
        let ((a_rank, a), (b_rank, b)) = (a, b);
        let order = match self.by.order() {
            ColumnOrder::Compare(compare) => compare(a, b),
            ColumnOrder::Rank(_) => a_rank.cmp(&b_rank),
        };
        let order = match self.is_reversed {
            true => order.reverse(),
            false => order,
        };
        order
            .then_with(|| compare_natural(&a.name, &b.name))
            .then_with(|| a.id.cmp(&b.id))
    }
}
