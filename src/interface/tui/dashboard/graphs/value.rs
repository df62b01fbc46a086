//! The values that graphs show, made of samples.

use actors::domain::samples::Sample;
use strum::{EnumCount, VariantArray};

/// The minutes of an hour, for rates.
const HOUR_MINUTES: f64 = 60.0;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumCount, VariantArray)]
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
    /// All, in the order of the keys.
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

    /// Whether it is of money, of which only a game tells.
    #[must_use]
    pub fn is_of_money(self) -> bool {
        match self {
            GraphedValue::Credits | GraphedValue::Earned => true,
            GraphedValue::Tokens
            | GraphedValue::Dollars
            | GraphedValue::Calls
            | GraphedValue::Failures
            | GraphedValue::Waiting
            | GraphedValue::Number => false,
        }
    }

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            GraphedValue::Credits => "credits",
            GraphedValue::Earned => "credits earned an hour",
            GraphedValue::Tokens => "tokens an hour",
            GraphedValue::Dollars => "dollars an hour",
            GraphedValue::Calls => "tool calls an hour",
            GraphedValue::Failures => "failures an hour",
            GraphedValue::Waiting => "percent of the time waiting",
            GraphedValue::Number => "the number that you named",
        }
    }

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            GraphedValue::Credits => "credits",
            GraphedValue::Earned => "earned/h",
            GraphedValue::Tokens => "tokens/h",
            GraphedValue::Dollars => "dollars/h",
            GraphedValue::Calls => "tool calls/h",
            GraphedValue::Failures => "failures/h",
            GraphedValue::Waiting => "time waiting",
            GraphedValue::Number => "number",
        }
    }

    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            GraphedValue::Credits => "cr",
            GraphedValue::Earned => "cr/h",
            GraphedValue::Tokens => "tok/h",
            GraphedValue::Dollars => "$/h",
            GraphedValue::Calls | GraphedValue::Failures => "n/h",
            GraphedValue::Waiting => "%",
            GraphedValue::Number => "",
        }
    }

    /// The next or the previous one, in a circle.
    #[must_use]
    pub fn step(self, forth: bool) -> GraphedValue {
        let all = Self::ALL;
        let place = all.iter().position(|value| *value == self).unwrap_or(0);
        let by = if forth { 1 } else { all.len() - 1 };
        all[(place + by) % all.len()]
    }

    /// The value of a sample in whose step so many minutes are over; `None` where it is not known. The shares of
    /// several Myses count each of them.
    pub(super) fn of(self, sample: &Sample, step: StepTime, myses: usize) -> Option<f64> {
        let flow = &sample.flow;
        match self {
            GraphedValue::Credits => return sample.facts.credits.map(|credits| credits as f64),
            GraphedValue::Number => return sample.facts.number.map(|number| number as f64),
            GraphedValue::Earned
            | GraphedValue::Tokens
            | GraphedValue::Dollars
            | GraphedValue::Calls
            | GraphedValue::Failures
            | GraphedValue::Waiting => {}
        }
        // A sum of a few minutes is no rate of a longer step.
        let minutes = step.minutes_of_rate()? as f64;
        let hourly = |sum: f64| sum * HOUR_MINUTES / minutes;
        match self {
            GraphedValue::Credits | GraphedValue::Number => None,
            GraphedValue::Earned => {
                // Who has credits and made no deal earned nothing.
                let known = sample.facts.credits.map(|_| 0);
                flow.earned.or(known).map(|earned| hourly(earned as f64))
            }
            GraphedValue::Tokens => {
                Some(hourly(flow.tokens_in.saturating_add(flow.tokens_out) as f64))
            }
            GraphedValue::Dollars => {
                let is_known = flow.tokens_unpriced == 0 || flow.cost_micros > 0;
                is_known.then(|| hourly(flow.cost_micros as f64 / 1e6))
            }
            GraphedValue::Calls => Some(hourly(flow.tool_calls as f64)),
            GraphedValue::Failures => Some(hourly(flow.failures as f64)),
            GraphedValue::Waiting => {
                let all = minutes * 60_000.0 * myses.max(1) as f64;
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
