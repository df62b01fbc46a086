//! The command line: what can be asked for, and which command answers it.

pub mod galaxy;
pub mod pilot;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// A terminal command center for swarms of autonomous LLM agents.
#[derive(Debug, Parser)]
#[command(name = "zoea", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the simulated SpaceMolt MCP server alone, on /mcp.
    Galaxy(galaxy::GalaxyArgs),
    /// Serve the simulated model server alone, on /v1.
    Pilot(pilot::PilotArgs),
}

/// Runs the command line and answers with the exit status.
#[must_use]
#[expect(
    clippy::print_stderr,
    reason = "the one place where a command's failure reaches the person who typed it"
)]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        match cli.command {
            Command::Galaxy(args) => galaxy::run(args).await,
            Command::Pilot(args) => pilot::run(args).await,
        }
    })
}
