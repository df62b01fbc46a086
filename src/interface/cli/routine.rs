//! `zoea routine`: starts and stops the routines of Myses, and shows those that run.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use clap::Subcommand;
use serde_json::{Map, Value, json};
use zoea_contract::{MysisStatusJson, OrderAnswerJson};
use zoea_system::files;
use zoea_text::names::plural;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::interface::cli::outcomes::{OrderWords, order_each, order_one};
use crate::interface::cli::selection::{MysisSelector, list_myses};
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::{EditRoutine, StartRoutine};

/// The longest file of a routine.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// The orders about routines.
#[derive(Debug, Subcommand)]
pub(super) enum RoutineCommand {
    /// Show the routines that run, the rounds that could be one, and the files in HOME/routines.
    List,
    /// Start a routine of a running Mysis.
    Start {
        /// The name of the Mysis.
        name: String,
        /// A file (.json), the routine itself as JSON, or the name of one in HOME/routines, of one that the
        /// Mysis has run before, or of what it repeats now (`routine list`).
        routine: String,
    },
    /// Let Myses go on with the paying loop that they repeat now, without the model.
    Take(MysisSelector),
    /// Show a routine that a Mysis runs or has run, as JSON.
    Show {
        /// The name of the Mysis.
        name: String,
        /// The name of the routine [default: the one that runs, else the newest].
        routine: Option<String>,
    },
    /// Change a routine that a Mysis runs or has run; a running one uses the change from its next step.
    Edit {
        /// The name of the Mysis.
        name: String,
        /// The members to change, as a file (.json) or as JSON: steps, guards, until, rounds, earns; null takes
        /// one away. With `name` the routine of that name, else the one that runs, else the newest.
        changes: String,
    },
    /// Stop the routine of a Mysis after its current step; the model then continues.
    Stop {
        /// The name of the Mysis.
        name: String,
    },
}

pub(super) async fn run(command: &RoutineCommand, global: &GlobalArgs) -> anyhow::Result<()> {
    let home = global.open_swarm_home()?;
    SwarmClient::with_home(&home, global, async |client| {
        carry_out(client, command, &home.routines()).await
    })
    .await
}

async fn carry_out(
    client: &SwarmClient,
    command: &RoutineCommand,
    folder: &Path,
) -> anyhow::Result<()> {
    match command {
        RoutineCommand::List => list(client, folder).await,
        RoutineCommand::Start { name, routine } => {
            let asked = StartRoutine {
                name: name.clone(),
                routine: read_routine(folder, routine)?,
            };
            let started = match asked.routine.get("name").and_then(Value::as_str) {
                Some(named) if is_json(routine) => named.to_string(),
                Some(_) | None => routine.clone(),
            };
            let call = ControlCall::StartRoutine(asked);
            let done = |_: &OrderAnswerJson| format!("started {started} of {name}");
            order_one(client, name, call, done).await
        }
        RoutineCommand::Take(which) => {
            let chosen = which.which.resolve(client).await?;
            let take = |name| {
                let routine = Map::new();
                ControlCall::StartRoutine(StartRoutine { name, routine })
            };
            let words = OrderWords {
                done: "took the loop of",
                after: "",
                would_be: "would take the loop of".to_string(),
            };
            order_each(client, &chosen, take, &words, which.shown).await
        }
        RoutineCommand::Show { name, routine } => show(client, name, routine.as_deref()).await,
        RoutineCommand::Edit { name, changes } => {
            let read = match is_json(changes) {
                true => read_json(changes)?,
                false => read_file(&PathBuf::from(changes))?,
            };
            let done = |answer: &OrderAnswerJson| {
                let changed = answer.routine.as_ref();
                let changed = changed.and_then(|routine| routine["name"].as_str());
                format!("changed {} of {name}", changed.unwrap_or_default())
            };
            order_one(client, name, edit(name, read), done).await
        }
        RoutineCommand::Stop { name } => {
            let call = ControlCall::StopRoutine { name: name.clone() };
            let done =
                |_: &OrderAnswerJson| format!("{name} ends its routine after the step in progress");
            order_one(client, name, call, done).await
        }
    }
}

