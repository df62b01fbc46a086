//! `zoea log` and `zoea search`: read and search conversations.

use std::io;
use std::time::Duration;

use actors::domain::game::GameRef;
use actors::domain::message::{CallStatus, RowKind};
use actors::domain::result_words::result_in_words;
use clap::{Args, value_parser};
use serde::Deserialize;
use serde_json::Value;
use zoea_contract::{ReachJson, RowJson, RowMetadataJson, SearchHitJson};
use zoea_settings::bounds::MAX_ROWS;
use zoea_system::terminal::is_unread;

use crate::interface::cli::exit::{ExitWith, unless_unread};
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out::{self, Lines};
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::cli::{EXIT_FAILED, EXIT_WRONG_USAGE, shown};
use crate::interface::control::call::ControlCall;
use crate::interface::control::history::{MAX_HITS, may_lack_older, parse_kind};
use crate::interface::control::parameters::{ReadLog, SearchRows};

/// How often `log --follow` asks for new rows.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(250);
/// The rows of one request.
const PIECE_ROWS: u64 = 1000;
/// The most characters of a hit that are shown, around the place found.
const HIT_CHARS: usize = 120;
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
    #[arg(long, value_name = "KIND", value_parser = parse_kind)]
    kind: Option<RowKind>,
    /// Print the results of tools in words, as one line each.
    #[arg(long, conflicts_with = "json")]
    words: bool,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

/// Rows that contain a text, literally. Exit status: 0 where a row has it, 1 where none has, 2 after an
/// error.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The text to search for.
    #[arg(allow_hyphen_values = true)]
    text: String,
    /// Search only the rows of this Mysis [default: of all].
    #[arg(long, value_name = "NAME")]
    mysis: Option<String>,
    /// The parts of a row to search; several with commas between them.
    #[arg(long, value_name = "WHERE", default_value = "messages", value_delimiter = ',',
          value_parser = ["messages", "reasoning", "missions"])]
    r#in: Vec<String>,
    /// Upper and lower case are the same.
    #[arg(long, short)]
    ignore_case: bool,
    /// How many of the newest matches to print, at most 1000; 0 prints as many as that.
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = value_parser!(u64).range(0..=MAX_ROWS))]
    limit: u64,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
}

pub(super) async fn show_log(args: &LogArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let shown = SwarmClient::with(global, async |client| {
        anyhow::ensure!(
            !args.follow || client.is_running(),
            "no swarm is running here, so there is nothing to follow"
        );
        print_log(client, args).await
    });
    unless_unread(shown.await)
}

async fn print_log(client: &SwarmClient, args: &LogArgs) -> anyhow::Result<()> {
    let mut last = if args.limit == 0 {
        0
    } else {
        let rows = read_newest(client, args).await?;
        print_rows(&rows, args)?.unwrap_or(0)
    };
    loop {
        if args.limit == 0 || args.follow {
            last = print_after(client, args, last).await?;
        }
        if !args.follow {
            return Ok(());
        }
        tokio::time::sleep(FOLLOW_INTERVAL).await;
        if is_unread() {
            return Ok(());
        }
    }
}

