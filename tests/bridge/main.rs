//! The real program in a real terminal, operated by keys and read from the screen.

mod attaching;
mod operating;
mod readme;
mod reloading;
#[path = "../suite/rig.rs"]
#[expect(dead_code, reason = "other tests use the rest of it")]
mod rig;
mod storm;
mod terminal;
