//! Who was held up, by what and for how long: read from the stored events, and the waits from the
//! samples.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::event::{INTERRUPTED_PREFIX, PARKED_PREFIX};
use actors::domain::event_record::{EventRecord, EventRecordKind, NEED_OVER_CODE};
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::state::LifeState;
use serde::{Deserialize, Serialize};
use strum::VariantArray;

use super::figures::duration;

/// The shortest time that is told: who was started again at once was not held up.
const MIN_HELD_MS: u64 = 1000;
/// The shortest wait that puts a Mysis on the list. Each one waits now and then.
const MIN_LISTED_WAIT_MS: u64 = 60_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(VariantArray)]
pub enum HoldKind {
    Errored,
    /// It did not get on: it only talked, repeated itself, or its calls failed.
    Stuck,
    /// The watch on progress parked it.
    Parked,
    /// A budget was spent.
    Paused,
    /// It waited for the operator's answer or login.
    Asking,
    /// It had no way to the game, or it ran when the program ended, and the next start of the program
    /// did not start it.
    Lost,
}

impl HoldKind {
    /// The kinds of which somebody was held up, in the order of the report.
    pub(super) fn in_list(held_up: &[HoldUp]) -> Vec<HoldKind> {
        let is_there = |kind: &HoldKind| held_up.iter().any(|of| of.held_ms.contains_key(kind));
        Self::VARIANTS.iter().copied().filter(is_there).collect()
    }

