//! `zoea setup`: makes a configuration that plays out of questions or flags.

mod flags;
mod model_check;
pub(super) mod offer;
mod present;
mod prompts;
mod questions;

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde_json::json;
use thiserror::Error;
use tokio::signal::unix::{SignalKind, signal};
use zoea_settings::{Secret, Settings};

use crate::host::home::{Home, RunFile};
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::screen::has_terminal;
use crate::interface::cli::selection::list_myses;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::cli::unfrozen::{refuse_while_frozen, unless_frozen};
use crate::interface::cli::{out, run};
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::ConfigureMysis;
use crate::interface::setup::{Answers, GAME_ENTRY, NewSecrets, render_configuration};

use zoea_tui::terminal_size;

use model_check::PassedCheck;
use present::Present;

/// What stands before each line of a printed configuration.
const INDENT: &str = "  ";

/// The options of `zoea setup`. What is not told is asked, where there is a terminal.
#[derive(Clone, Debug, Default, Args)]
#[command(mut_args(|arg| arg.hide_env_values(true)))]
pub struct SetupArgs {
    /// The model server: a name such as openai or ollama, or an address that ends in /v1.
    #[arg(long, value_name = "NAME|URL", env = "ZOEA_SETUP_PROVIDER")]
    provider: Option<String>,
    /// The variable of the environment that holds the server's key.
    #[arg(long, value_name = "VAR", env = "ZOEA_SETUP_KEY_ENV")]
    key_env: Option<String>,
    /// The model, as its server names it.
    #[arg(long, value_name = "M", env = "ZOEA_SETUP_MODEL")]
    model: Option<String>,
    /// The game: offline (the built-in one), spacemolt, spacemolt-v2 (its second interface), or the address of
    /// an MCP server.
    #[arg(long, value_name = "GAME", env = "ZOEA_SETUP_GAME")]
    game: Option<String>,
    /// Game accounts for the pool, a file as `zoea accounts import` reads it.
    #[arg(long, value_name = "FILE", env = "ZOEA_SETUP_ACCOUNTS")]
    accounts: Option<PathBuf>,
    /// The variable of the environment that holds the game's registration code.
    #[arg(long, value_name = "VAR", env = "ZOEA_SETUP_CODE_ENV")]
    code_env: Option<String>,
    /// How many Myses.
    #[arg(long, value_name = "N", env = "ZOEA_SETUP_MYSES",
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    myses: Option<u32>,
    /// What they may spend in a day: 2usd, 20Mtokens or unlimited.
    #[arg(long, value_name = "CAP", env = "ZOEA_SETUP_CAP")]
    cap: Option<String>,
    /// Ask nothing, and replace an existing configuration; a copy of it is kept.
    #[arg(long)]
    yes: bool,
    /// Do not start the swarm.
    #[arg(long)]
    no_start: bool,
}

impl SetupArgs {
    /// The same without the server, the model and the game, which could not play.
    fn without_choices(&self) -> SetupArgs {
        SetupArgs {
            provider: None,
            key_env: None,
            model: None,
            game: None,
            ..self.clone()
        }
    }
}

/// The operator left before setup was complete.
#[derive(Debug, Error)]
#[error(
    "setup cancelled; nothing was written. `zoea setup` starts again, `zoea run --offline` plays without a model server"
)]
pub(super) struct SetupLeft;

/// What setup prepares besides the configuration.
#[derive(Default)]
struct Extras {
    /// A file of accounts for the pool.
    accounts: Option<PathBuf>,
    /// An account for the pool that the operator typed in.
    account: Option<(String, Secret)>,
}

/// The last words of an error: the configuration is unchanged.
const NOTHING_WRITTEN: &str = "nothing was written";

/// Answers that passed the proof, and what setup prepares with them.
struct Prepared {
    answers: Answers,
    extras: Extras,
    passed: PassedCheck,
}

