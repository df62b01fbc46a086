//! Causes: which alerts are due, and when. The first Mysis with a cause is reported at once. The
//! cause then cools down, and all Myses that join it meanwhile are reported together at the end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::event::{EventKind, RosterChange, SwarmCondition, SwarmEvent};
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::message::Severity;
use actors::domain::needs::{
    AWAY_MS, NeedHolder, NeedRemedy, SingleNeed, help_command, shown_need,
};
use actors::domain::silence::{NOTHING_HAPPENS, SilenceScope};
use actors::domain::standing::StandingKind;
use actors::freeze::FROZEN;
use serde_json::{Value, json};
use tokio::time::Instant;

/// The largest number of names in an alert. The count tells of the others.
const MAX_LISTED_NAMES: usize = 50;

#[derive(Clone, Debug)]
pub(super) enum AlertSignal {
    /// Something that needs may follow from.
    Happened(Arc<SwarmEvent>),
    /// Another process runs this Mysis, and alerts of it, or it is no more.
    Left(MysisId, Timestamp),
    /// A failure of the whole program, or its silence: its code and its text.
    Wrong(Timestamp, &'static str, Arc<str>),
    /// Conditions of the whole program that do not last: their codes.
    Over(Vec<&'static str>),
}

/// The change that an event means for alerts, if any.
pub(super) fn signal_of(event: &Arc<SwarmEvent>) -> Option<AlertSignal> {
    match (&event.what, &event.mysis) {
        // The process that runs a Mysis tells of it, so that each alert comes once.
        (EventKind::StatusChanged(status), _) if status.elsewhere.is_some() => {
            Some(AlertSignal::Left(status.id, event.at))
        }
        (EventKind::Roster(RosterChange::Deleted | RosterChange::MovedAway), Some(who)) => {
            Some(AlertSignal::Left(who.id, event.at))
        }
        (EventKind::StatusChanged(_) | EventKind::Condition(SwarmCondition::Outages(_)), _) => {
            Some(AlertSignal::Happened(event.clone()))
        }
        (
            EventKind::Notice {
                severity: Severity::Error,
                code,
                text,
            },
            _,
        ) => Some(AlertSignal::Wrong(event.at, code, text.clone())),
        // These are told once for each silence, freeze and condition, and are no failure of the program.
        (EventKind::Notice { code, text, .. }, _)
            if [NOTHING_HAPPENS, FROZEN].contains(code)
                || StandingKind::of_code(code).is_some() =>
        {
            Some(AlertSignal::Wrong(event.at, code, text.clone()))
        }
        (EventKind::Condition(condition), _) => {
            let over = conditions_over(condition);
            (!over.is_empty()).then_some(AlertSignal::Over(over))
        }
        (
            EventKind::Roster(_)
            | EventKind::StateChanged { .. }
            | EventKind::Turn(_)
            | EventKind::Stored(_)
            | EventKind::Mission(_)
            | EventKind::Learned(_)
            | EventKind::Notice { .. }
            | EventKind::Shutdown,
            _,
        ) => None,
    }
}

/// The codes of the conditions of which an event says that they do not last.
fn conditions_over(condition: &SwarmCondition) -> Vec<&'static str> {
    match condition {
        SwarmCondition::Freeze(None) => vec![FROZEN],
        // A silence of single Myses is a need of theirs.
        SwarmCondition::Silence(Some(notice)) if notice.scope != SilenceScope::Myses => Vec::new(),
        SwarmCondition::Silence(_) => vec![NOTHING_HAPPENS],
        SwarmCondition::Standing(standing) => {
            let all = StandingKind::ALL.into_iter();
            let over = all.filter(|kind| standing.get(*kind).is_none());
            over.map(StandingKind::code).collect()
        }
        SwarmCondition::Freeze(Some(_))
        | SwarmCondition::Budget(_)
        | SwarmCondition::Outages(_) => Vec::new(),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Alert {
    at: Timestamp,
    since: Timestamp,
    cause: &'static str,
    why: Arc<str>,
    help: &'static str,
    names: Vec<Arc<str>>,
    /// Those whose need it tells; nobody if it tells a failure of the program.
    of: Vec<NeedHolder>,
}

impl Alert {
    pub(super) fn to_json(&self) -> Value {
        json!({
            "at": self.at.to_string(),
            "since": self.since.to_string(),
            "cause": self.cause,
            "why": *self.why,
            "help": self.help,
            "count": self.names.len(),
            "myses": self.names.iter().take(MAX_LISTED_NAMES).collect::<Vec<_>>(),
            "text": self.text(),
        })
    }

    /// What happened to whom since when, and what to do, for a reader who has nothing else.
    fn text(&self) -> String {
        let since = self.since.to_string();
        let since = format!("{} {} UTC", &since[..10], &since[11..16]);
        let why = &self.why;
        let who = match &self.names[..] {
            [] if self.of.is_empty() => return format!("zoea, {since}: {why}"),
            [] => "zoea".to_string(),
            names @ ([_] | [_, _] | [_, _, _]) => names.join(", "),
            names => format!("{} Myses ({}, …)", names.len(), names[..3].join(", ")),
        };
        let what = shown_need(self.cause);
        let first = self.names.first().map_or("", |name| name);
        let command = help_command(self.help, first, self.names.len());
        format!("{who}: {what} since {since}: {why}{command}")
    }
}

#[derive(Default)]
struct Cause {
    /// The end of the cool-down, during which the cause is not reported again.
    quiet_until: Option<Instant>,
    /// Those that have joined and are not reported yet.
    pending: BTreeMap<NeedHolder, (Timestamp, SingleNeed)>,
    /// The failure of the program that is not reported yet.
    wrong: Option<(Timestamp, Arc<str>)>,
}

pub(super) struct Causes {
    cool_down: Duration,
    started: Timestamp,
    /// The end of the cool-down that the start began. What needed the operator before was told by the run before.
    old_are_due: Instant,
    causes: BTreeMap<&'static str, Cause>,
    /// The needs that are told, or pending.
    needing: BTreeMap<NeedHolder, &'static str>,
    /// The failures of the program that are told and, as far as is known, not over: when they happened.
    told_failures: BTreeMap<&'static str, Timestamp>,
}

impl Causes {
    pub(super) fn new(cool_down: Duration, started: Timestamp, now: Instant) -> Causes {
        Causes {
            cool_down,
            started,
            old_are_due: now + cool_down,
            causes: BTreeMap::new(),
            needing: BTreeMap::new(),
            told_failures: BTreeMap::new(),
        }
    }

    fn cause_mut(&mut self, what: &'static str) -> &mut Cause {
        self.causes.entry(what).or_default()
    }

    pub(super) fn add_failure(
        &mut self,
        (at, code, text): (Timestamp, &'static str, Arc<str>),
        now: Instant,
    ) {
        self.forget_old(now);
        self.cause_mut(code).wrong = Some((at, text));
    }

    /// Forgets the failures with these codes: they are over. One that is not reported yet is not reported.
    pub(super) fn end_failures(&mut self, codes: &[&'static str]) {
        for code in codes {
            self.told_failures.remove(code);
            if let Some(cause) = self.causes.get_mut(code) {
                cause.wrong = None;
            }
        }
    }

    /// Takes all needs. An unchanged need is not news. A need that ends before it was reported is
    /// not reported.
    pub(super) fn take_needs(
        &mut self,
        needs: impl IntoIterator<Item = SingleNeed>,
        at: Timestamp,
        now: Instant,
    ) {
        self.forget_old(now);
        let needs = needs.into_iter();
        let listed: BTreeMap<NeedHolder, SingleNeed> =
            needs.map(|need| (need.holder.clone(), need)).collect();
        let is_over = |holder: &NeedHolder, before: &mut &'static str| {
            listed.get(holder).is_none_or(|need| need.what != *before)
        };
        for (holder, before) in self.needing.extract_if(.., is_over) {
            if let Some(cause) = self.causes.get_mut(before) {
                cause.pending.remove(&holder);
            }
        }
        for (holder, need) in listed {
            if self.needing.insert(holder.clone(), need.what) != Some(need.what) {
                let is_old = first_told(&need).is_some_and(|at| at < self.started);
                let old_are_due = self.old_are_due;
                let cause = self.cause_mut(need.what);
                if is_old {
                    cause.quiet_until.get_or_insert(old_are_due);
                }
                cause.pending.insert(holder, (at, need));
            }
        }
    }

    /// Takes back an alert that did not arrive, so that what it tells counts as not told. Its needs are news for the
    /// next list, if they are still in it, and its failure is pending again unless it is over. Both are due when the
    /// cause has cooled down.
    pub(super) fn take_back(&mut self, alert: Alert) {
        for holder in &alert.of {
            if self.needing.get(holder) == Some(&alert.cause) {
                self.needing.remove(holder);
            }
        }
        if self.told_failures.get(alert.cause) == Some(&alert.at) && alert.of.is_empty() {
            let cause = self.cause_mut(alert.cause);
            cause.wrong.get_or_insert((alert.at, alert.why));
        }
    }

    fn forget_old(&mut self, now: Instant) {
        self.causes.retain(|_, cause| {
            cause.has_pending() || cause.quiet_until.is_some_and(|until| until > now)
        });
    }

    /// The time of the next alert, if one is pending.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let pending = self.causes.values().filter(|cause| cause.has_pending());
        pending.filter_map(|cause| cause.quiet_until).min()
    }

    pub(super) fn take_due(&mut self, now: Instant) -> Vec<Alert> {
        let mut alerts = Vec::new();
        for (what, cause) in &mut self.causes {
            let is_quiet = cause.quiet_until.is_some_and(|until| until > now);
            if !is_quiet && cause.has_pending() {
                if let Some((at, _)) = &cause.wrong {
                    self.told_failures.insert(what, *at);
                }
                alerts.extend(cause.take_alerts(what));
                cause.quiet_until = Some(now + self.cool_down);
            }
        }
        alerts
    }
}

impl Cause {
    fn has_pending(&self) -> bool {
        !self.pending.is_empty() || self.wrong.is_some()
    }

    fn take_alerts(&mut self, cause: &'static str) -> Vec<Alert> {
        let wrong = self.wrong.take().map(|(at, why)| Alert {
            at,
            since: at,
            cause,
            why,
            help: "",
            names: Vec::new(),
            of: Vec::new(),
        });
        let pending = std::mem::take(&mut self.pending);
        let newest = pending.values().max_by_key(|(at, _)| *at).cloned();
        let needing = newest.map(|(at, need)| Alert {
            at,
            since: need.since,
            cause,
            why: match pending.len() > 1 && need.is_its_own() {
                true => reasons_by_name(pending.values().map(|(_, need)| need)).into(),
                false => need.why,
            },
            help: need.remedy.text(),
            of: pending.keys().cloned().collect(),
            names: pending
                .into_values()
                .filter_map(|(_, need)| need.name)
                .collect(),
        });
        wrong.into_iter().chain(needing).collect()
    }
}

/// When a need was told first, by whichever run; `None` for those that ran at the end of a run: they are news of each
/// start. A server that is away is told when it has lasted.
fn first_told(need: &SingleNeed) -> Option<Timestamp> {
    match need.remedy {
        NeedRemedy::ResumeAll => None,
        NeedRemedy::TryNow => Some(need.since.plus(Duration::from_millis(AWAY_MS))),
        NeedRemedy::Relaunch
        | NeedRemedy::Message
        | NeedRemedy::Stop
        | NeedRemedy::Answer
        | NeedRemedy::Raise
        | NeedRemedy::Nothing => Some(need.since),
    }
}

fn reasons_by_name<'a>(needs: impl ExactSizeIterator<Item = &'a SingleNeed>) -> String {
    let more = needs.len().saturating_sub(MAX_LISTED_NAMES);
    let listed = needs.take(MAX_LISTED_NAMES);
    let mut reasons: Vec<String> = listed
        .map(|need| match &need.name {
            Some(name) => format!("{name}: {}", need.why),
            None => need.why.to_string(),
        })
        .collect();
    if more > 0 {
        reasons.push(format!("and {more} more"));
    }
    reasons.join("; ")
}

#[cfg(test)]
mod tests {
    use actors::domain::event::{Elsewhere, MysisStatus};
    use actors::domain::needs::NeedCause;
    use actors::domain::record::{MysisProfile, MysisRecord};
    use actors::domain::rules::SwarmRules;
    use actors::domain::silence::SilenceNotice;
    use actors::domain::standing::StandingConditions;
    use actors::domain::state::LifeState;

    use super::*;

    const COOL: Duration = Duration::from_secs(60);

    fn need(id: i64, what: &'static str) -> SingleNeed {
        SingleNeed {
            holder: NeedHolder::Mysis(MysisId(id)),
            name: Some(format!("m{id}").into()),
            since: Timestamp(id),
            what,
            why: format!("why {id}").into(),
            remedy: NeedRemedy::Relaunch,
        }
    }

    /// The causes of a program that started now, before all needs.
    fn begun(now: Instant) -> Causes {
        Causes::new(COOL, Timestamp(0), now)
    }

    /// These Myses need the operator, and no others.
    fn are(causes: &mut Causes, needs: &[(i64, &'static str)], now: Instant) {
        let needs = needs.iter().map(|(id, what)| need(*id, what));
        causes.take_needs(needs, Timestamp(1), now);
    }

    fn due_codes(causes: &mut Causes, now: Instant) -> Vec<(&'static str, usize)> {
        let due = causes.take_due(now).into_iter();
        due.map(|alert| (alert.cause, alert.names.len())).collect()
    }

    #[test]
    fn an_alert_keeps_its_form() {
        let now = Instant::now();
        let mut causes = begun(now);
        are(
            &mut causes,
            &[(1, "errored"), (2, "stuck"), (3, "stuck")],
            now,
        );
        causes.add_failure((Timestamp(1), FROZEN, "why".into()), now);
        let due = causes.take_due(now).into_iter();
        zoea_golden::hold_json("alerts.json", &due.map(|alert| alert.to_json()).collect());
    }

    #[test]
    fn each_cause_is_told_at_once_and_then_not_before_it_has_cooled_down() {
        let begin = Instant::now();
        let mut causes = begun(begin);
        let two = [(1, "errored"), (2, "stuck")];
        are(&mut causes, &two, begin);
        assert_eq!(
            due_codes(&mut causes, begin),
            [("errored", 1), ("stuck", 1)]
        );
        assert_eq!(causes.next_due(), None);
        // The same need is not news. Myses that join wait for the end of the cool-down.
        let four = [two[0], two[1], (3, "errored"), (4, "errored")];
        are(&mut causes, &four, begin);
        are(&mut causes, &four[..3], begin);
        assert_eq!(due_codes(&mut causes, begin), []);
        assert_eq!(causes.next_due(), Some(begin + COOL));
        assert_eq!(due_codes(&mut causes, begin + COOL), [("errored", 1)]);
        // A Mysis that recovers and fails again is news.
        let later = begin + COOL * 3;
        are(&mut causes, &four[1..3], later);
        are(&mut causes, &four[..3], later);
        assert_eq!(due_codes(&mut causes, later), [("errored", 1)]);
    }

    #[test]
    fn of_several_processes_only_that_tells_of_a_mysis_which_runs_it() {
        let profile = MysisProfile::of("m1", "local");
        let record = MysisRecord::new(MysisId(1), profile, Timestamp(0));
        let signal = |is_elsewhere: bool| {
            let place = Elsewhere {
                process: "box-2".into(),
                is_gone: false,
            };
            let status = MysisStatus {
                state: LifeState::Errored,
                elsewhere: is_elsewhere.then(|| Arc::new(place)),
                ..MysisStatus::from_record(&record, &SwarmRules::default(), Timestamp(0))
            };
            signal_of(&Arc::new(SwarmEvent {
                at: Timestamp(1),
                mysis: None,
                what: EventKind::StatusChanged(Arc::new(status)),
            }))
        };
        assert!(matches!(signal(true), Some(AlertSignal::Left(..))));
        assert!(matches!(signal(false), Some(AlertSignal::Happened(_))));
    }

    #[test]
    fn what_each_mysis_needs_for_itself_is_told_of_each() {
        let begin = Instant::now();
        for (what, why) in [
            ("log in", "m1: why 1; m2: why 2"),
            ("asked", "m1: why 1; m2: why 2"),
            ("errored", "why 2"),
        ] {
            let mut causes = begun(begin);
            are(&mut causes, &[(1, what), (2, what)], begin);
            let due = causes.take_due(begin);
            let reasons: Vec<&str> = due.iter().map(|alert| &*alert.why).collect();
            assert_eq!(reasons, [why]);
        }
        let needs: Vec<SingleNeed> = (0..60).map(|id| need(id, "asked")).collect();
        assert!(reasons_by_name(needs.iter()).ends_with("m49: why 49; and 10 more"));
    }

    #[test]
    fn an_alert_that_did_not_arrive_is_told_again_as_far_as_it_still_holds() {
        let begin = Instant::now();
        let mut causes = begun(begin);
        are(&mut causes, &[(1, "errored"), (2, "errored")], begin);
        causes.add_failure((Timestamp(1), "store_trouble", "full".into()), begin);
        causes.add_failure((Timestamp(1), FROZEN, "why".into()), begin);
        let lost = causes.take_due(begin);
        assert_eq!(lost.len(), 3);
        // Meanwhile one is well, another joins, and one failure is over.
        are(&mut causes, &[(2, "errored"), (3, "errored")], begin);
        causes.end_failures(&[FROZEN]);
        for alert in lost {
            causes.take_back(alert);
        }
        are(&mut causes, &[(2, "errored"), (3, "errored")], begin);
        assert_eq!(due_codes(&mut causes, begin), []);
        assert_eq!(causes.next_due(), Some(begin + COOL));
        let due = causes.take_due(begin + COOL);
        let told: Vec<_> = due.iter().map(|it| (it.cause, it.names.len())).collect();
        assert_eq!(told, [("errored", 2), ("store_trouble", 0)]);
        // What took longer than the cool-down is told at once.
        let late = begin + COOL * 3;
        are(&mut causes, &[(2, "errored"), (3, "errored")], late);
        for alert in due {
            causes.take_back(alert);
        }
        are(&mut causes, &[(2, "errored"), (3, "errored")], late);
        assert_eq!(
            due_codes(&mut causes, late),
            [("errored", 2), ("store_trouble", 0)]
        );
    }

    #[test]
    fn a_server_that_nobody_waits_for_is_told_with_what_helps() {
        let begin = Instant::now();
        let mut causes = begun(begin);
        let away = SingleNeed {
            holder: NeedHolder::Server(NeedCause::Account, Some("mini".into())),
            name: None,
            since: Timestamp(0),
            what: "account",
            why: "mini: nothing left".into(),
            remedy: NeedRemedy::TryNow,
        };
        for told in [1, 0] {
            causes.take_needs([away.clone()], Timestamp(1), begin);
            let due = causes.take_due(begin);
            assert_eq!(due.len(), told);
            for alert in due {
                let text = "zoea: out of credit since 1970-01-01 00:00 UTC: mini: nothing left; \
                            zoea retries by itself, `zoea mysis retry --all` tries now";
                assert_eq!(alert.text(), text);
                assert_eq!(alert.to_json()["count"], 0);
            }
        }
    }

    #[test]
    fn a_need_of_before_the_start_is_told_when_a_cool_down_has_passed() {
        let begin = Instant::now();
        let mut causes = Causes::new(COOL, Timestamp(2), begin);
        // The second one is no older than the start, the third one ran when the program ended, and the server of the
        // fourth one was away for too short a time.
        let interrupted = SingleNeed {
            since: Timestamp(1),
            remedy: NeedRemedy::ResumeAll,
            ..need(3, "interrupted")
        };
        let away = SingleNeed {
            since: Timestamp(1),
            remedy: NeedRemedy::TryNow,
            ..need(4, "model away")
        };
        let needs = [need(1, "errored"), need(2, "stuck"), interrupted, away];
        causes.take_needs(needs, Timestamp(3), begin);
        assert_eq!(
            due_codes(&mut causes, begin),
            [("interrupted", 1), ("model away", 1), ("stuck", 1)]
        );
        assert_eq!(causes.next_due(), Some(begin + COOL));
        assert_eq!(due_codes(&mut causes, begin + COOL), [("errored", 1)]);
        // Later an old need, of a Mysis that comes from another process, is told at once.
        let late = begin + COOL * 3;
        are(&mut causes, &[(1, "repeats")], late);
        assert_eq!(due_codes(&mut causes, late), [("repeats", 1)]);
    }

    #[test]
    fn causes_that_are_over_are_forgotten() {
        let begin = Instant::now();
        let mut causes = begun(begin);
        causes.add_failure((Timestamp(1), "store_trouble", "full".into()), begin);
        assert_eq!(due_codes(&mut causes, begin), [("store_trouble", 0)]);
        are(&mut causes, &[], begin + COOL * 2);
        assert!(causes.causes.is_empty());
    }

    /// Takes what an event means, as the dispatcher does.
    fn happens(causes: &mut Causes, what: EventKind, now: Instant) {
        let event = SwarmEvent {
            at: Timestamp(1),
            mysis: None,
            what,
        };
        match signal_of(&Arc::new(event)) {
            Some(AlertSignal::Wrong(at, code, text)) => {
                causes.add_failure((at, code, text), now);
            }
            Some(AlertSignal::Over(codes)) => causes.end_failures(&codes),
            Some(AlertSignal::Left(..) | AlertSignal::Happened(_)) | None => {}
        }
    }

    #[test]
    fn a_condition_that_is_over_before_it_was_told_is_not_told() {
        let mut low = StandingConditions::default();
        low.set(StandingKind::LittleRoom, Timestamp(1), Some("why".into()));
        let silence = |scope| {
            let text = "why".into();
            SwarmCondition::Silence(Some(Arc::new(SilenceNotice { scope, text })))
        };
        for (code, lasts, over) in [
            (
                FROZEN,
                SwarmCondition::Freeze(Some(Timestamp(1))),
                SwarmCondition::Freeze(None),
            ),
            (
                "little_room",
                SwarmCondition::Standing(Arc::new(low)),
                SwarmCondition::Standing(Arc::default()),
            ),
            (
                NOTHING_HAPPENS,
                silence(SilenceScope::Swarm),
                silence(SilenceScope::Myses),
            ),
        ] {
            let notice = EventKind::Notice {
                severity: Severity::Warn,
                code,
                text: "why".into(),
            };
            let (lasts, over) = (EventKind::Condition(lasts), EventKind::Condition(over));
            let begin = Instant::now();
            let mut causes = begun(begin);
            for told in [&[(code, 0)][..], &[]] {
                happens(&mut causes, notice.clone(), begin);
                happens(&mut causes, lasts.clone(), begin);
                assert_eq!(due_codes(&mut causes, begin), told);
                happens(&mut causes, over.clone(), begin);
                assert_eq!(causes.next_due(), None, "{code}");
            }
            assert_eq!(due_codes(&mut causes, begin + COOL), []);
            happens(&mut causes, notice, begin + COOL);
            happens(&mut causes, lasts, begin + COOL);
            assert_eq!(due_codes(&mut causes, begin + COOL), [(code, 0)]);
        }
    }
}
