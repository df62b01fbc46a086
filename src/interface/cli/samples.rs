//! `zoea samples`: what Myses have, earn, cost and wait for over time.

use std::ops::RangeInclusive;

use actors::ports::Clock;
use clap::Args;
use serde::Deserialize;
use zoea_contract::{GameFactsJson, SampleJson, SampleSeriesJson, SamplesJson};
use zoea_system::clock::MachineClock;
use zoea_text::figures::group_digits;

use crate::interface::cli::exit::ExitWith;
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out::{self, Column, Table};
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::cli::{EXIT_WRONG_USAGE, shown};
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::ReadSamples;
use crate::interface::control::period::sampled_times;

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

pub(super) async fn run(args: &SamplesArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    // The times are by the clock of this command, whichever the running program has.
    let times = sampled_times(&args.asked, MachineClock.now(), shown::clock());
    let (since, until) = times.map_err(|why| ExitWith::status(EXIT_WRONG_USAGE, why))?;
    let asked = ReadSamples {
        myses: (!args.names.is_empty()).then(|| args.names.join(",")),
        since: Some(since.to_string()),
        until: Some(until.to_string()),
        ..args.asked.clone()
    };
    let samples = SwarmClient::call_once(global, ControlCall::ReadSamples(asked)).await?;
    if args.json {
        return Ok(out::json(&samples)?);
    }
    let samples = SamplesJson::deserialize(samples)?;
    let table = match &samples.series[..] {
        [one] => steps_table(one),
        several => myses_table(several),
    };
    Ok(table.print()?)
}

/// A line for each step of one series.
fn steps_table(series: &SampleSeriesJson<'_>) -> Table {
    let rows = series.samples.iter().map(|sample| {
        let at = shown::time(&sample.at);
        cells(&at, &sample.facts, &SampleTotals::of([sample]))
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
fn myses_table(series: &[SampleSeriesJson<'_>]) -> Table {
    let nothing = GameFactsJson::default();
    let rows = series.iter().map(|one| {
        let newest = one.samples.last().map_or(&nothing, |sample| &sample.facts);
        let whose = shown::owner(one.mysis.as_deref(), one.mysis_id.as_deref());
        cells(&whose, newest, &SampleTotals::of(&one.samples))
    });
    let totals = (series.len() > 1).then(|| {
        let all = series.iter().flat_map(|one| &one.samples);
        cells("all", &nothing, &SampleTotals::of(all))
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

impl SampleTotals {
    fn of<'a>(samples: impl IntoIterator<Item = &'a SampleJson>) -> SampleTotals {
        let mut totals = SampleTotals {
            is_cost_known: true,
            ..SampleTotals::default()
        };
        for sample in samples {
            if let Some(earned) = sample.earned {
                totals.earned = Some(totals.earned.unwrap_or(0).saturating_add(earned));
            }
            totals.cost += sample.cost.unwrap_or(0.0);
            totals.is_cost_known &= sample.cost.is_some();
            totals.waited += sample.waiting_seconds;
            let counted = [
                sample.tokens_in,
                sample.tokens_cached,
                sample.tokens_out,
                sample.model_calls,
                sample.tool_calls,
                sample.failures,
            ];
            for (sum, figure) in totals.counts.iter_mut().zip(counted) {
                *sum = sum.saturating_add(figure);
            }
        }
        totals
    }
}

/// A line: the facts of a sample, and totals. What is not known is a hyphen.
fn cells(first: &str, facts: &GameFactsJson, totals: &SampleTotals) -> Vec<String> {
    let unknown = || UNKNOWN.to_string();
    let gauge = |now: Option<u32>, most: Option<u32>| match (now, most) {
        (None, _) => unknown(),
        (Some(now), None) => group_digits(now.into()),
        (Some(now), Some(most)) => {
            let [now, most] = [now, most].map(|figure| group_digits(figure.into()));
            format!("{now}/{most}")
        }
    };
    let places = [&facts.system, &facts.poi].map(Option::as_deref);
    let mut place = places.into_iter().flatten().collect::<Vec<_>>().join("/");
    if facts.docked == Some(true) {
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
        shown::number_or_hyphen(facts.credits),
        shown::number_or_hyphen(totals.earned),
        if place.is_empty() { unknown() } else { place },
        gauge(facts.fuel, facts.fuel_max),
        gauge(facts.cargo, facts.cargo_max),
        gauge(facts.hull, facts.hull_max),
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
