//! `zoea log` and `zoea search`: read and search conversations.

use std::time::Duration;

use clap::{Args, value_parser};
use serde_json::Value;

use crate::cli::global::GlobalArgs;
use crate::cli::out;
use crate::cli::swarm_client::SwarmClient;
use crate::control::call::ControlCall;
use crate::control::parameters::{ReadLog, SearchRows};
use crate::settings::Environment;
use crate::settings::bounds::MAX_ROWS;

/// How often `log --follow` asks for new rows.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(250);
/// The rows of one request.
const PIECE_ROWS: u64 = 1000;
/// The most characters of a tool's name that are shown.
const MAX_NAME_CHARS: usize = 100;

/// A Mysis' conversation.
#[derive(Debug, Args)]
pub struct LogArgs {
    /// The name of the Mysis.
    name: String,
    /// Print new rows as they come, until interrupted.
    #[arg(long)]
    follow: bool,
    /// How many of the newest rows to print; 0 prints all.
    #[arg(long, value_name = "N", default_value_t = 50,
          value_parser = value_parser!(u64).range(0..=MAX_ROWS))]
    limit: u64,
    /// Print only rows of this kind.
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

/// Rows that contain a text, literally.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The text to search for.
    text: String,
    /// Search only the rows of this Mysis [default: of all].
    #[arg(long, value_name = "NAME")]
    mysis: Option<String>,
    /// The parts of a row to search; several with commas between them.
    #[arg(long, value_name = "WHERE", default_value = "messages", value_delimiter = ',',
          value_parser = ["messages", "reasoning", "missions"])]
    r#in: Vec<String>,
    /// How many of the newest matches to print.
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = value_parser!(u64).range(0..=MAX_ROWS))]
    limit: u64,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

pub(super) async fn show_log(
    args: &LogArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let door = SwarmClient::open(global, environment).await?;
    if args.follow && !door.is_running() {
        door.close().await;
        anyhow::bail!("no swarm is running here, so there is nothing to follow");
    }
    let shown = print_log(&door, args).await;
    door.close().await;
    shown
}

async fn print_log(door: &SwarmClient, args: &LogArgs) -> anyhow::Result<()> {
    let mut last = if args.limit == 0 {
        0
    } else {
        let rows = read_newest(door, args).await?;
        print_rows(&rows, args.json)?.unwrap_or(0)
    };
    loop {
        if args.limit == 0 || args.follow {
            last = print_after(door, args, last).await?;
        }
        if !args.follow {
            return Ok(());
        }
        tokio::time::sleep(FOLLOW_INTERVAL).await;
    }
}

/// Reads the newest rows in as many requests as the number of rows takes.
async fn read_newest(door: &SwarmClient, args: &LogArgs) -> anyhow::Result<Vec<Value>> {
    let mut pieces = Vec::new();
    let mut query = log_query(args, args.limit);
    let mut missing = args.limit;
    loop {
        let rows = read_rows(door, query).await?;
        missing = missing.saturating_sub(rows.len() as u64);
        let first = rows.first().and_then(|row| row["seq"].as_u64());
        pieces.push(rows);
        match first {
            Some(first) if missing > 0 && first > 1 => {
                query = ReadLog {
                    before_seq: Some(first),
                    ..log_query(args, missing)
                };
            }
            Some(_) | None => return Ok(pieces.into_iter().rev().flatten().collect()),
        }
    }
}

/// Prints all rows after a row, in several requests. Returns the last row.
async fn print_after(door: &SwarmClient, args: &LogArgs, mut last: u64) -> anyhow::Result<u64> {
    loop {
        let query = ReadLog {
            after_seq: Some(last),
            ..log_query(args, PIECE_ROWS)
        };
        let rows = read_rows(door, query).await?;
        match print_rows(&rows, args.json)? {
            Some(newest) => last = newest,
            None => return Ok(last),
        }
    }
}

fn log_query(args: &LogArgs, limit: u64) -> ReadLog {
    ReadLog {
        name: args.name.clone(),
        limit: Some(limit),
        kind: args.kind.clone(),
        after_seq: None,
        before_seq: None,
    }
}

async fn read_rows(door: &SwarmClient, query: ReadLog) -> anyhow::Result<Vec<Value>> {
    let rows = door.call(ControlCall::ReadLog(query)).await?;
    Ok(rows.as_array().cloned().unwrap_or_default())
}

/// Prints rows. Returns the number of the last one.
fn print_rows(rows: &[Value], as_json: bool) -> anyhow::Result<Option<u64>> {
    for row in rows {
        if as_json {
            out::json(row)?;
        } else {
            print_row(row)?;
        }
    }
    Ok(rows.last().and_then(|row| row["seq"].as_u64()))
}

fn print_row(row: &Value) -> anyhow::Result<()> {
    let text = |key: &str| row[key].as_str().unwrap_or_default();
    let label = match text("kind") {
        "prompt" => "YOU",
        "mission" => "YOU (BROADCAST)",
        "peer" => "SWARM",
        "note" => "NOTE",
        "host" => "HOST",
        "result" if row["metadata"]["is_error"] == true => "✗",
        "result" => "✓",
        kind => kind,
    };
    let tool = row["metadata"]["tool"].as_str().unwrap_or_default();
    let tool = out::shorten(tool, MAX_NAME_CHARS);
    let head = format!("{:>6}  {}  {label} {tool}", row["seq"], text("at"));
    out::line(head.trim_end())?;
    if !text("reasoning").is_empty() {
        print_indented(&format!("({})", text("reasoning")))?;
    }
    print_indented(text("content"))?;
    for call in row["tool_calls"].as_array().into_iter().flatten() {
        let (name, status) = (call["name"].as_str(), call["status"].as_str());
        let (name, status) = (name.unwrap_or_default(), status.unwrap_or_default());
        let name = out::shorten(name, MAX_NAME_CHARS);
        print_indented(&format!("⚙ {name} {} [{status}]", call["arguments"]))?;
    }
    Ok(())
}

fn print_indented(text: &str) -> anyhow::Result<()> {
    for line in out::clean(text).lines() {
        out::line(&format!("        {line}"))?;
    }
    Ok(())
}

pub(super) async fn search_rows(
    args: &SearchArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let door = SwarmClient::open(global, environment).await?;
    let search = SearchRows {
        query: args.text.clone(),
        mysis: args.mysis.clone(),
        r#in: Some(args.r#in.join(",")),
        limit: Some(args.limit),
    };
    let found = door.call(ControlCall::Search(search)).await;
    let mysis = args.mysis.clone();
    let reach = door.call(ControlCall::GetReach { mysis }).await;
    door.close().await;
    let has_rows = args.r#in.iter().any(|place| place != "missions");
    let reaches = reach.ok().filter(|_| has_rows);
    if let Some(before) = reaches.as_ref().and_then(|reach| reach["before"].as_str()) {
        out::note(&format!(
            "old rows were removed: of what is older than {before} not all is kept"
        ));
    }
    for row in found?.as_array().into_iter().flatten() {
        if args.json {
            out::json(row)?;
            continue;
        }
        let text = |key: &str| row[key].as_str().unwrap_or("-");
        let is_thought = args.r#in.iter().any(|place| place == "reasoning");
        let content = if is_thought && !text("content").contains(&args.text) {
            text("reasoning")
        } else {
            text("content")
        };
        let (who, at, kind) = (text("mysis"), text("at"), text("kind"));
        out::line(&format!(
            "{who} {}  {at}  {kind}  {}",
            row["seq"],
            out::shorten(content, 120)
        ))?;
    }
    Ok(())
}
