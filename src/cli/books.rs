//! `zoea books`: tokens and cost, by day, Mysis and provider.

use clap::Args;
use serde_json::Value;

use crate::cli::global::GlobalArgs;
use crate::cli::out;
use crate::cli::swarm_client::SwarmClient;
use crate::control::call::ControlCall;
use crate::control::parameters::GetBooks;
use crate::settings::Environment;

/// The tokens and the cost.
#[derive(Debug, Args)]
pub struct BooksArgs {
    #[command(flatten)]
    asked: GetBooks,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(
    args: &BooksArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let door = SwarmClient::open(global, environment).await?;
    let books = door.call(ControlCall::GetBooks(args.asked.clone())).await;
    door.close().await;
    let books = books?;
    if args.json {
        return Ok(out::json(&books)?);
    }
    Ok(out::table(&books_table(&books))?)
}

fn books_table(books: &Value) -> Vec<Vec<String>> {
    let head = [
        "DAY",
        "MYSIS",
        "PROVIDER",
        "CALLS",
        "TOKENS IN",
        "CACHED",
        "OUT",
        "COST",
    ];
    let mut rows = vec![head.map(str::to_string).to_vec()];
    for entry in books.as_array().into_iter().flatten() {
        let text = |key: &str| entry[key].as_str();
        let deleted = || format!("(deleted) {}", text("mysis_id").unwrap_or_default());
        rows.push(vec![
            text("day").unwrap_or_default().to_string(),
            text("mysis").map_or_else(deleted, str::to_string),
            text("provider").unwrap_or_default().to_string(),
            entry["calls"].to_string(),
            entry["tokens_in"].to_string(),
            entry["tokens_cached"].to_string(),
            entry["tokens_out"].to_string(),
            entry["cost"]
                .as_f64()
                .map_or_else(|| "unknown".to_string(), |cost| format!("${cost:.4}")),
        ]);
    }
    rows
}
