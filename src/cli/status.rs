//! `zoea status`: one page about the running program.

use actors::domain::event::is_interruption;
use serde_json::{Value, json};

use crate::cli::global::GlobalArgs;
use crate::cli::swarm_client::SwarmClient;
use crate::cli::{mysis, out};
use crate::settings::Environment;

pub(super) async fn run(global: &GlobalArgs, environment: &Environment) -> anyhow::Result<()> {
    let door = SwarmClient::open(global, environment).await?;
    let is_running = door.is_running();
    let status = door.call("status", json!({})).await;
    door.close().await;
    let status = status?;
    if is_running {
        out::line(&format!(
            "zoea {} runs since {} (pid {})",
            word(&status, "version"),
            word(&status, "started_at"),
            status["pid"]
        ))?;
    } else {
        out::line("no swarm is running here")?;
    }
    out::line(&format!("mission: {}", word(&status, "mission")))?;
    if let Some(trouble) = status["trouble"].as_str() {
        out::line(&format!("trouble: {}", trouble))?;
    }
    for away in status["away"].as_array().into_iter().flatten() {
        out::line(&format!(
            "away: {} since {}: {}; its myses wait, and it is tried again at {}",
            out::clean(word(away, "server")),
            word(away, "since"),
            out::clean(word(away, "text")),
            word(away, "next_try"),
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
    out::line(&today(&status["today"]))?;
    Ok(out::table(&mysis::table(&status["myses"]))?)
}

/// What was spent today, and how much of the budget that is.
fn today(today: &Value) -> String {
    let mut line = format!(
        "today: {} tokens in, {} out, {} cached",
        today["tokens_in"], today["tokens_out"], today["tokens_cached"]
    );
    if let Some(cost) = today["cost"].as_f64() {
        line += &format!(", ${cost:.4}");
    }
    if let Some(percent) = today["budget_percent"].as_u64() {
        line += &format!("; budget {percent} %");
    }
    line
}

fn word<'a>(status: &'a Value, key: &str) -> &'a str {
    status[key].as_str().unwrap_or("none")
}
