//! What is known of the outside: the servers in trouble, as the gate reports them and as calls under way show, and
//! whether nothing moves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::calls::CallWatch;
use crate::domain::due::{DueMyses, due_words};
use crate::domain::event::{EventKind, SwarmCondition};
use crate::domain::ids::{Lane, Moment, MysisId, Now};
use crate::domain::login_progress::LoginProgress;
use crate::domain::open_calls::{LEAST_LIMIT, OpenCall, OpenCalls};
use crate::domain::outages::{OutageStage, ServerLabel, ServerOutage, ServerOutages};
use crate::domain::reading::{EventQuery, MAX_EVENTS};
use crate::domain::standing::StandingKind;
use crate::gate::GateMsg;
use crate::gate::event_text::away_by_events;
use crate::timer::{Timer, set_timer};
use zoea_text::names::listed_up_to;
use zoea_text::natural::compare_natural;

use super::children::gate_rules;
use super::{CommanderMsg, CommanderState};

/// The time between two looks while a call is late.
const LOOK_PAUSE: Duration = Duration::from_secs(1);
/// A look that comes so much too late means that the process stood still.
const STOOD_STILL: Duration = Duration::from_secs(5);
const MAX_NAMES: usize = 3;

/// The servers in trouble, and when the calls under way are looked at next.
pub(super) struct OutsideWatch {
    calls: CallWatch,
    due: DueMyses,
    of_gate: Arc<ServerOutages>,
    /// The last sign of life of the late call of each server.
    late: BTreeMap<Lane, Moment>,
    of_calls: Vec<ServerOutage>,
    shown: Arc<ServerOutages>,
    next_look: Option<(Moment, Timer<CommanderMsg>)>,
}

impl OutsideWatch {
    pub(super) fn new(calls: CallWatch) -> OutsideWatch {
        OutsideWatch {
            calls,
            due: DueMyses::default(),
            of_gate: Arc::default(),
            late: BTreeMap::new(),
            of_calls: Vec::new(),
            shown: Arc::default(),
            next_look: None,
        }
    }

    pub(super) fn outages(&self) -> Arc<ServerOutages> {
        self.shown.clone()
    }

    pub(super) fn of_gate(&self) -> Arc<ServerOutages> {
        self.of_gate.clone()
    }

    /// Puts both together. What the gate says of a server goes first. Returns whether anything changed.
    fn put_together(&mut self) -> bool {
        let mut all = ServerOutages::clone(&self.of_gate);
        let of_calls = self.of_calls.iter();
        let is_unknown = |one: &&ServerOutage| !all.0.iter().any(|it| it.is_of_server(&one.lane));
        let more: Vec<ServerOutage> = of_calls.filter(is_unknown).cloned().collect();
        all.0.extend(more);
        let is_new = *self.shown != all;
        self.shown = Arc::new(all);
        is_new
    }
}

impl CommanderState {
    /// Reads since when servers were away as the program ended, and tells the gate.
    pub(super) fn read_outages(&mut self) {
        let lanes: Vec<Lane> = gate_rules(&self.rules.current).lanes.into_keys().collect();
        let (archive, gate) = (self.deps.session.archive.clone(), self.services.gate());
        self.jobs.spawn(async move {
            match archive.events(EventQuery::newest(MAX_EVENTS)).await {
                Ok(events) => {
                    let away = away_by_events(&events, lanes.iter());
                    // If this gate is gone, its successor knows the servers that are away.
                    let _ = gate.cast(GateMsg::AwayBefore(away));
                }
                Err(fault) => tracing::warn!(%fault, "failed to read since when servers are away"),
            }
        });
    }

    pub(super) fn on_outages(&mut self, of_gate: Arc<ServerOutages>) {
        self.outside.of_gate = of_gate;
        self.emit_outages();
    }

    fn emit_outages(&mut self) {
        if self.outside.put_together() {
            self.emit_event(EventKind::Condition(SwarmCondition::Outages(
                self.outside.outages(),
            )));
        }
    }

    pub(super) fn login_progress(&self) -> Option<LoginProgress> {
        let statuses = self.members.iter().map(|member| &*member.status);
        let per_minute = self.rules.current.tools.logins_per_minute;
        let pause = self.outside.shown.login_pause(self.now());
        LoginProgress::of_all(statuses, per_minute, pause)
    }

