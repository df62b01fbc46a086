//! Poison: who is refused for a text, how soon it plays again, and what that costs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use actors::domain::event::{EventKind, SwarmEvent};
use actors::domain::state::LifeState;

use super::super::poison::{FoundMark, is_refusal};
use super::{InvariantMonitor, Promise};

/// The most requests that are refused in a row for one text, where the server fails others now and then, too;
/// and for each further text.
const MAX_REFUSED: u64 = 8;
const MAX_REFUSED_MORE: u64 = 3;
/// What a Mysis says that was errored by trials.
const TRIED: &str = "the server also refuses ";

/// What became of texts that the model's server refuses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoisonFigures {
    pub served: BTreeMap<String, u64>,
    /// Who was refused for a text.
    pub hit: BTreeSet<String>,
    /// How often a Mysis was refused for a text and played on.
    pub played_on: u64,
    /// The most requests that one of them spent for that, with the one that was served.
    pub most_requests: u64,
    /// The most notices that the operator got of one.
    pub most_events: u64,
    /// Who is refused, and has not played on.
    pub refused: BTreeSet<String>,
    pub errored: BTreeSet<String>,
}

#[derive(Debug, Default)]
pub(super) struct PoisonTracker {
    cases: BTreeMap<String, PoisonCase>,
    figures: PoisonFigures,
}

/// A Mysis that is refused for a text, until it plays on.
#[derive(Debug, Default)]
struct PoisonCase {
    number: u64,
    marks: BTreeSet<String>,
    /// The refusals in a row that nothing else disturbed.
    in_a_row: u64,
    requests: u64,
    events: u64,
    is_served: bool,
}

impl InvariantMonitor {
    /// Notes a request of a Mysis, or one that names none.
    pub(in super::super) fn on_asked(&self, who: &str) {
        self.seen.lock().poison.on_asked(who);
    }

    pub(in super::super) fn on_served(&self, who: &str) {
        self.seen.lock().poison.on_served(who);
    }

    pub(in super::super) fn on_text_refused(&self, who: &str, found: &FoundMark) {
        let violation = self.seen.lock().poison.on_refused(who, found);
        self.add_violations(Promise::PlaysOn, violation);
    }

    pub(in super::super) fn is_another_refused(&self, who: &str) -> bool {
        self.seen.lock().poison.is_another_refused(who)
    }

    pub(in super::super) fn on_request_failed(&self) {
        self.seen.lock().poison.on_disturbed();
    }
}

impl PoisonTracker {
    /// Notes a request. A fixed text names no Mysis: it is that of who is refused for the longest.
    pub(super) fn on_asked(&mut self, who: &str) {
        if let Some(case) = self.cases.remove(who) {
            match case.is_served {
                true => self.figures.add(&case),
                false => drop(self.cases.insert(who.to_string(), case)),
            }
        }
        let is_open = |(_, case): &(&String, &mut PoisonCase)| !case.is_served;
        let case = match who.is_empty() {
            true => {
                let open = self.cases.iter_mut().filter(is_open);
                open.map(|(_, case)| case).min_by_key(|case| case.number)
            }
            false => self.cases.get_mut(who),
        };
        if let Some(case) = case {
            case.requests += 1;
        }
    }

    /// Notes that a request was refused for a text. Returns the violation, if any.
    pub(super) fn on_refused(&mut self, who: &str, found: &FoundMark) -> Option<String> {
        self.figures.hit.insert(who.to_string());
        let number = self.figures.played_on + self.cases.len() as u64;
        let case = self.cases.entry(who.to_string());
        let case = case.or_insert_with(|| PoisonCase {
            number,
            ..PoisonCase::default()
        });
        case.requests = case.requests.max(1);
        case.marks.insert(found.mark.clone());
        case.in_a_row += 1;
        let more = case.marks.len() as u64 - 1;
        let most = MAX_REFUSED + more * MAX_REFUSED_MORE;
        let times = case.in_a_row;
        (times == most + 1).then(|| {
            let (marks, place) = (&case.marks, &found.place);
            format!("{who} was refused {times} times in a row for {marks:?}, last in {place}")
        })
    }

    pub(super) fn on_served(&mut self, who: &str) {
        *self.figures.served.entry(who.to_string()).or_default() += 1;
        if let Some(case) = self.cases.get_mut(who) {
            case.is_served = true;
            case.in_a_row = 0;
        }
    }

    /// Whether anybody but this Mysis is refused now.
    pub(super) fn is_another_refused(&self, who: &str) -> bool {
        let mut cases = self.cases.iter();
        cases.any(|(name, case)| name != who && !case.is_served)
    }

    /// Notes that something else went wrong, so that what follows is no repetition.
    pub(super) fn on_disturbed(&mut self) {
        self.cases.values_mut().for_each(|case| case.in_a_row = 0);
    }

    /// Takes in an event. Returns the violation, if any.
    pub(super) fn on_event(&mut self, event: &SwarmEvent) -> Option<String> {
        if let EventKind::StateChanged { to, reason, .. } = &event.what {
            let who = event.mysis.as_ref()?;
            return self.on_state(&who.name, *to, reason.as_ref());
        }
        let is_host = matches!(&event.what, EventKind::Stored(row) if row.host().is_some());
        let is_notice = is_host || matches!(&event.what, EventKind::Notice { .. });
        let name = event.mysis.as_ref().map(|who| &*who.name);
        let cases = self.cases.iter_mut().filter(|_| is_notice);
        cases
            .filter(|(case, _)| name.is_none_or(|name| name == *case))
            .for_each(|(_, case)| case.events += 1);
        None
    }

    fn on_state(&mut self, who: &str, to: LifeState, reason: Option<&Arc<str>>) -> Option<String> {
        let case = self.cases.get_mut(who)?;
        case.in_a_row = 0;
        if to != LifeState::Errored || case.is_served {
            return None;
        }
        self.figures.errored.insert(who.to_string());
        let why = reason.map_or("", |why| why);
        let is_refusal = is_refusal(why);
        (is_refusal && !why.contains(TRIED))
            .then(|| format!("{who} was errored without a trial: {why}"))
    }

    pub(super) fn figures(&self) -> PoisonFigures {
        let mut figures = self.figures.clone();
        for (name, case) in &self.cases {
            match case.is_served {
                true => figures.add(case),
                false => drop(figures.refused.insert(name.clone())),
            }
        }
        figures
    }
}

impl PoisonFigures {
    fn add(&mut self, case: &PoisonCase) {
        self.played_on += 1;
        self.most_requests = self.most_requests.max(case.requests);
        self.most_events = self.most_events.max(case.events);
    }
}
