//! The gate: who may ask the outside now, and who waits (CONTRACT.md: `max_concurrency`,
//! `requests_per_minute`, `tokens_per_minute`, `fallback`, `[budget]`, `logins_per_minute`).
//!
//! One gate for the whole swarm, with a lane for each provider and one for logins. A lane limits
//! what is in flight and how fast new requests begin. Within a lane the operator's direct orders go
//! first, then whoever came first; since a Mysis has one request at a time and comes back to the
//! end, that is fair. A provider that fails again and again is left alone (its circuit opens), and
//! whoever has another one goes there. Who is out of budget is turned away, not kept waiting.

pub mod circuit;
mod lane;
mod pace;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::books::CostEntry;
use super::budget::{BudgetAllowance, BudgetEvent, BudgetRules, BudgetStatus, BudgetTracker};
use super::ids::{Lane, Moment, MysisId, Now, PermitId, Timestamp};
use super::model::Charge;
use super::outages::ServerOutages;
use circuit::{CallOutcome, Circuit, CircuitRules, Outage, Transition};

use lane::LaneState;

/// The longest that a server is said to have been away by the wall clock alone, which may have been set.
const MAX_OUTAGE: Duration = Duration::from_secs(30 * 86_400);

/// What a lane allows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneRules {
    /// How many may be in flight; absent: any number.
    pub max_in_flight: Option<usize>,
    /// How many may begin in a minute, evenly paced; absent: any number.
    pub per_minute: Option<u32>,
    /// How many may begin at once after a quiet time.
    pub burst: u32,
    /// How many tokens may begin in a minute; absent: any number.
    pub tokens_per_minute: Option<u64>,
    /// When its circuit opens; absent: never.
    pub circuit: Option<CircuitRules>,
    /// The provider that takes over meanwhile, where there is one.
    pub fallback: Option<Arc<str>>,
}

/// What everybody is let in by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GateRules {
    /// What the lanes allow; a lane without rules lets everybody in.
    pub lanes: BTreeMap<Lane, LaneRules>,
    /// What may be spent.
    pub budget: BudgetRules,
}

/// Somebody who wants in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdmissionRequest {
    /// Where, the best first; never empty.
    pub routes: Vec<Lane>,
    /// Whose budget it is paid from; absent: nobody's.
    pub payer: Option<MysisId>,
    /// Whether an operator's direct message waits for it.
    pub is_urgent: bool,
    /// How many tokens it will use, about.
    pub tokens: u64,
    /// Whether it waits as long as a server is away.
    pub waits_out: bool,
}

/// What becomes of one who wanted in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateVerdict {
    /// It may come in.
    Admitted {
        /// Where.
        lane: Lane,
        /// What its payer should be told, where there is something.
        told: Option<Arc<str>>,
        /// Whether it is the first to try a server that is away.
        is_trial: bool,
    },
    /// The server is away, and it does not wait.
    Away {
        /// What happened last.
        why: Arc<str>,
    },
    /// It may not come in before a moment, and does not wait.
    Denied {
        /// Why.
        why: Arc<str>,
        /// Until when.
        until: Timestamp,
    },
}

/// What the operator is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateEvent {
    /// A server failed again and again and is left alone.
    CircuitOpened {
        /// Where to.
        lane: Lane,
        /// What happened last.
        text: Arc<str>,
        /// How often it is tried.
        every: Duration,
        /// Who takes over.
        fallback: Option<Arc<str>>,
    },
    /// A server works again.
    CircuitClosed {
        /// Where to.
        lane: Lane,
    },
    /// The swarm's budget.
    Budget(BudgetEvent),
}

/// All lanes, and the purse.
#[derive(Debug, Default)]
pub struct AdmissionGate {
    rules: GateRules,
    lanes: BTreeMap<Lane, LaneState>,
    purse: BudgetTracker,
    news: Vec<GateEvent>,
}

impl AdmissionGate {
    /// Sets what everybody is let in by. Whoever was left alone may have been mended by that.
    pub fn set_rules(&mut self, rules: GateRules) {
        self.purse.set_rules(rules.budget);
        self.rules = rules;
        for lane in self.lanes.values_mut() {
            lane.reset();
        }
    }

    /// Takes up what the books say.
    pub fn restore_spending(&mut self, books: &[CostEntry], now: Timestamp) {
        self.purse.restore_spending(books, now);
    }

    /// Takes up which servers are away, as the gate before this one told it.
    pub fn recall_weather(&mut self, weather: &ServerOutages, now: Now) {
        for away in &weather.0 {
            let rules = self.rules.lanes.get(&away.lane);
            if rules.is_none_or(|rules| rules.circuit.is_none()) {
                continue;
            }
            let since = now.moment_of(away.since, MAX_OUTAGE);
            let circuit = Circuit::restore_open(since, away.text.clone(), now.moment);
            let lane = self.lanes.entry(away.lane.clone()).or_default();
            lane.restore_circuit(circuit);
        }
    }

    /// Somebody wants in: queues where it can be served, best first.
    pub fn queue_request(&mut self, pass: PermitId, asker: AdmissionRequest, now: Moment) {
        let lane = self
            .way_of(&asker, now)
            .or_else(|| asker.routes.first().cloned());
        let lane = lane.unwrap_or(Lane::Logins);
        self.lanes
            .entry(lane)
            .or_default()
            .queue_request(pass, asker);
    }

