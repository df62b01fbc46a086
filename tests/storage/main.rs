//! Storage: databases of older versions and of other programs, exports, accounts, and no secret in
//! any of them; all through the real program.

mod accounts;
mod exporting;
mod golden;
mod hostile;
mod importing;
mod leaks;
mod migrating;
mod parrot;
mod registering;
mod screen;
mod searching;
mod secrets;
mod spoilt;
