//! `zoea report`: what the swarm did, earned and spent in a day, or since a time.

use std::path::PathBuf;

use actors::domain::ids::Timestamp;
use actors::ports::Clock;
use anyhow::Context;
use clap::Args;
use zoea_system::clock::MachineClock;
use zoea_system::files::write_private;

use crate::host::home::Home;
use crate::interface::cli::exit::ExitWith;
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::screen::read_choices;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::cli::{EXIT_WRONG_USAGE, out, shown};
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::AskReport;
use crate::interface::control::period::AskedPeriod;
use crate::interface::report::PeriodReport;
use zoea_settings::ReportFormat;

/// The time in which the operator looked at the screen last, as a word.
const LOOKED: &str = "looked";

#[derive(Debug, Args)]
pub struct ReportArgs {
    #[command(flatten)]
    asked: AskReport,
    /// The format: md, or html: one page with charts that needs nothing else.
    #[arg(long, value_name = "FORMAT", default_value = "md", value_parser = ["md", "html"])]
    format: String,
    /// Write to this file instead of stdout; it must not exist.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) async fn run(args: &ReportArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let clock = shown::clock();
    let home = global.open_swarm_home()?;
    let asked = with_looked(&args.asked, &home)
        .and_then(|asked| AskedPeriod::read(&asked, MachineClock.now(), clock));
    // What is wrong with a time is known only here, as it is read by this machine's clock.
    let asked = asked.map_err(|why| ExitWith::status(EXIT_WRONG_USAGE, why))?;
    let call = ControlCall::Report(AskReport {
        day: None,
        since: Some(asked.period.from.to_string()),
        until: Some(asked.period.until.to_string()),
    });
    let report = SwarmClient::with_home(&home, global, async |client| client.ask(call).await);
    let report = PeriodReport {
        day: asked.day,
        clock,
        ..report.await?
    };
    let format = match args.format.as_str() {
        "html" => ReportFormat::Html,
        _ => ReportFormat::Markdown,
    };
    let text = report.render(format);
    let Some(file) = &args.out else {
        return Ok(out::line(text.trim_end())?);
    };
    let written = write_private(file, text.as_bytes());
    written.with_context(|| format!("write {}", file.display()))?;
    Ok(out::line(&format!("the report is in {}", file.display()))?)
}

/// The same with the time in which the operator looked at the screen last in place of `looked`.
fn with_looked(asked: &AskReport, home: &Home) -> Result<AskReport, String> {
    if asked.since.as_deref() != Some(LOOKED) {
        return Ok(asked.clone());
    }
    let looked = read_choices(&home.view_choices()).looked.ok_or_else(|| {
        format!(
            "no key was pressed at a screen of {} yet; name a time instead, as `--since 10h`",
            home.directory().display()
        )
    })?;
    Ok(AskReport {
        since: Some(Timestamp(looked).to_string()),
        ..asked.clone()
    })
}
