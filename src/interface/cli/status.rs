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

/// The most lines of one kind, where each Mysis may have one.
const MAX_LINES: usize = 20;

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
    for line in page_of(&status, is_running) {
        out::line(&line)?;
    }
    Ok(mysis::mysis_table(&status.myses, &status.needs).print()?)
}

fn page_of(status: &Status, is_running: bool) -> Vec<String> {
    let mut page = vec![match is_running {
        true => format!(
            "zoea {} runs since {} (pid {})",
            status.version,
            shown::time(&status.started_at),
            status.pid
        ),
        false => "no swarm is running here".to_string(),
    }];
    page.extend(status.frozen_since.as_ref().map(|since| {
        format!(
            "FROZEN since {}: no model call, no tool call and no login begins until `zoea thaw`",
            shown::time(since)
        )
    }));
    let mission = status.mission.as_deref().unwrap_or("none");
    page.push(format!("mission: {mission}"));
    let trouble = status.trouble.iter();
    page.extend(trouble.map(|trouble| format!("trouble: {trouble}")));
    let warnings = status.warnings.iter();
    page.extend(warnings.map(|warning| format!("warning: {}", warning.text)));
    page.extend(status.silence.as_deref().map(str::to_string));
    page.extend(status.needs.iter().filter_map(need_line));
    page.extend(outage_lines(status));
    page.extend(status.proxied.iter().map(shown::proxied));
    let states = status.states.iter();
    let states: Vec<String> = states
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    page.push(format!("myses: {}", states.join(", ")));
    page.extend(process_line(status));
    page.extend(login_lines(&status.myses));
    page.extend(interrupted_line(&status.myses, is_running));
    page.extend(status.myses.iter().flat_map(question_lines));
    page.extend(undelivered_lines(&status.myses));
    page.extend(status.arrival.clone());
    page.extend(credits_line(status));
    page.extend(number_line(status));
    page.push(today_line(&status.today));
    page
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
fn interrupted_line(myses: &[MysisStatusJson<'_>], is_running: bool) -> Option<String> {
    let myses = myses.iter();
    let interrupted = myses.filter(|mysis| is_interruption(mysis.reason.as_deref()));
    let interrupted = interrupted.count();
    let command = match is_running {
        true => "zoea mysis start --state interrupted",
        false => "zoea run --resume",
    };
    (interrupted > 0).then(|| {
        format!(
            "interrupted: {interrupted} of the Myses ran when the program ended; `{command}` starts them again"
        )
    })
}

/// How many of the Myses each process runs, where there are several.
fn process_line(status: &Status) -> Option<String> {
    let own = status.process.as_deref()?;
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
    Some(format!("processes: {}", counts.join(", ")))
}

/// What needs the operator. Conditions of the whole program have lines of their own.
fn need_line(need: &NeedJson) -> Option<String> {
    let whose = match &need.myses[..] {
        _ if StandingKind::of_code(&need.what).is_some() => return None,
        [] => "zoea".to_string(),
        [one] => one.clone(),
        _ => format!("{} Myses", need.count),
    };
    let (what, since, why) = (shown_need(&need.what), shown::time(&need.since), &need.why);
    let help = help_command(&need.help, &whose, need.myses.len());
    Some(format!(
        "needs you: {whose}: {what} since {since}: {why}{help}"
    ))
}

/// The servers that serve nobody, and when each is tried again.
fn outage_lines(status: &Status) -> impl Iterator<Item = String> {
    let away = status.away.iter().map(move |away| {
        // While the swarm is frozen nothing is tried, and that time may be over.
        let again = match status.frozen_since {
            Some(_) => "zoea tries it again after the thaw".to_string(),
            None => format!("zoea tries it again at {}", shown::time(&away.next_try)),
        };
        let then = ["its myses wait", &again];
        outage_line("away", away, ("serves no requests", &then))
    });
    let doubtful = status.doubtful.iter();
    away.chain(doubtful.map(|server| outage_line("in doubt", server, ("may be in trouble", &[]))))
}

fn outage_line(label: &str, server: &OutageJson<'_>, (what, then): (&str, &[&str])) -> String {
    let since = shown::time(&server.since);
    let trouble = Trouble {
        whom: &server.server,
        what,
        since: Some(&since),
        then,
        chain: Some(&server.text),
        ..Trouble::default()
    };
    format!("{label}: {trouble}")
}

/// What the operator has to do so that Myses are logged in, in full: the table cuts it.
fn login_lines(myses: &[MysisStatusJson<'_>]) -> impl Iterator<Item = String> {
    let waiting = myses
        .iter()
        .filter(|mysis| mysis.activity.starts_with(AWAITING_LOGIN_PREFIX));
    let first = waiting.take(MAX_LINES);
    first.map(|mysis| format!("{}: {}", mysis.name, mysis.activity))
}

/// The orders that models do not get, in full, with the Myses that each is for.
fn undelivered_lines(myses: &[MysisStatusJson<'_>]) -> Vec<String> {
    let mut orders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for mysis in myses {
        if let Some(why) = &mysis.not_delivered {
            orders.entry(why).or_default().push(&mysis.name);
        }
    }
    let lines = orders.iter().take(MAX_LINES).map(|(why, names)| {
        let more = match names.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        format!("not delivered: {}{more}: {why}", names[0])
    });
    lines.collect()
}

/// The question that a server asks during a call of this Mysis, and how it is answered.
fn question_lines(mysis: &MysisStatusJson<'_>) -> Vec<String> {
    let Some(question) = &mysis.question else {
        return Vec::new();
    };
    let name = &mysis.name;
    let mut lines = vec![format!(
        "question for you: {} asks through {name} (number {}): {}",
        question.server, question.number, question.message,
    )];
    if let Some(url) = &question.url {
        lines.push(format!("  open {url}"));
        lines.push(format!("  then `zoea answer {name}`, or --decline"));
        return lines;
    }
    lines.extend(question.fields.iter().map(field_line));
    lines.push(format!(
        "  `zoea answer {name} field=value …`, or --decline"
    ));
    lines
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
