//! `zoea wait`: until Myses are in a state, over restarts of the program.

use std::time::Duration;

use clap::Args;
use serde::Deserialize;
use tokio::time::Instant;
use zoea_contract::WaitedJson;
use zoea_text::names::listed;

use crate::interface::cli::exit::ExitWith;
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::interface::cli::patient::PatientClient;
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::WaitFor;
use crate::interface::control::waiting::Until;

/// The longest wait of one call; less than the client waits for an answer.
const CALL_TIME: Duration = Duration::from_secs(15);

/// Exit statuses: the time was over, and it does not come by itself any more.
const EXIT_TIMEOUT: u8 = 3;
const EXIT_LOST: u8 = 4;

/// What is waited for, of whom, and how long.
#[derive(Debug, Args)]
pub(super) struct WaitArgs {
    /// The names of the Myses.
    #[arg(
        value_name = "NAME",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    names: Vec<String>,
    /// All Myses.
    #[arg(long)]
    all: bool,
    /// One of them is enough.
    #[arg(long)]
    any: bool,
    /// idle, done, errored, needs-me, answered (its newest direct message), or conditions with commas between
    /// them, such as 'credits>5000' or 'state=running,system=sol'.
    #[arg(long, value_name = "WHAT", value_parser = check_until)]
    until: String,
    /// The longest wait, such as 10m [default: none].
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    timeout: Option<Duration>,
    /// Print the outcome as JSON.
    #[arg(long)]
    json: bool,
}

fn check_until(text: &str) -> Result<String, String> {
    Until::parse(text).map(|_| text.to_string())
}

pub(super) async fn run(args: &WaitArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let now = Instant::now();
    let end = args.timeout.and_then(|timeout| now.checked_add(timeout));
    let mut client = PatientClient::new(global.open_swarm_home()?);
    loop {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let time = left.map_or(CALL_TIME, |left| left.min(CALL_TIME));
        let call = ControlCall::Wait(WaitFor {
            myses: (!args.all).then(|| args.names.join(",")),
            any: args.any,
            until: args.until.clone(),
            timeout: Some(time.as_secs_f64()),
        });
        let answer = client.ask(&call, end).await?;
        let is_over = end.is_some_and(|end| Instant::now() >= end);
        let Some(answer) = answer else {
            return Err(not_come(args, &WaitedJson::default()));
        };
        let waited = WaitedJson::deserialize(&answer)?;
        if waited.outcome == "timeout" && !is_over {
            continue;
        }
        if args.json {
            out::json(&answer)?;
        }
        return match &*waited.outcome {
            "met" if args.json => Ok(()),
            "met" => Ok(out::line(&format!(
                "{}: {}",
                args.until,
                listed(&waited.met)
            ))?),
            _ => Err(not_come(args, &waited)),
        };
    }
}

/// The error of a wait that ended without what was waited for.
fn not_come(args: &WaitArgs, waited: &WaitedJson) -> anyhow::Error {
    let until = &args.until;
    let (status, text) = match &*waited.outcome {
        "lost" => {
            let lost = waited.lost.iter();
            let lost: Vec<String> = lost
                .map(|one| format!("{} ({})", one.mysis, one.why))
                .collect();
            (
                EXIT_LOST,
                format!("`{until}` cannot happen any more: {}", lost.join(", ")),
            )
        }
        _ => {
            let whose = match waited.open.is_empty() {
                true => "no program answered".to_string(),
                false => listed(&waited.open),
            };
            (
                EXIT_TIMEOUT,
                format!("`{until}` did not happen in time: {whose}"),
            )
        }
    };
    ExitWith::status(status, text).into()
}
