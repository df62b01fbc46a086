//! Informs watchers about the swarm, and keeps facts for later queries.

use std::sync::Arc;

use crate::domain::books::Day;
use crate::domain::budget::BudgetStatus;
use crate::domain::event::{EventKind, MysisRef, RosterChange, SwarmCondition, SwarmEvent};
use crate::domain::ids::{MysisId, Timestamp};
use crate::domain::message::Severity;
use crate::domain::needs::{ListedNeed, NeedBook};
use crate::domain::standing::{StandingConditions, StandingKind};
use crate::fleet::FleetMsg;

use super::{CommanderState, Watcher};

/// What was told last of the whole program, for questions and for new watchers.
#[derive(Default)]
pub(super) struct LatestNews {
    budget: Arc<BudgetStatus>,
    standing: Arc<StandingConditions>,
    needs: NeedBook,
}

impl LatestNews {
    pub(super) fn budget(&self) -> Arc<BudgetStatus> {
        self.budget.clone()
    }

    /// What is spent on a day; nothing is known of a later one than the last report's.
    pub(super) fn budget_on(&self, day: Day) -> BudgetStatus {
        match self.budget.day < day {
            true => BudgetStatus {
                day,
                ..BudgetStatus::default()
            },
            false => BudgetStatus::clone(&self.budget),
        }
    }

    pub(super) fn standing(&self) -> Arc<StandingConditions> {
        self.standing.clone()
    }

    pub(super) fn set_standing(
        &mut self,
        kind: StandingKind,
        at: Timestamp,
        text: Option<Arc<str>>,
    ) -> bool {
        let before = self.standing.clone();
        Arc::make_mut(&mut self.standing).set(kind, at, text);
        before != self.standing
    }
}

impl CommanderState {
    /// Sends an event to all watchers. The end of a watcher is reported, because the operator would
    /// take its silence for quiet.
    pub(super) fn emit(&mut self, event: SwarmEvent) {
        self.record_event(&event);
        self.news.needs.on_event(&event);
        if let EventKind::StatusChanged(status) = &event.what
            && status.elsewhere.is_none()
        {
            self.send_to_fleet(FleetMsg::Changed(status.clone()));
        }
        let event = Arc::new(event);
        self.terminals.show_event(&event);
        let before = self.watchers.len();
        self.watchers
            .retain(|watcher| watcher.cast(event.clone()).is_ok());
        if self.watchers.len() < before {
            self.emit_notice(Severity::Warn, "listener_lost", LISTENER_LOST);
        }
    }

    pub(super) fn emit_event(&mut self, what: EventKind) {
        let at = self.now();
        self.emit(SwarmEvent::of_swarm(at, what));
    }

    pub(super) fn emit_event_of(&mut self, who: MysisRef, what: EventKind) {
        let at = self.now();
        self.emit(SwarmEvent {
            at,
            mysis: Some(who),
            what,
        });
    }

    /// Tells of a Mysis that this process runs from now on.
    pub(super) fn emit_arrival(&mut self, mysis: MysisId, change: RosterChange) {
        if let Some(member) = self.members.get(mysis) {
            let (who, status) = (member.mysis_ref(), member.status.clone());
            self.emit_event_of(who.clone(), EventKind::Roster(change));
            self.emit_event_of(who, EventKind::StatusChanged(status));
        }
    }

    pub(super) fn emit_notice(&mut self, severity: Severity, code: &'static str, text: &str) {
        let text = self.rules.secrets.clean(text);
        self.emit_event(EventKind::notice(severity, code, &*text));
    }

    /// Takes what is known of a condition: its text, or `None` if it is over.
    pub(super) fn on_standing(&mut self, kind: StandingKind, text: Option<&str>) {
        self.on_standing_since(kind, self.now(), text);
    }

    pub(super) fn on_standing_since(
        &mut self,
        kind: StandingKind,
        since: Timestamp,
        text: Option<&str>,
    ) {
        let known = self.news.standing().get(kind).is_some();
        match text {
            Some(text) if !known => self.emit_notice(kind.severity(), kind.code(), text),
            None if known => {
                let (code, words) = kind.end();
                self.emit_notice(Severity::Info, code, words);
            }
            Some(_) | None => {}
        }
        let text = text.map(|text| self.rules.secrets.clean(text).as_ref().into());
        self.keep_standing(kind, since, text);
    }

    /// Keeps what is known of a condition, and tells all watchers if that changed.
    pub(super) fn keep_standing(
        &mut self,
        kind: StandingKind,
        at: Timestamp,
        text: Option<Arc<str>>,
    ) {
        if self.news.set_standing(kind, at, text) {
            self.emit_event(EventKind::Condition(SwarmCondition::Standing(
                self.news.standing(),
            )));
        }
    }

    /// Handles an event of the gate, of the fleet or of a part outside of the actors. What lasts is kept for
    /// queries and for watchers who come meanwhile.
    pub(super) fn on_child_event(&mut self, mut news: SwarmEvent) {
        if let EventKind::Notice { text, .. } = &mut news.what {
            *text = self.rules.secrets.clean(text).as_ref().into();
        }
        if let EventKind::Condition(SwarmCondition::Outages(of_gate)) = news.what {
            return self.on_outages(of_gate);
        }
        if let EventKind::Condition(SwarmCondition::Budget(budget)) = &news.what {
            self.news.budget = budget.clone();
        }
        self.emit(news);
    }

    /// The status of the budget, of the servers and of the swarm, for a new watcher.
    pub(super) fn current_state(&self) -> [EventKind; 5] {
        [
            EventKind::Condition(SwarmCondition::Budget(self.news.budget.clone())),
            EventKind::Condition(SwarmCondition::Outages(self.outside.outages())),
            EventKind::Condition(SwarmCondition::Silence(self.silence.sent())),
            EventKind::Condition(SwarmCondition::Standing(self.news.standing())),
            EventKind::Condition(SwarmCondition::Freeze(self.freeze_switch().frozen_since())),
        ]
    }

    /// Adds a watcher and sends it the present state first.
    pub(super) fn add_watcher(&mut self, watcher: Watcher) {
        let at = self.now();
        let send = |mysis, what| {
            // A watcher that is gone is removed with the next event.
            let _ = watcher.cast(Arc::new(SwarmEvent { at, mysis, what }));
        };
        send(None, EventKind::Mission(self.mission.text()));
        for what in self.current_state() {
            send(None, what);
        }
        let here = self.members.iter().map(|member| &member.status);
        for status in here.chain(self.neighbours.statuses()) {
            send(Some(status.who()), EventKind::StatusChanged(status.clone()));
        }
        self.watchers.push(watcher);
    }

    /// What needs the operator now. A Mysis of which no event told yet is in it, too.
    pub(super) fn list_needs(&mut self) -> Vec<ListedNeed> {
        let (at, statuses) = (self.now(), self.all_statuses());
        self.news.needs.replace(statuses.iter(), at);
        self.news.needs.list(at)
    }
}

const LISTENER_LOST: &str = "a listener crashed: metrics, traces, alerts or event lines may miss events \
                             from now on; restart the program to get them back";
