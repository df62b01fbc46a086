//! The samples of a period: those of all Myses together, minute by minute and by system.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::ids::Timestamp;
use actors::domain::period::Period;
use actors::domain::samples::{Flow, HOUR_MINUTES, Minute};

use crate::samples::{StoredHour, read_hour};

/// The most minutes for which a sample stands: a Mysis that told nothing for longer was away.
const MAX_PRESENT_MINUTES: i64 = 15;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeriodSamples {
    pub first: Minute,
    pub minutes: Vec<SwarmMinute>,
    /// Whether some samples are those of whole hours, which stand at the first minute of their hour.
    pub is_hourly: bool,
    /// What the operator called the number that stands in place of credits; `None` where credits, or neither, are told.
    pub number: Option<Arc<str>>,
    /// What was done in each system; `None` is where no result told of one.
    pub systems: BTreeMap<Option<Arc<str>>, SystemShare>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwarmMinute {
    pub flow: Flow,
    /// The change of the known credits, or of the number, of all; `None` where none became known or changed.
    pub credits_change: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemShare {
    pub flow: Flow,
    /// The minutes that Myses spent there, added up.
    pub minutes: i64,
    pub myses: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MysisSamples {
    /// Their sum; `None` without any.
    pub(super) flow: Option<Flow>,
    pub(super) credits: Option<(i64, i64)>,
}

impl PeriodSamples {
    pub(super) fn new(period: Period) -> PeriodSamples {
        let first = Minute::of(period.from);
        let last = Minute::of(Timestamp(period.until.0.saturating_sub(1)));
        let minutes = usize::try_from(last.0.saturating_sub(first.0).saturating_add(1));
        PeriodSamples {
            first,
            minutes: vec![SwarmMinute::default(); minutes.unwrap_or_default()],
            ..PeriodSamples::default()
        }
    }

    /// The credits in all wallets at the end of each minute; `None` before any are known.
    pub fn credits(&self) -> Vec<Option<i64>> {
        let mut sum = None;
        let changes = self.minutes.iter().map(|minute| minute.credits_change);
        changes
            .map(|change| {
                if let Some(change) = change {
                    sum = Some(sum.unwrap_or(0_i64).saturating_add(change));
                }
                sum
            })
            .collect()
    }

    /// Adds the samples of a Mysis. `before`: its credits before the first hour. `has_wallet`: whether its
    /// credits are those of a Mysis that is there.
    pub(super) fn add_mysis(
        &mut self,
        hours: &[StoredHour],
        before: Option<i64>,
        has_wallet: bool,
    ) -> MysisSamples {
        let samples = hours.iter().flat_map(|hour| {
            let samples = read_hour(&hour.packed).into_iter();
            samples.map(|sample| (sample, hour.is_thinned))
        });
        let (earlier, samples): (Vec<_>, Vec<_>) =
            samples.partition(|(sample, _)| sample.minute < self.first);
        let before = match earlier.last() {
            Some((sample, _)) => sample.facts.worth().filter(|_| has_wallet),
            None => before,
        };
        let mut sum = MysisSamples {
            flow: None,
            credits: before.map(|credits| (credits, credits)),
        };
        if let (Some(credits), Some(first)) = (before, self.minutes.first_mut()) {
            first.change_credits(credits);
        }
        let mut known = before;
        let mut previous: Option<Minute> = None;
        let mut visited = BTreeMap::<Option<Arc<str>>, SystemShare>::new();
        for (sample, is_thinned) in samples {
            let place = usize::try_from(sample.minute.0.saturating_sub(self.first.0));
            let Some(minute) = place.ok().and_then(|place| self.minutes.get_mut(place)) else {
                continue;
            };
            self.is_hourly |= is_thinned;
            minute.flow.add(&sample.flow);
            sum.flow.get_or_insert_default().add(&sample.flow);
            let shown = sample.facts.worth().filter(|_| has_wallet);
            if sample.facts.credits.is_none() {
                self.number = sample.facts.number_name.clone().or(self.number.take());
            }
            if shown != known {
                let change = shown.unwrap_or(0).saturating_sub(known.unwrap_or(0));
                minute.change_credits(change);
                known = shown;
            }
            if let Some(credits) = shown {
                let first = sum.credits.map_or(credits, |(first, _)| first);
                sum.credits = Some((first, credits));
            }
            let present = match (is_thinned, previous) {
                (true, _) => HOUR_MINUTES,
                (false, None) => 1,
                (false, Some(before)) => (sample.minute.0 - before.0).clamp(1, MAX_PRESENT_MINUTES),
            };
            previous = Some(sample.minute);
            let there = visited.entry(sample.facts.system.clone()).or_default();
            there.flow.add(&sample.flow);
            there.minutes = there.minutes.saturating_add(present);
        }
        self.add_systems(visited);
        sum
    }

    fn add_systems(&mut self, visited: BTreeMap<Option<Arc<str>>, SystemShare>) {
        for (system, there) in visited {
            let all = self.systems.entry(system).or_default();
            all.flow.add(&there.flow);
            all.minutes = all.minutes.saturating_add(there.minutes);
            all.myses += 1;
        }
    }
}

impl SwarmMinute {
    fn change_credits(&mut self, change: i64) {
        let before = self.credits_change.unwrap_or(0);
        self.credits_change = Some(before.saturating_add(change));
    }
}
