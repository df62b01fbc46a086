//! The gate: who may call a server now, and who waits (CONTRACT.md: `max_concurrency`,
//! `requests_per_minute`, `tokens_per_minute`, `fallback`, `[budget]`, `logins_per_minute`).
//!
//! There is one gate for the whole swarm, with a lane for each provider and one for logins. A lane
//! limits the requests in flight and the rate of new ones. Within a lane the operator's direct
//! messages come first, then the order of arrival. That is fair, because a Mysis has one request at
//! a time and rejoins at the end. The circuit of a provider that fails repeatedly opens: it gets no
//! requests, and those with a fallback go there. A request without budget is refused and does not
//! wait. While the swarm is frozen, nothing is admitted and nothing refused.

mod caching;
pub mod circuit;
mod hold;
mod judging;
mod lane;
mod news;
mod owners;
mod pace;
mod share;
mod shared_outages;
mod trouble;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::books::CostEntry;
use super::budget::{BudgetAllowance, BudgetLimits, BudgetRules, BudgetStatus, BudgetTracker};
use super::ids::{Lane, Moment, MysisId, Now, PermitId, Timestamp};
use super::model::{Charge, ServiceReturn};
use super::outages::ServerOutages;
use caching::CacheWatch;
use circuit::{CallOutcome, Circuit, Outage, Transition};

pub use lane::{LaneHold, LaneRules, LaneTrouble};
pub use news::GateEvent;

use lane::LaneState;
use shared_outages::SharedOutages;

