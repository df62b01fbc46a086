//! `zoea mysis`: lists and changes the Myses of a swarm.

use actors::domain::event::is_interruption;
use actors::domain::order::OrderRefusal;
use actors::domain::selector::{Candidate, SelectorWord};
use actors::domain::state::LifeState;
use clap::{Args, Subcommand};
use serde_json::Value;

use crate::cli::global::GlobalArgs;
use crate::cli::out;
use crate::cli::question::{ask_to_agree, can_ask};
use crate::cli::swarm_client::SwarmClient;
use crate::control::call::ControlCall;
use crate::control::parameters::{ConfigureMysis, CreateMysis};
use crate::settings::Environment;

/// The orders about Myses.
#[derive(Debug, Subcommand)]
pub enum MysisCommand {
    /// List the Myses and their states.
    List {
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Create a Mysis. It is idle until it is started.
    Create(CreateMysis),
    /// Start Myses; errored ones are relaunched.
    Start(MysisSelector),
    /// Let Myses try again at once: errored ones, and those that wait for their next try.
    Retry(MysisSelector),
    /// Stop Myses.
    Stop(MysisSelector),
    /// Delete Myses, with their conversations.
    Delete {
        #[command(flatten)]
        which: MysisSelector,
        /// Do not ask for confirmation.
        #[arg(long)]
        yes: bool,
    },
    /// Change the settings of a Mysis.
    Configure(ConfigureMysis),
}

/// The Myses that an order is for.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct MysisSelector {
    /// The names of the Myses.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// All Myses.
    #[arg(long)]
    all: bool,
    /// The Myses in this state; `interrupted` are those that ran when the program ended.
    #[arg(long, value_name = "STATE", value_parser = parse_state)]
    state: Option<SelectorWord>,
}

/// The values of `--state`. Where the command line takes names, `all` and `idle` are names.
const STATE_WORDS: [SelectorWord; 5] = [
    SelectorWord::State(LifeState::Idle),
    SelectorWord::State(LifeState::Running),
    SelectorWord::State(LifeState::Stopped),
    SelectorWord::State(LifeState::Errored),
    SelectorWord::Interrupted,
];

fn parse_state(text: &str) -> Result<SelectorWord, String> {
    SelectorWord::parse(text, &STATE_WORDS).ok_or_else(|| {
        let known = STATE_WORDS.map(SelectorWord::as_str).join(", ");
        format!("a state is one of {known}")
    })
}

/// A Mysis in the answer of `list_myses`.
fn to_candidate(mysis: &Value) -> Option<Candidate<'_, &str>> {
    let name = mysis["name"].as_str()?;
    let state = mysis["state"].as_str().and_then(LifeState::parse);
    let was_running = is_interruption(mysis["reason"].as_str());
    Some(Candidate {
        key: name,
        name,
        state,
        is_interrupted: state == Some(LifeState::Idle) && was_running,
        is_marked: false,
        is_in_hand: false,
    })
}

pub(super) async fn run(
    command: &MysisCommand,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let door = SwarmClient::open(global, environment).await?;
    let done = carry_out(&door, command).await;
    door.close().await;
    done
}

async fn carry_out(door: &SwarmClient, command: &MysisCommand) -> anyhow::Result<()> {
    match command {
        MysisCommand::List { json } => list_myses(door, *json).await,
        MysisCommand::Create(args) => {
            door.call(ControlCall::CreateMysis(args.clone())).await?;
            Ok(out::line(&format!("created {}", args.name))?)
        }
        MysisCommand::Start(which) => {
            let start = |name| ControlCall::StartMysis { name };
            call_for_each(door, which, start, "started").await
        }
        MysisCommand::Retry(which) => {
            let retry = |name| ControlCall::RetryMysis { name };
            call_for_each(door, which, retry, "retried").await
        }
        MysisCommand::Stop(which) => {
            let stop = |name| ControlCall::StopMysis { name };
            call_for_each(door, which, stop, "stopped").await
        }
        MysisCommand::Delete { which, yes } => delete_myses(door, which, *yes).await,
        MysisCommand::Configure(args) => {
            door.call(ControlCall::ConfigureMysis(args.clone())).await?;
            Ok(out::line(&format!("configured {}", args.name))?)
        }
    }
}

