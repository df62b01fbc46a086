//! `zoea report`: what the swarm did, earned and spent in a day.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use zoea_settings::Environment;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::ReportDay;
use crate::interface::report::{DayReport, ReportFormat};

/// The options of `zoea report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    #[command(flatten)]
    asked: ReportDay,
    /// The format: md, or html: one page with charts that needs nothing else.
    #[arg(long, value_name = "FORMAT", default_value = "md", value_parser = ["md", "html"])]
    format: String,
    /// Write to this file instead of stdout; it must not exist.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) async fn run(
    args: &ReportArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let client = SwarmClient::open(global, environment).await?;
    let report = client.call(ControlCall::Report(args.asked.clone())).await;
    client.close().await;
    let report: DayReport = serde_json::from_value(report?).context("read the report")?;
    let format = match args.format.as_str() {
        "html" => ReportFormat::Html,
        _ => ReportFormat::Markdown,
    };
    let text = report.render(format);
    let Some(file) = &args.out else {
        return Ok(out::line(text.trim_end())?);
    };
    let mut made = std::fs::OpenOptions::new();
    made.write(true).create_new(true).mode(0o600);
    let written = made
        .open(file)
        .and_then(|mut made| made.write_all(text.as_bytes()));
    written.with_context(|| format!("write {}", file.display()))?;
    Ok(out::line(&format!("the report is in {}", file.display()))?)
}
