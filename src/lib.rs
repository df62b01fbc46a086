//! The adapters of zoea: all code that knows HTTP, MCP, SQL, a terminal or a path.
//!
//! The swarm itself is the `actors` crate; `docs/ARCHITECTURE.md` is the map.

pub mod accounts;
pub mod alerts;
pub mod attach;
pub mod child_guard;
pub mod cli;
pub mod control;
pub mod headless;
pub mod health;
pub mod home;
pub mod logging;
pub mod metrics;
pub mod observation;
pub mod operator;
pub mod readiness;
pub mod report;
pub mod serving;
pub mod setup;
mod standstill;
pub mod swarm;
pub mod traces;
pub mod wiring;
