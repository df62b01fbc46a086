//! What a pilot can be told when it is started.

use std::path::PathBuf;
use std::time::Duration;

use super::faults::PilotFault;
use super::player::Habits;
use super::validate::Strictness;

/// The settings of a pilot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PilotOptions {
    /// How it plays; the seed in it also decides when faults strike.
    pub habits: Habits,
    /// How long it pretends to think.
    pub latency: Duration,
    /// What goes wrong.
    pub faults: Vec<PilotFault>,
    /// What it demands of requests.
    pub strictness: Strictness,
    /// The key that callers must show, if any.
    pub api_key: Option<String>,
    /// Where a line is written for each request.
    pub record: Option<PathBuf>,
    /// Whether the lines hold the request bodies, too.
    pub keeps_bodies: bool,
}
