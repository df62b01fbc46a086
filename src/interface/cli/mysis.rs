//! `zoea mysis`: lists and changes the Myses of a swarm.

mod deletion;

use actors::domain::event::is_interruption;
use actors::domain::order::OrderRefusal;
use actors::domain::selector::{Candidate, SelectorWord};
use actors::domain::state::LifeState;
use clap::{Args, Subcommand};
use serde_json::Value;
use zoea_settings::Environment;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out::{self, Column, Table};
use crate::interface::cli::shown;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::cli::talk::passed_note;
use crate::interface::control::call::ControlCall;
use crate::interface::control::conditions::Conditions;
use crate::interface::control::parameters::{ConfigureMysis, CreateMysis};

use deletion::{delete_myses, undelete_mysis};

/// The orders about Myses.
#[derive(Debug, Subcommand)]
pub enum MysisCommand {
    /// List the Myses and their states.
    List {
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
        /// Only the Myses that fit all conditions, with commas between them: state, name, provider,
        /// model, role, account or system, then = or !=, then a value; * stands for anything.
        #[arg(long = "where", value_name = "CONDITIONS", value_parser = Conditions::parse)]
        conditions: Option<Conditions>,
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
        /// Keep no copy, so that nothing brings them back.
        #[arg(long)]
        now: bool,
    },
    /// Bring a Mysis back that was deleted in the last day, idle, under its name or NAME-2.
    Undelete {
        /// Its name when it was deleted.
        name: String,
    },
    /// Change the settings of Myses.
    Configure(ConfigureArgs),
}

/// The settings that are changed, and of whom.
#[derive(Debug, Args)]
pub struct ConfigureArgs {
    #[command(flatten)]
    which: MysisSelector,
    /// The new provider.
    #[arg(long)]
    provider: Option<String>,
    /// The new model.
    #[arg(long)]
    model: Option<String>,
    /// The new temperature, 0 to 2.
    #[arg(long, value_parser = parse_temperature)]
    temperature: Option<f32>,
    /// The new role; none takes it away, default gives the configuration's.
    #[arg(long)]
    role: Option<String>,
}

/// The Myses that an order is for.
#[derive(Debug, Args)]
pub struct MysisSelector {
    #[command(flatten)]
    which: MysisChoice,
    /// Print whom the order would reach, and give it to nobody.
    #[arg(long)]
    dry_run: bool,
}

/// The ways to say which Myses an order is for.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct MysisChoice {
    /// The names of the Myses.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// All Myses.
    #[arg(long)]
    all: bool,
    /// The Myses in this state; `interrupted` are those that ran when the program ended.
    #[arg(long, value_name = "STATE", value_parser = parse_state)]
    state: Option<SelectorWord>,
    /// The Myses that fit all conditions, with commas between them: state, name, provider, model,
    /// role, account or system, then = or !=, then a value; * stands for anything.
    #[arg(long = "where", value_name = "CONDITIONS", value_parser = Conditions::parse)]
    conditions: Option<Conditions>,
}

/// The values of `--state`. Where the command line takes names, `all` and `idle` are names.
const STATE_WORDS: [SelectorWord; 5] = [
    SelectorWord::State(LifeState::Idle),
    SelectorWord::State(LifeState::Running),
    SelectorWord::State(LifeState::Stopped),
    SelectorWord::State(LifeState::Errored),
    SelectorWord::Interrupted,
];

fn parse_temperature(text: &str) -> Result<f32, String> {
    let number = text.parse().ok();
    number
        .filter(|number| (0.0..=2.0).contains(number))
        .ok_or_else(|| "a temperature is a number from 0 to 2".to_string())
}

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
    let client = SwarmClient::open(global, environment).await?;
    let done = carry_out(&client, command).await;
    client.close().await;
    done
}

async fn carry_out(client: &SwarmClient, command: &MysisCommand) -> anyhow::Result<()> {
    match command {
        MysisCommand::List { json, conditions } => {
            list_myses(client, *json, conditions.as_ref()).await
        }
        MysisCommand::Create(args) => {
            client.call(ControlCall::CreateMysis(args.clone())).await?;
            Ok(out::line(&format!("created {}", args.name))?)
        }
        MysisCommand::Start(which) => {
            let start = |name| ControlCall::StartMysis { name };
            call_for_each(client, which, start, "started").await
        }
        MysisCommand::Retry(which) => {
            let retry = |name| ControlCall::RetryMysis { name };
            call_for_each(client, which, retry, "retried").await
        }
        MysisCommand::Stop(which) => {
            let stop = |name| ControlCall::StopMysis { name };
            call_for_each(client, which, stop, "stopped").await
        }
        MysisCommand::Delete { which, yes, now } => delete_myses(client, which, *yes, *now).await,
        MysisCommand::Undelete { name } => undelete_mysis(client, name).await,
        MysisCommand::Configure(args) => configure_myses(client, args).await,
    }
}

