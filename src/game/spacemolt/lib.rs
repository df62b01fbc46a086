//! What is known of SpaceMolt's two MCP interfaces: which call of the second means which command of
//! the first, and how results of both are read.
//!
//! The first interface has a tool for each command (`mine`). The second has few tools with many
//! actions each (`spacemolt` with `action` = `mine`). Everything that treats commands differently
//! goes by the first interface's names, and everything that reads results by its fields, so this
//! package is the only place that knows both.

mod adapter;
pub mod basics;
#[cfg(test)]
mod captured;
pub mod commands;
mod dashboard;
mod reading;
pub mod results;
mod ship;
mod standing;
pub mod systems;
mod wording;

pub use adapter::{SpaceMolt, has_listed};
pub use reading::ResultFacts;

/// The tools of the second interface, put together from what clients and the HTTP specification
/// show, in the form of an answer to `tools/list`. Members that begin with `x_` are notes.
pub const GROUPED_TOOLS: &str = include_str!("tools-v2.json");

/// Results of the second interface as clients captured them, for tests.
pub const CAPTURED_RESULTS: &str = include_str!("results-v2.json");

/// One result of the first interface for each of its common tools, with the arguments. They are
/// composed, valid by the server's own schemas, and for tests.
pub const EXAMPLE_RESULTS: &str = include_str!("results-v1.json");
