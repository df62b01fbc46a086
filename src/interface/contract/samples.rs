//! Samples: what Myses have, earn, cost and wait for over time.

use std::sync::Arc;

use actors::domain::ids::Timestamp;
use actors::domain::samples::{CurrentFigures, GameFacts, Sample, SampleSeries};
use serde::Serialize;

use super::units::{to_dollars, to_seconds};

/// The answer of `read_samples`.
#[derive(Debug, Serialize)]
pub struct SamplesJson<'a> {
    /// The length of a step.
    pub step_seconds: i64,
    /// The samples of each Mysis, or of all together.
    pub series: Vec<SampleSeriesJson<'a>>,
}

/// The samples of one Mysis. A deleted Mysis has no name, and a sum neither a name nor an id.
#[derive(Debug, Serialize)]
pub struct SampleSeriesJson<'a> {
    mysis: Option<&'a str>,
    mysis_id: Option<String>,
    samples: Vec<SampleJson>,
}

impl<'a> SampleSeriesJson<'a> {
    /// The series of the Mysis with this name.
    #[must_use]
    pub fn new(series: &SampleSeries, name: Option<&'a str>) -> Self {
        let samples = series.samples.iter();
        SampleSeriesJson {
            mysis: name,
            mysis_id: series.mysis.map(|mysis| mysis.to_string()),
            samples: samples.map(SampleJson::new).collect(),
        }
    }
}

#[derive(Debug, Serialize)]
struct SampleJson {
    at: String,
    earned: Option<i64>,
    #[serde(flatten)]
    facts: GameFactsJson,
    tokens_in: u64,
    tokens_cached: u64,
    tokens_out: u64,
    cost: Option<f64>,
    model_calls: u64,
    tool_calls: u64,
    failures: u64,
    waiting_seconds: f64,
}

impl SampleJson {
    fn new(sample: &Sample) -> Self {
        let flow = &sample.flow;
        let is_priced = flow.tokens_unpriced == 0;
        SampleJson {
            at: sample.minute.start_time().to_string(),
            earned: flow.earned,
            facts: GameFactsJson::new(&sample.facts),
            tokens_in: flow.tokens_in,
            tokens_cached: flow.tokens_cached,
            tokens_out: flow.tokens_out,
            cost: is_priced.then(|| to_dollars(flow.cost_micros)),
            model_calls: flow.model_calls,
            tool_calls: flow.tool_calls,
            failures: flow.failures,
            waiting_seconds: to_seconds(flow.waited_ms),
        }
    }
}

/// What the game told last. What it did not tell is null.
#[derive(Debug, Serialize)]
struct GameFactsJson {
    credits: Option<i64>,
    system: Option<String>,
    poi: Option<String>,
    docked: Option<bool>,
    fuel: Option<u32>,
    fuel_max: Option<u32>,
    cargo: Option<u32>,
    cargo_max: Option<u32>,
    hull: Option<u32>,
    hull_max: Option<u32>,
}

impl GameFactsJson {
    fn new(facts: &GameFacts) -> Self {
        let place = |place: &Option<Arc<str>>| place.as_deref().map(str::to_string);
        GameFactsJson {
            credits: facts.credits,
            system: place(&facts.system),
            poi: place(&facts.poi),
            docked: facts.docked,
            fuel: facts.fuel.now,
            fuel_max: facts.fuel.most,
            cargo: facts.cargo.now,
            cargo_max: facts.cargo.most,
            hull: facts.hull.now,
            hull_max: facts.hull.most,
        }
    }
}

/// The present figures in `mysis list --json`.
#[derive(Debug, Serialize)]
pub struct FiguresJson {
    #[serde(flatten)]
    facts: GameFactsJson,
    fuel_old: bool,
    cargo_old: bool,
    earned_last_hour: Option<i64>,
    cost_today: Option<f64>,
    earned: Option<i64>,
    credits_per_dollar: Option<i64>,
}

impl FiguresJson {
    /// The figures at a time. Without a known price a cost of 0 is unknown.
    #[must_use]
    pub fn new(figures: &CurrentFigures, is_price_known: bool, now: Timestamp) -> Self {
        let cost = figures.cost_today(now);
        FiguresJson {
            facts: GameFactsJson::new(&figures.facts),
            fuel_old: figures.facts.is_fuel_old,
            cargo_old: figures.facts.is_cargo_old,
            earned_last_hour: figures.earned_last_hour(now),
            cost_today: (is_price_known || cost > 0).then(|| to_dollars(cost)),
            earned: figures.earned_since_start(),
            credits_per_dollar: figures.value.credits_per_dollar(),
        }
    }
}
