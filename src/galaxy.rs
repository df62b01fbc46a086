//! The galaxy: a simulated SpaceMolt MCP server, for offline play and for tests.

mod tools;
pub mod world;
