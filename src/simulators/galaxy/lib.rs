//! The galaxy: a simulated SpaceMolt MCP server, for offline play and for tests.
//!
//! `world` is the game, pure and deterministic. `frontend` adds sessions, limits and records, still
//! pure. `server` serves both over HTTP, `journal` stores them, and `fault` injects faults.

pub mod fault;
pub mod frontend;
mod grouped;
mod journal;
pub mod limits;
mod options;
mod server;
mod tools;
pub mod world;

pub use self::{
    options::{
        AccessRules, GalaxyClock, GalaxyOptions, LinkRules, StatelessRules, TickPace,
        UnknownSession,
    },
    server::{Galaxy, Traffic, serve},
};

/// Every tool of the game: its name, its description, its schema, and whether it only reads.
pub fn tool_table() -> impl Iterator<Item = (&'static str, &'static str, String, bool)> {
    tools::all().iter().map(|tool| {
        let schema = serde_json::Value::Object(tool.input_schema.clone()).to_string();
        (
            tool.name.as_str(),
            tool.description.as_str(),
            schema,
            tool.read_only,
        )
    })
}
