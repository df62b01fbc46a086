//! A lane: its requests in flight, its waiting requests, and its pace.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::circuit::{CallOutcome, Circuit, CircuitRules, Outage, Transition};
use super::owners::Owners;
use super::pace::{Pace, TokenPace, whole_pace};
use crate::ids::{Moment, MysisId};
use crate::sharing::LimitKind;

use super::{AdmissionRequest, PermitId};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneRules {
    /// The most requests in flight; `None` for no limit.
    pub max_in_flight: Option<usize>,
    /// The most requests that begin in a minute, evenly paced; `None` for no limit.
    pub per_minute: Option<u32>,
    /// The most requests that begin at once after a quiet time.
    pub burst: u32,
    /// The most tokens of requests that begin in a minute; `None` for no limit.
    pub tokens_per_minute: Option<u64>,
    /// When its circuit opens; `None` for never.
    pub circuit: Option<CircuitRules>,
    /// The provider that takes over meanwhile, if there is one.
    pub fallback: Option<Arc<str>>,
    /// The processes with which the limits are shared, if not all of a database share them.
    pub shared_by: Option<Arc<str>>,
}

/// The parts of one lane. A limit that is not shared has none; that of trial calls is shared where the server
/// is away, as processes told each other.
pub(super) type LaneShare = BTreeMap<LimitKind, u64>;

/// A server that did not serve the last calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneTrouble {
    /// The first failure since it last served a call.
    pub since: Moment,
    pub text: Arc<str>,
    /// Whether it is the server's, as far as is known. It may be one conversation's otherwise.
    pub is_servers: bool,
    /// Whether it ends only when the operator acts.
    pub needs_operator: bool,
    /// The conversation that got the first failure.
    pub(super) who: Option<MysisId>,
}

/// A pause for which a server asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneHold {
    /// The beginning of the first of pauses that followed each other.
    pub since: Moment,
    pub until: Moment,
    pub text: Arc<str>,
}

#[derive(Debug, Default)]
pub(super) struct LaneState {
    in_flight: BTreeMap<PermitId, Option<MysisId>>,
    pub(super) urgent: VecDeque<(PermitId, AdmissionRequest)>,
    pub(super) patient: VecDeque<(PermitId, AdmissionRequest)>,
    /// When the pace allows the next request if no burst were left.
    paced_to: Moment,
    pub(super) held_until: Moment,
    /// What its server said last as it asked for a pause.
    pub(super) hold: Option<LaneHold>,
    pub(super) circuit: Circuit,
    pub(super) owners: Owners,
    /// Why the server did not serve the last calls.
    pub(super) trouble: Option<LaneTrouble>,
    /// Since when the server was away as the program ended or the rules changed, until it serves a call.
    pub(super) away_before: Option<Moment>,
    /// What another process told of the server while this one was served: the next call decides.
    pub(super) doubted: Option<Outage>,
    tokens: TokenPace,
    pub(super) share: LaneShare,
    /// When a request last wanted this lane, whether it could have it or not.
    pub(super) asked_at: Option<Moment>,
}

impl LaneState {
    /// What is said to other processes: the outage, also one that is doubted.
    pub(super) fn shared_outage(&self) -> Option<&Outage> {
        self.outage().or(self.doubted.as_ref())
    }

    /// The part of a shared limit; `None` if it is not shared.
    pub(super) fn part_of(&self, limit: LimitKind) -> Option<u64> {
        self.share.get(&limit).copied()
    }

    /// When the circuit lets the next call pass; `None` while another process has the right to try.
    fn circuit_opens_at(&self) -> Option<Moment> {
        let has_right = self.part_of(LimitKind::Trial) != Some(0);
        (has_right || !self.is_away_for_all()).then(|| self.circuit.opens_at())
    }

    pub(super) fn is_trial_due(&self, now: Moment) -> bool {
        self.circuit_opens_at().is_some_and(|at| at <= now)
    }

    /// Changes the pace to what is in force now. The first process of a fleet begins with a whole burst.
    pub(super) fn change_pace(
        &mut self,
        before: Option<Pace>,
        rules: &LaneRules,
        is_first: bool,
        now: Moment,
    ) {
        let after = self.pace(rules);
        if let Some(pace) = after.filter(|_| before != after) {
            self.paced_to = match before {
                None if is_first => now,
                _ => pace.paced_to(before, self.paced_to, now),
            };
        }
    }

