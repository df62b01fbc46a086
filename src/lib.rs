//! The outside of zoea: everything that knows HTTP, MCP, SQL, a terminal or a path.
//!
//! The swarm itself is the `actors` crate; `docs/ARCHITECTURE.md` is the map.

pub mod accounts;
pub mod alerts;
pub mod attach;
pub mod cli;
pub mod clock;
pub mod contract;
pub mod control;
pub mod descriptors;
pub mod export;
pub mod files;
pub mod headless;
pub mod home;
pub mod http;
pub mod import;
pub mod ledger;
pub mod listener;
pub mod logging;
pub mod mcp;
pub mod metrics;
pub mod operator;
mod out;
pub mod provider;
pub mod readiness;
pub mod report;
pub mod serving;
pub mod settings;
pub mod swarm;
pub mod toolbox;
pub mod traces;
pub mod tui;
pub mod wiring;

pub mod galaxy;
pub mod pilot;
pub mod simulation;
