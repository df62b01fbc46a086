//! The whole program as its users run it: real processes, real files, real sockets.

mod circles;
mod command_line;
mod contract;
mod control;
mod db;
mod dependencies;
mod flight;
mod game_load;
mod listeners;
mod listing;
mod module_tree;
mod on_a_server;
mod prompting;
mod proving;
mod readiness;
mod receiver;
mod recording;
mod references;
mod reporting;
mod revival;
mod setup;
mod silence;
mod start;
mod tidy;
mod watching;
mod worst;
