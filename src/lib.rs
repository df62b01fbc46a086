//! The adapters of zoea: all code that knows HTTP, MCP, SQL, a terminal or a path.
//!
//! The swarm itself is the `actors` crate; `docs/ARCHITECTURE.md` is the map.

pub mod host;
pub mod interface;
pub mod storage;
pub mod telemetry;
pub mod wiring;
