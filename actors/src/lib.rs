//! The inside of zoea: the swarm itself.
//!
//! Nothing here knows HTTP, MCP, SQL, terminals or paths. `docs/ARCHITECTURE.md` is the map.

pub use zoea_domain as domain;

pub mod ports;

mod address;
pub mod calls;
pub mod commander;
pub mod fleet;
pub mod freeze;
pub mod gate;
mod in_order;
pub mod listener;
pub mod mysis;
pub mod reply;
pub mod secrets;
pub mod session;
pub mod shared;
pub mod store;
pub mod telling;
mod timer;
pub mod ui;
