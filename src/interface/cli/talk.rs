//! `zoea send`, `broadcast`, `mission` and `note`: orders and notes for Myses.

use actors::domain::bounds::estimated_tokens;
use actors::domain::progress::suggests_no_gain;
use clap::{Args, Subcommand};
use serde_json::Value;
use zoea_settings::Environment;
use zoea_text::names::listed;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::cli::{out, shown};
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::{BroadcastMission, SendMessage};

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
    let client = SwarmClient::open(global, environment).await?;
    let when = delivery_note(&client);
    let sent = client.call(ControlCall::SendMessage(args.clone())).await;
    client.close().await;
    let sent = sent?;
    let (name, seq) = (&args.name, &sent["seq"]);
    match passed_note(&sent) {
        Some(passed) => out::line(&format!("{passed}: {name}"))?,
        None => out::line(&format!("stored for {name} as {seq}{when}"))?,
    }
    suggest_no_gain(&args.text, args.no_gain)
}

/// The options of `zoea broadcast`.
#[derive(Debug, Args)]
pub struct BroadcastArgs {
    #[command(flatten)]
    asked: BroadcastMission,
    /// Print whom the mission would reach, and give it to nobody.
    #[arg(long)]
    dry_run: bool,
}

pub(super) async fn broadcast_mission(
    args: &BroadcastArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let client = SwarmClient::open(global, environment).await?;
    if args.dry_run {
        let myses = client.call(ControlCall::all_myses()).await;
        client.close().await;
        return tell_addressees(&myses?);
    }
    let args = &args.asked;
    let when = delivery_note(&client);
    let before = client.call(ControlCall::all_myses()).await?;
    let sent = client.call(ControlCall::Broadcast(args.clone())).await;
    let is_running = client.is_running();
    client.close().await;
    let sent = sent?;
    let delivered = join_names(&sent["delivered"]);
    out::line(&format!("the mission stands{when}; it reached {delivered}"))?;
    let woken = idle_names(&before);
    if is_running && woken.as_array().is_some_and(|woken| !woken.is_empty()) {
        out::line(&format!("it wakes {}", join_names(&woken)))?;
    }
    if let Some(others) = sent["elsewhere"].as_array() {
        let count = others.len();
        out::line(&format!(
            "other processes give it to {count} more within seconds"
        ))?;
    }
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

/// The names of those that are idle.
fn idle_names(myses: &Value) -> Value {
    let myses = myses.as_array().into_iter().flatten();
    let idle = myses.filter(|mysis| mysis["state"] == "idle");
    idle.map(|mysis| mysis["name"].clone()).collect()
}

/// Tells whom a mission would reach: those in errors inherit it when they run again.
fn tell_addressees(myses: &Value) -> anyhow::Result<()> {
    let (mut reached, mut missed) = (Vec::new(), Vec::new());
    for mysis in myses.as_array().into_iter().flatten() {
        let name = mysis["name"].clone();
        match mysis["state"] == "errored" {
            true => missed.push(name),
            false => reached.push(name),
        }
    }
    let reached = join_names(&reached.into());
    out::line(&format!("the mission would reach {reached}"))?;
    let woken = idle_names(myses);
    if woken.as_array().is_some_and(|woken| !woken.is_empty()) {
        out::line(&format!("it would wake {}", join_names(&woken)))?;
    }
    if !missed.is_empty() {
        let missed = join_names(&missed.into());
        out::line(&format!(
            "it would not reach {missed} (they inherit it when they run again)"
        ))?;
    }
    Ok(())
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

/// What is said of an order that waits for the process that runs its Mysis.
pub(super) fn passed_note(answer: &Value) -> Option<String> {
    let process = answer["passed"].as_str()?;
    let process = out::clean(process);
    Some(format!("stored, and carried out once {process} can"))
}

/// What to add when no program runs that could carry the order out.
pub(super) fn delivery_note(client: &SwarmClient) -> &'static str {
    if client.is_running() {
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
    listed(&names)
}

pub(super) async fn mission(
    command: &MissionCommand,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let client = SwarmClient::open(global, environment).await?;
    let answer = match command {
        MissionCommand::Show => client.call(ControlCall::GetMission {}).await,
        MissionCommand::Clear => client.call(ControlCall::ClearMission {}).await,
    };
    client.close().await;
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
    let client = SwarmClient::open(global, environment).await?;
    let name = args.name.clone();
    let answer = client.call(match args.text.clone() {
        Some(text) => ControlCall::AddNote { name, text },
        None => ControlCall::ClearNotes { name },
    });
    let answer = answer.await;
    client.close().await;
    let name = &args.name;
    let seq = answer?["seq"].clone();
    Ok(out::line(&match &args.text {
        Some(text) => {
            let bytes = u64::try_from(text.trim().len()).unwrap_or(u64::MAX);
            let tokens = shown::figure(&estimated_tokens(bytes).into());
            format!("noted for {name} as {seq}; it adds about {tokens} tokens to every request")
        }
        None => format!("the notes of {name} are cleared"),
    })?)
}
