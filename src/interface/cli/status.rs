//! `zoea status`: a summary of the running program on one page.

use std::collections::BTreeMap;

use actors::domain::budget::percent_text;
use actors::domain::event::{AWAITING_LOGIN_PREFIX, is_interruption};
use actors::domain::needs::{help_command, shown_need};
use actors::domain::standing::StandingKind;
use anyhow::Context;
use clap::Args;
use serde::Deserialize;
use serde_json::Value;
use zoea_contract::{
    MysisStatusJson, NeedJson, OutageJson, ProgramStatusJson, QuestionFieldJson, SpendingJson,
};
use zoea_text::figures::group_digits;
use zoea_text::trouble::Trouble;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::cli::{mysis, out, shown};
use crate::interface::control::call::ControlCall;

/// The status of a program.
type Status = ProgramStatusJson<'static>;

#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(args: &StatusArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let (status, is_running) = SwarmClient::with(global, async |client| {
        let status = client.call(ControlCall::whole_status()).await?;
        Ok((status, client.is_running()))
    })
    .await?;
    if args.json {
        return Ok(out::json(&status)?);
    }
    let status = Status::deserialize(status).context("read the status")?;
    Ok(print_page(&status, is_running)?)
}

fn print_page(status: &Status, is_running: bool) -> std::io::Result<()> {
    if is_running {
        out::line(&format!(
            "zoea {} runs since {} (pid {})",
            status.version,
            shown::time(&status.started_at),
            status.pid
        ))?;
    } else {
        out::line("no swarm is running here")?;
    }
    if let Some(since) = &status.frozen_since {
        out::line(&format!(
            "FROZEN since {}: no model call, no tool call and no login begins until `zoea thaw`",
            shown::time(since)
        ))?;
    }
    let mission = status.mission.as_deref().unwrap_or("none");
    out::line(&format!("mission: {mission}"))?;
    if let Some(trouble) = &status.trouble {
        out::line(&format!("trouble: {trouble}"))?;
    }
    for warning in &status.warnings {
        out::line(&format!("warning: {}", warning.text))?;
    }
    if let Some(silence) = &status.silence {
        out::line(silence)?;
    }
    print_needs(&status.needs)?;
    print_outages(status)?;
    for proxied in &status.proxied {
        out::line(&shown::proxied(proxied))?;
    }
    let states = status.states.iter();
    let states: Vec<String> = states
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    out::line(&format!("myses: {}", states.join(", ")))?;
    print_processes(status)?;
    print_logins(&status.myses)?;
    print_interrupted(&status.myses, is_running)?;
    status.myses.iter().try_for_each(print_question)?;
    print_undelivered(&status.myses)?;
    let known = [
        status.arrival.clone(),
        credits_line(status),
        number_line(status),
    ];
    let known = known.into_iter().flatten();
    for line in known.chain([today_line(&status.today)]) {
        out::line(&line)?;
    }
    mysis::mysis_table(&status.myses, &status.needs).print()
}

/// The credits of all, and what they earn.
fn credits_line(status: &Status) -> Option<String> {
    let credits = status.credits?;
    let credits = shown::number_or_hyphen(Some(credits));
    Some(match status.earned_last_hour {
        Some(earned) => format!(
            "credits: {credits} in all wallets, {} earned in the last hour",
            shown::number_or_hyphen(Some(earned))
        ),
        None => format!("credits: {credits} in all wallets"),
    })
}

/// The number that the operator named, of all, and its change.
fn number_line(status: &Status) -> Option<String> {
    let number = status.number.as_ref()?;
    let [sum, change] = [number.sum, number.last_hour];
    let [sum, change] = [sum, change].map(|it| shown::number_or_hyphen(Some(it)));
    let name = &number.name;
    Some(format!("{name}: {sum} in all, {change} in the last hour"))
}

/// How many ran when the program ended, and the command that starts them again.
fn print_interrupted(myses: &[MysisStatusJson<'_>], is_running: bool) -> std::io::Result<()> {
    let myses = myses.iter();
    let interrupted = myses.filter(|mysis| is_interruption(mysis.reason.as_deref()));
    let interrupted = interrupted.count();
    if interrupted == 0 {
        return Ok(());
    }
    let command = match is_running {
        true => "zoea mysis start --state interrupted",
        false => "zoea run --resume",
    };
    out::line(&format!(
        "interrupted: {interrupted} of the Myses ran when the program ended; `{command}` starts them again"
    ))
}

/// How many of the Myses each process runs, where there are several.
fn print_processes(status: &Status) -> std::io::Result<()> {
    let Some(own) = status.process.as_deref() else {
        return Ok(());
    };
    let mut counts = BTreeMap::from([(own, 0)]);
    for mysis in &status.myses {
        let process = mysis.process.as_deref().unwrap_or("none");
        *counts.entry(process).or_insert(0) += 1;
    }
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(name, count)| {
            let here = if name == own { " (this one)" } else { "" };
            format!("{name}{here} {count}")
        })
        .collect();
    out::line(&format!("processes: {}", counts.join(", ")))
}

