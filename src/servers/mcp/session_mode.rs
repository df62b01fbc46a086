//! The two ways in which a server is spoken to: with sessions, which `initialize` opens (revisions up
//! to 2025-11-25), or without (2026-07-28). Which one it is is remembered for the endpoint.

use parking_lot::Mutex;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionMode {
    /// With a session, which `initialize` opens: the revisions up to 2025-11-25.
    Sessions,
    /// Without sessions: each request says everything. The revision 2026-07-28.
    Stateless,
}

/// What is known of a server. All sessions with it share this.
#[derive(Debug, Default)]
pub(super) struct KnownMode(Mutex<Option<SessionMode>>);

impl KnownMode {
    pub(super) fn of(mode: SessionMode) -> KnownMode {
        KnownMode(Mutex::new(Some(mode)))
    }

    pub(super) fn known(&self) -> Option<SessionMode> {
        *self.0.lock()
    }

    pub(super) fn set(&self, mode: Option<SessionMode>) {
        *self.0.lock() = mode;
    }
}
