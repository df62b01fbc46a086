//! Attaching: the terminal of another process (`zoea attach`), on the control interface.
//!
//! The service draws and the visitor shows (decision 0080): each attached terminal has a Ui of its
//! own beside the Commander, its pictures are painted here when the visitor asks for one, and what
//! has changed since the last one goes over. Keys come back. A visitor that does not ask costs one
//! picture that waits; one that is gone for [`terminals::IDLE_TIMEOUT`] is forgotten.

pub mod client;
pub mod frame;
pub mod terminals;

mod remote_screen;
mod terminal;
