//! Attached terminals: `zoea attach` shows the screen in the terminal of another process, over the
//! control interface.
//!
//! The service draws and the client shows (decision 0080). Each attached terminal has its own Ui
//! actor beside the Commander. The service draws a picture when the client asks for a frame, and
//! sends what has changed since the last one. The client sends keys. A client that does not ask
//! costs one waiting picture. One that has not asked for [`terminals::IDLE_TIMEOUT`] is detached.

pub mod client;
pub mod frame;
pub mod terminals;

mod remote_screen;
mod terminal;