/// What needs the operator, by cause. Conditions of the whole program have lines of their own.
fn print_needs(needs: &[NeedJson]) -> std::io::Result<()> {
    for need in needs {
        let whose = match &need.myses[..] {
            _ if StandingKind::of_code(&need.what).is_some() => continue,
            [] => "zoea".to_string(),
            [one] => one.clone(),
            _ => format!("{} Myses", need.count),
        };
        let (what, since, why) = (shown_need(&need.what), shown::time(&need.since), &need.why);
        let help = help_command(&need.help, &whose, need.myses.len());
        let line = format!("needs you: {whose}: {what} since {since}: {why}{help}");
        out::line(&line)?;
    }
    Ok(())
}

/// The servers that serve nobody, and when each is tried again.
fn print_outages(status: &Status) -> std::io::Result<()> {
    for away in &status.away {
        // While the swarm is frozen nothing is tried, and that time may be over.
        let again = match status.frozen_since {
            Some(_) => "zoea tries it again after the thaw".to_string(),
            None => format!("zoea tries it again at {}", shown::time(&away.next_try)),
        };
        let then = ["its myses wait", &again];
        print_outage("away", away, ("serves no requests", &then))?;
    }
    let mut doubtful = status.doubtful.iter();
    doubtful.try_for_each(|server| print_outage("in doubt", server, ("may be in trouble", &[])))
}

fn print_outage(
    label: &str,
    server: &OutageJson<'_>,
    (what, then): (&str, &[&str]),
) -> std::io::Result<()> {
    let since = shown::time(&server.since);
    let trouble = Trouble {
        whom: &server.server,
        what,
        since: Some(&since),
        then,
        chain: Some(&server.text),
        ..Trouble::default()
    };
    out::line(&format!("{label}: {trouble}"))
}

/// What the operator has to do so that Myses are logged in, in full: the table cuts it.
fn print_logins(myses: &[MysisStatusJson<'_>]) -> std::io::Result<()> {
    const MAX_LINES: usize = 20;
    let waiting = myses
        .iter()
        .filter(|mysis| mysis.activity.starts_with(AWAITING_LOGIN_PREFIX));
    for mysis in waiting.take(MAX_LINES) {
        let line = format!("{}: {}", mysis.name, mysis.activity);
        out::line(&line)?;
    }
    Ok(())
}

/// The orders that models do not get, in full, with the Myses that each is for.
fn print_undelivered(myses: &[MysisStatusJson<'_>]) -> std::io::Result<()> {
    const MAX_LINES: usize = 20;
    let mut orders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for mysis in myses {
        if let Some(why) = &mysis.not_delivered {
            orders.entry(why).or_default().push(&mysis.name);
        }
    }
    for (why, names) in orders.iter().take(MAX_LINES) {
        let more = match names.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let line = format!("not delivered: {}{more}: {why}", names[0]);
        out::line(&line)?;
    }
    Ok(())
}

/// The question that a server asks during a call of this Mysis, and how it is answered.
fn print_question(mysis: &MysisStatusJson<'_>) -> std::io::Result<()> {
    let Some(question) = &mysis.question else {
        return Ok(());
    };
    let name = &mysis.name;
    out::line(&format!(
        "question for you: {} asks through {name} (number {}): {}",
        question.server, question.number, question.message,
    ))?;
    if let Some(url) = &question.url {
        out::line(&format!("  open {url}"))?;
        out::line(&format!("  then `zoea answer {name}`, or --decline"))?;
        return Ok(());
    }
    for field in &question.fields {
        out::line(&field_line(field))?;
    }
    out::line(&format!(
        "  `zoea answer {name} field=value …`, or --decline"
    ))
}

fn field_line(field: &QuestionFieldJson<'_>) -> String {
    let needed = match field.required {
        true => "",
        false => ", may be left out",
    };
    let default = match field.default.as_deref() {
        Some(Value::String(text)) => format!(", else {text}"),
        None | Some(Value::Null) => String::new(),
        Some(value) => format!(", else {value}"),
    };
    let behind = |mark: &str, text: &str| match text.is_empty() {
        true => String::new(),
        false => format!("{mark} {text}"),
    };
    format!(
        "  {}={}{needed}{default}{}{}",
        field.name,
        behind("", &field.wants),
        behind(":", &field.title),
        behind(" -", &field.description),
    )
}

/// The tokens and cost of today, and their share of the budget.
fn today_line(today: &SpendingJson) -> String {
    let spent = &today.spent;
    let [tokens_in, out, cached] =
        [spent.tokens_in, spent.tokens_out, spent.tokens_cached].map(group_digits);
    let mut line = format!("today: {tokens_in} tokens in, {out} out, {cached} cached");
    line += &match (spent.cost, today.tokens_without_price) {
        (Some(cost), 0) => format!(", {}", shown::dollars(Some(cost))),
        (Some(cost), tokens) => {
            let (cost, tokens) = (shown::dollars(Some(cost)), group_digits(tokens));
            format!(", {cost} and the unknown cost of {tokens} tokens")
        }
        (None, _) => ", cost unknown".to_string(),
    };
    if let Some(percent) = today.budget_percent {
        line += &format!("; budget {}", percent_text(percent));
    }
    line
}
