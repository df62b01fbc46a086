//! Reading: what can be asked of what is stored.

use std::sync::Arc;

use super::ids::{MysisId, Seq};
use super::message::{Kind, Row};

/// Which piece of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Whose.
    pub mysis: MysisId,
    /// Which end, and from where.
    pub from: PageFrom,
    /// At most so many rows.
    pub limit: usize,
    /// Only rows of these kinds; empty: of every kind.
    pub kinds: Vec<Kind>,
}

/// Where a piece of a conversation begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFrom {
    /// The newest rows.
    Newest,
    /// The newest rows before this one.
    Before(Seq),
    /// The oldest rows after this one.
    After(Seq),
}

/// What to look for, literally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// The text; `%` and `_` mean themselves.
    pub text: String,
    /// Whose rows; absent: everybody's.
    pub mysis: Option<MysisId>,
    /// Where.
    pub within: SearchIn,
    /// Whether capital letters matter.
    pub case_sensitive: bool,
    /// Whether only rows count that may be sent to a model: what a Mysis finds, its model reads.
    pub sendable_only: bool,
    /// At most so many.
    pub limit: usize,
}

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchIn {
    /// What was said: every row but missions.
    Messages,
    /// What the model thought.
    Reasoning,
    /// The operator's missions.
    Missions,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Whose row, and the row; the oldest first.
    pub rows: Vec<(MysisId, Arc<Row>)>,
    /// Where nothing was found and capital letters mattered: how many there are if they do not.
    pub ignoring_case: usize,
}
