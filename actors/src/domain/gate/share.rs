//! The share: what this process may use of limits that hold for several processes together.

use std::time::Duration;

use super::lane::{LaneShare, LaneState};
use super::pace::whole_pace;
use super::{AdmissionGate, GateEvent, GateRules, LaneRules};
use crate::books::Day;
use crate::budget::SpentTogether;
use crate::ids::{Lane, Moment, Now, Timestamp};
use crate::sharing::{LimitClaim, LimitKind, LimitNeed, LimitPart};

/// A share under these rules. Of a limit that is new, nothing was given yet.
fn under(share: &LaneShare, lane: &Lane, rules: &LaneRules) -> LaneShare {
    let limited = LimitKind::ALL.into_iter();
    let limited = limited.filter(|kind| limit_of(*kind, lane, rules).is_some());
    limited
        .map(|kind| (kind, share.get(&kind).copied().unwrap_or(0)))
        .collect()
}

/// The limit of this kind, if it holds for several processes together.
fn limit_of(kind: LimitKind, lane: &Lane, rules: &LaneRules) -> Option<u64> {
    match (kind, lane) {
        (LimitKind::InFlight, Lane::Provider(_)) => rules.max_in_flight.map(|max| max as u64),
        // Attempts to log in are bounded for each process; the pace is what servers limit.
        (LimitKind::InFlight, Lane::Logins | Lane::Game) => None,
        (LimitKind::Pace, _) => rules.per_minute.map(whole_pace),
        (LimitKind::Tokens, _) => rules.tokens_per_minute,
        // Whether the game can be reached is each process' own affair.
        (LimitKind::Trial, Lane::Provider(_)) => rules.circuit.map(|_| 1),
        (LimitKind::Trial, Lane::Logins | Lane::Game) => None,
    }
}

/// For how long a lane counts as wanted after a request that wanted it.
const WANTED_TIME: Duration = Duration::from_secs(30);

impl AdmissionGate {
    /// Shares the limits with other processes from now on. Nothing that is limited is admitted until
    /// the parts of this process are told.
    pub fn share_limits(&mut self) {
        self.shared_until = Some(Moment(i64::MIN));
        self.fit_shares();
    }

    /// Keeps the limits of a provider that is gone for what waits for it or is in flight.
    pub(super) fn keep_limits_in_use(&mut self, before: GateRules) {
        let is_busy = |lane: &LaneState| lane.waiting_count() + lane.in_flight_count() > 0;
        for (name, rules) in before.lanes {
            if self.lanes.get(&name).is_some_and(is_busy) {
                self.rules.lanes.entry(name).or_insert(rules);
            }
        }
    }

    pub(super) fn fit_shares(&mut self) {
        if self.shared_until.is_none() {
            return;
        }
        for (name, rules) in &self.rules.lanes {
            let lane = self.lanes.entry(name.clone()).or_default();
            lane.share = under(&lane.share, name, rules);
        }
    }

    /// Whether the parts of this process are not valid any more: other processes may use them.
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

    pub fn claims(&mut self, now: Moment) -> Vec<LimitClaim> {
        let has_lapsed = self.has_lapsed_at(now);
        let mut claims = Vec::new();
        for (name, rules) in &self.rules.lanes {
            let lane = self.lanes.entry(name.clone()).or_default();
            for kind in LimitKind::ALL {
                let Some(limit) = limit_of(kind, name, rules) else {
                    continue;
                };
                if kind == LimitKind::Trial && !lane.is_away_for_all() {
                    lane.share.insert(LimitKind::Trial, 0);
                    continue;
                }
                let (used, need) = lane.need_of(kind, now);
                let part = lane.part_of(kind).unwrap_or(0).min(limit);
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
    pub fn budget_day(&self, now: Timestamp) -> Option<Day> {
        self.budgets.is_limited().then(|| Day::of(now))
    }

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
            let before = lane.pace(rules);
            lane.share.insert(part.kind, part.part);
            lane.change_pace(before, rules, part.is_first, now);
        }
        self.fit_shares();
    }
}

impl LaneState {
    /// Whether its server is away as processes tell each other.
    pub(super) fn is_away_for_all(&self) -> bool {
        self.outage().is_some_and(|absence| !absence.is_local)
    }

    /// What it uses of a limit, and what it would use.
    fn need_of(&mut self, kind: LimitKind, now: Moment) -> (u64, LimitNeed) {
        let waiting = self.waiting_count() as u64;
        // Nobody is without any part as long as there is one for each.
        let of_units = |wanted: u64| LimitNeed { wanted, unit: 1 };
        match kind {
            LimitKind::InFlight => {
                let used = self.in_flight_count() as u64;
                (used, of_units((used + waiting).max(1)))
            }
            LimitKind::Pace => {
                let (begun, _) = self.begun_in_last_minute(now);
                (0, of_units((begun + waiting).max(1) * 1000))
            }
            LimitKind::Trial => {
                let wanted = |at: Moment| now.since(at) < WANTED_TIME;
                let is_wanted = waiting > 0 || self.asked_at.is_some_and(wanted);
                (0, of_units(u64::from(is_wanted)))
            }
            LimitKind::Tokens => {
                let (_, used) = self.begun_in_last_minute(now);
                let need = LimitNeed {
                    wanted: used.saturating_add(self.waiting_tokens()),
                    unit: self.next_request().map_or(1, |next| next.tokens.max(1)),
                };
                (used, need)
            }
        }
    }
}
