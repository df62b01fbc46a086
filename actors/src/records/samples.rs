//! Samples: what each Mysis has and does, minute by minute.
//!
//! A sample is made of stored rows alone: what results tell of the game, and the charges of the
//! books. So it can be made again after a crash from the rows that came after it. Only the waits
//! stand in no row.
//!
//! What the game does not tell is `None`. A minute in which nothing happened has no sample.

mod figures;
mod packed;
mod recorder;
mod series;
#[cfg(test)]
mod tests;
mod wallet;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::bounds::bounded_sum;
use super::ids::Timestamp;

pub use zoea_game::standing::Gauge;

pub use figures::{
    CurrentFigures, EarnedTrend, NumberFigures, TREND_MINUTES, TREND_POINTS, ValueSums,
};
pub use packed::{PackedHour, PackingFault};
pub use recorder::{SampleRecorder, StoredSamples};
pub use series::{
    MAX_SERIES_POINTS, SampleQuery, SampleSeries, SampleStep, SampleSteps, SeriesBuilder,
};

/// The length of a minute in milliseconds.
const MINUTE_MS: i64 = 60_000;

pub const HOUR_MINUTES: i64 = 60;

/// A minute, counted from 1970-01-01 (UTC).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Minute(pub i64);

impl Minute {
    pub fn of(at: Timestamp) -> Minute {
        Minute(at.0.div_euclid(MINUTE_MS))
    }

    #[must_use]
    pub fn start_time(self) -> Timestamp {
        Timestamp(self.0.saturating_mul(MINUTE_MS))
    }

    #[must_use]
    pub fn hour(self) -> Hour {
        Hour(self.0.div_euclid(HOUR_MINUTES))
    }
}

/// An hour, counted from 1970-01-01 (UTC).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hour(pub i64);

impl Hour {
    pub fn of(at: Timestamp) -> Hour {
        Minute::of(at).hour()
    }

    #[must_use]
    pub fn first_minute(self) -> Minute {
        Minute(self.0.saturating_mul(HOUR_MINUTES))
    }

    #[must_use]
    pub fn last_minute(self) -> Minute {
        Minute(self.first_minute().0.saturating_add(HOUR_MINUTES - 1))
    }
}

/// What results told last of a Mysis' place in the game. Another game account begins anew.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(default)]
pub struct GameFacts {
    /// The credits in its wallet: the balance that was told last, and what it earned, paid and moved
    /// since according to the results.
    pub credits: Option<i64>,
    pub system: Option<Arc<str>>,
    /// The id of its point of interest.
    pub poi: Option<Arc<str>>,
    pub docked: Option<bool>,
    pub fuel: Gauge,
    /// Whether the fuel may have changed since it was told. A sample does not store that.
    #[serde(rename = "fuel_old")]
    pub is_fuel_old: bool,
    /// The used space of its hold: the one that was told last, and what calls moved since as far as they tell it.
    pub cargo: Gauge,
    /// Whether the used space may have changed by more than that. A sample does not store that.
    #[serde(rename = "cargo_old")]
    pub is_cargo_old: bool,
    pub hull: Gauge,
    /// The number that the operator named, where tools are of no game. A status has it in its figures.
    #[serde(skip)]
    pub number: Option<i64>,
    #[serde(skip)]
    pub number_name: Option<Arc<str>>,
}

impl GameFacts {
    /// What its work is judged by: its credits, else the number that the operator named.
    pub fn worth(&self) -> Option<i64> {
        self.credits.or(self.number)
    }
}

/// What happened in a span of time. Sums of spans are spans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// The change of its credits, without what it moved to or from a storage or another player;
    /// `None` if no result told of any. It is negative if more was paid than earned.
    pub earned: Option<i64>,
    pub tokens_in: u64,
    /// The part of these that came from the provider's cache.
    pub tokens_cached: u64,
    pub tokens_out: u64,
    /// Cost in millionths of a US dollar.
    pub cost_micros: u64,
    pub model_calls: u64,
    pub tool_calls: u64,
    /// Tool calls without a good result, and model calls without an answer.
    pub failures: u64,
    /// The milliseconds in which it could not go on: it waited for admission, for the next attempt,
    /// or for the end of a pause.
    pub waited_ms: u64,
    /// Tokens of requests and answers whose price was not known.
    pub tokens_unpriced: u64,
}

impl Flow {
    pub fn add(&mut self, other: &Flow) {
        if let Some(more) = other.earned {
            self.earned = Some(self.earned.unwrap_or(0).saturating_add(more));
        }
        for (sum, more) in self.sums_mut().into_iter().zip(other.sums()) {
            *sum = bounded_sum(*sum, more);
        }
    }

    /// The sums in the order in which they are stored.
    fn sums_mut(&mut self) -> [&mut u64; 9] {
        [
            &mut self.tokens_in,
            &mut self.tokens_cached,
            &mut self.tokens_out,
            &mut self.cost_micros,
            &mut self.model_calls,
            &mut self.tool_calls,
            &mut self.failures,
            &mut self.waited_ms,
            &mut self.tokens_unpriced,
        ]
    }

    fn sums(mut self) -> [u64; 9] {
        self.sums_mut().map(|sum| *sum)
    }
}

/// One minute of a Mysis, or one hour once it is thinned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// The minute; of a thinned hour the first one.
    pub minute: Minute,
    pub facts: GameFacts,
    pub flow: Flow,
}
