//! The curves: what the swarm had, earned, spent and used, in steps of equal length.

use actors::domain::ids::Timestamp;
use actors::domain::samples::{Flow, HOUR_MINUTES, Minute};
use serde::{Deserialize, Serialize};
use strum::VariantArray;
use zoea_ledger::{PeriodSamples, SwarmMinute};

use super::figures::short_number;
use super::{OF_ANY, OF_MONEY, OfMoney, PeriodReport, moment};

const MAX_STEPS: i64 = 96;
/// The lengths that are chosen from, in minutes.
const STEP_MINUTES: [i64; 10] = [1, 2, 5, 10, 15, 60, 120, 240, 480, 1440];

/// The curves. They cover the time from the first to the last sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Curves {
    #[serde(with = "moment")]
    pub first: Timestamp,
    pub step_minutes: i64,
    /// The steps; empty if nothing was done.
    pub steps: Vec<CurveStep>,
}

/// One step. What is not known is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurveStep {
    /// The credits in all known wallets at its end.
    pub credits: Option<i64>,
    /// The credits earned in an hour.
    pub earned_hourly: Option<i64>,
    /// The cost of an hour in millionths of a US dollar; `None` where no price is known.
    pub cost_micros_hourly: Option<u64>,
    /// Whether some tokens had no known price, so that the cost is higher.
    #[serde(default)]
    pub is_cost_partial: bool,
    pub tokens_hourly: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub(super) enum CurveKind {
    Credits,
    Earned,
    Cost,
    Tokens,
}

impl CurveKind {
    /// Those that a report has, in its order.
    pub(super) fn of_report(report: &PeriodReport) -> Vec<CurveKind> {
        report.having(Self::VARIANTS.iter().map(|kind| (*kind, kind.of_money())))
    }

    fn of_money(self) -> OfMoney {
        match self {
            CurveKind::Credits | CurveKind::Earned => OF_MONEY,
            CurveKind::Cost | CurveKind::Tokens => OF_ANY,
        }
    }

    pub(super) fn title(self, report: &PeriodReport) -> String {
        match (self, &report.number) {
            (CurveKind::Credits, None) => "Credits in all wallets".to_string(),
            (CurveKind::Credits, Some(name)) => format!("{name} of all"),
            (CurveKind::Earned, None) => "Credits earned an hour".to_string(),
            (CurveKind::Earned, Some(name)) => format!("Change of {name} an hour"),
            (CurveKind::Cost, _) => "Dollars an hour".to_string(),
            (CurveKind::Tokens, _) => "Tokens an hour".to_string(),
        }
    }

    /// Why these curves have none of this kind; `None` if they have one.
    pub(super) fn absence(self, curves: &Curves) -> Option<&'static str> {
        let values = curves.values(self);
        let mut known = values.iter().flatten().peekable();
        let is_unknown = known.peek().is_none();
        let is_zero = known.all(|value| *value == 0.0);
        match self {
            CurveKind::Credits | CurveKind::Earned => {
                is_unknown.then_some("No tool result showed credits.")
            }
            // A time without calls cost nothing, and says nothing of the calls at other times.
            CurveKind::Cost if is_unknown || (is_zero && curves.is_cost_partial()) => {
                Some("Unknown: no price is known for these calls.")
            }
            CurveKind::Cost => is_zero.then_some("Nothing: every call was free of charge."),
            CurveKind::Tokens => is_zero.then_some("No provider reported its tokens."),
        }
    }

    /// A curve in words: its lowest, its highest and its last value, and what is left out.
    pub(super) fn words(self, curves: &Curves) -> String {
        let values = curves.values(self);
        let known = || values.iter().flatten().copied();
        let lowest = short_number(known().fold(f64::INFINITY, f64::min));
        let highest = short_number(known().fold(f64::NEG_INFINITY, f64::max));
        let last = short_number(known().next_back().unwrap_or_default());
        let gap = match self == CurveKind::Cost && curves.is_cost_partial() {
            true => "; calls whose price is unknown are left out",
            false => "",
        };
        format!("{lowest} to {highest}, at the end {last}{gap}")
    }

    #[expect(clippy::cast_precision_loss, reason = "the height of a curve")]
    fn value(self, step: &CurveStep) -> Option<f64> {
        match self {
            CurveKind::Credits => step.credits.map(|credits| credits as f64),
            CurveKind::Earned => step.earned_hourly.map(|earned| earned as f64),
            CurveKind::Cost => step.cost_micros_hourly.map(|micros| micros as f64 / 1e6),
            CurveKind::Tokens => step.tokens_hourly.map(|tokens| tokens as f64),
        }
    }
}

