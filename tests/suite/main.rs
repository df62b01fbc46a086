//! The whole program, run as its users run it: real processes, real files, real sockets.

mod citizen;
mod command_line;
mod contract;
mod control;
mod db;
mod dependencies;
mod doors;
mod flight;
mod listing;
mod on_a_server;
#[expect(dead_code, reason = "other tests use the rest of it")]
mod postgres;
mod prompting;
mod readiness;
mod receiver;
mod recording;
mod references;
mod reporting;
mod revival;
#[expect(dead_code, reason = "other tests use the rest of it")]
mod rig;
mod start;
mod tidy;
mod watching;
mod worst;