    /// The head of its column.
    pub(super) fn title(self) -> &'static str {
        match self {
            HoldKind::Errored => "errored",
            HoldKind::Stuck => "stuck",
            HoldKind::Parked => "parked",
            HoldKind::Paused => "paused",
            HoldKind::Asking => "asked you",
            HoldKind::Lost => "cut off",
        }
    }

    fn of_need(word: &str) -> HoldKind {
        match word {
            "paused" => HoldKind::Paused,
            "log in" | "asked" => HoldKind::Asking,
            "no access" | "no tools" => HoldKind::Lost,
            _ => HoldKind::Stuck,
        }
    }

    /// Whether the Mysis runs meanwhile, so that it may end without a change of the state.
    fn is_need(self) -> bool {
        match self {
            HoldKind::Stuck | HoldKind::Paused | HoldKind::Asking | HoldKind::Lost => true,
            HoldKind::Errored | HoldKind::Parked => false,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HoldUp {
    pub name: String,
    pub held_ms: BTreeMap<HoldKind, u64>,
    /// The milliseconds in which it ran and waited: for admission, for the next attempt, or for the
    /// end of a pause.
    pub waited_ms: u64,
    /// What holds it up at the end of what is told.
    pub still: Option<HoldKind>,
    pub why: String,
}

impl HoldUp {
    /// How long it waited, in words; empty if it did not.
    pub(super) fn waited(&self) -> String {
        match self.waited_ms {
            0 => String::new(),
            waited => duration(waited),
        }
    }

    pub(super) fn whole_held_ms(&self) -> u64 {
        let held = self.held_ms.values();
        held.fold(0, |sum, ms| sum.saturating_add(*ms))
    }

    /// All of its time together, by which the report sorts.
    fn total_ms(&self) -> u64 {
        self.whole_held_ms().saturating_add(self.waited_ms)
    }
}

#[derive(Default)]
struct Watched {
    name: Arc<str>,
    is_running: bool,
    current: Option<(HoldKind, Timestamp)>,
    held_up: HoldUp,
}

impl Watched {
    fn begin(&mut self, kind: HoldKind, at: Timestamp, start: Timestamp, why: &str) {
        if self.current.is_some_and(|(current, _)| current == kind) {
            return;
        }
        self.end(at, start);
        self.current = Some((kind, at));
        self.held_up.why = why.to_string();
    }

    fn end(&mut self, at: Timestamp, start: Timestamp) {
        if let Some((kind, since)) = self.current.take() {
            let held = at.since(since.max(start));
            if held >= MIN_HELD_MS {
                let sum = self.held_up.held_ms.entry(kind).or_default();
                *sum = sum.saturating_add(held);
            }
        }
    }

    fn take(&mut self, event: &EventRecord, start: Timestamp) {
        match event.kind {
            EventRecordKind::State => {
                self.is_running = *event.code == *LifeState::Running.as_str();
                let kind = if *event.code == *LifeState::Errored.as_str() {
                    Some(HoldKind::Errored)
                } else if event.text.contains(PARKED_PREFIX) {
                    Some(HoldKind::Parked)
                } else if event.text.contains(INTERRUPTED_PREFIX) {
                    Some(HoldKind::Lost)
                } else {
                    None
                };
                match kind {
                    Some(kind) => self.begin(kind, event.at, start, &event.text),
                    None => self.end(event.at, start),
                }
            }
            EventRecordKind::Need => {
                let kind = HoldKind::of_need(&event.code);
                self.begin(kind, event.at, start, &event.text);
            }
            EventRecordKind::Notice => {
                let is_need = self.current.is_some_and(|(kind, _)| kind.is_need());
                if &*event.code == NEED_OVER_CODE && is_need {
                    self.end(event.at, start);
                }
            }
            EventRecordKind::Order if &*event.code == "delete" => self.end(event.at, start),
            EventRecordKind::Order => {}
        }
    }

    /// The program ends. It is not told how long a need lasts beyond it.
    fn close(&mut self, at: Timestamp, start: Timestamp) {
        if self.current.is_some_and(|(kind, _)| kind.is_need()) {
            self.end(at, start);
        }
    }

    /// The program starts anew. Who ran before is lost until it runs again.
    fn lose(&mut self, at: Timestamp, start: Timestamp) {
        if self.is_running {
            self.is_running = false;
            self.begin(HoldKind::Lost, at, start, "it ran when the program ended");
        }
    }
}

/// Reads who was held up between two times. `waits`: the name of each Mysis that is there, and the
/// milliseconds that it waited. Those that were held up longest come first.
pub(super) fn read_holdups(
    events: &[EventRecord],
    (start, until): (Timestamp, Timestamp),
    waits: &BTreeMap<MysisId, (String, u64)>,
) -> Vec<HoldUp> {
    let mut watched = BTreeMap::<MysisId, Watched>::new();
    for event in events {
        if let Some(who) = &event.mysis {
            let of = watched.entry(who.id).or_default();
            of.name = who.name.clone();
            of.take(event, start);
            continue;
        }
        for of in watched.values_mut() {
            match &*event.code {
                "closing" => of.close(event.at, start),
                "up" => of.lose(event.at, start),
                _ => break,
            }
        }
    }
    for (id, (_, waited_ms)) in waits {
        if *waited_ms > 0 {
            watched.entry(*id).or_default().held_up.waited_ms = *waited_ms;
        }
    }
    let held_up = watched.into_iter().map(|(id, mut of)| {
        of.held_up.still = of.current.map(|(kind, _)| kind);
        of.end(until, start);
        let name = waits.get(&id).map(|(name, _)| name.clone());
        of.held_up.name = name.unwrap_or_else(|| of.name.to_string());
        if of.held_up.held_ms.is_empty() {
            of.held_up.why.clear();
        }
        of.held_up
    });
    let is_listed = |of: &HoldUp| !of.held_ms.is_empty() || of.waited_ms >= MIN_LISTED_WAIT_MS;
    let mut held_up: Vec<HoldUp> = held_up.filter(is_listed).collect();
    held_up.sort_by(|one, other| {
        let order = other.total_ms().cmp(&one.total_ms());
        order.then_with(|| one.name.cmp(&other.name))
    });
    held_up
}

#[cfg(test)]
mod tests {
    use actors::domain::event::MysisRef;
    use actors::domain::event_record::EventId;
    use actors::domain::message::Severity;

    use super::*;

    const ALPHA: MysisId = MysisId(1);

    fn event(minute: i64, kind: EventRecordKind, code: &str, text: &str) -> EventRecord {
        EventRecord {
            id: EventId(minute),
            at: Timestamp(minute * 60_000),
            kind,
            mysis: Some(MysisRef {
                id: ALPHA,
                name: "alpha".into(),
            }),
            severity: Severity::Info,
            code: code.into(),
            text: text.into(),
            source: None,
            row: None,
            answered: None,
        }
    }

    fn of_swarm(minute: i64, code: &str) -> EventRecord {
        EventRecord {
            mysis: None,
            ..event(minute, EventRecordKind::Notice, code, "")
        }
    }

    /// Who was held up from minute 10 to minute 100.
    fn read(events: &[EventRecord], waited_ms: u64) -> Vec<HoldUp> {
        let times = (Timestamp(600_000), Timestamp(6_000_000));
        let waits = BTreeMap::from([(ALPHA, ("alpha".to_string(), waited_ms))]);
        read_holdups(events, times, &waits)
    }

    fn minutes(of: &HoldUp) -> Vec<(HoldKind, u64)> {
        let held = of.held_ms.iter();
        held.map(|(kind, ms)| (*kind, ms / 60_000)).collect()
    }

    #[test]
    fn a_trouble_lasts_until_the_state_changes_or_the_need_is_over() {
        use EventRecordKind::{Need, Notice, State};
        let events = [
            event(5, State, "errored", "running → errored: no key"),
            event(20, State, "running", "errored → running"),
            event(30, Need, "circles", "made the same calls"),
            event(35, Notice, "need_over", "gains again"),
            event(40, Need, "paused", "the budget is spent"),
            event(60, Need, "no tools", "the game cannot be reached"),
            event(61, State, "idle", "running → idle: parked: it talks"),
            event(90, State, "stopped", "idle → stopped"),
        ];
        let held_up = read(&events, 90_000);
        assert_eq!(
            minutes(&held_up[0]),
            [
                (HoldKind::Errored, 10),
                (HoldKind::Stuck, 5),
                (HoldKind::Parked, 29),
                (HoldKind::Paused, 20),
                (HoldKind::Lost, 1),
            ]
        );
        assert_eq!((held_up[0].waited_ms, held_up[0].still), (90_000, None));
    }

    #[test]
    fn who_ran_when_the_program_ended_is_lost_from_the_next_start_on_until_it_runs() {
        use EventRecordKind::State;
        let events = [
            event(11, State, "running", "idle → running"),
            of_swarm(20, "closing"),
            of_swarm(30, "up"),
            event(37, State, "running", "idle → running"),
            of_swarm(50, "up"),
        ];
        let held_up = read(&events, 0);
        assert_eq!(minutes(&held_up[0]), [(HoldKind::Lost, 57)]);
        assert_eq!(held_up[0].still, Some(HoldKind::Lost));
    }

    #[test]
    fn who_was_not_held_up_is_not_told() {
        let events = [event(1, EventRecordKind::State, "errored", "yesterday")];
        let healed = event(2, EventRecordKind::State, "running", "errored → running");
        assert_eq!(read(&[events[0].clone(), healed], 0), []);
        assert_eq!(read(&events, 0).len(), 1, "it still is");
    }
}
