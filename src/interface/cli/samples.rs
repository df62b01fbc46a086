//! `zoea samples`: what Myses have, earn, cost and wait for over time.

use std::ops::RangeInclusive;

use clap::Args;
use serde_json::Value;
use zoea_settings::Environment;
use zoea_text::figures::group_digits;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out::{self, Column, Table};
use crate::interface::cli::shown;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::ReadSamples;

/// The samples.
#[derive(Debug, Args)]
pub struct SamplesArgs {
    /// The names of the Myses [default: all].
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    asked: ReadSamples,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(
    args: &SamplesArgs,
    global: &GlobalArgs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let client = SwarmClient::open(global, environment).await?;
    let asked = ReadSamples {
        myses: (!args.names.is_empty()).then(|| args.names.join(",")),
        ..args.asked.clone()
    };
    let samples = client.call(ControlCall::ReadSamples(asked)).await;
    client.close().await;
    let samples = samples?;
    if args.json {
        return Ok(out::json(&samples)?);
    }
    let series = samples["series"].as_array().map_or(&[][..], Vec::as_slice);
    let table = match series {
        [one] => steps_table(one),
        several => myses_table(several),
    };
    Ok(table.print()?)
}

/// A line for each step of one series.
fn steps_table(series: &Value) -> Table {
    let samples = series["samples"].as_array().into_iter().flatten();
    let rows = samples.map(|sample| {
        let at = shown::time(sample["at"].as_str().unwrap_or_default());
        cells(&at, sample, &SampleTotals::of([sample]))
    });
    table("AT", rows.collect(), None)
}

/// A table without the columns of the game that say nothing in any row.
fn table(first: &'static str, rows: Vec<Vec<String>>, totals: Option<Vec<String>>) -> Table {
    let is_known = |place: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(place));
        !OF_GAME.contains(&place) || rows.is_empty() || cells.any(|cell| cell != UNKNOWN)
    };
    let known: Vec<bool> = (0..COLUMNS).map(is_known).collect();
    let shown = |cells: Vec<String>| -> Vec<String> {
        let cells = cells.into_iter().zip(&known);
        cells
            .filter_map(|(cell, is_known)| is_known.then_some(cell))
            .collect()
    };
    let columns = columns(first).into_iter().zip(&known);
    let columns: Vec<Column> = columns
        .filter_map(|(column, is_known)| is_known.then_some(column))
        .collect();
    let mut table = Table::new(&columns);
    if let Some(totals) = totals {
        table.set_totals(shown(totals));
    }
    for row in rows {
        table.add(shown(row));
    }
    table
}

/// A line for each Mysis, with its newest facts and what the time comes to.
fn myses_table(series: &[Value]) -> Table {
    let samples = |series: &Value| series["samples"].as_array().cloned().unwrap_or_default();
    let rows = series.iter().map(|one| {
        let of_it = samples(one);
        let newest = of_it.last().unwrap_or(&Value::Null);
        cells(&shown::owner(one), newest, &SampleTotals::of(&of_it))
    });
    let totals = (series.len() > 1).then(|| {
        let all: Vec<Value> = series.iter().flat_map(samples).collect();
        cells("all", &Value::Null, &SampleTotals::of(&all))
    });
    table("MYSIS", rows.collect(), totals)
}

/// The columns, those of them that only a game tells, and what stands where nothing is known.
const COLUMNS: usize = 15;
const OF_GAME: RangeInclusive<usize> = 1..=6;
const UNKNOWN: &str = "-";

fn columns(first: &'static str) -> [Column; COLUMNS] {
    [
        Column::text(first),
        Column::figure("CREDITS"),
        Column::figure("EARNED"),
        Column::text("PLACE"),
        Column::figure("FUEL"),
        Column::figure("CARGO"),
        Column::figure("HULL"),
        Column::figure("IN"),
        Column::figure("CACHED"),
        Column::figure("OUT"),
        Column::figure("COST"),
        Column::figure("MODEL"),
        Column::figure("TOOLS"),
        Column::figure("FAILED"),
        Column::figure("WAITED"),
    ]
}

/// What several samples come to.
#[derive(Default)]
struct SampleTotals {
    earned: Option<i64>,
    cost: f64,
    is_cost_known: bool,
    waited: f64,
    counts: [u64; 6],
}

/// The counted members of a sample, in the order of the columns.
const COUNTED: [&str; 6] = [
    "tokens_in",
    "tokens_cached",
    "tokens_out",
    "model_calls",
    "tool_calls",
    "failures",
];

impl SampleTotals {
    fn of<'a>(samples: impl IntoIterator<Item = &'a Value>) -> SampleTotals {
        let mut totals = SampleTotals {
            is_cost_known: true,
            ..SampleTotals::default()
        };
        for sample in samples {
            if let Some(earned) = sample["earned"].as_i64() {
                totals.earned = Some(totals.earned.unwrap_or(0) + earned);
            }
            totals.cost += sample["cost"].as_f64().unwrap_or(0.0);
            totals.is_cost_known &= sample["cost"].is_number();
            totals.waited += sample["waiting_seconds"].as_f64().unwrap_or(0.0);
            for (sum, key) in totals.counts.iter_mut().zip(COUNTED) {
                *sum += sample[key].as_u64().unwrap_or(0);
            }
        }
        totals
    }
}

/// A line: the facts of a sample, and totals. What is not known is a hyphen.
fn cells(first: &str, facts: &Value, totals: &SampleTotals) -> Vec<String> {
    let unknown = || UNKNOWN.to_string();
    let number = |key: &str| facts[key].is_i64().then(|| shown::figure(&facts[key]));
    let gauge = |now: &str, most: &str| match (number(now), number(most)) {
        (None, _) => unknown(),
        (Some(now), None) => now,
        (Some(now), Some(most)) => format!("{now}/{most}"),
    };
    let places = ["system", "poi"].map(|key| facts[key].as_str());
    let mut place = places.into_iter().flatten().collect::<Vec<_>>().join("/");
    if facts["docked"] == true {
        place.push_str(" (docked)");
    }
    let [tokens_in, cached, tokens_out, model, tools, failed] = totals.counts.map(group_digits);
    let cost = match (totals.is_cost_known, totals.cost > 0.0) {
        (true, _) => shown::dollars(Some(totals.cost)),
        (false, true) => format!("{} and unknown", shown::dollars(Some(totals.cost))),
        (false, false) => "unknown".to_string(),
    };
    vec![
        first.to_string(),
        number("credits").unwrap_or_else(unknown),
        totals
            .earned
            .map_or_else(unknown, |earned| shown::figure(&earned.into())),
        if place.is_empty() { unknown() } else { place },
        gauge("fuel", "fuel_max"),
        gauge("cargo", "cargo_max"),
        gauge("hull", "hull_max"),
        tokens_in,
        cached,
        tokens_out,
        cost,
        model,
        tools,
        failed,
        format!("{:.0} s", totals.waited),
    ]
}
