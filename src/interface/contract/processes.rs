//! The processes that share a database.

use std::borrow::Cow;

use actors::domain::fleet_process::FleetProcess;
use serde::{Deserialize, Serialize};

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ProcessJson<'a> {
    pub name: Cow<'a, str>,
    /// The machine.
    pub host: Cow<'a, str>,
    /// Its home there.
    pub directory: Cow<'a, str>,
    pub version: Cow<'a, str>,
    pub state: Cow<'a, str>,
    pub here: bool,
    /// How many Myses it can run.
    pub capacity: u64,
    pub myses: u64,
    pub running: u64,
    pub since: String,
    /// When it was heard of last, if it is gone.
    pub until: Option<String>,
}

impl<'a> From<&'a FleetProcess> for ProcessJson<'a> {
    fn from(process: &'a FleetProcess) -> Self {
        ProcessJson {
            name: process.name.as_ref().into(),
            host: process.host.as_ref().into(),
            directory: process.directory.as_ref().into(),
            version: process.version.as_ref().into(),
            state: process.state.as_str().into(),
            here: process.is_here,
            capacity: process.capacity,
            myses: process.myses,
            running: process.running,
            since: process.since.to_string(),
            until: process.until.map(|at| at.to_string()),
        }
    }
}