async fn list_myses(door: &SwarmClient, as_json: bool) -> anyhow::Result<()> {
    let myses = door.call(ControlCall::ListMyses {}).await?;
    if as_json {
        return Ok(out::json(&myses)?);
    }
    Ok(out::table(&mysis_table(&myses))?)
}

/// A table of Myses with its heading.
pub(super) fn mysis_table(myses: &Value) -> Vec<Vec<String>> {
    let head = [
        "NAME", "STATE", "DOING", "ACCOUNT", "PROVIDER", "MODEL", "TURNS",
    ];
    let mut rows = vec![head.map(str::to_string).to_vec()];
    for mysis in myses.as_array().into_iter().flatten() {
        let text = |key: &str| mysis[key].as_str().unwrap_or("-");
        let doing = match (mysis["state"].as_str(), mysis["reason"].as_str()) {
            (Some("running"), _) | (_, None) => text("activity"),
            (_, Some(reason)) => reason,
        };
        rows.push(vec![
            text("name").to_string(),
            text("state").to_string(),
            out::shorten(doing, 50),
            text("account").to_string(),
            text("provider").to_string(),
            text("model").to_string(),
            mysis["turns"].to_string(),
        ]);
    }
    rows
}

/// Calls a tool for each selected Mysis. A refusal by one does not keep the others from being
/// called.
async fn call_for_each(
    door: &SwarmClient,
    which: &MysisSelector,
    call: impl Fn(String) -> ControlCall,
    done: &str,
) -> anyhow::Result<()> {
    let names = selected_names(door, which).await?;
    let mut refused = Vec::new();
    for name in &names {
        match door.call(call(name.clone())).await {
            Ok(_) => out::line(&format!("{done} {name}"))?,
            // A selection by state asks for a final state. A Mysis that is already in it is no
            // failure.
            Err(error) => match nothing_to_do(&error).filter(|_| which.names.is_empty()) {
                Some(words) => out::line(&format!("{words} {name}"))?,
                None if names.len() == 1 => return Err(error),
                None => refused.push(format!("{name}: {error:#}")),
            },
        }
    }
    if refused.is_empty() {
        return Ok(());
    }
    anyhow::bail!("{}", refused.join("; "))
}

/// The words for an order that was refused because the Mysis already is in the wanted state.
fn nothing_to_do(refusal: &anyhow::Error) -> Option<&'static str> {
    let refusal = refusal.to_string();
    let known = [
        (OrderRefusal::AlreadyStopped, "already stopped"),
        (OrderRefusal::AlreadyRunning, "already running"),
        (OrderRefusal::NothingToRetry, "nothing to retry for"),
    ];
    let known = known
        .into_iter()
        .find(|(known, _)| known.to_string() == refusal);
    known.map(|(_, words)| words)
}

async fn selected_names(door: &SwarmClient, which: &MysisSelector) -> anyhow::Result<Vec<String>> {
    if !which.names.is_empty() {
        return Ok(which.names.clone());
    }
    let myses = door.call(ControlCall::ListMyses {}).await?;
    let candidates = myses.as_array().into_iter().flatten();
    let candidates: Vec<Candidate<'_, &str>> = candidates.filter_map(to_candidate).collect();
    let word = which.state.unwrap_or(SelectorWord::All);
    let names = word.select(&candidates).into_iter();
    Ok(names.map(str::to_string).collect())
}

async fn delete_myses(door: &SwarmClient, which: &MysisSelector, yes: bool) -> anyhow::Result<()> {
    let names = selected_names(door, which).await?;
    if !yes && !names.is_empty() {
        confirm_deletion(&names)?;
    }
    let these = MysisSelector {
        names,
        all: false,
        state: None,
    };
    if these.names.is_empty() {
        return Ok(());
    }
    let delete = |name| ControlCall::DeleteMysis { name };
    call_for_each(door, &these, delete, "deleted").await
}

/// Asks for confirmation at the prompt. Without a terminal, `--yes` is required.
fn confirm_deletion(names: &[String]) -> anyhow::Result<()> {
    if !can_ask() {
        anyhow::bail!("nobody is there to confirm; give --yes to delete without being asked");
    }
    let names = names.join(", ");
    if ask_to_agree(&format!("delete {names} with all they have said?"))? {
        return Ok(());
    }
    anyhow::bail!("not deleted")
}
