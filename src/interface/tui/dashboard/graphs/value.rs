//! The values that graphs show, made of samples.

use actors::domain::samples::Sample;
use strum::VariantArray;

use crate::dashboard::toolkit::list::step_in;

/// The minutes of an hour, for rates.
const HOUR_MINUTES: f64 = 60.0;

/// In the order of the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, VariantArray)]
pub enum GraphedValue {
    Credits,
    /// Credits earned in an hour.
    #[default]
    Earned,
    Tokens,
    /// US dollars in an hour.
    Dollars,
    /// Tool calls in an hour.
    Calls,
    /// Failed calls in an hour.
    Failures,
    /// The share of the time in which it waits.
    Waiting,
    /// The number that the operator named, where tools are of no game.
    Number,
}

impl GraphedValue {
    /// Whether it is of money, of which only a game tells.
    #[must_use]
    pub fn is_of_money(self) -> bool {
        matches!(self, GraphedValue::Credits | GraphedValue::Earned)
    }

    /// What it is called above a graph, in a table, and at an axis.
    #[must_use]
    pub fn words(self) -> [&'static str; 3] {
        match self {
            GraphedValue::Credits => ["credits", "credits", "cr"],
            GraphedValue::Earned => ["credits earned an hour", "earned/h", "cr/h"],
            GraphedValue::Tokens => ["tokens an hour", "tokens/h", "tok/h"],
            GraphedValue::Dollars => ["dollars an hour", "dollars/h", "$/h"],
            GraphedValue::Calls => ["tool calls an hour", "tool calls/h", "n/h"],
            GraphedValue::Failures => ["failures an hour", "failures/h", "n/h"],
            GraphedValue::Waiting => ["percent of the time waiting", "time waiting", "%"],
            GraphedValue::Number => ["the number that you named", "number", ""],
        }
    }

    /// The next or the previous one, in a circle.
    #[must_use]
    pub fn step(self, forth: bool) -> GraphedValue {
        step_in(Self::VARIANTS, self, forth)
    }

    /// The value of a sample in whose step so many minutes are over; `None` where it is not known. The shares of
    /// several Myses count each of them.
    pub(super) fn of(self, sample: &Sample, step: StepTime, myses: usize) -> Option<f64> {
        let (facts, flow) = (&sample.facts, &sample.flow);
        // A sum of a few minutes is no rate of a longer step.
        let minutes = step.minutes_of_rate().map(|minutes| minutes as f64);
        let hourly = |sum: f64| Some(sum * HOUR_MINUTES / minutes?);
        match self {
            GraphedValue::Credits => facts.credits.map(|credits| credits as f64),
            GraphedValue::Number => facts.number.map(|number| number as f64),
            // Who has credits and made no deal earned nothing.
            GraphedValue::Earned => hourly(flow.earned.or(facts.credits.map(|_| 0))? as f64),
            GraphedValue::Tokens => hourly(flow.tokens_in.saturating_add(flow.tokens_out) as f64),
            GraphedValue::Dollars => {
                let is_known = flow.tokens_unpriced == 0 || flow.cost_micros > 0;
                hourly(flow.cost_micros as f64 / 1e6).filter(|_| is_known)
            }
            GraphedValue::Calls => hourly(flow.tool_calls as f64),
            GraphedValue::Failures => hourly(flow.failures as f64),
            GraphedValue::Waiting => {
                let all = minutes? * 60_000.0 * myses.max(1) as f64;
                Some(flow.waited_ms as f64 * 100.0 / all)
            }
        }
    }
}

/// The minutes of a step, and how many of them are over.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepTime {
    pub(super) all: i64,
    pub(super) over: i64,
}

impl StepTime {
    /// The minutes by which a rate is made; `None` while less than half of the step is over.
    fn minutes_of_rate(self) -> Option<i64> {
        let is_known = self.over > 0 && self.over.saturating_mul(2) >= self.all;
        is_known.then_some(self.over)
    }
}