async fn show(client: &SwarmClient, name: &str, routine: Option<&str>) -> anyhow::Result<()> {
    let asked = routine.map(|routine| ("name".to_string(), json!(routine)));
    let call = edit(name, asked.into_iter().collect());
    let answer: OrderAnswerJson = client.ask(call).await?;
    if let Some(process) = answer.passed {
        bail!(
            "{process}, which runs {name}, has not answered in time; ask again later, or in the home of that \
             process"
        );
    }
    Ok(out::json(&answer.routine.unwrap_or_default())?)
}

/// The call that changes a routine, or asks for it.
fn edit(name: &str, routine: Map<String, Value>) -> ControlCall {
    let name = name.to_string();
    ControlCall::EditRoutine(EditRoutine { name, routine })
}

async fn list(client: &SwarmClient, folder: &Path) -> anyhow::Result<()> {
    let mut is_empty = true;
    for mysis in &list_myses(client, None).await? {
        for line in lines_of(mysis) {
            out::line(&line)?;
            is_empty = false;
        }
    }
    for name in names_in(folder) {
        out::line(&format!("{name}: a file in {}", folder.display()))?;
        is_empty = false;
    }
    if is_empty {
        out::note(&format!(
            "no routine runs, and {} has none",
            folder.display()
        ));
    }
    Ok(())
}

/// What a Mysis runs, what it repeats by itself, and what its routines saved.
fn lines_of(mysis: &MysisStatusJson<'_>) -> Vec<String> {
    let name = &mysis.name;
    let mut lines = Vec::new();
    if let Some(routine) = &mysis.routine {
        lines.push(format!("{name}: {}", routine.text));
    }
    if let Some(circle) = &mysis.circle {
        let (text, circle) = (&circle.text, &circle.name);
        lines.push(format!(
            "{name}: {text}; zoea routine start {name} {circle}"
        ));
    }
    if let Some(spared) = mysis.spared_calls.filter(|calls| *calls > 0) {
        lines.push(format!(
            "{name}: its routines saved {spared} model {}",
            plural(spared, "call")
        ));
    }
    lines
}

/// The names of the routines in a folder, in order.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| {
        let path = entry.path();
        let is_routine = path.extension().is_some_and(|end| end == "json");
        let name = path.file_stem()?.to_str()?.to_string();
        is_routine.then_some(name)
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// The routine of this text or in a file, or the name of one that the Mysis knows.
fn read_routine(folder: &Path, routine: &str) -> anyhow::Result<Map<String, Value>> {
    if is_json(routine) {
        return read_json(routine);
    }
    let named = folder.join(format!("{routine}.json"));
    let file = match (routine.ends_with(".json"), named.exists()) {
        (true, _) => PathBuf::from(routine),
        (false, true) => named,
        (false, false) => {
            let mut known = Map::new();
            known.insert("name".to_string(), json!(routine));
            return Ok(known);
        }
    };
    read_file(&file)
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

fn read_json(text: &str) -> anyhow::Result<Map<String, Value>> {
    as_object(serde_json::from_str(text).context("read the JSON")?, "this")
}

fn read_file(file: &Path) -> anyhow::Result<Map<String, Value>> {
    let shown = file.display().to_string();
    let text = files::read_text(file, MAX_FILE_BYTES).with_context(|| format!("read {shown}"))?;
    let read = serde_json::from_str(&text).with_context(|| format!("read {shown}"))?;
    as_object(read, &shown)
}

fn as_object(read: Value, shown: &str) -> anyhow::Result<Map<String, Value>> {
    match read {
        Value::Object(routine) => Ok(routine),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(anyhow!(
                "{shown} holds no routine: it must be a JSON object"
            ))
        }
    }
}
