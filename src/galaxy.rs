//! The galaxy: a simulated SpaceMolt MCP server, for offline play and for tests.
//!
//! `world` is the game, pure and deterministic; `desk` adds sessions, limits and records, still pure;
//! `server` puts both behind HTTP, `journal` keeps them, `fault` spoils them on purpose.

pub mod desk;
pub mod fault;
mod journal;
pub mod limits;
mod options;
mod server;
mod tools;
pub mod world;

pub use self::{
    options::{Clock, GalaxyOptions, Pace, UnknownSession},
    server::{Galaxy, serve},
};
