//! The whole program, run as its users run it: real processes, real files, real sockets.

mod command_line;
mod control;
mod flight;
mod rig;
mod start;
mod tidy;
