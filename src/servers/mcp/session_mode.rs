//! The two ways in which a server is spoken to: with sessions, which `initialize` opens (revisions up
//! to 2025-11-25), or without (2026-07-28). Which one it is is remembered for the endpoint.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionMode {
    /// With a session, which `initialize` opens: the revisions up to 2025-11-25.
    Sessions,
    /// Without sessions: each request says everything. The revision 2026-07-28.
    Stateless,
}
