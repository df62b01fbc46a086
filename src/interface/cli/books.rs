//! `zoea books`: tokens and cost, by day, Mysis and provider.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::Value;
use zoea_settings::Environment;
use zoea_text::figures::group_digits;
use zoea_text::names::plural;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out::{self, Column, Table};
use crate::interface::cli::shown;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::GetBooks;

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
    let client = SwarmClient::open(global, environment).await?;
    let books = client.call(ControlCall::GetBooks(args.asked.clone())).await;
    let myses = match (&books, args.json) {
        (Ok(_), false) => client.call(ControlCall::all_myses()).await,
        (Ok(_), true) | (Err(_), _) => Ok(Value::Null),
    };
    client.close().await;
    let books = books?;
    if args.json {
        return Ok(out::json(&books)?);
    }
    books_table(&books).print()?;
    if let Some(cached) = cached_line(&books) {
        out::line(&cached)?;
    }
    if let Some(spared) = spared_line(&myses?) {
        out::line(&spared)?;
    }
    Ok(())
}

/// How many calls the routines of each Mysis made in its model's place, since it was created.
fn spared_line(myses: &Value) -> Option<String> {
    let entries = myses.as_array().map_or(&[][..], Vec::as_slice);
    let spared = entries.iter().filter_map(|mysis| {
        let calls = mysis["spared_calls"].as_u64().filter(|calls| *calls > 0)?;
        Some((mysis["name"].as_str()?, calls))
    });
    let spared: Vec<(&str, u64)> = spared.collect();
    let all: u64 = spared.iter().map(|(_, calls)| calls).sum();
    let each: Vec<String> = spared
        .iter()
        .map(|(name, calls)| format!("{name} {}", group_digits(*calls)))
        .collect();
    let each = each.join(", ");
    let all = format!("{} {}", group_digits(all), plural(all, "call"));
    (!each.is_empty()).then(|| format!("routines made {all} without the model so far: {each}"))
}

/// The share of the tokens of requests that each provider read from its cache.
fn cached_line(books: &Value) -> Option<String> {
    let mut shares: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for entry in books.as_array().map_or(&[][..], Vec::as_slice) {
        if let Some(provider) = entry["provider"].as_str() {
            let (read, cached) = shares.entry(provider).or_default();
            *read += entry["tokens_in"].as_u64().unwrap_or(0);
            *cached += entry["tokens_cached"].as_u64().unwrap_or(0);
        }
    }
    let shares = shares.into_iter().filter(|(_, (read, _))| *read > 0);
    let shares: Vec<String> = shares
        .map(|(provider, (read, cached))| {
            let percent = u128::from(cached.min(read)) * 100 / u128::from(read);
            format!("{provider} {percent} %")
        })
        .collect();
    let shares = shares.join(", ");
    (!shares.is_empty()).then(|| format!("tokens in that came from the provider's cache: {shares}"))
}

/// The members of an entry that are summed up, in the order of the columns.
const COUNTED: [&str; 4] = ["calls", "tokens_in", "tokens_cached", "tokens_out"];

/// A line for each day, Mysis and provider, and what they come to.
fn books_table(books: &Value) -> Table {
    let mut table = Table::new(&[
        Column::text("DAY"),
        Column::text("MYSIS"),
        Column::text("PROVIDER"),
        Column::figure("CALLS"),
        Column::figure("TOKENS IN"),
        Column::figure("CACHED"),
        Column::figure("OUT"),
        Column::figure("COST"),
        Column::figure("SPARED"),
    ]);
    let entries = books.as_array().map_or(&[][..], Vec::as_slice);
    for entry in entries {
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_string();
        // Routines ask no provider.
        let provider = match entry["provider"].is_null() {
            true => "(routines)".to_string(),
            false => text("provider"),
        };
        let mut cells = vec![text("day"), shown::owner(entry), provider];
        cells.extend(COUNTED.map(|key| shown::figure(&entry[key])));
        cells.push(shown::dollars(entry["cost"].as_f64()));
        cells.push(spared_figure(entry["spared_calls"].as_u64().unwrap_or(0)));
        table.add(cells);
    }
    if entries.len() > 1 {
        let sum = |key: &str| -> u64 { entries.iter().filter_map(|it| it[key].as_u64()).sum() };
        let mut cells = vec!["all".to_string(), String::new(), String::new()];
        cells.extend(COUNTED.map(|key| group_digits(sum(key))));
        cells.push(total_cost(entries));
        cells.push(spared_figure(sum("spared_calls")));
        table.set_totals(cells);
    }
    table
}

fn spared_figure(calls: u64) -> String {
    match calls {
        0 => String::new(),
        calls => group_digits(calls),
    }
}

/// What all entries cost, and how many have no price.
fn total_cost(entries: &[Value]) -> String {
    let costs: Vec<f64> = entries
        .iter()
        .filter_map(|it| it["cost"].as_f64())
        .collect();
    match (costs.len(), entries.len() - costs.len()) {
        (0, _) => shown::dollars(None),
        (_, 0) => shown::dollars(Some(costs.iter().sum())),
        (_, _) => format!("{} and unknown", shown::dollars(Some(costs.iter().sum()))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_routines_spared_is_told_where_there_is_something() {
        let myses = json!([
            {"name": "alpha", "spared_calls": 1200},
            {"name": "bravo", "spared_calls": 0},
            {"name": "delta", "spared_calls": 7}
        ]);
        assert_eq!(
            spared_line(&myses).as_deref(),
            Some("routines made 1,207 calls without the model so far: alpha 1,200, delta 7")
        );
        assert_eq!(spared_line(&json!([])), None);
    }

    #[test]
    fn the_share_of_the_cache_is_told_for_each_provider_that_read_something() {
        let entry = |provider: &str, read: u64, cached: u64| json!({"provider": provider, "tokens_in": read, "tokens_cached": cached});
        let books = json!([
            entry("mini", 600, 500), entry("mini", 400, 390), entry("local", 10, 0), entry("idle", 0, 0),
            {"provider": null, "spared_calls": 3}
        ]);
        assert_eq!(
            cached_line(&books).as_deref(),
            Some("tokens in that came from the provider's cache: local 0 %, mini 89 %")
        );
        assert_eq!(cached_line(&json!([])), None);
    }

    #[test]
    fn a_total_with_an_unknown_part_says_so() {
        let entries = [json!({"cost": 1.5}), json!({"cost": null})];
        assert_eq!(total_cost(&entries), "$1.50 and unknown");
        assert_eq!(total_cost(&entries[..1]), "$1.50");
        assert_eq!(total_cost(&entries[1..]), "unknown");
    }
}
