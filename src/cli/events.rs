//! `zoea events`: what happened in the swarm, and who ordered what.

use clap::Args;
use zoea_settings::Environment;

use crate::cli::global::GlobalArgs;
use crate::cli::out;
use crate::cli::shown;
use crate::cli::swarm_client::SwarmClient;
use crate::control::call::ControlCall;
use crate::control::parameters::ReadEvents;

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
    let client = SwarmClient::open(global, environment).await?;
    let events = client
        .call(ControlCall::ReadEvents(args.asked.clone()))
        .await;
    client.close().await;
    for event in events?.as_array().into_iter().flatten() {
        if args.json {
            out::json(event)?;
            continue;
        }
        let text = |key: &str| event[key].as_str().unwrap_or("-");
        let by = event["source"]
            .as_str()
            .map(|source| format!(" (by {})", source.replace('_', " ")));
        let one_line = |key: &str| out::shorten(text(key), usize::MAX - 1);
        out::line(&format!(
            "{}  {:<14}  {:<10}  {}{}",
            shown::time(text("at")),
            text("code"),
            one_line("mysis"),
            one_line("text"),
            by.unwrap_or_default()
        ))?;
    }
    Ok(())
}
