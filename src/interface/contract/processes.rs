//! The processes that share a database.

use actors::domain::fleet_process::FleetProcess;
use serde::Serialize;

/// A process in `processes --json`.
#[derive(Debug, Serialize)]
pub struct ProcessJson<'a> {
    name: &'a str,
    host: &'a str,
    directory: &'a str,
    version: &'a str,
    state: &'static str,
    here: bool,
    capacity: u64,
    myses: u64,
    running: u64,
    since: String,
    until: Option<String>,
}

impl<'a> From<&'a FleetProcess> for ProcessJson<'a> {
    fn from(process: &'a FleetProcess) -> Self {
        ProcessJson {
            name: &process.name,
            host: &process.host,
            directory: &process.directory,
            version: &process.version,
            state: process.state.as_str(),
            here: process.is_here,
            capacity: process.capacity,
            myses: process.myses,
            running: process.running,
            since: process.since.to_string(),
            until: process.until.map(|at| at.to_string()),
        }
    }
}
