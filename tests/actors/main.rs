//! Deaths of actors, one by one and in every way, while calls are under way and orders come in: the
//! notices, the relaunches, and that nothing is lost.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing there has failed"
)]

mod deaths;
mod outside;
mod relaunching;
mod silence;
mod world;
