//! `zoea status`: a summary of the running program on one page.

use actors::domain::event::is_interruption;
use clap::Args;
use serde_json::Value;

use crate::cli::global::GlobalArgs;
use crate::cli::swarm_client::SwarmClient;
use crate::cli::{mysis, out};
use crate::control::call::ControlCall;
use crate::settings::Environment;

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
    let door = SwarmClient::open(global, environment).await?;
    let is_running = door.is_running();
    let status = door.call(ControlCall::Status {}).await;
    door.close().await;
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
            text_or_none(status, "started_at"),
            status["pid"]
        ))?;
    } else {
        out::line("no swarm is running here")?;
    }
    out::line(&format!("mission: {}", text_or_none(status, "mission")))?;
    if let Some(trouble) = status["trouble"].as_str() {
        out::line(&format!("trouble: {}", trouble))?;
    }
    if let Some(silence) = status["silence"].as_str() {
        out::line(&out::clean(silence))?;
    }
    for away in status["away"].as_array().into_iter().flatten() {
        out::line(&format!(
            "away: {} since {}: {}; its myses wait, and it is tried again at {}",
            out::clean(text_or_none(away, "server")),
            text_or_none(away, "since"),
            out::clean(text_or_none(away, "text")),
            text_or_none(away, "next_try"),
        ))?;
    }
    let states: Vec<String> = status["states"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    out::line(&format!("myses: {}", states.join(", ")))?;
    let myses = status["myses"].as_array().into_iter().flatten();
    let interrupted = myses.filter(|mysis| is_interruption(mysis["reason"].as_str()));
    let interrupted = interrupted.count();
    if interrupted > 0 {
        let command = match is_running {
            true => "zoea mysis start --state interrupted",
            false => "zoea run --resume",
        };
        out::line(&format!(
            "interrupted: {interrupted} ran when the program ended; `{command}` starts them again"
        ))?;
    }
    if let Some(arrival) = status["arrival"].as_str() {
        out::line(arrival)?;
    }
    out::line(&today_line(&status["today"]))?;
    out::table(&mysis::mysis_table(&status["myses"]))
}

/// The tokens and cost of today, and their share of the budget.
fn today_line(today: &Value) -> String {
    let mut line = format!(
        "today: {} tokens in, {} out, {} cached",
        today["tokens_in"], today["tokens_out"], today["tokens_cached"]
    );
    let unpriced = today["tokens_without_price"].as_u64().unwrap_or(0);
    line += &match (today["cost"].as_f64(), unpriced) {
        (Some(cost), 0) => format!(", ${cost:.4}"),
        (Some(cost), tokens) => {
            format!(", ${cost:.4} and the unknown cost of {tokens} tokens")
        }
        (None, _) => ", cost unknown".to_string(),
    };
    if let Some(percent) = today["budget_percent"].as_u64() {
        line += &format!("; budget {percent} %");
    }
    line
}

fn text_or_none<'a>(status: &'a Value, key: &str) -> &'a str {
    status[key].as_str().unwrap_or("none")
}
