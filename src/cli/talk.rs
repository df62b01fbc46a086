//! `zoea send`, `broadcast`, `mission` and `note`: orders and notes for Myses.

use actors::domain::progress::suggests_no_gain;
use clap::{Args, Subcommand};
use serde_json::Value;

use crate::cli::global::GlobalArgs;
use crate::cli::out;
use crate::cli::swarm_client::SwarmClient;
use crate::control::call::ControlCall;
use crate::control::parameters::{BroadcastMission, SendMessage};
use crate::settings::Environment;

/// The orders about the mission.
#[derive(Debug, Subcommand)]
pub enum MissionCommand {
    /// Show the mission in force.
    Show,
    /// Clear the mission in force.
    Clear,
}

/// Persistent context for one Mysis.
#[derive(Debug, Args)]
pub struct NoteArgs {
    /// The name of the Mysis.
    name: String,
    /// The text that every request of the Mysis shows from now on.
    #[arg(required_unless_present = "clear", conflicts_with = "clear")]
    text: Option<String>,
    /// Clear the persistent context of the Mysis.
    #[arg(long)]
    clear: bool,
}

pub(super) async fn send_message(
    args: &SendMessage,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let door = SwarmClient::open(global, environment).await?;
    let when = delivery_note(&door);
    let sent = door.call(ControlCall::SendMessage(args.clone())).await;
    door.close().await;
    let seq = sent?["seq"].clone();
    let name = &args.name;
    out::line(&format!("stored for {name} as {seq}{when}"))?;
    suggest_no_gain(&args.text, args.no_gain)
}

pub(super) async fn broadcast_mission(
    args: &BroadcastMission,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let door = SwarmClient::open(global, environment).await?;
    let when = delivery_note(&door);
    let sent = door.call(ControlCall::Broadcast(args.clone())).await;
    door.close().await;
    let sent = sent?;
    let delivered = join_names(&sent["delivered"]);
    out::line(&format!("the mission stands{when}; it reached {delivered}"))?;
    if sent["missed"]
        .as_array()
        .is_some_and(|names| !names.is_empty())
    {
        let missed = join_names(&sent["missed"]);
        out::line(&format!(
            "it did not reach {missed} (they inherit it when they run again)"
        ))?;
    }
    suggest_no_gain(&args.text, args.no_gain)
}

/// If an order seems to ask for waiting, tells how to mark that it expects no gain.
fn suggest_no_gain(text: &str, is_said: bool) -> anyhow::Result<()> {
    let word = suggests_no_gain(text).filter(|_| !is_said);
    let Some(word) = word else {
        return Ok(());
    };
    Ok(out::line(&format!(
        "the watch on progress expects gains of this order; if \"{word}\" means otherwise, give it \
         again with --no-gain"
    ))?)
}

/// What to add when no program runs that could carry the order out.
fn delivery_note(door: &SwarmClient) -> &'static str {
    if door.is_running() {
        ""
    } else {
        " (no swarm is running here: it is kept for the next run)"
    }
}

fn join_names(names: &Value) -> String {
    let names: Vec<&str> = names
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if names.is_empty() {
        return "nobody".to_string();
    }
    names.join(", ")
}

pub(super) async fn mission(
    command: &MissionCommand,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let door = SwarmClient::open(global, environment).await?;
    let answer = match command {
        MissionCommand::Show => door.call(ControlCall::GetMission {}).await,
        MissionCommand::Clear => door.call(ControlCall::ClearMission {}).await,
    };
    door.close().await;
    let answer = answer?;
    let text = match command {
        MissionCommand::Show => answer["text"].as_str().map(str::to_string),
        MissionCommand::Clear => {
            (answer["cleared"] == true).then(|| "the mission is cleared".to_string())
        }
    };
    Ok(out::line(text.as_deref().unwrap_or("there is no mission"))?)
}

pub(super) async fn edit_notes(
    args: &NoteArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let door = SwarmClient::open(global, environment).await?;
    let name = args.name.clone();
    let answer = door.call(match args.text.clone() {
        Some(text) => ControlCall::AddNote { name, text },
        None => ControlCall::ClearNotes { name },
    });
    let answer = answer.await;
    door.close().await;
    let name = &args.name;
    let seq = answer?["seq"].clone();
    Ok(out::line(&match args.text {
        Some(_) => format!("noted for {name} as {seq}"),
        None => format!("the notes of {name} are cleared"),
    })?)
}
