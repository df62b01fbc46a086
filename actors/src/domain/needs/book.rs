//! The needs of the whole swarm, one line for each cause. The screen, `status`, alerts and metrics each keep
//! one of these books of the same events, so that all say the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use zoea_text::natural::compare_natural;

use super::lines::{
    ListedNeed, NeedHolder, NeedLineKey, NeedingMysis, SingleNeed, line_of, outage_line,
    standing_line, without_names,
};
use super::{Need, NeedCause, NeedRemedy, operator_need};
use crate::event::{Activity, EventKind, MysisStatus, RosterChange, SwarmCondition, SwarmEvent};
use crate::ids::{Lane, MysisId, Timestamp};
use crate::message::Severity;
use crate::outages::{Light, ServerOutage, ServerOutages};
use crate::standing::StandingConditions;
use crate::state::LifeState;

/// A need that ended not longer ago than this and begins again is the same one, with its whole age.
const FLAP_MS: u64 = 300_000;
/// How long a server is away before that is a need: what comes back sooner needs no operator.
pub const AWAY_MS: u64 = 60_000;

#[derive(Clone, Debug, PartialEq)]
struct KnownMysis {
    who: NeedingMysis,
    need: Option<(Need, SpanKey)>,
    /// The server that it waits for, until that serves it.
    waits_for: Option<Lane>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SpanKey {
    Swarm(NeedCause, Option<Arc<str>>),
    Mysis(MysisId, &'static str),
}

/// Since when a need lasts, how many have it, and when it ended.
#[derive(Clone, Copy, Debug)]
struct NeedSpan {
    since: Timestamp,
    holders: usize,
    ended: Option<Timestamp>,
}

#[derive(Clone, Debug, Default)]
pub struct NeedBook {
    myses: BTreeMap<MysisId, KnownMysis>,
    outages: Arc<ServerOutages>,
    standing: Arc<StandingConditions>,
    spans: BTreeMap<SpanKey, NeedSpan>,
}

/// Whether a server has been away for long enough to be listed. Where the clock was set back since, nobody
/// knows, and the operator is told.
fn has_lasted(since: Timestamp, now: Timestamp) -> bool {
    now.since(since) >= AWAY_MS || since.since(now) > AWAY_MS
}

impl NeedBook {
    pub fn concerns(what: &EventKind) -> bool {
        matches!(
            what,
            EventKind::StatusChanged(_)
                | EventKind::Roster(RosterChange::Deleted)
                | EventKind::Condition(SwarmCondition::Outages(_) | SwarmCondition::Standing(_))
        )
    }

    /// Takes an event. Returns whether it may have changed the list.
    pub fn on_event(&mut self, event: &SwarmEvent) -> bool {
        match (&event.what, &event.mysis) {
            (EventKind::StatusChanged(status), _) => return self.take_status(status, event.at),
            (EventKind::Roster(RosterChange::Deleted), Some(who)) => self.forget(who.id),
            (EventKind::Condition(SwarmCondition::Outages(outages)), _) => {
                self.take_outages(outages, event.at)
            }
            (EventKind::Condition(SwarmCondition::Standing(standing)), _) => {
                self.standing = standing.clone()
            }
            (
                EventKind::Roster(_)
                | EventKind::StateChanged { .. }
                | EventKind::Turn(_)
                | EventKind::Stored(_)
                | EventKind::Mission(_)
                | EventKind::Condition(_)
                | EventKind::Learned(_)
                | EventKind::Notice { .. }
                | EventKind::Shutdown,
                _,
            ) => return false,
        }
        true
    }

    /// Takes the statuses of all Myses. Those that are not among them are forgotten.
    pub fn replace<'a>(
        &mut self,
        statuses: impl Iterator<Item = &'a Arc<MysisStatus>> + Clone,
        at: Timestamp,
    ) {
        for status in statuses.clone() {
            self.take_status(status, at);
        }
        let named: BTreeSet<MysisId> = statuses.map(|status| status.id).collect();
        let gone: Vec<MysisId> = self.myses.keys().copied().collect();
        for id in gone.into_iter().filter(|id| !named.contains(id)) {
            self.forget(id);
        }
    }

    pub fn take_status(&mut self, status: &MysisStatus, at: Timestamp) -> bool {
        let before = self.myses.get(&status.id);
        let need = operator_need(status).map(|need| {
            let key = span_key(&need, status);
            (need, key)
        });
        let waited = before.and_then(|before| before.waits_for.clone());
        let now = KnownMysis {
            who: NeedingMysis {
                name: status.name.clone(),
                id: status.id,
                process: status.elsewhere.as_ref().map(|place| place.process.clone()),
            },
            need,
            waits_for: awaited_server(status, waited),
        };
        if before == Some(&now) {
            return false;
        }
        let left = before.and_then(|before| Some(before.need.as_ref()?.1.clone()));
        let entered = now
            .need
            .as_ref()
            .map(|(need, key)| (key.clone(), need.since));
        self.myses.insert(status.id, now);
        let stays = left.as_ref() == entered.as_ref().map(|(key, _)| key);
        if let Some((key, since)) = entered.filter(|_| !stays) {
            self.enter(key, since, at);
        }
        if let Some(key) = left.filter(|_| !stays) {
            self.leave(&key, at);
        }
        true
    }

    pub fn forget(&mut self, id: MysisId) {
        let Some(KnownMysis {
            need: Some((_, key)),
            ..
        }) = self.myses.remove(&id)
        else {
            return;
        };
        match key {
            SpanKey::Swarm(..) => self.leave(&key, Timestamp(0)),
            SpanKey::Mysis(..) => drop(self.spans.remove(&key)),
        }
    }

    fn take_outages(&mut self, outages: &Arc<ServerOutages>, at: Timestamp) {
        let before = std::mem::replace(&mut self.outages, outages.clone());
        let keys = |of: &ServerOutages| -> Vec<(SpanKey, Timestamp)> {
            let away = of.with_light(Light::Red);
            away.map(|away| (span_of(away), away.since)).collect()
        };
        let (left, entered) = (keys(&before), keys(outages));
        let is_in = |list: &[(SpanKey, Timestamp)], key| list.iter().any(|(known, _)| known == key);
        for (key, since) in &entered {
            if !is_in(&left, key) {
                self.enter(key.clone(), *since, at);
            }
        }
        for (key, _) in &left {
            if !is_in(&entered, key) {
                self.leave(key, at);
            }
        }
    }

    fn enter(&mut self, key: SpanKey, since: Timestamp, at: Timestamp) {
        let span = self.spans.entry(key).or_insert(NeedSpan {
            since,
            holders: 0,
            ended: None,
        });
        if span.ended.is_some_and(|ended| at.since(ended) > FLAP_MS) {
            (span.since, span.holders) = (since, 0);
        }
        span.since = span.since.min(since);
        span.holders += 1;
        span.ended = None;
    }

    fn leave(&mut self, key: &SpanKey, at: Timestamp) {
        if let Some(span) = self.spans.get_mut(key) {
            span.holders = span.holders.saturating_sub(1);
            span.ended = (span.holders == 0).then_some(at);
        }
        if self.spans.len() > 64 + 2 * self.myses.len() {
            self.spans.retain(|_, span| {
                let ended = span.ended;
                ended.is_none_or(|ended| at.since(ended) <= FLAP_MS)
            });
        }
    }

    fn since(&self, key: &SpanKey, otherwise: Timestamp) -> Timestamp {
        self.spans.get(key).map_or(otherwise, |span| span.since)
    }

    /// The needs now: by cause, the newest first.
    pub fn list(&self, now: Timestamp) -> Vec<ListedNeed> {
        let mut lines: BTreeMap<NeedLineKey, ListedNeed> = BTreeMap::new();
        for (kind, condition) in self.standing.iter() {
            let line = standing_line(kind, &condition.text, condition.since);
            lines.insert(NeedLineKey::Standing(kind), line);
        }
        for away in self.outages.with_light(Light::Red) {
            let (cause, server) = line_of(away);
            let key = SpanKey::Swarm(cause, server.clone());
            let since = self.since(&key, away.since);
            if away.needs_operator || has_lasted(since, now) {
                let line = outage_line(away, cause, since);
                lines.insert(NeedLineKey::Swarm(cause, server), line);
            }
        }
        for known in self.myses.values() {
            self.add_mysis(known, now, &mut lines);
        }
        // A server that no Mysis waits for holds nothing up, unless it needs the operator.
        lines.retain(|_, line| {
            let is_server = line.remedy == NeedRemedy::TryNow;
            !is_server || line.severity == Severity::Error || !line.myses.is_empty()
        });
        let mut lines: Vec<ListedNeed> = lines.into_values().collect();
        for line in &mut lines {
            line.myses.sort_by(|a, b| compare_natural(&a.name, &b.name));
        }
        lines.sort_by(|a, b| {
            let order = a
                .cause
                .cmp(&b.cause)
                .then_with(|| b.since.cmp(&a.since))
                .then_with(|| a.what.cmp(b.what));
            order.then_with(|| a.myses.cmp(&b.myses))
        });
        lines
    }

    /// The needs now, of each holder. A server that no Mysis waits for has one of its own once it has lasted, since
    /// Myses come to wait a moment after it failed. Conditions of the whole program are told by their notices.
    pub fn single_needs(&self, now: Timestamp) -> Vec<SingleNeed> {
        let mut needs = Vec::new();
        for line in self.list(now) {
            if line.myses.is_empty() && line.standing.is_none() && has_lasted(line.since, now) {
                let server = NeedHolder::Server(line.cause, line.provider.clone());
                needs.push(line.single(server, None));
            }
            needs.extend(
                line.myses.iter().map(|mysis| {
                    line.single(NeedHolder::Mysis(mysis.id), Some(mysis.name.clone()))
                }),
            );
        }
        needs
    }

    /// When the list changes next without an event, if it does: when a server has been away for long enough.
    pub fn next_due(&self, now: Timestamp) -> Option<Timestamp> {
        let away = self.outages.with_light(Light::Red);
        let away = away.map(|away| self.since(&span_of(away), away.since));
        let lost = self.myses.values().filter_map(|known| {
            let (need, key) = known.need.as_ref()?;
            (need.cause == NeedCause::Game).then(|| self.since(key, need.since))
        });
        let since = away.chain(lost).filter(|since| !has_lasted(*since, now));
        let due = since.map(|since| since.plus(Duration::from_millis(AWAY_MS)));
        due.min()
    }

    fn add_mysis(
        &self,
        known: &KnownMysis,
        now: Timestamp,
        lines: &mut BTreeMap<NeedLineKey, ListedNeed>,
    ) {
        if let Some(lane) = &known.waits_for
            && let Some(away) = self.outages.of(lane)
        {
            let (cause, server) = line_of(away);
            if let Some(line) = lines.get_mut(&NeedLineKey::Swarm(cause, server)) {
                return line.myses.push(known.who.clone());
            }
        }
        let Some((need, span)) = &known.need else {
            return;
        };
        let since = self.since(span, need.since);
        let is_away = need.cause == NeedCause::Game && need.severity != Severity::Error;
        let key = line_key(need, span);
        let is_listed = lines.contains_key(&key);
        if is_away && !is_listed && !has_lasted(since, now) {
            return;
        }
        let line = lines.entry(key).or_insert_with(|| ListedNeed {
            cause: need.cause,
            standing: None,
            provider: None,
            what: need.what,
            why: need.why.clone(),
            since,
            severity: need.severity,
            remedy: need.remedy,
            myses: Vec::new(),
            newest: need.since,
        });
        line.myses.push(known.who.clone());
        line.since = line.since.min(since);
        if need.since > line.newest {
            (line.newest, line.why) = (need.since, need.why.clone());
        }
    }
}

fn span_of(away: &ServerOutage) -> SpanKey {
    let (cause, server) = line_of(away);
    SpanKey::Swarm(cause, server)
}

/// What has the age of a need: the cause of it, or what is the matter with the Mysis.
fn span_key(need: &Need, status: &MysisStatus) -> SpanKey {
    match need.cause {
        NeedCause::Game => SpanKey::Swarm(need.cause, None),
        NeedCause::Key => SpanKey::Swarm(need.cause, Some(status.profile.provider.clone())),
        NeedCause::Login => SpanKey::Swarm(need.cause, None),
        NeedCause::Budget => {
            let of_each = (need.remedy != NeedRemedy::Raise).then(|| "each".into());
            SpanKey::Swarm(need.cause, of_each)
        }
        NeedCause::Store
        | NeedCause::Disk
        | NeedCause::Model
        | NeedCause::Account
        | NeedCause::Mysis => SpanKey::Mysis(need.mysis, need.family()),
    }
}

fn line_key(need: &Need, span: &SpanKey) -> NeedLineKey {
    match span {
        SpanKey::Swarm(cause, server) => NeedLineKey::Swarm(*cause, server.clone()),
        SpanKey::Mysis(mysis, _) if need.is_its_own() => NeedLineKey::Own(*mysis),
        SpanKey::Mysis(..) => NeedLineKey::Alike(need.what, without_names(&need.why, &need.name)),
    }
}

/// The server that a Mysis waits for. One that tries it for all still waits for it.
fn awaited_server(status: &MysisStatus, before: Option<Lane>) -> Option<Lane> {
    if status.state != LifeState::Running {
        return None;
    }
    if let Activity::Queueing(lane) | Activity::CoolingDown(lane, _) = &status.activity {
        return Some(lane.clone());
    }
    before.filter(|_| {
        matches!(
            status.activity,
            Activity::CallingModel | Activity::Connecting | Activity::Recording
        )
    })
}