    /// The first of its lanes that lets somebody through: with a closed circuit, or where a trial
    /// is due and nobody is there to make it.
    fn way_of(&self, asker: &AdmissionRequest, now: Moment) -> Option<Lane> {
        let passes = |lane: &&Lane| self.lanes.get(lane).is_none_or(|lane| lane.takes_more(now));
        asker.routes.iter().find(passes).cloned()
    }

    /// Somebody who was let in, or who waited, is done.
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

    /// The server that somebody was let in to gives a sign of life before the call is over.
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
        });
    }

    /// The servers that are away now.
    pub fn outages(&self) -> impl Iterator<Item = (&Lane, &Outage)> {
        let lanes = self.lanes.iter();
        lanes.filter_map(|(name, lane)| Some((name, lane.outage()?)))
    }

    /// Somebody who waits gave up.
    pub fn give_up(&mut self, pass: PermitId) {
        for lane in self.lanes.values_mut() {
            lane.give_up(pass);
        }
    }

    /// The outside asks to be left alone until then.
    pub fn hold_lane(&mut self, lane: Lane, until: Moment) {
        self.lanes.entry(lane).or_default().hold_until(until);
    }

    /// A model call cost this.
    pub fn add_charge(&mut self, mysis: MysisId, bill: &Charge, now: Timestamp) {
        self.purse.add_charge(mysis, bill, now);
        self.news
            .extend(self.purse.due_event(now).map(GateEvent::Budget));
    }

    /// Decides for all who need not wait any longer.
    pub fn decide_requests(&mut self, now: Now) -> Vec<(PermitId, GateVerdict)> {
        let Now { wall, moment } = now;
        let mut decided = self.turn_away(wall);
        self.reroute_requests(moment);
        decided.extend(self.send_on(moment));
        for (name, lane) in &mut self.lanes {
            let rules = self.rules.lanes.get(name);
            while lane.opens_at(rules).is_some_and(|at| at <= moment) {
                let Some((pass, asker, is_trial)) = lane.enter_next(rules, moment) else {
                    break;
                };
                let told = match asker.payer.map(|payer| self.purse.allowance(payer, wall)) {
                    Some(BudgetAllowance::More(told)) => told,
                    Some(BudgetAllowance::NoMore { .. }) | None => None,
                };
                let lane = name.clone();
                let verdict = GateVerdict::Admitted {
                    lane,
                    told,
                    is_trial,
                };
                decided.push((pass, verdict));
            }
        }
        decided
    }

    /// Who is out of budget does not wait here.
    fn turn_away(&mut self, now: Timestamp) -> Vec<(PermitId, GateVerdict)> {
        let mut away = Vec::new();
        if !self.purse.is_limited() {
            return away;
        }
        for lane in self.lanes.values_mut() {
            let purse = &mut self.purse;
            lane.retain_requests(|pass, asker| {
                let Some(payer) = asker.payer else {
                    return true;
                };
                if purse.may_spend(payer, now) {
                    return true;
                }
                if let BudgetAllowance::NoMore { why, until } = purse.allowance(payer, now) {
                    away.push((pass, GateVerdict::Denied { why, until }));
                }
                false
            });
        }
        away
    }

    /// Who does not wait for a server that is away goes on without it.
    fn send_on(&mut self, now: Moment) -> Vec<(PermitId, GateVerdict)> {
        let mut sent_on = Vec::new();
        for lane in self.lanes.values_mut() {
            let why = lane.outage().map(|absence| absence.text.clone());
            let hurried = lane.take_the_hurried(now).into_iter();
            let why = why.unwrap_or_default();
            sent_on.extend(hurried.map(|pass| (pass, GateVerdict::Away { why: why.clone() })));
        }
        sent_on
    }

    /// Who waits where nobody passes goes where somebody does.
    fn reroute_requests(&mut self, now: Moment) {
        let mut movers = Vec::new();
        for lane in self.lanes.values_mut() {
            movers.extend(lane.take_those_with_a_choice(now));
        }
        for (pass, asker) in movers {
            self.queue_request(pass, asker, now);
        }
    }

    /// When somebody who waits may come in without anybody leaving; `None` where that never is.
    #[must_use]
    pub fn wakes_at(&self) -> Option<Moment> {
        self.lanes
            .iter()
            .filter(|(_, lane)| lane.waiting_count() > 0)
            .filter_map(|(name, lane)| lane.opens_at(self.rules.lanes.get(name)))
            .min()
    }

    /// What there is to tell the operator since this was last asked.
    pub fn take_news(&mut self) -> Vec<GateEvent> {
        std::mem::take(&mut self.news)
    }

    /// How the budget stands.
    #[must_use]
    pub fn budget_status(&self) -> BudgetStatus {
        self.purse.status()
    }

    /// How many wait before a lane.
    #[must_use]
    pub fn waiting_count(&self, lane: &Lane) -> usize {
        self.lanes.get(lane).map_or(0, LaneState::waiting_count)
    }
}

impl LaneRules {
    /// The time between two beginnings at an even pace.
    fn interval(&self) -> Option<Duration> {
        self.per_minute
            .map(|count| Duration::from_secs(60) / count.max(1))
    }
}

#[cfg(test)]
mod tests;
