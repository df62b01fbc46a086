//! The commands of the simulators: the game and the model as servers of their own, and a swarm on simulated time.

mod galaxy;
mod pilot;
mod simulate;

use std::path::Path;

use clap::Subcommand;
use zoea_grammar::incident::Incident;
use zoea_system::files;

/// The most bytes that are read of an incident. One that was written by hand may be larger than ours.
const MAX_READ_BYTES: u64 = 1 << 20;

#[derive(Debug, Subcommand)]
pub(super) enum SimulatorCommand {
    /// Serve the simulated SpaceMolt MCP server alone, on /mcp.
    Galaxy(galaxy::GalaxyArgs),
    /// Serve the simulated model server alone, on /v1.
    Pilot(pilot::PilotArgs),
    /// Run a swarm on simulated time with injected faults, and print the verdict.
    Simulate(simulate::SimulateArgs),
}

pub(super) async fn run(command: SimulatorCommand) -> anyhow::Result<()> {
    match command {
        SimulatorCommand::Galaxy(args) => galaxy::run(args).await,
        SimulatorCommand::Pilot(args) => pilot::run(args).await,
        // The simulation has its own runtime with a simulated clock.
        SimulatorCommand::Simulate(args) => {
            tokio::task::spawn_blocking(move || simulate::run(&args)).await?
        }
    }
}

/// Reads the file of an incident.
fn read_incident(file: &str) -> Result<Incident, String> {
    let text = files::read_text(Path::new(file), MAX_READ_BYTES);
    let text = text.map_err(|error| format!("{file}: {error}"))?;
    Incident::parse(&text).map_err(|wrong| format!("{file}: {wrong}"))
}
