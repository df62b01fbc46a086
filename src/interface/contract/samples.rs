//! Samples: what Myses have, earn, cost and wait for over time.

use std::borrow::Cow;
use std::sync::Arc;

use actors::domain::ids::Timestamp;
use actors::domain::samples::{CurrentFigures, GameFacts, Sample, SampleSeries};
use serde::{Deserialize, Serialize};

use super::units::{to_dollars, to_seconds};

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct SamplesJson<'a> {
    /// The length of a step.
    pub step_seconds: i64,
    /// The samples of each Mysis, or of all together.
    pub series: Vec<SampleSeriesJson<'a>>,
}

/// The samples of one Mysis. A deleted Mysis has no name, and a sum neither a name nor an id.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct SampleSeriesJson<'a> {
    pub mysis: Option<Cow<'a, str>>,
    pub mysis_id: Option<String>,
    pub samples: Vec<SampleJson>,
}

impl<'a> SampleSeriesJson<'a> {
    pub fn new(series: &SampleSeries, name: Option<&'a str>) -> Self {
        let samples = series.samples.iter();
        SampleSeriesJson {
            mysis: name.map(Cow::from),
            mysis_id: series.mysis.map(|mysis| mysis.to_string()),
            samples: samples.map(SampleJson::new).collect(),
        }
    }
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct SampleJson {
    pub at: String,
    pub earned: Option<i64>,
    /// What the game told last.
    #[serde(flatten)]
    pub facts: GameFactsJson,
    pub tokens_in: u64,
    pub tokens_cached: u64,
    pub tokens_out: u64,
    /// Dollars; `None` where a price is not known.
    pub cost: Option<f64>,
    pub model_calls: u64,
    pub tool_calls: u64,
    pub failures: u64,
    /// How long it waited.
    pub waiting_seconds: f64,
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
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct GameFactsJson {
    pub credits: Option<i64>,
    pub system: Option<String>,
    pub poi: Option<String>,
    pub docked: Option<bool>,
    pub fuel: Option<u32>,
    pub fuel_max: Option<u32>,
    pub cargo: Option<u32>,
    pub cargo_max: Option<u32>,
    pub hull: Option<u32>,
    pub hull_max: Option<u32>,
    /// The number that the operator named, where tools are of no game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number_name: Option<String>,
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
            number: facts.number,
            number_name: place(&facts.number_name),
        }
    }
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct FiguresJson {
    /// What the game told last.
    #[serde(flatten)]
    pub facts: GameFactsJson,
    /// Whether its fuel was told before it flew on.
    pub fuel_old: bool,
    /// Whether its cargo was told before it changed.
    pub cargo_old: bool,
    /// Credits earned in the last hour.
    pub earned_last_hour: Option<i64>,
    /// Dollars of today (UTC).
    pub cost_today: Option<f64>,
    /// Credits earned since the program started.
    pub earned: Option<i64>,
    pub credits_per_dollar: Option<i64>,
    /// The change of the named number in the last hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number_last_hour: Option<i64>,
}

impl FiguresJson {
    /// The figures at a time. Without a known price a cost of 0 is unknown.
    pub fn new(figures: &CurrentFigures, is_price_known: bool, now: Timestamp) -> Self {
        let cost = figures.cost_today(now);
        let number = figures.number.as_ref();
        FiguresJson {
            facts: GameFactsJson {
                number: number.map(|number| number.level),
                number_name: number.map(|number| number.name.to_string()),
                ..GameFactsJson::new(&figures.facts)
            },
            fuel_old: figures.facts.is_fuel_old,
            cargo_old: figures.facts.is_cargo_old,
            earned_last_hour: figures.earned_last_hour(now),
            cost_today: (is_price_known || cost > 0).then(|| to_dollars(cost)),
            earned: figures.earned_since_start(),
            credits_per_dollar: figures.value.credits_per_dollar(),
            number_last_hour: figures.number_last_hour(now),
        }
    }
}
