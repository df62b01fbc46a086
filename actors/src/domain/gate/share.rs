//! The share: what this process may use of limits that hold for several processes together.

use std::time::Duration;

use super::lane::LaneState;
use super::{AdmissionGate, GateEvent, LaneRules};
use crate::books::Day;
use crate::budget::SpentTogether;
use crate::ids::{Lane, Moment, Now, Timestamp};
use crate::sharing::{LimitClaim, LimitKind, LimitPart, Need};

/// The parts of one lane; `None` for a limit that is not shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LaneShare {
    pub(super) in_flight: Option<u64>,
    pub(super) pace: Option<u64>,
    pub(super) tokens: Option<u64>,
}

impl LaneShare {
    fn of(&mut self, kind: LimitKind) -> &mut Option<u64> {
        match kind {
            LimitKind::InFlight => &mut self.in_flight,
            LimitKind::Pace => &mut self.pace,
            LimitKind::Tokens => &mut self.tokens,
        }
    }

    /// The share under these rules. Of a limit that is new, nothing was given yet.
    fn under(mut self, lane: &Lane, rules: &LaneRules) -> LaneShare {
        for kind in LimitKind::ALL {
            let is_limited = limit_of(kind, lane, rules).is_some();
            let part = self.of(kind);
            *part = is_limited.then(|| part.unwrap_or(0));
        }
        self
    }
}

/// The limit of this kind, if it holds for several processes together.
fn limit_of(kind: LimitKind, lane: &Lane, rules: &LaneRules) -> Option<u64> {
    match (kind, lane) {
        (LimitKind::InFlight, Lane::Provider(_)) => rules.max_in_flight.map(|max| max as u64),
        // Attempts to log in are bounded for each process; the pace is what servers limit.
        (LimitKind::InFlight, Lane::Logins | Lane::Game) => None,
        (LimitKind::Pace, _) => rules.per_minute.map(whole_pace),
        (LimitKind::Tokens, _) => rules.tokens_per_minute,
    }
}

/// A pace in thousandths of requests a minute.
pub(super) fn whole_pace(per_minute: u32) -> u64 {
    u64::from(per_minute) * 1000
}

/// How fast requests may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    /// The time between two requests.
    pub(super) interval: Duration,
    /// The most that begin at once.
    pub(super) burst: u32,
}

impl Pace {
    /// The pace of a part, in thousandths of requests a minute; `None` if there is none.
    pub(super) fn of_part(part: u64, per_minute: u32, burst: u32) -> Option<Pace> {
        let whole = whole_pace(per_minute.max(1));
        let micros = 60_000_000_000_u64.checked_div(part.min(whole))?;
        let burst = u64::from(burst) * part.min(whole) / whole;
        Some(Pace {
            interval: Duration::from_micros(micros),
            burst: u32::try_from(burst).unwrap_or(u32::MAX).max(1),
        })
    }

    /// The time that so many requests take, in thousandths of one.
    fn time_of(self, thousandths: u64) -> Duration {
        let micros = self.interval.as_micros() * u128::from(thousandths) / 1000;
        Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
    }

    /// When the pace allows the next request if no burst were left, after a change from another
    /// pace. The requests that may begin at once stay as many, up to the new burst: a part that goes
    /// from one process to another brings no burst with it.
    pub(super) fn paced_to(self, before: Option<Pace>, paced_to: Moment, now: Moment) -> Moment {
        let left = before.map_or(0, |before| {
            let debt = paced_to.since(now).as_micros() * 1000;
            let debt = debt.div_ceil(before.interval.as_micros().max(1));
            let debt = u64::try_from(debt).unwrap_or(u64::MAX);
            (u64::from(before.burst) * 1000).saturating_sub(debt)
        });
        let full = u64::from(self.burst) * 1000;
        now.plus(self.time_of(full - left.min(full)))
    }
}

impl AdmissionGate {
    /// Shares the limits with other processes from now on. Nothing that is limited is admitted until
    /// the parts of this process are told.
    pub fn share_limits(&mut self) {
        self.shared_until = Some(Moment(i64::MIN));
        self.fit_shares();
    }

    /// Fits the shares to the rules.
    pub(super) fn fit_shares(&mut self) {
        if self.shared_until.is_none() {
            return;
        }
        for (name, rules) in &self.rules.lanes {
            let lane = self.lanes.entry(name.clone()).or_default();
            let share = lane.share().under(name, rules);
            lane.fit_share(share);
        }
    }

    /// Whether the parts of this process are not valid any more: other processes may use them.
    #[must_use]
    pub fn has_lapsed_at(&self, now: Moment) -> bool {
        self.shared_until.is_some_and(|until| until <= now)
    }

    /// Whether this lane admits nothing because the parts are not valid.
    pub(super) fn is_shut(&self, lane: &Lane) -> bool {
        let is_limited = |rules: &LaneRules| {
            let limits = LimitKind::ALL.map(|kind| limit_of(kind, lane, rules));
            limits.iter().any(Option::is_some)
        };
        self.has_lapsed && self.rules.lanes.get(lane).is_some_and(is_limited)
    }

