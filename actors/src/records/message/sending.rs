//! Which rows may be sent to the model.

use std::sync::Arc;

use super::{Row, RowBody, RowKind, repeats_bridge};

impl Row {
    /// Whether the row may be sent to the model. A reply that is empty, or that only repeats the
    /// bridge, is not sent: it answers nothing, and would teach the model to say it again. A step of a
    /// routine is not sent either; the model is told of the whole run.
    pub fn is_sendable(&self) -> bool {
        if self.routine().is_some() {
            return false;
        }
        if let RowBody::Reply(utterance) = &self.body {
            return !utterance.text.trim().is_empty() && !repeats_bridge(&utterance.text);
        }
        self.kind().is_some_and(RowKind::is_sendable)
    }

    /// The routine that made the calls of a call row; `None` if the model did.
    pub fn routine(&self) -> Option<&Arc<str>> {
        self.calls().first()?.routine.as_ref()
    }
}