/// The longest outage that is reported by the wall clock alone, which may have been set.
const MAX_OUTAGE: Duration = Duration::from_secs(30 * 86_400);

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GateRules {
    /// The limits of the lanes. A lane without limits admits every request.
    pub lanes: BTreeMap<Lane, LaneRules>,
    pub budget: BudgetRules,
    pub free_providers: BTreeSet<Arc<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdmissionRequest {
    /// The lanes that can serve it, best first; never empty.
    pub routes: Vec<Lane>,
    /// The Mysis that asks. What it gets may be its own failure.
    pub asker: Option<MysisId>,
    /// The Mysis whose budget pays; `None` if it is free.
    pub payer: Option<MysisId>,
    /// The limits of a day that hold for the payer in place of those for each Mysis.
    pub limits: BudgetLimits,
    /// Whether a direct message of the operator waits for it.
    pub is_urgent: bool,
    pub tokens: u64,
    /// Whether it waits as long as a server is away.
    pub waits_out: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateVerdict {
    Admitted {
        lane: Lane,
        /// A message for the payer, if there is one.
        notice: Option<Arc<str>>,
        is_trial: bool,
        /// The spent share of the payer's budget or the swarm's, whichever is higher, in percent.
        spent_percent: Option<u64>,
    },
    /// The server is away, and the request does not wait.
    Away { why: Arc<str> },
    /// It is refused until a certain time.
    Denied { why: Arc<str>, until: Timestamp },
}

#[derive(Debug, Default)]
pub struct AdmissionGate {
    rules: GateRules,
    lanes: BTreeMap<Lane, LaneState>,
    budgets: BudgetTracker,
    caching: CacheWatch,
    news: Vec<GateEvent>,
    is_frozen: bool,
    /// Who pays for a request whose budget was not looked at yet.
    unjudged: Vec<MysisId>,
    /// Whether the budget of waiting requests may be spent.
    is_budget_doubtful: bool,
    /// Until when the parts of limits are valid that hold for several processes together; `None`
    /// where the limits are this process's alone.
    shared_until: Option<Moment>,
    /// Whether they were not valid any more when requests were last decided about.
    has_lapsed: bool,
    shared_outages: SharedOutages,
}

impl AdmissionGate {
    /// Sets the rules. All circuits close, because the change may have removed the cause.
    pub fn set_rules(&mut self, rules: GateRules) {
        self.set_budget(rules.budget);
        let before = std::mem::replace(&mut self.rules, rules);
        self.keep_limits_in_use(before);
        for lane in self.lanes.values_mut() {
            lane.reset();
        }
        self.fit_shares();
    }

    /// Sets the caps alone. Servers that are away stay so.
    pub fn set_budget(&mut self, budget: BudgetRules) {
        self.budgets.set_rules(budget);
        self.rules.budget = budget;
        self.is_budget_doubtful = true;
    }

    /// Freezes or thaws it. A frozen gate decides about no request: all wait, whatever the rules say.
    pub fn set_frozen(&mut self, is_frozen: bool) {
        self.is_frozen = is_frozen;
    }

    pub fn restore_spending(&mut self, books: &[CostEntry], now: Timestamp) {
        let free = &self.rules.free_providers;
        let is_free = |provider: &str| free.contains(provider);
        self.budgets.restore_spending(books, is_free, now);
        self.is_budget_doubtful = true;
    }

    pub fn restore_outages(&mut self, outages: &ServerOutages, now: Now) {
        for away in outages.away() {
            let rules = self.rules.lanes.get(&away.lane);
            if rules.is_none_or(|rules| rules.circuit.is_none()) {
                continue;
            }
            let since = now.moment_of(away.since, MAX_OUTAGE);
            // A trial call is due at once.
            let outage = Outage::new(away.text.clone(), since, now.moment, None);
            let lane = self.lanes.entry(away.lane.clone()).or_default();
            lane.circuit = Circuit::Open(outage);
            if away.lane == Lane::Game && away.needs_operator {
                // A game that refused access pauses all logins, too.
                self.lanes.entry(Lane::Logins).or_default().end_hold();
            }
        }
    }

    /// Queues a request in the best lane that can serve it.
    pub fn queue_request(&mut self, pass: PermitId, request: AdmissionRequest, now: Moment) {
        let lane = self
            .way_of(&request, now)
            .or_else(|| request.routes.first().cloned());
        let lane = lane.unwrap_or(Lane::Logins);
        if let Some(payer) = request.payer {
            self.unjudged.push(payer);
            self.is_budget_doubtful |= self.budgets.set_limits(payer, request.limits);
        }
        self.note_asked(&request.routes, &lane, now);
        self.lanes
            .entry(lane)
            .or_default()
            .queue_request(pass, request);
    }

    /// The first lane that lets requests pass: its circuit is closed, or a trial call is due and
    /// nobody waits to make it.
    fn way_of(&self, request: &AdmissionRequest, now: Moment) -> Option<Lane> {
        let takes = |lane: &LaneState| lane.takes_more(request.asker, now);
        let passes = |lane: &&Lane| self.lanes.get(lane).is_none_or(takes);
        request.routes.iter().find(passes).cloned()
    }

    pub fn release_permit(
        &mut self,
        lane: &Lane,
        pass: PermitId,
        outcome: &CallOutcome,
        now: Moment,
    ) {
        let Some(state) = self.lanes.get_mut(lane) else {
            return;
        };
        let turn = state.release_permit(pass, outcome, self.rules.lanes.get(lane), now);
        self.on_transition(lane, turn);
    }

    /// Notes that the server of a call has begun to answer.
    pub fn on_sign_of_life(&mut self, lane: &Lane, pass: PermitId) {
        let turn = self
            .lanes
            .get_mut(lane)
            .and_then(|it| it.on_sign_of_life(pass));
        self.on_transition(lane, turn);
    }

    fn on_transition(&mut self, lane: &Lane, turn: Option<Transition>) {
        let rules = self.rules.lanes.get(lane);
        let circuit = rules.and_then(|rules| rules.circuit);
        let absence = self.lanes.get(lane).and_then(LaneState::outage);
        let lane = lane.clone();
        self.news.extend(match turn {
            None => None,
            Some(Transition::Closed) => Some(GateEvent::CircuitClosed { lane }),
            Some(Transition::Opened) => absence.map(|absence| GateEvent::CircuitOpened {
                lane,
                text: absence.text.clone(),
                every: circuit.unwrap_or_default().wait,
                fallback: rules.and_then(|rules| rules.fallback.clone()),
            }),
            Some(Transition::OutOfService(wait)) => {
                absence.map(|absence| GateEvent::OutOfService {
                    lane,
                    text: absence.text.clone(),
                    wait,
                    ends_by: absence.ends_by.unwrap_or(ServiceReturn::Time),
                    fallback: rules.and_then(|rules| rules.fallback.clone()),
                })
            }
        });
    }

    pub fn outages(&self) -> impl Iterator<Item = (&Lane, &Outage)> {
        let lanes = self.lanes.iter();
        lanes.filter_map(|(name, lane)| Some((name, lane.outage()?)))
    }

    pub fn keep_requests(&mut self, mut still_waits: impl FnMut(PermitId) -> bool) {
        for lane in self.lanes.values_mut() {
            lane.retain_requests(|pass, _| still_waits(pass));
        }
    }

    pub fn add_charge(&mut self, mysis: MysisId, bill: &Charge, now: Now) {
        self.budgets.add_charge(mysis, bill, now.wall);
        self.is_budget_doubtful |= !self.budgets.may_spend(mysis, now.wall);
        self.news
            .extend(self.budgets.due_event(now.wall).map(GateEvent::Budget));
        let stopped = self
            .caching
            .on_usage(&bill.provider, mysis, bill.usage, now.moment);
        self.news
            .extend(stopped.map(|percent| GateEvent::CachingStopped {
                provider: bill.provider.clone(),
                percent,
            }));
    }

    /// Decides about all requests that need not wait any longer. Those that `still_waits` denies are
    /// forgotten when their turn comes.
    pub fn decide_requests(
        &mut self,
        now: Now,
        mut still_waits: impl FnMut(PermitId) -> bool,
    ) -> Vec<(PermitId, GateVerdict)> {
        if self.is_frozen {
            return Vec::new();
        }
        let Now { wall, moment } = now;
        let mut decided = self.turn_away(wall);
        self.reroute_requests(moment);
        decided.extend(self.send_on(moment));
        self.has_lapsed = self.has_lapsed_at(moment);
        let shut: Vec<bool> = self.lanes.keys().map(|name| self.is_shut(name)).collect();
        for ((name, lane), is_shut) in self.lanes.iter_mut().zip(shut) {
            let rules = self.rules.lanes.get(name);
            lane.let_another_try(moment);
            while !is_shut
                && lane.has_next(&mut still_waits)
                && lane.opens_at(rules).is_some_and(|at| at <= moment)
            {
                let Some((pass, request, is_trial)) = lane.enter_next(rules, moment) else {
                    break;
                };
                let payer = request.payer;
                let notice = match payer.map(|payer| self.budgets.allowance(payer, wall)) {
                    Some(BudgetAllowance::More(notice)) => notice,
                    Some(BudgetAllowance::NoMore { .. }) | None => None,
                };
                let spent_percent = payer.and_then(|payer| self.budgets.percent_spent(payer));
                let lane = name.clone();
                let verdict = GateVerdict::Admitted {
                    lane,
                    notice,
                    is_trial,
                    spent_percent,
                };
                decided.push((pass, verdict));
            }
        }
        decided
    }

    /// Refuses waiting requests without budget. All are looked at only after something happened that may
    /// have spent a budget, since thousands may wait.
    fn turn_away(&mut self, now: Timestamp) -> Vec<(PermitId, GateVerdict)> {
        let mut away = Vec::new();
        let mut unjudged = std::mem::take(&mut self.unjudged).into_iter();
        let is_doubtful = std::mem::take(&mut self.is_budget_doubtful)
            || unjudged.any(|payer| !self.budgets.may_spend(payer, now));
        if !is_doubtful || !self.budgets.is_limited() {
            return away;
        }
        for lane in self.lanes.values_mut() {
            let budgets = &mut self.budgets;
            lane.retain_requests(|pass, request| {
                let Some(payer) = request.payer else {
                    return true;
                };
                if budgets.may_spend(payer, now) {
                    return true;
                }
                if let BudgetAllowance::NoMore { why, until } = budgets.allowance(payer, now) {
                    away.push((pass, GateVerdict::Denied { why, until }));
                }
                false
            });
        }
        away
    }

    /// Refuses requests that do not wait for a server that is away.
    fn send_on(&mut self, now: Moment) -> Vec<(PermitId, GateVerdict)> {
        let mut sent_on = Vec::new();
        for lane in self.lanes.values_mut() {
            let outage = lane.outage().map(|absence| absence.text.clone());
            let why = outage.unwrap_or_default();
            let hurried = lane.take_the_hurried(now).into_iter();
            sent_on.extend(hurried.map(|pass| (pass, GateVerdict::Away { why: why.clone() })));
        }
        sent_on
    }

    /// Moves requests from lanes that let none pass to lanes that do.
    fn reroute_requests(&mut self, now: Moment) {
        let mut movers = Vec::new();
        for lane in self.lanes.values_mut() {
            movers.extend(lane.take_those_with_a_choice(now));
        }
        for (pass, request) in movers {
            self.queue_request(pass, request, now);
        }
    }

    /// When a waiting request may be admitted although no call ends; `None` if that never happens.
    pub fn wakes_at(&self) -> Option<Moment> {
        if self.is_frozen {
            return None;
        }
        self.lanes
            .iter()
            .filter(|(name, lane)| lane.waiting_count() > 0 && !self.is_shut(name))
            .filter_map(|(name, lane)| lane.opens_at(self.rules.lanes.get(name)))
            .min()
    }

    pub fn budget_status(&self) -> BudgetStatus {
        self.budgets.status()
    }

    pub fn waiting_count(&self, lane: &Lane) -> usize {
        self.lanes.get(lane).map_or(0, LaneState::waiting_count)
    }
}

#[cfg(test)]
mod tests;
