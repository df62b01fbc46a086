//! `zoea status`: a summary of the running program on one page.

use std::collections::BTreeMap;

use actors::domain::budget::percent_text;
use actors::domain::event::{AWAITING_LOGIN_PREFIX, is_interruption};
use actors::domain::standing::StandingKind;
use clap::Args;
use serde_json::Value;
use zoea_settings::Environment;
use zoea_text::trouble::Trouble;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::cli::{mysis, out, shown};
use crate::interface::control::call::ControlCall;

/// The options of `zoea status`.
#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(
    args: &StatusArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let client = SwarmClient::open(global, environment).await?;
    let is_running = client.is_running();
    let status = client.call(ControlCall::whole_status()).await;
    client.close().await;
    let status = status?;
    match args.json {
        true => Ok(out::json(&status)?),
        false => Ok(print_page(&status, is_running)?),
    }
}

fn print_page(status: &Value, is_running: bool) -> std::io::Result<()> {
    if is_running {
        out::line(&format!(
            "zoea {} runs since {} (pid {})",
            text_or_none(status, "version"),
            shown::time(text_or_none(status, "started_at")),
            status["pid"]
        ))?;
    } else {
        out::line("no swarm is running here")?;
    }
    if let Some(since) = status["frozen_since"].as_str() {
        out::line(&format!(
            "FROZEN since {}: no model call, no tool call and no login leaves until `zoea thaw`",
            shown::time(since)
        ))?;
    }
    out::line(&format!("mission: {}", text_or_none(status, "mission")))?;
    if let Some(trouble) = status["trouble"].as_str() {
        out::line(&format!("trouble: {}", trouble))?;
    }
    for warning in status["warnings"].as_array().into_iter().flatten() {
        let text = text_or_none(warning, "text");
        out::line(&out::clean(&format!("warning: {text}")))?;
    }
    if let Some(silence) = status["silence"].as_str() {
        out::line(&out::clean(silence))?;
    }
    print_needs(status)?;
    print_outages(status)?;
    for proxied in status["proxied"].as_array().into_iter().flatten() {
        out::line(&out::clean(&shown::proxied(proxied)))?;
    }
    let states: Vec<String> = status["states"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    out::line(&format!("myses: {}", states.join(", ")))?;
    print_processes(status)?;
    print_logins(status)?;
    print_interrupted(status, is_running)?;
    print_questions(status)?;
    print_undelivered(status)?;
    if let Some(arrival) = status["arrival"].as_str() {
        out::line(arrival)?;
    }
    out::line(&today_line(&status["today"]))?;
    mysis::mysis_table(&status["myses"]).print()
}

/// How many ran when the program ended, and the command that starts them again.
fn print_interrupted(status: &Value, is_running: bool) -> std::io::Result<()> {
    let myses = status["myses"].as_array().into_iter().flatten();
    let interrupted = myses.filter(|mysis| is_interruption(mysis["reason"].as_str()));
    let interrupted = interrupted.count();
    if interrupted == 0 {
        return Ok(());
    }
    let command = match is_running {
        true => "zoea mysis start --state interrupted",
        false => "zoea run --resume",
    };
    out::line(&format!(
        "interrupted: {interrupted} ran when the program ended; `{command}` starts them again"
    ))
}

/// How many of the Myses each process runs, where there are several.
fn print_processes(status: &Value) -> std::io::Result<()> {
    let Some(own) = status["process"].as_str() else {
        return Ok(());
    };
    let mut counts = BTreeMap::from([(own, 0)]);
    for mysis in status["myses"].as_array().into_iter().flatten() {
        *counts.entry(text_or_none(mysis, "process")).or_insert(0) += 1;
    }
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(name, count)| {
            let here = if name == own { " (this one)" } else { "" };
            format!("{name}{here} {count}")
        })
        .collect();
    out::line(&out::clean(&format!("processes: {}", counts.join(", "))))
}

/// What needs the operator, by cause. Conditions of the whole program have lines of their own.
fn print_needs(status: &Value) -> std::io::Result<()> {
    for need in status["needs"].as_array().into_iter().flatten() {
        let what = text_or_none(need, "what");
        let names = need["myses"].as_array().map_or(&[][..], Vec::as_slice);
        let whose = match (names, need["count"].as_u64()) {
            _ if StandingKind::of_code(what).is_some() => continue,
            ([], _) => "zoea".to_string(),
            ([one], _) => one.as_str().unwrap_or_default().to_string(),
            (_, count) => format!("{} Myses", count.unwrap_or_default()),
        };
        let since = shown::time(text_or_none(need, "since"));
        let why = text_or_none(need, "why");
        let help = help_of(text_or_none(need, "help"), &whose, names.len());
        let line = format!("needs you: {whose}: {what} since {since}: {why}{help}");
        out::line(&out::clean(&line))?;
    }
    Ok(())
}

/// The command that helps, as `; \`zoea mysis retry --all\` tries it now`.
fn help_of(help: &str, name: &str, count: usize) -> String {
    let whom = match count {
        1 => name.to_string(),
        _ => "NAME".to_string(),
    };
    let command = match help {
        "relaunch" => format!("`zoea mysis start {whom}` relaunches it"),
        "try now" => "`zoea mysis retry --all` tries now".to_string(),
        "message" => format!("`zoea send {whom} TEXT` tells it what to do"),
        "stop" => format!("`zoea mysis stop {whom}` stops it"),
        // Lines of their own say what to do.
        _ => return String::new(),
    };
    format!("; {command}")
}

