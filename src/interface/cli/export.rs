//! `zoea export`: conversations, as JSON lines or as Markdown.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use zoea_settings::Environment;

use crate::interface::cli::db::print_size;
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::ExportConversations;
use zoea_contract::ExportedJson;

/// The options of `zoea export`.
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

pub(super) async fn run(
    args: &ExportArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let Some(file) = &args.out else {
        let directory = global.open_home(environment)?.directory().to_path_buf();
        let passing = directory.join(format!("zoea.db.export-{}", std::process::id()));
        let passed = print_export(&passing, args, global, environment).await;
        // The file may not exist if the export failed early.
        let _ = std::fs::remove_file(&passing);
        return passed;
    };
    let file = std::path::absolute(file).context("find the file")?;
    let ExportedJson { myses, rows } = write_export(&file, args, global, environment).await?;
    let file = file.display();
    Ok(out::line(&format!(
        "{rows} rows of {myses} myses are in {file}"
    ))?)
}

/// Exports to a temporary file and copies it to stdout, because the running program may be the one
/// that writes it.
async fn print_export(
    passing: &Path,
    args: &ExportArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    write_export(passing, args, global, environment).await?;
    let written = File::open(passing).context("read the export")?;
    Ok(out::pass_on(written, args.format == "jsonl")?)
}

async fn write_export(
    file: &Path,
    args: &ExportArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<ExportedJson> {
    let client = SwarmClient::open(global, environment).await?;
    let name = file.to_str().context("the file's name is not valid text")?;
    let asked = ExportConversations {
        file: name.to_string(),
        mysis: args.mysis.clone(),
        format: Some(args.format.clone()),
    };
    let progress = print_size("export", file);
    let written = client.call(ControlCall::Export(asked)).await;
    drop(progress);
    client.close().await;
    Ok(serde_json::from_value(written?)?)
}