    /// The pace; `None` without a limit, and without any part of it.
    pub(super) fn pace(&self, rules: &LaneRules) -> Option<Pace> {
        let whole = rules.per_minute?.max(1);
        let part = self.part_of(LimitKind::Pace).unwrap_or(whole_pace(whole));
        Pace::of_part(part, whole, rules.burst)
    }

    pub(super) fn in_flight_count(&self) -> usize {
        self.in_flight.len()
    }

    /// The requests that began in the last minute, and their tokens, if they are counted.
    pub(super) fn begun_in_last_minute(&mut self, now: Moment) -> (u64, u64) {
        self.tokens.drop_old_calls(now);
        self.tokens.counted()
    }

    pub(super) fn waiting_tokens(&self) -> u64 {
        let waiting = self.urgent.iter().chain(&self.patient);
        waiting.fold(0, |sum, (_, request)| sum.saturating_add(request.tokens))
    }

    pub(super) fn queue_request(&mut self, pass: PermitId, request: AdmissionRequest) {
        let queue = match request.is_urgent {
            true => &mut self.urgent,
            false => &mut self.patient,
        };
        queue.push_back((pass, request));
    }

    pub(super) fn waiting_count(&self) -> usize {
        self.urgent.len() + self.patient.len()
    }

    /// Closes the circuit and forgets failures. An outage that this ends is told as over by the first call
    /// that is served.
    pub(super) fn reset(&mut self) {
        let since = self.outage().map(|it| it.since).or(self.away_before);
        self.circuit = Circuit::default();
        (self.doubted, self.trouble, self.away_before) = (None, None, since);
    }

    /// The outage of its server, if it is away.
    pub(super) fn outage(&self) -> Option<&Outage> {
        self.circuit.outage()
    }

    /// Notes that the server of a call has begun to answer.
    pub(super) fn on_sign_of_life(&mut self, pass: PermitId) -> Option<Transition> {
        let is_in = self.in_flight.contains_key(&pass);
        let back = is_in.then(|| self.circuit.close()).flatten();
        // That it is back is told once.
        self.away_before.take_if(|_| back.is_some());
        back
    }

    /// Removes the requests that do not wait for an open circuit, unless a trial call is due.
    pub(super) fn take_the_hurried(&mut self, now: Moment) -> Vec<PermitId> {
        let mut hurried = Vec::new();
        if self.is_trial_due(now) {
            return hurried;
        }
        self.retain_requests(|pass, request| {
            if !request.waits_out {
                hurried.push(pass);
            }
            request.waits_out
        });
        hurried
    }

    /// Whether another request may queue here: the circuit is closed, or a trial call is due and
    /// needs one.
    pub(super) fn takes_more(&self, who: Option<MysisId>, now: Moment) -> bool {
        self.circuit.is_closed()
            || (self.is_trial_due(now)
                && self.waiting_count() == 0
                && !self.owners.yields(who, now))
    }

    pub(super) fn retain_requests(
        &mut self,
        mut stays: impl FnMut(PermitId, &AdmissionRequest) -> bool,
    ) {
        for queue in [&mut self.urgent, &mut self.patient] {
            queue.retain(|(pass, request)| stays(*pass, request));
        }
    }

    /// Removes the requests that can go to another lane while the circuit is open. If a trial call
    /// is due, one of them stays for it.
    pub(super) fn take_those_with_a_choice(
        &mut self,
        now: Moment,
    ) -> Vec<(PermitId, AdmissionRequest)> {
        if self.circuit.is_closed() {
            return Vec::new();
        }
        let mut stays_for_trial = self.is_trial_due(now);
        self.let_another_try(now);
        let mut movers = Vec::new();
        for queue in [&mut self.urgent, &mut self.patient] {
            for (pass, request) in std::mem::take(queue) {
                let has_choice = request.routes.len() > 1;
                if has_choice && !std::mem::take(&mut stays_for_trial) {
                    movers.push((pass, request));
                } else {
                    queue.push_back((pass, request));
                }
            }
        }
        movers
    }

