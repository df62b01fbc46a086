//! Value: what each Mysis, provider and system brought for its cost.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::ids::MysisId;
use serde::{Deserialize, Serialize};
use zoea_ledger::PeriodRecord;
use zoea_text::natural::compare_natural;

use super::ReportLine;
use super::cost::Cost;

/// The Myses that are shown at once: those that brought the most and those that brought the least.
const BEST: usize = 20;
const WORST: usize = 10;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ValueLine {
    /// The provider or the system; `None` where the game told of none.
    pub name: Option<String>,
    /// How many Myses used it or were there.
    pub myses: u64,
    /// The minutes that they spent there together; `None` for a provider.
    pub minutes: Option<i64>,
    /// The credits that were earned with it; `None` if no result has credits.
    pub earned: Option<i64>,
    pub spent: Cost,
}

impl ValueLine {
    /// The credits that a Mysis earned there in an hour.
    pub(super) fn earned_hourly(&self) -> Option<i64> {
        let minutes = self.minutes.filter(|minutes| *minutes > 0)?;
        Some(self.earned?.saturating_mul(60) / minutes)
    }
}

/// The Myses by value, cut into those that are shown at once and those that are folded.
pub(super) struct Ranking<'a> {
    pub(super) best: &'a [ReportLine],
    pub(super) folded: &'a [ReportLine],
    pub(super) worst: &'a [ReportLine],
}

impl<'a> Ranking<'a> {
    pub(super) fn of(lines: &'a [ReportLine]) -> Ranking<'a> {
        if lines.len() <= BEST + WORST {
            return Ranking {
                best: lines,
                folded: &[],
                worst: &[],
            };
        }
        let (best, others) = lines.split_at(BEST);
        let (folded, worst) = others.split_at(others.len() - WORST);
        Ranking {
            best,
            folded,
            worst,
        }
    }
}

/// The order by value: who earned more comes first, then who cost less; of whom nothing is told,
/// last.
pub(super) fn compare_value(one: &ReportLine, other: &ReportLine) -> Ordering {
    let key = |line: &ReportLine| (Reverse(line.gained()), line.spent.cost_micros);
    let order = key(one).cmp(&key(other));
    order.then_with(|| compare_natural(&one.name, &other.name))
}

/// What each provider brought. A Mysis that asked several counts for each by its calls.
pub(super) fn by_provider(
    record: &PeriodRecord,
    earned: &BTreeMap<MysisId, Option<i64>>,
    is_free: &impl Fn(&str) -> bool,
) -> Vec<ValueLine> {
    let entries = || record.spent.iter();
    let mut calls = BTreeMap::<MysisId, u64>::new();
    for entry in entries() {
        let sum = calls.entry(entry.mysis).or_default();
        *sum = sum.saturating_add(entry.spent.calls);
    }
    let mut lines = BTreeMap::<Arc<str>, ValueLine>::new();
    for entry in entries() {
        let line = lines.entry(entry.provider.clone()).or_default();
        line.myses += 1;
        line.spent
            .add(&Cost::of_entry(entry, is_free(&entry.provider)));
        let all = calls.get(&entry.mysis).copied().unwrap_or_default();
        let of_mysis = earned.get(&entry.mysis).copied().flatten();
        if let Some(earned) = of_mysis.filter(|_| all > 0) {
            let part = i128::from(earned) * i128::from(entry.spent.calls) / i128::from(all);
            let part = i64::try_from(part).unwrap_or_default();
            line.earned = Some(line.earned.unwrap_or(0).saturating_add(part));
        }
    }
    let lines = lines.into_iter().map(|(provider, line)| ValueLine {
        name: Some(provider.to_string()),
        ..line
    });
    sorted(lines.collect())
}

pub(super) fn by_system(record: &PeriodRecord) -> Vec<ValueLine> {
    let lines = record.samples.systems.iter().map(|(system, there)| {
        // Who is in a known place and made no deal earned nothing.
        let known = system.as_ref().map(|_| 0);
        ValueLine {
            name: system.as_deref().map(str::to_string),
            myses: there.myses,
            minutes: Some(there.minutes),
            earned: there.flow.earned.or(known),
            spent: Cost::of_samples(&there.flow),
        }
    });
    sorted(lines.collect())
}

fn sorted(mut lines: Vec<ValueLine>) -> Vec<ValueLine> {
    lines.sort_by_key(|line| Reverse(line.earned));
    lines
}
