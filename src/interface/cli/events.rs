//! `zoea events`: what happened in the swarm, and who ordered what.

use std::io::{self, ErrorKind};

use actors::domain::event_record::OrderSource;
use clap::Args;
use serde::Deserialize;
use serde_json::Value;
use zoea_contract::EventRecordJson;
use zoea_settings::Environment;

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

/// The options of `zoea events`.
#[derive(Debug, Args)]
pub struct EventsArgs {
    #[command(flatten)]
    asked: ReadEvents,
    /// Print further events as they come, until interrupted; also those after a restart of the program.
    #[arg(long)]
    follow: bool,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(
    args: &EventsArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let printed = print_events(args, global, environment).await;
    let is_closed = |error: &io::Error| error.kind() == ErrorKind::BrokenPipe;
    match printed {
        // A reader that closed the pipe has read enough.
        Err(error) if error.downcast_ref().is_some_and(is_closed) => Ok(()),
        printed => printed,
    }
}

async fn print_events(
    args: &EventsArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let last = match args.asked.from {
        // A program that runs answers this as well as the next one.
        Some(from) if args.follow => from,
        from => print_stored(args, from, global, environment).await?,
    };
    if !args.follow {
        return Ok(());
    }
    let mut client = PatientClient::new(global.open_home(environment)?);
    let mut next = ReadEvents {
        limit: Some(PIECE),
        from: Some(last),
        wait: Some(CALL_SECONDS),
    };
    loop {
        let call = ControlCall::ReadEvents(next.clone());
        let events = client.ask(&call, None).await?.unwrap_or_default();
        next.from = print(&events, args.json)?.or(next.from);
    }
}

/// Prints the stored events that were asked for. Returns the number of the last one.
async fn print_stored(
    args: &EventsArgs,
    from: Option<u64>,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<u64> {
    SwarmClient::with(global, environment, async |client| {
        print_pieces(client, args, from).await
    })
    .await
}

async fn print_pieces(
    client: &SwarmClient,
    args: &EventsArgs,
    from: Option<u64>,
) -> anyhow::Result<u64> {
    let ask = |from, limit| {
        client.call(ControlCall::ReadEvents(ReadEvents {
            limit: Some(limit),
            from,
            wait: None,
        }))
    };
    let limit = args.asked.limit;
    let Some(mut last) = from else {
        let newest = ask(None, limit.unwrap_or(USUAL)).await?;
        return Ok(print(&newest, args.json)?.unwrap_or(0));
    };
    let mut left = limit.filter(|limit| *limit > 0).unwrap_or(u64::MAX);
    while left > 0 {
        let events = ask(Some(last), PIECE.min(left)).await?;
        let Some(newest) = print(&events, args.json)? else {
            break;
        };
        left = left.saturating_sub(events.as_array().map_or(0, Vec::len) as u64);
        last = newest;
    }
    Ok(last)
}

/// Prints events. Returns the number of the last one.
fn print(events: &Value, as_json: bool) -> io::Result<Option<u64>> {
    let events = events.as_array().map_or(&[][..], Vec::as_slice);
    let mut lines = Lines::open();
    for event in events {
        match as_json {
            true => lines.json(&event.to_string())?,
            false => lines.text(&line_of(&EventRecordJson::deserialize(event)?))?,
        }
    }
    lines.flush()?;
    Ok(events.last().and_then(|event| event["number"].as_u64()))
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
