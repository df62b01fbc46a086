//! `zoea status`: one page about the running program.

use serde_json::{Value, json};

use crate::cli::door::Door;
use crate::cli::global::GlobalArgs;
use crate::cli::{mysis, out};
use crate::settings::Environment;

pub(super) async fn run(global: &GlobalArgs, environment: &Environment) -> anyhow::Result<()> {
    let door = Door::open(global, environment).await?;
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
    out::line(&format!(
        "mission: {}",
        out::clean(word(&status, "mission"))
    ))?;
    if let Some(trouble) = status["trouble"].as_str() {
        out::line(&format!("trouble: {}", out::clean(trouble)))?;
    }
    let states: Vec<String> = status["states"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    out::line(&format!("myses: {}", states.join(", ")))?;
    Ok(out::table(&mysis::table(&status["myses"]))?)
}

fn word<'a>(status: &'a Value, key: &str) -> &'a str {
    status[key].as_str().unwrap_or("none")
}