async fn configure_myses(client: &SwarmClient, args: &ConfigureArgs) -> anyhow::Result<()> {
    let names_model = args.provider.is_some() || args.model.is_some() || args.role.is_some();
    anyhow::ensure!(
        names_model || args.temperature.is_some(),
        "nothing to change: give --provider, --model, --temperature or --role; `zoea mysis list` \
         shows what they have now"
    );
    let configure = |name| {
        ControlCall::ConfigureMysis(ConfigureMysis {
            name,
            provider: args.provider.clone(),
            model: args.model.clone(),
            temperature: args.temperature,
            role: args.role.clone(),
        })
    };
    call_for_each(client, &args.which, configure, "configured").await
}

async fn list_myses(
    client: &SwarmClient,
    as_json: bool,
    conditions: Option<&Conditions>,
) -> anyhow::Result<()> {
    let mut myses = client.call(ControlCall::all_myses()).await?;
    if let (Some(conditions), Some(listed)) = (conditions, myses.as_array_mut()) {
        let known = listed.len();
        listed.retain(|mysis| conditions.fit(mysis));
        if listed.is_empty() {
            out::note(&format!("none of {known} Myses fits"));
        }
    }
    if as_json {
        return Ok(out::json(&myses)?);
    }
    Ok(mysis_table(&myses).print()?)
}

/// A table of Myses with its heading.
pub(super) fn mysis_table(myses: &Value) -> Table {
    let listed = || myses.as_array().into_iter().flatten();
    let first = listed().next().map(|mysis| &mysis["process"]);
    let are_many = listed().any(|mysis| Some(&mysis["process"]) != first);
    let have_roles = listed().any(|mysis| mysis["role"].is_string());
    let mut columns = vec![
        Column::text("NAME"),
        Column::state("STATE"),
        Column::text("DOING"),
        Column::text("ACCOUNT"),
        Column::text("PROVIDER"),
        Column::text("MODEL"),
        Column::figure("TURNS"),
    ];
    if have_roles {
        columns.insert(4, Column::text("ROLE"));
    }
    if are_many {
        columns.insert(1, Column::text("PROCESS"));
    }
    let mut table = Table::new(&columns);
    for mysis in listed() {
        let text = |key: &str| mysis[key].as_str().unwrap_or("-");
        let doing = match (mysis["state"].as_str(), mysis["reason"].as_str()) {
            (Some("running"), _) | (_, None) => text("activity"),
            (_, Some(reason)) => reason,
        };
        let mut cells = vec![
            text("name").to_string(),
            text("state").to_string(),
            out::shorten(doing, 50),
            text("account").to_string(),
            text("provider").to_string(),
            text("model").to_string(),
            shown::figure(&mysis["turns"]),
        ];
        if have_roles {
            let unknown = if mysis["role_known"] == false {
                " (not configured)"
            } else {
                ""
            };
            cells.insert(4, format!("{}{unknown}", text("role")));
        }
        if are_many {
            cells.insert(1, text("process").to_string());
        }
        table.add(cells);
    }
    table
}

/// Calls a tool for each selected Mysis. A refusal by one does not keep the others from being
/// called.
async fn call_for_each(
    client: &SwarmClient,
    which: &MysisSelector,
    call: impl Fn(String) -> ControlCall,
    done: &str,
) -> anyhow::Result<()> {
    let names = selected_names(client, &which.which).await?;
    if names.is_empty() {
        out::note("no Mysis fits, so nothing was done");
    }
    if which.dry_run {
        let told = names.iter().map(|name| format!("would be {done}: {name}"));
        return Ok(told.into_iter().try_for_each(|line| out::line(&line))?);
    }
    order_each(client, &names, !which.which.names.is_empty(), call, done).await
}

/// Calls a tool for each Mysis. What is already as it shall be is a refusal only where it was named.
async fn order_each(
    client: &SwarmClient,
    names: &[String],
    are_named: bool,
    call: impl Fn(String) -> ControlCall,
    done: &str,
) -> anyhow::Result<()> {
    let mut refused = Vec::new();
    for name in names {
        match client.call(call(name.clone())).await {
            Ok(answer) => {
                let passed = passed_note(&answer);
                let did = passed
                    .as_deref()
                    .map_or(done.to_string(), |did| format!("{did}:"));
                out::line(&format!("{did} {name}"))?;
            }
            // A selection by state asks for a final state. A Mysis that is already in it is no
            // failure.
            Err(error) => match nothing_to_do(&error).filter(|_| !are_named) {
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

async fn selected_names(client: &SwarmClient, which: &MysisChoice) -> anyhow::Result<Vec<String>> {
    if !which.names.is_empty() {
        return Ok(which.names.clone());
    }
    let myses = client.call(ControlCall::all_myses()).await?;
    if let Some(conditions) = &which.conditions {
        let myses = myses.as_array().into_iter().flatten();
        let fitting = myses.filter(|mysis| conditions.fit(mysis));
        let names = fitting.filter_map(|mysis| mysis["name"].as_str());
        return Ok(names.map(str::to_string).collect());
    }
    let candidates = myses.as_array().into_iter().flatten();
    let candidates: Vec<Candidate<'_, &str>> = candidates.filter_map(to_candidate).collect();
    let word = which.state.unwrap_or(SelectorWord::All);
    let names = word.select(&candidates).into_iter();
    Ok(names.map(str::to_string).collect())
}
