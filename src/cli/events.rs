//! `zoea events`: what happened in the swarm, and who ordered what.

use clap::Args;

use crate::cli::global::GlobalArgs;
use crate::cli::out;
use crate::cli::swarm_client::SwarmClient;
use crate::control::call::ControlCall;
use crate::control::parameters::ReadEvents;
use crate::settings::Environment;

/// The options of `zoea events`.
#[derive(Debug, Args)]
pub struct EventsArgs {
    #[command(flatten)]
    asked: ReadEvents,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(
    args: &EventsArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let door = SwarmClient::open(global, environment).await?;
    let events = door.call(ControlCall::ReadEvents(args.asked.clone())).await;
    door.close().await;
    for event in events?.as_array().into_iter().flatten() {
        if args.json {
            out::json(event)?;
            continue;
        }
        let text = |key: &str| event[key].as_str().unwrap_or("-");
        let by = event["source"]
            .as_str()
            .map(|source| format!(" (by {})", source.replace('_', " ")));
        let line = format!(
            "{}  {}  {}  {}{}",
            text("at"),
            text("code"),
            text("mysis"),
            text("text"),
            by.unwrap_or_default()
        );
        out::line(&out::shorten(&line, usize::MAX - 1))?;
    }
    Ok(())
}
