//! `zoea db`: checks, backs up, restores and compacts the database, whether the program runs or
//! not.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand};
use zoea_settings::Settings;

use crate::host::home::{Home, RunFile};
use crate::interface::cli::doctor;
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out::{self, Progress};
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;
use crate::wiring;
use zoea_contract::CompactedJson;
use zoea_ledger::{CompactionResult, DatabaseLocation, ProcessKind, RestoreResult};
use zoea_text::figures::group_digits;

/// The orders about the database.
#[derive(Debug, Subcommand)]
pub enum DbCommand {
    /// Check the database for damage.
    Check {
        /// Print the result as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Write the whole database, as it is at one moment, to a new file (with the game accounts' passwords).
    Backup(FileArgs),
    /// Replace the database with a backup; the replaced one is kept beside it. The program must not be running.
    Restore(FileArgs),
    /// Start with an empty database, and keep the old one beside it. The program must not be running.
    New,
    /// Return the space of removed rows to the file system.
    Compact,
}

/// A backup.
#[derive(Debug, Args)]
pub struct FileArgs {
    /// The path of the file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) async fn run(command: &DbCommand, global: &GlobalArgs) -> anyhow::Result<()> {
    let home = match command {
        DbCommand::Check { .. } | DbCommand::Backup(_) | DbCommand::Compact => {
            global.open_swarm_home()?
        }
        // These replace the database of the home itself, in which no program may run.
        DbCommand::Restore(_) | DbCommand::New => global.open_home()?,
    };
    let settings = global.load_settings(&home)?.settings;
    match command {
        DbCommand::Check { json } => check_database(&home, &settings, *json).await,
        DbCommand::Backup(args) => back_up(&home, &settings, args).await,
        DbCommand::Restore(args) => restore_backup(&home, &settings, args).await,
        DbCommand::New => begin_anew(&home, &settings).await,
        DbCommand::Compact => compact_database(&home, &settings, global).await,
    }
}

async fn check_database(home: &Home, settings: &Settings, as_json: bool) -> anyhow::Result<()> {
    let file = home.database();
    let checked = match wiring::server_address(settings)? {
        Some(address) => zoea_ledger::check(&DatabaseLocation::Server(&address)).await?,
        None => zoea_ledger::check(&DatabaseLocation::File(&file)).await?,
    };
    let checks: Vec<(String, Result<String, String>)> = checked
        .into_iter()
        .map(|(name, found)| (name.to_string(), found))
        .collect();
    doctor::conclude_checks(&checks, as_json)
}

/// Refuses what a server has its own programs for.
fn refuse_on_server(settings: &Settings, instead: &str) -> anyhow::Result<()> {
    anyhow::ensure!(
        wiring::server_address(settings)?.is_none(),
        "the database is on a Postgres server, which has its own programs for this: use {instead}"
    );
    Ok(())
}

async fn back_up(home: &Home, settings: &Settings, args: &FileArgs) -> anyhow::Result<()> {
    refuse_on_server(settings, "pg_dump")?;
    let to = std::path::absolute(&args.file).context("find the file")?;
    let progress = print_size("backup", &to);
    let written = zoea_ledger::back_up(&home.database(), &to).await;
    drop(progress);
    let bytes = written?;
    let bytes = group_digits(bytes);
    out::line(&format!("{bytes} bytes are in {}", to.display()))?;
    out::note("it holds the passwords of the game accounts; only you can read it");
    Ok(())
}

/// Tells how large a file has become while it is written.
pub(super) fn print_size(what: &str, file: &Path) -> Progress {
    let file = file.to_path_buf();
    Progress::start(what, move || {
        let written = std::fs::metadata(&file).map_or(0, |found| found.len());
        format!("for {} MB", group_digits(written >> 20))
    })
}

async fn restore_backup(home: &Home, settings: &Settings, args: &FileArgs) -> anyhow::Result<()> {
    refuse_on_server(settings, "pg_restore")?;
    let lock = wiring::lock_home(home, out::note).await?;
    let progress = Progress::start("restore", String::new);
    let restored = zoea_ledger::restore(&args.file, &home.database()).await;
    drop((lock, progress));
    let restored = restored?;
    print_logs(&restored);
    let line = match restored.replaced {
        Some(aside) => format!("restored; the previous database is in {}", aside.display()),
        None => "restored; there was no database before".to_string(),
    };
    Ok(out::line(&line)?)
}

/// Tells where logs are now that stood beside the replaced database.
fn print_logs(restored: &RestoreResult) {
    for log in &restored.logs {
        out::note(&format!("the previous log is in {}", log.display()));
    }
}

async fn begin_anew(home: &Home, settings: &Settings) -> anyhow::Result<()> {
    refuse_on_server(settings, "DROP DATABASE and CREATE DATABASE")?;
    let lock = wiring::lock_home(home, out::note).await?;
    let cleared = wiring::begin_anew(home).await;
    drop(lock);
    let cleared = cleared?;
    print_logs(&cleared);
    let line = match cleared.replaced {
        Some(aside) => format!(
            "a new database is in use; the previous one is in {}",
            aside.display()
        ),
        None => "a new database is in use; there was none before".to_string(),
    };
    Ok(out::line(&line)?)
}

async fn compact_database(
    home: &Home,
    settings: &Settings,
    global: &GlobalArgs,
) -> anyhow::Result<()> {
    let progress = Progress::start("compact", String::new);
    let CompactedJson { before, after } = if RunFile::read(home).is_some() {
        SwarmClient::with_home(home, global, async |client| {
            client.ask(ControlCall::Compact {}).await
        })
        .await?
    } else {
        let lock = wiring::lock_home(home, out::note).await?;
        let ledger = wiring::open_ledger(&lock, settings, ProcessKind::Command).await?;
        let rewritten = ledger.rewrite().await;
        ledger.close().await;
        drop(lock);
        let CompactionResult { before, after } = rewritten?;
        CompactedJson { before, after }
    };
    drop(progress);
    let (before, after) = (group_digits(before), group_digits(after));
    Ok(out::line(&format!("{before} bytes before, {after} after"))?)
}
