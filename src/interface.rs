//! What people and other programs command the swarm by and see it with: the command line, the terminal, the control interface, the report, and the JSON of the contract.

pub mod attach;
pub mod cli;
pub mod control;
pub mod headless;
mod input_history;
pub mod report;
pub mod serving;
pub mod setup;
pub mod swarm;
