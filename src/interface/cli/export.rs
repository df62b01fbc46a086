//! `zoea export`: conversations, as JSON lines or as Markdown.

use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use crate::host::home::Home;
use crate::interface::cli::db::print_size;
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::cli::transient::TransientDirectory;
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::ExportConversations;
use zoea_contract::ExportedJson;

/// How the names begin of directories through which exports pass to stdout.
const PASSAGE: &str = "zoea.db.export-";
/// The only file in one.
const EXPORTED: &str = "export";

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Export only this Mysis [default: all, and the missions].
    #[arg(long, value_name = "NAME")]
    mysis: Option<String>,
    /// The format: jsonl, which `zoea import` reads, or md, for reading.
    #[arg(long, value_name = "FORMAT", default_value = "jsonl", value_parser = ["jsonl", "md"])]
    format: String,
    /// Write to this file instead of stdout; it must not exist.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) async fn run(args: &ExportArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let Some(file) = &args.out else {
        return print_export(args, global).await;
    };
    let file = std::path::absolute(file).context("find the file")?;
    let written = SwarmClient::with(global, async |client| {
        write_export(client, &file, args).await
    });
    let ExportedJson { myses, rows } = written.await?;
    let file = file.display();
    Ok(out::line(&format!(
        "{rows} rows of {myses} myses are in {file}"
    ))?)
}

async fn print_export(args: &ExportArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let home = global.open_swarm_home()?;
    let written = SwarmClient::with_home(&home, global, async |client| {
        write_passing(client, &home, args).await
    });
    let (exported, _passage) = written.await?;
    Ok(out::pass_on(exported, args.format == "jsonl")?)
}

/// Exports to a file in the home, because the running program may be the one that writes it. The file has lost its
/// name when it is read, so an end in the middle leaves nothing. The passage beside it lets signals end the command.
async fn write_passing(
    client: &SwarmClient,
    home: &Home,
    args: &ExportArgs,
) -> anyhow::Result<(File, Passage)> {
    let passage =
        Passage::open(home.directory()).context("make room for the export in the home")?;
    let file = passage.directory.path().join(EXPORTED);
    write_export(client, &file, args).await?;
    let exported = File::open(&file).context("read the export")?;
    // If this fails, the end of the passage tries it too.
    let _ = fs::remove_dir_all(passage.directory.path());
    Ok((exported, passage))
}

async fn write_export(
    client: &SwarmClient,
    file: &Path,
    args: &ExportArgs,
) -> anyhow::Result<ExportedJson> {
    let name = file.to_str().context("the file's name is not valid text")?;
    let asked = ExportConversations {
        file: name.to_string(),
        mysis: args.mysis.clone(),
        format: Some(args.format.clone()),
    };
    let progress = print_size("export", file);
    let written = client.call(ControlCall::Export(asked)).await;
    drop(progress);
    Ok(serde_json::from_value(written?)?)
}

/// A directory for one export, which is removed with this, or by a signal. It is locked as long as its export runs: what
/// a killed one left is removed by the next one.
struct Passage {
    directory: TransientDirectory,
    _lock: File,
}

impl Passage {
    fn open(home: &Path) -> io::Result<Passage> {
        remove_abandoned(home)?;
        let directory = TransientDirectory::make(|| {
            tempfile::Builder::new()
                .prefix(PASSAGE)
                .permissions(Permissions::from_mode(0o700))
                .tempdir_in(home)
        })?;
        let lock = File::open(directory.path())?;
        lock.lock_shared()?;
        Ok(Passage {
            directory,
            _lock: lock,
        })
    }
}

/// Removes the directories of exports that were killed. An empty one may belong to an export that is about to lock it.
fn remove_abandoned(home: &Path) -> io::Result<()> {
    for entry in fs::read_dir(home)?.flatten() {
        let is_passage = entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.starts_with(PASSAGE));
        let path = entry.path();
        // Another directory of that name is not ours.
        let holds_export = || {
            let files = fs::read_dir(&path).into_iter().flatten().flatten();
            let names: Vec<OsString> = files.map(|file| file.file_name()).collect();
            matches!(&*names, [only] if only == EXPORTED)
        };
        let is_free = || File::open(&path).is_ok_and(|passage| passage.try_lock().is_ok());
        if is_passage && holds_export() && is_free() {
            // Another export may remove it at the same moment.
            let _ = fs::remove_dir_all(&path);
        }
    }
    Ok(())
}
