//! `zoea events`: what happened in the swarm, and who ordered what.

use std::io;

use actors::domain::event_record::OrderSource;
use clap::Args;
use serde::Deserialize;
use serde_json::Value;
use zoea_contract::EventRecordJson;

use crate::interface::cli::exit::{unless_unread, until_unread};
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out::{self, Lines};
use crate::interface::cli::patient::PatientClient;
use crate::interface::cli::shown;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::ReadEvents;

/// The events of one call.
const PIECE: u64 = 1000;
/// How many of the newest events are printed, unless an option says otherwise.
const USUAL: u64 = 50;
/// How many seconds one call waits for the next event; less than the client waits for an answer.
const CALL_SECONDS: f64 = 15.0;

#[derive(Debug, Args)]
pub struct EventsArgs {
    #[command(flatten)]
    asked: ReadEvents,
    /// Print further events as they come, until interrupted, with --from and --limit until there were so many;
    /// also those after a restart of the program.
    #[arg(long)]
    follow: bool,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(args: &EventsArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    unless_unread(print_events(args, global).await)
}

async fn print_events(args: &EventsArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let home = global.open_swarm_home()?;
    let limit = args.asked.limit.filter(|limit| *limit > 0);
    let mut left = limit.unwrap_or(u64::MAX);
    let mut last = match args.asked.from {
        // A program that runs answers this as well as the next one.
        Some(from) if args.follow => from,
        from => {
            // Without a number the limit was for those before the ones to come.
            left = u64::MAX;
            SwarmClient::with_home(&home, global, async |client| {
                print_stored(client, args, from).await
            })
            .await?
        }
    };
    if !args.follow {
        return Ok(());
    }
    let mut client = PatientClient::new(home);
    while left > 0 {
        let call = ControlCall::ReadEvents(ReadEvents {
            limit: Some(PIECE.min(left)),
            from: Some(last),
            wait: Some(CALL_SECONDS),
        });
        // Cancel-safe: the command ends with the reader.
        let events = tokio::select! {
            events = client.ask(&call, None) => events?.unwrap_or_default(),
            () = until_unread() => return Ok(()),
        };
        last = print(&events, args.json)?.unwrap_or(last);
        left = left.saturating_sub(count(&events));
    }
    Ok(())
}

/// Prints the stored events that were asked for. Returns the number of the last one.
async fn print_stored(
    client: &SwarmClient,
    args: &EventsArgs,
    from: Option<u64>,
) -> anyhow::Result<u64> {
    let limit = args.asked.limit;
    let Some(mut last) = from else {
        let newest = read_newest(client, limit.unwrap_or(USUAL)).await?;
        return Ok(print(&newest, args.json)?.unwrap_or(0));
    };
    let mut left = limit.filter(|limit| *limit > 0).unwrap_or(u64::MAX);
    while left > 0 {
        let events = ask(client, Some(last), PIECE.min(left)).await?;
        let Some(newest) = print(&events, args.json)? else {
            break;
        };
        left = left.saturating_sub(count(&events));
        last = newest;
    }
    Ok(last)
}

/// The newest events; all for 0. One answer may be too short for more than a piece, and leaves out the oldest: then
/// all that are kept are read from the first one on.
async fn read_newest(client: &SwarmClient, wanted: u64) -> anyhow::Result<Value> {
    if (1..=PIECE).contains(&wanted) {
        let events = ask(client, None, wanted).await?;
        if count(&events) >= wanted {
            return Ok(events);
        }
    }
    let wanted = usize::try_from(wanted).ok().filter(|wanted| *wanted > 0);
    let wanted = wanted.unwrap_or(usize::MAX);
    let (mut kept, mut last) = (Vec::new(), 0);
    loop {
        let events = ask(client, Some(last), PIECE).await?;
        let Some(newest) = last_number(&events) else {
            return Ok(Value::Array(kept));
        };
        last = newest;
        kept.extend(events.as_array().into_iter().flatten().cloned());
        let older = kept.len().saturating_sub(wanted);
        kept.drain(..older);
    }
}

async fn ask(client: &SwarmClient, from: Option<u64>, limit: u64) -> anyhow::Result<Value> {
    let asked = ReadEvents {
        limit: Some(limit),
        from,
        wait: None,
    };
    client.call(ControlCall::ReadEvents(asked)).await
}

fn count(events: &Value) -> u64 {
    events.as_array().map_or(0, Vec::len) as u64
}

fn last_number(events: &Value) -> Option<u64> {
    events.as_array()?.last()?["number"].as_u64()
}

/// Prints events. Returns the number of the last one.
fn print(events: &Value, as_json: bool) -> io::Result<Option<u64>> {
    let mut lines = Lines::open();
    for event in events.as_array().into_iter().flatten() {
        match as_json {
            true => lines.json(&event.to_string())?,
            false => lines.text(&line_of(&EventRecordJson::deserialize(event)?))?,
        }
    }
    lines.flush()?;
    Ok(last_number(events))
}

fn line_of(event: &EventRecordJson<'_>) -> String {
    let source = event.source.as_deref().and_then(OrderSource::parse);
    let by = source.map(|source| format!(" ({})", source.describe(&event.code)));
    let one_line = |text: &str| out::shorten(text, usize::MAX - 1);
    format!(
        "{}  {:<14}  {:<10}  {}{}",
        shown::time(&event.at),
        event.code,
        one_line(event.mysis.as_deref().unwrap_or("-")),
        one_line(&event.text),
        by.unwrap_or_default()
    )
}
