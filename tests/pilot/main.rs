//! The pilot from outside: over real HTTP, and as a player of a small imitation of the game.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod faults;
mod game;
mod host;
mod incidents;
mod playing;
mod program;
mod recording;
mod refusing;
mod served;
mod serving;
mod streaming;
