//! The terminal: what it shows, what it does, and how it survives.

mod operator;
mod properties;
mod snapshots;
mod supervision;
mod swarm;
