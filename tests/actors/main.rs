//! Deaths of actors, one by one and in every way, while calls are under way and orders come in: the
//! notices, the relaunches, and that nothing is lost. Also calls that the game works on as tasks.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing there has failed"
)]

mod access;
mod deaths;
mod fleet;
mod freezing;
mod gathering;
mod lights;
mod neighbours;
mod outside;
mod passing;
mod relaunching;
mod resting;
mod shapes;
mod silence;
mod tasks;
mod waits;
mod world;
