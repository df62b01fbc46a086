//! `zoea import`: imports the conversations of a Zoea-Nova database or of an export.

use std::path::PathBuf;

use actors::ports::Archive;
use clap::Args;

use crate::host::home::RunFile;
use crate::interface::cli::db::print_size;
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::wiring;
use zoea_ledger::ProcessKind;
use zoea_ledger::import;

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The file to import: a Zoea-Nova v12 database, or one that zoea export wrote; it is only read.
    file: PathBuf,
}

pub(super) async fn run(args: &ImportArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let home = global.open_home()?;
    if RunFile::read(&home).is_some() {
        anyhow::bail!(
            "a swarm is running in {}; end it before something is imported there",
            home.directory().display()
        );
    }
    let settings = global.load_settings(&home)?.settings;
    let lock = wiring::lock_home(&home, out::note).await?;
    let ledger = wiring::open_ledger(&lock, &settings, ProcessKind::Command).await?;
    for note in ledger.notes() {
        out::note(note);
    }
    let mut secrets = wiring::configured_secrets(&settings);
    secrets.extend(ledger.swarm().await?.passwords);
    let progress = print_size("import", &home.database());
    let taken = import::import_file(&ledger, &args.file, home.directory(), secrets).await;
    ledger.close().await;
    drop(progress);
    let report = taken?;
    Ok(out::line(report.to_string().trim_end())?)
}