    /// Looks at the calls under way, and sets the time of the next look.
    pub(super) fn look_outside(&mut self) {
        let now = self.clock().both_clocks();
        let due = self.outside.next_look.take().map(|(due, _)| due);
        let too_late = due.map_or(Duration::ZERO, |due| now.moment.since(due));
        let watch = self.outside.calls.clone();
        if too_late >= STOOD_STILL {
            watch.calls().stood_still(too_late);
            self.outside.due.stood_still(too_late);
        }
        let statuses = self.members.iter().map(|member| &*member.status);
        let outages = self.outside.shown.clone();
        self.outside.due.look(statuses, &outages, now);
        let is_frozen = self.freeze_switch().frozen_since().is_some();
        let (late, next, stuck) = {
            let calls = watch.calls();
            let on_purpose = |mysis| self.waits_on_purpose(mysis);
            let late = calls.late(now.moment, on_purpose);
            let late: Vec<_> = late
                .into_iter()
                .map(|(lane, call)| (lane.clone(), call.last_sign, late_text(&calls, call)))
                .collect();
            let stuck = match is_frozen {
                true => None,
                false => self.standstill(&calls, now.moment),
            };
            (late, calls.next_late(now.moment), stuck)
        };
        let is_anything_late = !late.is_empty();
        self.keep_late(late, now);
        let since = stuck.as_ref().map_or(now.moment, |(_, since)| *since);
        let text = stuck.as_ref().map(|(text, _)| &**text);
        self.on_standing_since(StandingKind::NothingMoves, now.wall_at(since), text);
        // A call that begins meanwhile is late no earlier than this.
        let idle = now.moment.plus(LEAST_LIMIT);
        let at = match is_anything_late {
            true => now.moment.plus(LOOK_PAUSE),
            // Late is what is over its limit.
            false => next.map_or(idle, |next| next.plus(Duration::from_millis(1)).min(idle)),
        };
        let wait = at.since(now.moment).max(LOOK_PAUSE);
        let timer = set_timer(&self.myself, wait, || CommanderMsg::LookOutside);
        self.outside.next_look = Some((now.moment.plus(wait), timer));
    }

    fn keep_late(&mut self, late: Vec<(Lane, Moment, String)>, now: Now) {
        let moments = late
            .iter()
            .map(|(lane, last_sign, _)| (lane.clone(), *last_sign));
        let moments: BTreeMap<Lane, Moment> = moments.collect();
        if moments == self.outside.late {
            return;
        }
        self.outside.late = moments;
        let of_calls = late
            .into_iter()
            .map(|(lane, last_sign, text)| ServerOutage {
                lane,
                text: text.into(),
                since: now.wall_at(last_sign),
                next_try: now.wall,
                needs_operator: false,
                stage: OutageStage::Doubtful,
            });
        self.outside.of_calls = of_calls.collect();
        self.emit_outages();
    }

    /// Whether a Mysis waits on purpose: for an arrival, or for the operator.
    fn waits_on_purpose(&self, mysis: MysisId) -> bool {
        let member = self.members.get(mysis);
        member.is_none_or(|member| member.status.activity.waits_on_purpose())
    }

    /// Who waits for what while nothing moves, and since when; `None` if something does.
    fn standstill(&self, calls: &OpenCalls, now: Moment) -> Option<(String, Moment)> {
        let (stuck, mut since) = calls.stuck(now, |mysis| self.waits_on_purpose(mysis));
        let name_of = |mysis| self.members.get(mysis).map(|member| &*member.status.name);
        let mut waiting: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for call in &stuck {
            let whom = ServerLabel(&call.kind.lane);
            let words = format!(" for `{}` of {whom}", call.kind.name);
            waiting
                .entry(words)
                .or_default()
                .extend(name_of(call.mysis));
        }
        let callers: BTreeSet<MysisId> = calls.callers().collect();
        let due = self.outside.due.overdue(now, calls.moved());
        for (mysis, from) in due.filter(|(mysis, _)| !callers.contains(mysis)) {
            if let Some(member) = self.members.get(mysis) {
                let words = due_words(&member.status.activity);
                waiting.entry(words).or_default().push(&member.status.name);
                since = since.min(from);
            }
        }
        let waiting = waiting.into_iter().map(|(what, mut who)| {
            who.sort_by(|a, b| compare_natural(a, b));
            let verb = if who.len() == 1 { "waits" } else { "wait" };
            format!("{} {verb}{what}", listed_up_to(&who, MAX_NAMES))
        });
        let waiting: Vec<String> = waiting.collect();
        let text = format!(
            "the swarm makes no progress, no call returns: {}; check what they wait for; `zoea mysis stop \
             NAME` ends a wait",
            waiting.join("; ")
        );
        (!waiting.is_empty()).then_some((text, since))
    }
}

fn late_text(calls: &OpenCalls, call: &OpenCall) -> String {
    let name = &call.kind.name;
    match calls.usual(&call.kind) {
        Some(usual) => {
            let usual = usual.as_secs().max(1);
            format!("no sign of life from `{name}`, which usually gives one within {usual}s")
        }
        None => format!("no sign of life from `{name}`"),
    }
}
