//! The two ways in which a server is spoken to: with sessions, which `initialize` opens (revisions up
//! to 2025-11-25), or without (2026-07-28). Which one it is is remembered for the endpoint.

use std::sync::{Mutex, PoisonError};

/// The way in which a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// With a session, which `initialize` opens: the revisions up to 2025-11-25.
    Sessions,
    /// Without sessions: each request says everything. The revision 2026-07-28.
    Stateless,
}

/// What is known of a server. All sessions with it share this.
#[derive(Debug, Default)]
pub(super) struct EraMemory(Mutex<Option<Era>>);

impl EraMemory {
    pub(super) fn of(era: Era) -> EraMemory {
        EraMemory(Mutex::new(Some(era)))
    }

    pub(super) fn known(&self) -> Option<Era> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set(&self, era: Option<Era>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = era;
    }
}