    /// What this process has and wants of each shared limit.
    pub fn claims(&mut self, now: Moment) -> Vec<LimitClaim> {
        let has_lapsed = self.has_lapsed_at(now);
        let mut claims = Vec::new();
        for (name, rules) in &self.rules.lanes {
            let lane = self.lanes.entry(name.clone()).or_default();
            for kind in LimitKind::ALL {
                let Some(limit) = limit_of(kind, name, rules) else {
                    continue;
                };
                let (used, need) = lane.need_of(kind, now);
                let part = lane.share().of(kind).unwrap_or(0).min(limit);
                claims.push(LimitClaim {
                    lane: name.clone(),
                    kind,
                    group: rules.shared_by.clone(),
                    limit,
                    held: if has_lapsed { 0 } else { part },
                    used,
                    need,
                });
            }
        }
        claims
    }

    /// The day of whose spending the budgets need to know what all processes spent; `None` without
    /// budgets.
    #[must_use]
    pub fn budget_day(&self, now: Timestamp) -> Option<Day> {
        self.budgets.is_limited().then(|| Day::of(now))
    }

    /// Takes notice of what all processes spent.
    pub fn raise_spending(&mut self, all: &SpentTogether, now: Now) {
        let free = &self.rules.free_providers;
        let is_free = |provider: &str| free.contains(provider);
        self.budgets.raise_to(all, is_free, now.wall);
        self.is_budget_doubtful = true;
        let event = self.budgets.due_event(now.wall);
        self.news.extend(event.map(GateEvent::Budget));
    }

    /// Takes the parts of this process, which are valid until then.
    pub fn set_parts(&mut self, parts: &[LimitPart], until: Moment, now: Moment) {
        self.shared_until = Some(until);
        for part in parts {
            let Some(rules) = self.rules.lanes.get(&part.lane) else {
                continue;
            };
            let lane = self.lanes.entry(part.lane.clone()).or_default();
            let mut share = lane.share();
            *share.of(part.kind) = Some(part.part);
            match part.kind {
                LimitKind::Pace => lane.set_pace_share(share, rules, part.is_first, now),
                LimitKind::InFlight | LimitKind::Tokens => lane.fit_share(share),
            }
        }
        self.fit_shares();
    }
}

impl LaneState {
    /// What it uses of a limit, and what it would use.
    fn need_of(&mut self, kind: LimitKind, now: Moment) -> (u64, Need) {
        let waiting = self.waiting_count() as u64;
        // Nobody is without any part as long as there is one for each.
        let of_units = |wanted: u64| Need { wanted, unit: 1 };
        match kind {
            LimitKind::InFlight => {
                let used = self.in_flight_count() as u64;
                (used, of_units((used + waiting).max(1)))
            }
            LimitKind::Pace => {
                let (begun, _) = self.begun_in_last_minute(now);
                (0, of_units((begun + waiting).max(1) * 1000))
            }
            LimitKind::Tokens => {
                let (_, used) = self.begun_in_last_minute(now);
                let need = Need {
                    wanted: used.saturating_add(self.waiting_tokens()),
                    unit: self.next_request().map_or(1, |next| next.tokens.max(1)),
                };
                (used, need)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(part: u64) -> Pace {
        Pace::of_part(part, 60, 6).unwrap()
    }

    #[test]
    fn a_part_of_a_pace_is_slower_and_has_a_part_of_the_burst() {
        let of = |pace: Pace| (pace.interval.as_millis(), pace.burst);
        assert_eq!(of(pace(60_000)), (1000, 6));
        assert_eq!(of(pace(20_000)), (3000, 2));
        assert_eq!(of(pace(500)), (120_000, 1));
        assert_eq!(of(pace(90_000)), (1000, 6), "more than the limit");
        assert_eq!(Pace::of_part(0, 60, 6), None);
    }

    #[test]
    fn a_part_that_comes_from_another_process_brings_no_burst() {
        let now = Moment(100_000);
        let next = |pace: Pace, paced_to: Moment| {
            let lead = pace.interval * (pace.burst - 1);
            paced_to.minus(lead).0 - now.0
        };
        // Nothing was held before: the next one begins one interval later.
        let begins = pace(20_000).paced_to(None, Moment(0), now);
        assert_eq!(next(pace(20_000), begins), 3000);
        // Two were left of two: two are left of six.
        let grown = pace(60_000).paced_to(Some(pace(20_000)), now, now);
        assert_eq!(next(pace(60_000), grown), -1000, "two at once, and no more");
        // Six were left of six: two are left of two.
        let shrunk = pace(20_000).paced_to(Some(pace(60_000)), now, now);
        assert_eq!(next(pace(20_000), shrunk), -3000);
        // None was left: none is, at the new pace.
        let spent =
            pace(20_000).paced_to(Some(pace(60_000)), now.plus(Duration::from_secs(6)), now);
        assert_eq!(next(pace(20_000), spent), 3000);
    }
}