pub(super) async fn run(args: &SetupArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let home = global.open_home()?;
    let prepared = async {
        refuse_while_running(&home, args.no_start)?;
        refuse_while_frozen(&home)?;
        let present = Present::read(global, &home)?;
        let is_asking = !args.yes && has_terminal();
        if !is_asking && present.is_there && !args.yes {
            anyhow::bail!(
                "{} exists; --yes replaces it and keeps a copy",
                present.files.configuration.display()
            );
        }
        let prepared = match is_asking {
            true => questions::ask(args, &present, &home).await?,
            false => flags::answers(args, &present).await?,
        };
        anyhow::Ok((prepared, present, is_asking))
    };
    // It listens before the first question: a question holds this task until it is answered, and a
    // signal that came before the first listener would end the program without a word.
    let mut interrupts = signal(SignalKind::interrupt()).context("listen for Ctrl-C")?;
    // Cancel-safe: nothing is written before this select ends.
    let (prepared, present, was_shown) = tokio::select! {
        prepared = unless_frozen(&home, prepared) => prepared?,
        _ = interrupts.recv() => return Err(SetupLeft.into()),
    };
    let Prepared {
        answers,
        extras,
        passed,
    } = prepared;
    write(&answers, &present, was_shown)?;
    passed.keep(&home);
    prepare_home(&answers, &extras, &present, &home, global)
        .await
        .context("the configuration is written, but the home could not be prepared for it")?;
    if args.no_start {
        return Ok(out::line("`zoea run --start-swarm` starts the swarm.")?);
    }
    let start = run::RunArgs::after_setup(!has_terminal());
    run::run(&start, global).await
}

/// Refuses to replace the configuration of a running swarm, unless `--no-start` is given: the
/// running program does not see the new configuration before a reload.
fn refuse_while_running(home: &Home, no_start: bool) -> anyhow::Result<()> {
    match RunFile::read(home) {
        Some(running) if !no_start => anyhow::bail!(
            "a swarm runs in {} (pid {}); stop it first, or change its configuration with --no-start \
             and reload it with `:reload` at its terminal",
            home.directory().display(),
            running.pid
        ),
        Some(_) | None => Ok(()),
    }
}

/// The settings that a configuration with these answers would have, before it is written.
fn settings_of(answers: &Answers, present: &Present) -> anyhow::Result<(String, Settings)> {
    let (environment, files) = (&present.environment, &present.files);
    let (file, credentials) = (&files.configuration, &files.credentials);
    let text = render_configuration(&present.text, answers)
        .with_context(|| format!("read {}", file.display()))?;
    let mut settings = Settings::from_text_with_keys(file, &text, environment, credentials)?;
    if let Some(provider) = settings.providers.get_mut(&answers.server.name) {
        provider.api_key = present.key(&answers.key);
    }
    Ok((text, settings))
}

/// Writes the files and reports them to the operator, who was shown the text if there were questions.
fn write(answers: &Answers, present: &Present, was_shown: bool) -> anyhow::Result<()> {
    let files = &present.files;
    let text = render_configuration(&present.text, answers)?;
    let secrets = NewSecrets {
        key: answers
            .key
            .typed()
            .map(|key| (answers.server.name.as_str(), key)),
        code: answers.code.typed().map(|code| (GAME_ENTRY, code)),
    };
    let copy = files.write(&text, &secrets)?;
    let file = files.configuration.display();
    if was_shown {
        out::line(&format!("{file} is written."))?;
    } else {
        out::line(&format!("\nThis is written to {file}:\n"))?;
        print_configuration(&text)?;
    }
    if let Some(copy) = copy {
        out::line(&format!(
            "The previous configuration is kept as {}.",
            copy.display()
        ))?;
    }
    if !secrets.is_empty() {
        let file = files.credentials.display();
        out::line(&format!(
            "Secrets are in {file}, readable by you only (0600)."
        ))?;
    }
    Ok(())
}

/// Prints a configuration. A line that is wider than the terminal is folded between the entries of
/// its list, which leaves it valid.
fn print_configuration(text: &str) -> std::io::Result<()> {
    let columns = usize::from(terminal_size().0).saturating_sub(INDENT.len());
    for line in text.lines().flat_map(|line| fold_entries(line, columns)) {
        out::line(&format!("{INDENT}{line}"))?;
    }
    out::line("")
}

