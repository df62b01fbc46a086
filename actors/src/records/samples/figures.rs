//! The present figures of a Mysis, for screens and other watchers: the newest facts, and what it
//! earned and cost lately.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::books::Day;
use crate::bounds::bounded_sum;
use crate::ids::Timestamp;

use super::{Flow, GameFacts, Minute};

pub const TREND_POINTS: usize = 30;
/// The minutes of one point.
pub const TREND_MINUTES: i64 = 2;
const POINTS: i64 = TREND_POINTS as i64;

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(default)]
pub struct CurrentFigures {
    #[serde(flatten)]
    pub facts: GameFacts,
    /// What it earned in the last hour.
    pub trend: EarnedTrend,
    /// The number that the operator named, where tools are of no game.
    pub number: Option<NumberFigures>,
    /// What it earned and cost since its actor began.
    pub value: ValueSums,
    /// The newest day with a charge, and its cost in millionths of a US dollar.
    pub cost: (Day, u64),
}

impl CurrentFigures {
    /// The cost of today in millionths of a US dollar.
    pub fn cost_today(&self, now: Timestamp) -> u64 {
        let (day, micros) = self.cost;
        if day == Day::of(now) { micros } else { 0 }
    }

    /// The credits earned in the last hour; `None` if no result ever told of credits.
    pub fn earned_last_hour(&self, now: Timestamp) -> Option<i64> {
        self.are_credits_known()
            .then(|| self.trend.points(now).iter().sum())
    }

    /// The credits earned since its actor began; `None` if no result ever told of credits.
    pub fn earned_since_start(&self) -> Option<i64> {
        self.are_credits_known().then_some(self.value.earned)
    }

    /// The change of the named number in the last hour; `None` if none is told.
    pub fn number_last_hour(&self, now: Timestamp) -> Option<i64> {
        let number = self.number.as_ref()?;
        Some(number.changes.points(now).iter().sum())
    }

    /// What it earned in the last hour in points, or by how much its named number changed; `None` if neither is known.
    pub fn rate_points(&self, now: Timestamp) -> Option<[i64; TREND_POINTS]> {
        match (self.are_credits_known(), &self.number) {
            (true, _) => Some(self.trend.points(now)),
            (false, Some(number)) => Some(number.changes.points(now)),
            (false, None) => None,
        }
    }

    fn are_credits_known(&self) -> bool {
        self.facts.credits.is_some() || self.trend.is_known()
    }

    pub(super) fn add_cost(&mut self, at: Timestamp, micros: u64) {
        let today = Day::of(at);
        let (day, sum) = self.cost;
        self.cost = match day == today {
            true => (day, bounded_sum(sum, micros)),
            false => (today, micros),
        };
    }
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct NumberFigures {
    pub name: Arc<str>,
    /// What was told last.
    pub level: i64,
    /// Its changes in the last hour.
    pub changes: EarnedTrend,
}

impl NumberFigures {
    /// Takes what a result told of a number. Another number than the one before begins anew.
    pub(super) fn take(
        kept: &mut Option<NumberFigures>,
        reported: (&Arc<str>, i64),
        at: Timestamp,
    ) {
        let (name, level) = reported;
        match kept.as_mut().filter(|kept| kept.name == *name) {
            Some(kept) => {
                let change = level.saturating_sub(kept.level);
                kept.changes.add(Minute::of(at), change);
                kept.level = level;
            }
            None => {
                *kept = Some(NumberFigures {
                    name: name.clone(),
                    level,
                    changes: EarnedTrend::default(),
                });
            }
        }
    }
}

/// What a Mysis earned and cost in a span of time.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default)]
pub struct ValueSums {
    /// The credits that it earned; negative if it paid more.
    pub earned: i64,
    /// The number of results that told of credits.
    #[serde(rename = "told")]
    pub with_gain: u64,
    /// The cost of its model calls in millionths of a US dollar.
    pub cost_micros: u64,
    /// The tokens of calls whose price was not known.
    pub tokens_unpriced: u64,
}

impl ValueSums {
    pub(super) fn add(&mut self, flow: &Flow) {
        self.earned = self.earned.saturating_add(flow.earned.unwrap_or(0));
        self.with_gain = self
            .with_gain
            .saturating_add(u64::from(flow.earned.is_some()));
        self.cost_micros = bounded_sum(self.cost_micros, flow.cost_micros);
        self.tokens_unpriced = bounded_sum(self.tokens_unpriced, flow.tokens_unpriced);
    }

