//! Elsewhere: by which words a filter finds a column, and where else its value is told.

use actors::domain::event::MysisStatus;

use super::Column;
use crate::dashboard::table::seen_state::SeenState;

/// The words of a column for the filter.
pub(super) type FilterWords = for<'a> fn(&'a MysisStatus, SeenState) -> [Option<&'a str>; 3];

/// What becomes of a column outside the table.
#[derive(Clone, Copy, Debug)]
pub struct Elsewhere {
    /// By which words a filter finds it, or why by none.
    pub filter: Result<FilterWords, &'static str>,
    /// The member of `zoea mysis list --json`.
    pub export: Naming,
    pub metric: Naming,
    /// The head of the column in the report's table of Myses.
    pub report: Naming,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    As(&'static str),
    /// It does not; the reason.
    Not(&'static str),
}

impl Naming {
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Naming::As(name) => Some(name),
            Naming::Not(_) => None,
        }
    }
}

/// The filter, the export, the metric and the report of a column.
pub(super) const fn named(
    filter: Result<FilterWords, &'static str>,
    export: Naming,
    metric: Naming,
    report: Naming,
) -> Elsewhere {
    Elsewhere {
        filter,
        export,
        metric,
        report,
    }
}

impl Column {
    /// Whether only a game tells what it shows.
    #[must_use]
    pub fn is_of_game(self) -> bool {
        use Column::{Cargo, Credits, Earned, Fuel, Place, Value};
        matches!(self, Place | Credits | Earned | Cargo | Fuel | Value)
    }
}

pub(super) const A_MARK: &str = "it is a mark";
pub(super) const A_NUMBER: &str = "a filter looks for words";
pub(super) const A_SUM: &str = "it follows from other values there";
pub(super) const A_WORD: &str = "a metric is a number";
pub(super) const LABEL: &str = "it is a label of the metrics";
pub(super) const OF_NOW: &str = "it is of now, and not of a period";
pub(super) const OWN_TABLE: &str = "the report has a table of it";
pub(super) const OWN_VIEW: &str = "it has a form of its own";
