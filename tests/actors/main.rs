//! Actors die, one by one and in every way there is, while calls are under way and orders come in:
//! what is told, what comes back, and that nothing is lost.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing there has failed"
)]

mod deaths;
mod outside;
mod relaunching;
mod world;
