//! The machine and the operator's choices on it: the home directory, settings, files, clocks, texts.

pub mod child_guard;
pub mod home;
