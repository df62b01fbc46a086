//! What the operator chose about the views, which the next run gets back: columns, order, filter, panel.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What the operator chose about the views. Everything stands by words, so that another version of the
/// program, which may not know all of them, reads the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ViewChoices {
    /// The columns of the table; `None`: those that fit.
    pub columns: Option<Vec<Arc<str>>>,
    /// The column that the table is sorted by; `None`: by need.
    pub sort: Option<Arc<str>>,
    pub reversed: bool,
    /// What the table is grouped by; `None`: without groups.
    pub group: Option<Arc<str>>,
    pub filter: Arc<str>,
    /// The only state that is shown.
    pub state: Option<Arc<str>>,
    /// Whether the panel beside a conversation is shown; `None`: when there is room.
    pub panel: Option<Arc<str>>,
    /// When the operator was there last, in milliseconds, to the minute.
    pub looked: Option<i64>,
}