/// The servers that serve nobody, and when each is tried again.
fn print_outages(status: &Value) -> std::io::Result<()> {
    for away in status["away"].as_array().into_iter().flatten() {
        let at = shown::time(text_or_none(away, "next_try"));
        // While the swarm is frozen nothing is tried, and that time may be over.
        let again = match status["frozen_since"].is_string() {
            true => "it is tried again after the thaw".to_string(),
            false => format!("it is tried again at {at}"),
        };
        let since = away["since"].as_str().map(shown::time);
        let trouble = Trouble {
            whom: text_or_none(away, "server"),
            what: "serves nobody",
            since: since.as_deref(),
            then: &["its myses wait", &again],
            chain: away["text"].as_str(),
            ..Trouble::default()
        };
        out::line(&out::clean(&format!("away: {trouble}")))?;
    }
    for doubtful in status["doubtful"].as_array().into_iter().flatten() {
        let since = doubtful["since"].as_str().map(shown::time);
        let trouble = Trouble {
            whom: text_or_none(doubtful, "server"),
            what: "may be in trouble",
            since: since.as_deref(),
            chain: doubtful["text"].as_str(),
            ..Trouble::default()
        };
        out::line(&out::clean(&format!("in doubt: {trouble}")))?;
    }
    Ok(())
}

/// What the operator has to do so that Myses are logged in, in full: the table cuts it.
fn print_logins(status: &Value) -> std::io::Result<()> {
    const MAX_LINES: usize = 20;
    let myses = status["myses"].as_array().into_iter().flatten();
    let waiting = myses.filter_map(|mysis| {
        let activity = mysis["activity"].as_str()?;
        activity
            .starts_with(AWAITING_LOGIN_PREFIX)
            .then_some((mysis, activity))
    });
    for (mysis, activity) in waiting.take(MAX_LINES) {
        let name = text_or_none(mysis, "name");
        out::line(&out::clean(&format!("{name}: {activity}")))?;
    }
    Ok(())
}

/// The orders that models do not get, in full, with the Myses that each is for.
fn print_undelivered(status: &Value) -> std::io::Result<()> {
    const MAX_LINES: usize = 20;
    let mut orders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for mysis in status["myses"].as_array().into_iter().flatten() {
        if let Some(why) = mysis["not_delivered"].as_str() {
            orders
                .entry(why)
                .or_default()
                .push(text_or_none(mysis, "name"));
        }
    }
    for (why, names) in orders.iter().take(MAX_LINES) {
        let more = match names.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let line = format!("not delivered: {}{more}: {why}", names[0]);
        out::line(&out::clean(&line))?;
    }
    Ok(())
}

fn print_questions(status: &Value) -> std::io::Result<()> {
    let mut myses = status["myses"].as_array().into_iter().flatten();
    myses.try_for_each(print_question)
}

/// The question that a server asks during a call of this Mysis, and how it is answered.
fn print_question(mysis: &Value) -> std::io::Result<()> {
    let question = &mysis["question"];
    let Some(message) = question["message"].as_str() else {
        return Ok(());
    };
    let name = out::clean(text_or_none(mysis, "name"));
    out::line(&format!(
        "asked: {} asks {name} for you (question {}): {}",
        out::clean(text_or_none(question, "server")),
        question["number"],
        out::clean(message),
    ))?;
    if let Some(url) = question["url"].as_str() {
        out::line(&format!("  open {}", out::clean(url)))?;
        out::line(&format!("  then `zoea answer {name}`, or --decline"))?;
        return Ok(());
    }
    for field in question["fields"].as_array().into_iter().flatten() {
        let text = |key: &str| field[key].as_str().map(|text| format!(" {text}"));
        let needed = match field["required"].as_bool() {
            Some(true) => "",
            Some(false) | None => ", may be left out",
        };
        let default = match (field["default"].as_str(), &field["default"]) {
            (Some(text), _) => format!(", else {text}"),
            (None, Value::Null) => String::new(),
            (None, value) => format!(", else {value}"),
        };
        let line = format!(
            "  {}={}{needed}{default}{}{}",
            text_or_none(field, "name"),
            text("wants").unwrap_or_default(),
            text("title").map(|it| format!(":{it}")).unwrap_or_default(),
            text("description")
                .map(|it| format!(" -{it}"))
                .unwrap_or_default(),
        );
        out::line(&out::clean(&line))?;
    }
    out::line(&format!(
        "  `zoea answer {name} field=value …`, or --decline"
    ))
}

/// The tokens and cost of today, and their share of the budget.
fn today_line(today: &Value) -> String {
    let [tokens_in, out, cached] =
        ["tokens_in", "tokens_out", "tokens_cached"].map(|key| shown::figure(&today[key]));
    let mut line = format!("today: {tokens_in} tokens in, {out} out, {cached} cached");
    let unpriced = today["tokens_without_price"].as_u64().unwrap_or(0);
    line += &match (today["cost"].as_f64(), unpriced) {
        (Some(cost), 0) => format!(", {}", shown::dollars(Some(cost))),
        (Some(cost), tokens) => {
            let (cost, tokens) = (shown::dollars(Some(cost)), shown::figure(&tokens.into()));
            format!(", {cost} and the unknown cost of {tokens} tokens")
        }
        (None, _) => ", cost unknown".to_string(),
    };
    if let Some(percent) = today["budget_percent"].as_u64() {
        line += &format!("; budget {}", percent_text(percent));
    }
    line
}

fn text_or_none<'a>(status: &'a Value, key: &str) -> &'a str {
    status[key].as_str().unwrap_or("none")
}
