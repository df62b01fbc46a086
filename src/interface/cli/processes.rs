//! `zoea processes`: the processes that share one database, and draining one.

use clap::{Args, Subcommand};
use serde::Deserialize;
use zoea_contract::ProcessJson;
use zoea_settings::Environment;
use zoea_text::figures::group_digits;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out::{self, Column, Table};
use crate::interface::cli::shown;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;

/// The options of `zoea processes`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ProcessesArgs {
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    order: Option<ProcessOrder>,
}

/// An order to a process.
#[derive(Debug, Subcommand)]
pub enum ProcessOrder {
    /// Let a process give its Myses to the others and take none, until it ends.
    Drain {
        /// The name of the process.
        name: String,
    },
    /// Let a process take Myses again.
    Undrain {
        /// The name of the process.
        name: String,
    },
}

pub(super) async fn run(
    args: &ProcessesArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let client = SwarmClient::open(global, environment).await?;
    let done = carry_out(&client, args).await;
    client.close().await;
    done
}

async fn carry_out(client: &SwarmClient, args: &ProcessesArgs) -> anyhow::Result<()> {
    match &args.order {
        None => list_processes(client, args.json).await,
        Some(ProcessOrder::Drain { name }) => {
            let name = name.clone();
            let line = format!("{name} gives its Myses to the others and takes none");
            client.call(ControlCall::DrainProcess { name }).await?;
            Ok(out::line(&line)?)
        }
        Some(ProcessOrder::Undrain { name }) => {
            let name = name.clone();
            let line = format!("{name} takes Myses again");
            client.call(ControlCall::UndrainProcess { name }).await?;
            Ok(out::line(&line)?)
        }
    }
}

async fn list_processes(client: &SwarmClient, as_json: bool) -> anyhow::Result<()> {
    let processes = client.call(ControlCall::ListProcesses {}).await?;
    if as_json {
        return Ok(out::json(&processes)?);
    }
    let processes: Vec<ProcessJson<'_>> = Vec::deserialize(processes)?;
    if processes.is_empty() {
        out::note("no other process has used this database for a day");
    }
    let mut table = Table::new(&[
        Column::text("NAME"),
        Column::text("STATE"),
        Column::figure("MYSES"),
        Column::figure("RUNNING"),
        Column::figure("CAPACITY"),
        Column::text("SINCE"),
        Column::text("LAST SEEN"),
        Column::text("VERSION"),
        Column::text("HOST"),
        Column::text("DIRECTORY"),
    ]);
    for process in &processes {
        table.add(row_of(process));
    }
    Ok(table.print()?)
}

fn row_of(process: &ProcessJson<'_>) -> Vec<String> {
    let here = if process.here { " (this one)" } else { "" };
    let heard = process.until.as_deref();
    vec![
        format!("{}{here}", process.name),
        process.state.to_string(),
        group_digits(process.myses),
        group_digits(process.running),
        group_digits(process.capacity),
        shown::time(&process.since),
        heard.map_or_else(|| "now".to_string(), shown::time),
        process.version.to_string(),
        process.host.to_string(),
        process.directory.to_string(),
    ]
}
