//! `zoea incident`: the newest exchanges with servers that failed.

use std::fs;

use anyhow::{Context, bail};
use clap::Subcommand;
use serde_json::Value;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::{out, shown};

/// The orders about incidents.
#[derive(Debug, Subcommand)]
pub enum IncidentCommand {
    /// Print the newest one, as a file that `zoea pilot --replay` or `zoea galaxy --replay` serves.
    Last,
    /// List them, newest first.
    List,
}

pub(super) fn run(command: &IncidentCommand, global: &GlobalArgs) -> anyhow::Result<()> {
    let home = global.open_swarm_home()?;
    let files = home.incidents().context("read the incidents")?;
    match command {
        IncidentCommand::Last => {
            let Some(newest) = files.last() else {
                bail!("no failed call of this home has a server's answer");
            };
            let text = fs::read_to_string(newest);
            let text = text.with_context(|| format!("read {}", newest.display()))?;
            Ok(out::line(text.trim_end())?)
        }
        IncidentCommand::List => {
            for file in files.iter().rev() {
                let text = fs::read_to_string(file).unwrap_or_default();
                let incident: Value = serde_json::from_str(&text).unwrap_or_default();
                let word = |name: &str| incident[name].as_str().unwrap_or_default().to_string();
                let (at, kind, server) = (shown::time(&word("at")), word("kind"), word("server"));
                let failure = word("failure");
                out::line(&format!("{at}  {kind}  {server}  {failure}"))?;
                out::line(&format!("    {}", file.display()))?;
            }
            Ok(())
        }
    }
}