fn fold_entries(line: &str, columns: usize) -> Vec<String> {
    let mut folded = Vec::new();
    let mut last = String::new();
    for entry in line.split_inclusive("}, ") {
        let room = columns.saturating_sub(last.chars().count());
        if entry.trim_end().chars().count() > room && !last.is_empty() {
            folded.push(last.trim_end().to_string());
            last = INDENT.to_string();
        }
        last.push_str(entry);
    }
    folded.push(last);
    folded
}

/// Imports accounts into the pool, and moves existing Myses to the new provider, where no program runs.
async fn prepare_home(
    answers: &Answers,
    extras: &Extras,
    present: &Present,
    home: &Home,
    global: &GlobalArgs,
) -> anyhow::Result<()> {
    let movers = present.provider_before(&answers.server.name);
    if movers.is_none() && extras.accounts.is_none() && extras.account.is_none() {
        return Ok(());
    }
    // It is removed when this is dropped.
    let typed = match &extras.account {
        Some((name, password)) => {
            // In the home, which is closed to others: what a kill leaves behind must lie nowhere else.
            let file = tempfile::NamedTempFile::new_in(home.directory())
                .context("keep the account for a moment")?;
            let account = json!([{"username": name, "password": password.expose()}]);
            std::fs::write(file.path(), account.to_string()).context("keep the account")?;
            Some(file)
        }
        None => None,
    };
    let typed = typed.as_ref().map(|file| file.path().to_owned());
    SwarmClient::with_home(home, global, async |client| {
        for file in extras.accounts.iter().cloned().chain(typed) {
            let file = std::path::absolute(file).context("find the accounts")?;
            let file = file.to_string_lossy().into_owned();
            client.call(ControlCall::ImportAccounts { file }).await?;
        }
        let now = &answers.server.name;
        match movers {
            None => Ok(()),
            Some(before) if client.is_running() => {
                name_the_move(client, (&before, now), global).await
            }
            Some(before) => move_myses(client, &before, now).await,
        }
    })
    .await
}

/// Names the order that moves the Myses of a running program, which knows the new provider only once it has read
/// its configuration again.
async fn name_the_move(
    client: &SwarmClient,
    (before, now): (&str, &str),
    global: &GlobalArgs,
) -> anyhow::Result<()> {
    let myses = list_myses(client, None).await?;
    if myses.iter().any(|mysis| mysis.provider == before) {
        let order = format!("mysis configure --where 'provider={before}' --provider {now}");
        let order = global.command(&order, None);
        out::line(&format!(
            "The Myses on {before} stay there; after `:reload`: `{order}`"
        ))?;
    }
    Ok(())
}

/// Moves all Myses of the former default provider to the new one.
async fn move_myses(client: &SwarmClient, before: &str, now: &str) -> anyhow::Result<()> {
    let myses = list_myses(client, None).await?;
    for mysis in myses.iter().filter(|mysis| mysis.provider == before) {
        let name = &mysis.name;
        let change = ConfigureMysis {
            name: name.to_string(),
            provider: Some(now.to_string()),
            ..ConfigureMysis::default()
        };
        client.call(ControlCall::ConfigureMysis(change)).await?;
        out::line(&format!("{name} is on {now} now."))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_list_is_folded_between_its_entries() {
        let line = "myses = [{ name = \"alpha\" }, { name = \"beta\" }, { name = \"gamma\" }]";
        let folded = [
            "myses = [{ name = \"alpha\" },",
            "  { name = \"beta\" }, { name = \"gamma\" }]",
        ];
        assert_eq!(fold_entries(line, 43), folded);
        assert_eq!(fold_entries(line, 80), [line]);
        assert_eq!(fold_entries("", 5), [""]);
        assert_eq!(fold_entries("endpoint = \"http://x\"", 5).len(), 1);
    }
}