impl Curves {
    pub(super) fn of_samples(samples: &PeriodSamples) -> Curves {
        let is_busy = |minute: &SwarmMinute| minute.flow != Flow::default();
        let first = samples.minutes.iter().position(is_busy);
        let last = samples.minutes.iter().rposition(is_busy);
        let (Some(first), Some(last)) = (first, last) else {
            return Curves::default();
        };
        let step = choose_step(first, last, samples.is_hourly);
        let first = first / step * step;
        // The last sample of a thinned hour stands for all of it.
        let last = match samples.is_hourly {
            true => (last / step * step + step - 1).min(samples.minutes.len() - 1),
            false => last,
        };
        let credits = samples.credits();
        let starts = (first..=last).step_by(step);
        let is_number = samples.number.is_some();
        let steps = starts.map(|start| {
            let end = (start + step - 1).min(last);
            // What happened in a small part of a step is no rate of an hour.
            let is_partial = start > first && (end - start + 1) * 2 < step;
            let minutes = samples.minutes.get(start..=end).unwrap_or_default();
            let mut flow = Flow::default();
            minutes.iter().for_each(|minute| flow.add(&minute.flow));
            let before = start
                .checked_sub(1)
                .and_then(|before| *credits.get(before)?);
            let credits = credits.get(end).copied().flatten();
            if is_number {
                // Of a number only levels are told.
                let change = credits
                    .zip(before)
                    .map(|(now, before)| now.saturating_sub(before));
                flow.earned = change;
            }
            match is_partial {
                true => CurveStep {
                    credits,
                    ..CurveStep::default()
                },
                false => CurveStep::of_flow(&flow, credits, minutes.len()),
            }
        });
        let offset = i64::try_from(first).unwrap_or_default();
        Curves {
            first: Minute(samples.first.0.saturating_add(offset)).start_time(),
            step_minutes: i64::try_from(step).unwrap_or(1),
            steps: steps.collect(),
        }
    }

    pub(super) fn end(&self) -> Timestamp {
        let count = i64::try_from(self.steps.len()).unwrap_or_default();
        let length = count
            .saturating_mul(self.step_minutes)
            .saturating_mul(60_000);
        Timestamp(self.first.0.saturating_add(length))
    }

    /// Where a time stands, as a share of the whole; `None` outside of it.
    #[expect(clippy::cast_precision_loss, reason = "a place on an axis")]
    pub(super) fn place_of(&self, at: Timestamp) -> Option<f64> {
        let (first, end) = (self.first, self.end());
        let is_within = first <= at && at < end;
        is_within.then(|| at.since(first) as f64 / end.since(first).max(1) as f64)
    }

    pub(super) fn is_cost_partial(&self) -> bool {
        self.steps.iter().any(|step| step.is_cost_partial)
    }

    pub(super) fn values(&self, kind: CurveKind) -> Vec<Option<f64>> {
        self.steps.iter().map(|step| kind.value(step)).collect()
    }
}

impl CurveStep {
    fn of_flow(flow: &Flow, credits: Option<i64>, minutes: usize) -> CurveStep {
        let minutes = i64::try_from(minutes).unwrap_or(1).max(1);
        let hourly = |sum: u64| {
            let sum = sum.saturating_mul(HOUR_MINUTES.unsigned_abs());
            sum / minutes.unsigned_abs()
        };
        let is_cost_known = flow.tokens_unpriced == 0 || flow.cost_micros > 0;
        // Who has credits and made no deal earned nothing.
        let earned = flow.earned.or(credits.map(|_| 0));
        CurveStep {
            credits,
            earned_hourly: earned.map(|earned| earned.saturating_mul(HOUR_MINUTES) / minutes),
            cost_micros_hourly: is_cost_known.then(|| hourly(flow.cost_micros)),
            is_cost_partial: flow.tokens_unpriced > 0,
            tokens_hourly: Some(hourly(flow.tokens_in.saturating_add(flow.tokens_out))),
        }
    }
}

fn choose_step(first: usize, last: usize, is_hourly: bool) -> usize {
    let span = i64::try_from(last.saturating_sub(first)).unwrap_or(i64::MAX);
    let fits = |step: &i64| span / *step + 2 <= MAX_STEPS;
    let mut steps = STEP_MINUTES.into_iter();
    let step = steps.find(|step| (!is_hourly || *step >= HOUR_MINUTES) && fits(step));
    usize::try_from(step.unwrap_or(1440)).unwrap_or(1)
}

/// Round numbers for an axis of values, from the lowest to the highest, so that all values and
/// zero lie between them.
pub(super) fn value_ticks(values: &[Option<f64>]) -> Vec<f64> {
    let known = || values.iter().flatten().copied();
    let lowest = known().fold(0.0, f64::min);
    let highest = known().fold(0.0, f64::max);
    let range = if highest > lowest {
        highest - lowest
    } else {
        1.0
    };
    let rough = range / 3.0;
    let power = 10_f64.powf(rough.log10().floor());
    let factors = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter();
    let step = factors
        .map(|factor| factor * power)
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(10.0 * power);
    let bottom = (lowest / step).floor();
    let top = (highest / step).ceil().max(bottom + 1.0);
    let ticks = (0..8_u32).map(|place| bottom + f64::from(place));
    let ticks = ticks.take_while(|at| *at <= top);
    ticks.map(|at| at * step).collect()
}

/// Round times of the report's clock for an axis of time, at most so many.
pub(super) fn time_ticks(report: &PeriodReport, most: usize) -> Vec<Timestamp> {
    let curves = &report.curves;
    let offset = report.clock.offset_ms(curves.first);
    let (first, end) = (curves.first.0 + offset, curves.end().0 + offset);
    let most = i64::try_from(most).unwrap_or(1).max(1);
    let fits = |minutes: &i64| (end - first) / (minutes * 60_000) < most;
    let lengths = [
        1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 5760,
    ];
    let step = lengths.into_iter().find(fits).unwrap_or(10_080) * 60_000;
    let mut at = first.div_euclid(step) * step;
    let mut ticks = Vec::new();
    while at < end {
        if at >= first {
            ticks.push(Timestamp(at - offset));
        }
        at = at.saturating_add(step);
    }
    ticks
}
