//! Commands that change the world at once, without taking a tick.

pub(super) mod chat;
pub(super) mod log;
pub(super) mod missions;
pub(super) mod profile;
