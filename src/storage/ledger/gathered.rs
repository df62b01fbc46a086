//! Statements that a transaction executes together.
//!
//! A connection to a file lives on a thread of its own. Each execution wakes that thread and is woken
//! by it, which costs more than most statements do; several in one text cost that once. The driver
//! keeps what it prepared by the whole text, so each batch of writes is a text of its own: the writes
//! of turns have few shapes.

use sea_orm::{Statement, Value};

#[derive(Default)]
pub(super) struct GatheredStatements {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
    /// Of each: whether it fails where it changes nothing.
    pub(super) must_change: Vec<bool>,
}

impl GatheredStatements {
    pub(super) fn add(&mut self, statement: Statement, must_change: bool) {
        if !self.sql.is_empty() {
            self.sql.push_str("; ");
        }
        self.sql.push_str(&statement.sql);
        let values = statement.values.map(|values| values.0);
        self.values.extend(values.into_iter().flatten());
        self.must_change.push(must_change);
    }

    pub(super) fn count(&self) -> usize {
        self.must_change.len()
    }
}