    /// When the next request may begin; `None` while too many are in flight.
    pub(super) fn opens_at(&self, rules: Option<&LaneRules>) -> Option<Moment> {
        let Some(rules) = rules else {
            return Some(self.held_until);
        };
        let is_full = |max| {
            let part = self.part_of(LimitKind::InFlight).unwrap_or(u64::MAX);
            self.in_flight.len() >= max || self.in_flight.len() as u64 >= part
        };
        if rules.max_in_flight.is_some_and(is_full) || self.part_of(LimitKind::Pace) == Some(0) {
            return None;
        }
        let circuit = match rules.circuit {
            Some(_) => self.circuit_opens_at()?,
            None => Moment(0),
        };
        let paced = match self.pace(rules) {
            Some(pace) => {
                let lead = pace.interval.saturating_mul(pace.burst.saturating_sub(1));
                self.paced_to.minus(lead)
            }
            None => Moment(0),
        };
        let tokens = match (rules.tokens_per_minute, self.next_request()) {
            (Some(limit), Some(request)) => {
                let part = self.part_of(LimitKind::Tokens).unwrap_or(limit).min(limit);
                if request.tokens > part && part < limit {
                    return None;
                }
                self.tokens.opens_at(request.tokens, part)
            }
            (Some(_) | None, _) => Moment(0),
        };
        Some(paced.max(self.held_until).max(circuit).max(tokens))
    }

    /// Whether a request is next. Those that do not wait any longer are forgotten first.
    pub(super) fn has_next(&mut self, still_waits: &mut impl FnMut(PermitId) -> bool) -> bool {
        for queue in [&mut self.urgent, &mut self.patient] {
            while queue
                .pop_front_if(|(pass, _)| !still_waits(*pass))
                .is_some()
            {}
        }
        self.next_request().is_some()
    }

    pub(super) fn next_request(&self) -> Option<&AdmissionRequest> {
        let next = self.urgent.front().or_else(|| self.patient.front());
        next.map(|(_, request)| request)
    }

    /// Admits the next request. Returns whether it is a trial call.
    pub(super) fn enter_next(
        &mut self,
        rules: Option<&LaneRules>,
        now: Moment,
    ) -> Option<(PermitId, AdmissionRequest, bool)> {
        let next = self.urgent.pop_front().or_else(|| self.patient.pop_front());
        let (pass, request) = next?;
        self.in_flight.insert(pass, request.asker);
        if let Some(who) = request.asker {
            self.owners.begin(who, now);
        }
        let circuit = rules.and_then(|rules| rules.circuit);
        let is_trial = circuit.is_some_and(|circuit| self.circuit.begin_call(pass, circuit, now));
        if let Some(pace) = rules.and_then(|rules| self.pace(rules)) {
            self.paced_to = self.paced_to.max(now).plus(pace.interval);
        }
        let is_counted = self.part_of(LimitKind::Pace).is_some();
        if is_counted || rules.is_some_and(|rules| rules.tokens_per_minute.is_some()) {
            self.tokens.add_call(pass, request.tokens, now);
        }
        Some((pass, request, is_trial))
    }

    /// Ends a call. Returns the change of the circuit.
    pub(super) fn release_permit(
        &mut self,
        pass: PermitId,
        outcome: &CallOutcome,
        rules: Option<&LaneRules>,
        now: Moment,
    ) -> Option<Transition> {
        let who = self.in_flight.remove(&pass)?;
        match outcome {
            CallOutcome::Works {
                tokens: Some(tokens),
                ..
            } => self.tokens.correct_call(pass, *tokens),
            CallOutcome::Works { tokens: None, .. }
            | CallOutcome::Answers
            | CallOutcome::Refuses { .. }
            | CallOutcome::Dropped => {}
            CallOutcome::Fails { .. } | CallOutcome::OutOfService { .. } => {
                self.tokens.correct_call(pass, 0)
            }
        }
        let blame = self.find_owner(who, outcome, now);
        let back = self.note_trouble(who, blame, outcome, now);
        if let CallOutcome::Refuses {
            wait: Some(wait), ..
        } = outcome
            && self.owners.holds_all(who, now)
        {
            self.hold_until(now.plus(*wait));
        }
        let rules = rules?;
        let has_fallback = rules.fallback.is_some();
        let turn =
            self.circuit
                .record_outcome((pass, blame), outcome, rules.circuit?, has_fallback, now);
        if turn.is_some() {
            self.date_outage_back();
        }
        let settled = self.settle_doubt(blame, outcome);
        turn.or(settled).or(back)
    }
}