    #[must_use]
    pub fn since(self, before: ValueSums) -> ValueSums {
        ValueSums {
            earned: self.earned.saturating_sub(before.earned),
            with_gain: self.with_gain.saturating_sub(before.with_gain),
            cost_micros: self.cost_micros.saturating_sub(before.cost_micros),
            tokens_unpriced: self.tokens_unpriced.saturating_sub(before.tokens_unpriced),
        }
    }

    /// The credits for a US dollar; `None` if credits or costs are not known, or nothing was paid.
    #[must_use]
    pub fn credits_per_dollar(self) -> Option<i64> {
        let is_known = self.with_gain > 0 && self.tokens_unpriced == 0 && self.cost_micros > 0;
        if !is_known {
            return None;
        }
        let credits = i128::from(self.earned) * 1_000_000 / i128::from(self.cost_micros);
        let most = i128::from(i64::MAX);
        i64::try_from(credits.clamp(-most, most)).ok()
    }
}

crate::stored_as_list!(ValueSums: earned, with_gain, cost_micros, tokens_unpriced);

/// The credits earned in the last hour, in [`TREND_POINTS`] points of [`TREND_MINUTES`] minutes.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(from = "Option<StoredTrend>", into = "Option<StoredTrend>")]
pub struct EarnedTrend {
    /// The number of the newest point, counted from 1970-01-01; `None` if no result told of any credits.
    newest: Option<i64>,
    /// The points, oldest first.
    earned: [i32; TREND_POINTS],
}

#[derive(Deserialize, Serialize)]
struct StoredTrend {
    newest: i64,
    earned: Vec<i64>,
}

impl From<EarnedTrend> for Option<StoredTrend> {
    fn from(trend: EarnedTrend) -> Option<StoredTrend> {
        Some(StoredTrend {
            newest: trend.newest?,
            earned: trend.earned.into_iter().map(i64::from).collect(),
        })
    }
}

impl From<Option<StoredTrend>> for EarnedTrend {
    fn from(stored: Option<StoredTrend>) -> EarnedTrend {
        stored.map_or_else(EarnedTrend::default, |stored| {
            EarnedTrend::of_parts(stored.newest, stored.earned.into_iter())
        })
    }
}

impl EarnedTrend {
    pub(super) fn add(&mut self, minute: Minute, earned: i64) {
        let number = minute.0.div_euclid(TREND_MINUTES);
        let newest = self.newest_beside(number);
        if self.newest != Some(newest) {
            // Time went on, or the clock was set back far.
            self.earned = self.shifted_to(newest);
            self.newest = Some(newest);
        }
        let behind = newest - number;
        let point = usize::try_from(POINTS - 1 - behind)
            .ok()
            .and_then(|place| self.earned.get_mut(place));
        if let Some(point) = point {
            let most = i64::from(i32::MAX);
            let sum = i64::from(*point).saturating_add(earned).clamp(-most, most);
            *point = i32::try_from(sum).unwrap_or(i32::MAX);
        }
    }

    /// Whether a result told of any credits.
    pub fn is_known(&self) -> bool {
        self.newest.is_some()
    }

    /// The newest point where this one belongs to the same hour, else this one.
    fn newest_beside(&self, number: i64) -> i64 {
        let newest = self.newest.unwrap_or(number);
        match (0..POINTS).contains(&newest.saturating_sub(number)) {
            true => newest,
            false => number,
        }
    }

    /// The trend with this newest point. Points that are missing earned nothing.
    pub fn of_parts(newest: i64, points: impl Iterator<Item = i64>) -> EarnedTrend {
        let mut trend = EarnedTrend {
            newest: Some(newest),
            ..EarnedTrend::default()
        };
        let most = i64::from(i32::MAX);
        for (place, point) in trend.earned.iter_mut().zip(points) {
            *place = i32::try_from(point.clamp(-most, most)).unwrap_or(i32::MAX);
        }
        trend
    }

    /// The points of the last hour, oldest first; the last one is not over.
    #[must_use]
    pub fn points(&self, now: Timestamp) -> [i64; TREND_POINTS] {
        let number = Minute::of(now).0.div_euclid(TREND_MINUTES);
        // A clock that was set back a little does not hide the newest point.
        self.shifted_to(self.newest_beside(number)).map(i64::from)
    }

    fn shifted_to(&self, number: i64) -> [i32; TREND_POINTS] {
        let mut points = [0; TREND_POINTS];
        let by = self.newest.and_then(|newest| number.checked_sub(newest));
        let Some(by) = by.and_then(|by| usize::try_from(by).ok()) else {
            return points;
        };
        if let (Some(kept), Some(room)) = (
            self.earned.get(by..),
            points.get_mut(..TREND_POINTS.saturating_sub(by)),
        ) {
            room.copy_from_slice(kept);
        }
        points
    }
}
