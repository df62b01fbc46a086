//! The galaxy: a simulated SpaceMolt MCP server, for offline play and for tests.

pub mod desk;
mod journal;
pub mod limits;
mod tools;
pub mod world;