/// Reads the newest rows in as many requests as the number of rows takes.
async fn read_newest(client: &SwarmClient, args: &LogArgs) -> anyhow::Result<Vec<Value>> {
    let mut pieces = Vec::new();
    let mut query = log_query(args, args.limit);
    let mut missing = args.limit;
    loop {
        let rows = read_rows(client, query).await?;
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
async fn print_after(client: &SwarmClient, args: &LogArgs, mut last: u64) -> anyhow::Result<u64> {
    loop {
        let query = ReadLog {
            after_seq: Some(last),
            ..log_query(args, PIECE_ROWS)
        };
        let rows = read_rows(client, query).await?;
        match print_rows(&rows, args)? {
            Some(newest) => last = newest,
            None => return Ok(last),
        }
    }
}

fn log_query(args: &LogArgs, limit: u64) -> ReadLog {
    ReadLog {
        name: args.name.clone(),
        limit: Some(limit),
        kind: args.kind.map(|kind| kind.as_str().to_string()),
        after_seq: None,
        before_seq: None,
    }
}

async fn read_rows(client: &SwarmClient, query: ReadLog) -> anyhow::Result<Vec<Value>> {
    let rows = client.call(ControlCall::ReadLog(query)).await?;
    Ok(rows.as_array().cloned().unwrap_or_default())
}

/// Prints rows. Returns the number of the last one.
fn print_rows(rows: &[Value], args: &LogArgs) -> anyhow::Result<Option<u64>> {
    let mut lines = Lines::open();
    for row in rows {
        if args.json {
            lines.json(&row.to_string())?;
        } else {
            print_row(&mut lines, &RowJson::deserialize(row)?, args.words)?;
        }
    }
    lines.flush()?;
    Ok(rows.last().and_then(|row| row["seq"].as_u64()))
}

fn print_row(lines: &mut Lines, row: &RowJson<'_>, in_words: bool) -> io::Result<()> {
    let result = match &row.metadata {
        Some(RowMetadataJson::Result {
            tool,
            is_error,
            status,
            game,
            ..
        }) => Some((&**tool, *is_error, status, game.as_deref())),
        Some(RowMetadataJson::Reply { .. } | RowMetadataJson::Host { .. }) | None => None,
    };
    let label = match (&*row.kind, result) {
        ("prompt", _) => "YOU",
        ("mission", _) => "YOU (BROADCAST)",
        ("peer", _) => "SWARM",
        ("note", _) => "NOTE",
        ("host", _) => "HOST",
        ("result", Some((_, true, ..))) => "✗",
        ("result", _) => "✓",
        (kind, _) => kind,
    };
    let tool = result.map_or("", |(tool, ..)| tool);
    let shown_tool = out::shorten(tool, MAX_NAME_CHARS);
    let at = shown::time(&row.at);
    let head = format!("{:>6}  {at}  {label} {shown_tool}", row.seq);
    lines.text(head.trim_end())?;
    if let Some(reasoning) = row.reasoning.as_deref().filter(|text| !text.is_empty()) {
        print_indented(lines, &format!("({reasoning})"))?;
    }
    let told = result.filter(|_| in_words);
    let told = told.and_then(|(_, _, status, game)| Some((CallStatus::parse(status)?, game)));
    match told {
        Some((status, game)) => {
            let game = GameRef::of_key(game);
            print_indented(lines, &result_in_words(game, tool, status, &row.content))?;
        }
        None => print_indented(lines, &row.content)?,
    }
    for call in &row.tool_calls {
        let name = out::shorten(&call.name, MAX_NAME_CHARS);
        print_indented(
            lines,
            &format!("⚙ {name} {} [{}]", call.arguments, call.status),
        )?;
    }
    Ok(())
}

fn print_indented(lines: &mut Lines, text: &str) -> io::Result<()> {
    for line in out::clean(text).lines() {
        lines.text(&format!("        {line}"))?;
    }
    Ok(())
}

pub(super) async fn search_rows(args: &SearchArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    match search_and_print(args, global).await {
        Ok(0) => Err(nothing_found(args)),
        Ok(_) => Ok(()),
        Err(error) => Err(ExitWith::status(EXIT_WRONG_USAGE, format!("{error:#}")).into()),
    }
}

/// Prints what was found. Returns how much that is.
async fn search_and_print(args: &SearchArgs, global: &GlobalArgs) -> anyhow::Result<usize> {
    let search = SearchRows {
        query: args.text.clone(),
        mysis: args.mysis.clone(),
        r#in: Some(args.r#in.join(",")),
        limit: Some(args.limit),
        ignore_case: args.ignore_case,
    };
    let mysis = args.mysis.clone();
    let (found, reach) = SwarmClient::with(global, async |client| {
        let found = client.call(ControlCall::Search(search)).await?;
        let reach: Option<ReachJson> = client.ask(ControlCall::GetReach { mysis }).await.ok();
        Ok((found, reach))
    })
    .await?;
    let has_rows = args.r#in.iter().any(|place| place != "missions");
    let reach = reach.filter(|_| has_rows);
    if let Some(before) = reach.and_then(|reach| reach.before) {
        out::note(&format!(
            "old rows were removed: rows older than {} are not all kept",
            shown::time(&before)
        ));
    }
    let rows = found.as_array().map_or(&[][..], Vec::as_slice);
    note_older(rows, args.limit);
    if args.json {
        rows.iter().try_for_each(out::json)?;
        return Ok(rows.len());
    }
    for row in rows {
        print_hit(&SearchHitJson::deserialize(row)?, args)?;
    }
    Ok(rows.len())
}

/// Tells that there may be older matches, and what finds them.
fn note_older(rows: &[Value], limit: u64) {
    let count = rows.len();
    let more = if (1..MAX_HITS).contains(&count) && count as u64 == limit {
        "there may be more with --limit"
    } else if may_lack_older(rows) {
        "older ones may be left out: a longer text or --mysis finds them"
    } else {
        return;
    };
    out::note(&format!("these are the newest {count}; {more}"));
}

/// Says where no row has the text. The text is not repeated: it may be a secret.
fn nothing_found(args: &SearchArgs) -> anyhow::Error {
    let places = args.r#in.join(" and ");
    let whose = args.mysis.as_deref().unwrap_or("any Mysis");
    let case = match args.ignore_case {
        true => "",
        false => "; upper and lower case matter without -i",
    };
    let text = format!("nothing in the {places} of {whose} contains this text{case}");
    ExitWith::note(EXIT_FAILED, text).into()
}

/// A row that was found: whose it is, its number for `zoea log`, and the text around the place.
fn print_hit(hit: &SearchHitJson<'_>, args: &SearchArgs) -> io::Result<()> {
    let reasoning = hit.reasoning.as_deref().unwrap_or_default();
    let parts = [&*hit.content, reasoning];
    let place = parts
        .iter()
        .find_map(|part| excerpt(part, &args.text, args.ignore_case));
    out::line(&format!(
        "{} {}  {}  {}  {}",
        hit.mysis.as_deref().unwrap_or("-"),
        hit.seq,
        shown::time(&hit.at),
        hit.kind,
        place.unwrap_or_else(|| out::shorten(&hit.content, HIT_CHARS))
    ))
}

/// The text around the first place where another one stands, in one line.
fn excerpt(text: &str, wanted: &str, ignore_case: bool) -> Option<String> {
    let (place, end) = match ignore_case {
        true => find_ignoring_case(text, wanted)?,
        false => text
            .find(wanted)
            .map(|place| (place, place + wanted.len()))?,
    };
    let around = HIT_CHARS.saturating_sub(wanted.chars().count()) / 2;
    let before = text[..place].chars().rev().take(around);
    let start = place - before.map(char::len_utf8).sum::<usize>();
    let after = text[end..].chars().take(around);
    let end = end + after.map(char::len_utf8).sum::<usize>();
    let (first, last) = (start > 0, end < text.len());
    let mark = |is_cut| if is_cut { "…" } else { "" };
    let piece = out::shorten(&text[start..end], usize::MAX - 1);
    Some(format!("{}{piece}{}", mark(first), mark(last)))
}

/// Where a text stands first in another one, in lower or upper case.
fn find_ignoring_case(text: &str, wanted: &str) -> Option<(usize, usize)> {
    let wanted: Vec<char> = wanted.chars().flat_map(char::to_lowercase).collect();
    let places = text.char_indices().map(|(place, _)| place);
    places.into_iter().find_map(|place| {
        let mut left = &wanted[..];
        for (at, letter) in text[place..].char_indices() {
            for lower in letter.to_lowercase() {
                let (first, rest) = left.split_first()?;
                if *first != lower {
                    return None;
                }
                left = rest;
            }
            if left.is_empty() {
                return Some((place, place + at + letter.len_utf8()));
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_found_is_shown_and_what_is_cut_is_marked() {
        let text = format!("{}gold\nmine{}", "ä".repeat(500), "z".repeat(500));
        let shown = excerpt(&text, "gold\nmine", false).unwrap();
        assert!(shown.contains("gold mine"), "{shown}");
        assert!(shown.starts_with("…ä") && shown.ends_with("z…"), "{shown}");
        assert!(shown.chars().count() <= HIT_CHARS + 2, "{shown}");
        assert_eq!(
            excerpt("a gold mine", "gold", false).unwrap(),
            "a gold mine"
        );
        assert_eq!(excerpt("a gold mine", "Gold", false), None);
        assert_eq!(excerpt("İ GÖLD", "göl", true).unwrap(), "İ GÖLD");
        assert_eq!(excerpt("a gold mine", "silver", true), None);
    }
}
