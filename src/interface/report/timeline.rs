//! What stands beside the curves: orders to all as marks, and the times in which a server was away
//! or the swarm stood still as spans. Both are read from the stored events.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use actors::domain::event_record::{EventRecord, EventRecordKind, OrderSource};
use actors::domain::ids::{MysisId, Timestamp};
use serde::{Deserialize, Serialize};

use super::moment;

/// The most Myses, and the most outages, that are named.
pub(super) const MAX_NAMED: usize = 3;

/// The most marks and the most spans of a report; the newest ones are told.
const MAX_MARKS: usize = 30;
/// A server that goes away again within this time was not back.
const ONE_OUTAGE: Duration = Duration::from_secs(60);
/// Orders of one kind to several Myses within this time are one.
const ONE_ORDER: Duration = Duration::from_secs(10);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimelineMark {
    #[serde(with = "moment")]
    pub at: Timestamp,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimelineSpanKind {
    Outage,
    Frozen,
    /// The program did not run.
    Closed,
    Unwritable,
}

impl TimelineSpanKind {
    pub(super) fn title(self) -> &'static str {
        match self {
            TimelineSpanKind::Outage => "a server was away",
            TimelineSpanKind::Frozen => "frozen",
            TimelineSpanKind::Closed => "the program did not run",
            TimelineSpanKind::Unwritable => "nothing could be stored",
        }
    }

    /// The word of the page's style.
    pub(super) fn class(self) -> &'static str {
        match self {
            TimelineSpanKind::Outage => "outage",
            TimelineSpanKind::Frozen => "frozen",
            TimelineSpanKind::Closed => "closed",
            // A page shows it as what it is: something that the swarm needs is away.
            TimelineSpanKind::Unwritable => "outage",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Span {
    pub kind: TimelineSpanKind,
    #[serde(with = "moment")]
    pub from: Timestamp,
    /// When it ended, or the end of what is told.
    #[serde(with = "moment")]
    pub until: Timestamp,
    /// Whether nobody saw its end.
    pub is_open: bool,
    pub text: String,
}

impl Span {
    pub(super) fn length_ms(&self) -> u64 {
        self.until.since(self.from)
    }

    /// What it is about, in a few words: the server that was away, or its kind.
    pub(super) fn what(&self) -> String {
        match self.kind {
            TimelineSpanKind::Outage => format!("{} away", server_of(&self.text)),
            TimelineSpanKind::Frozen | TimelineSpanKind::Closed | TimelineSpanKind::Unwritable => {
                self.kind.title().to_string()
            }
        }
    }
}

/// All spans of a kind, those that are left out as well.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SpanTotal {
    pub(super) count: usize,
    /// The longest ones, longest first.
    pub(super) longest: Vec<Span>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportTimeline {
    /// Orders to all and other moments, oldest first.
    pub marks: Vec<TimelineMark>,
    pub spans: Vec<Span>,
    /// The marks and spans that are left out, because there are too many.
    pub left_out: usize,
    #[serde(default)]
    pub(super) totals: BTreeMap<TimelineSpanKind, SpanTotal>,
}

impl ReportTimeline {
    /// The timeline between two times in a swarm of so many Myses.
    pub(super) fn of_events(
        events: &[EventRecord],
        (start, until): (Timestamp, Timestamp),
        swarm_size: usize,
    ) -> ReportTimeline {
        let of_day = events.iter().filter(|event| event.at >= start);
        let of_day: Vec<&EventRecord> = of_day.collect();
        let mut marks = marks(&of_day, swarm_size);
        let mut spans = SpanReader::read(events, until);
        spans.retain(|span| span.until > start);
        for span in &mut spans {
            span.from = span.from.max(start);
        }
        let totals = totals(&spans);
        let left_out = cut_oldest(&mut marks) + cut_oldest(&mut spans);
        ReportTimeline {
            marks,
            spans,
            left_out,
            totals,
        }
    }
}

fn totals(spans: &[Span]) -> BTreeMap<TimelineSpanKind, SpanTotal> {
    let mut totals: BTreeMap<TimelineSpanKind, SpanTotal> = BTreeMap::new();
    for span in spans {
        let total = totals.entry(span.kind).or_default();
        total.count += 1;
        total.longest.push(span.clone());
    }
    for total in totals.values_mut() {
        total.longest.sort_by_key(|span| Reverse(span.length_ms()));
        total.longest.truncate(MAX_NAMED);
    }
    totals
}

/// Removes the oldest ones beyond the limit. Returns their number.
fn cut_oldest<T>(all: &mut Vec<T>) -> usize {
    let excess = all.len().saturating_sub(MAX_MARKS);
    all.drain(..excess);
    excess
}

fn marks(events: &[&EventRecord], swarm_size: usize) -> Vec<TimelineMark> {
    let mut marks = Vec::new();
    for (place, event) in events.iter().enumerate() {
        let is_order = event.kind == EventRecordKind::Order;
        let text = match &event.mysis {
            None if is_order => order_text(event),
            None => notice_text(event),
            Some(_) if is_order || is_failure(event) => shared_text(events, place, swarm_size),
            Some(who) => undelivered_text(event).map(|text| format!("{}: {text}", who.name)),
        };
        marks.extend(text.map(|text| TimelineMark { at: event.at, text }));
    }
    marks
}

/// An order to the swarm. A freeze is a span, and accounts are no order to Myses.
fn order_text(event: &EventRecord) -> Option<String> {
    match &*event.code {
        "freeze" | "thaw" | "accounts" => None,
        _ => Some(event.text.to_string()),
    }
}

/// A notice about the swarm that explains a bend in a curve.
fn notice_text(event: &EventRecord) -> Option<String> {
    match &*event.code {
        "budget_spent" | "interrupted" | "nothing_happens" | "nothing_moves" | "stood_still" => {
            Some(event.text.to_string())
        }
        _ => None,
    }
}

fn is_failure(event: &EventRecord) -> bool {
    event.kind == EventRecordKind::State && &*event.code == "errored"
}

/// What a model's server refused to read.
fn undelivered_text(event: &EventRecord) -> Option<&str> {
    ["held_back", "not_delivered"]
        .contains(&&*event.code)
        .then_some(&*event.text)
}

/// An order that at least half of the swarm got at once, or a failure that it had, told where the first one
/// got it.
fn shared_text(events: &[&EventRecord], place: usize, swarm_size: usize) -> Option<String> {
    let first = events.get(place)?;
    // What the program does by itself is no order, and a new Mysis got none.
    if first.source == Some(OrderSource::Program) || &*first.code == "create" {
        return None;
    }
    let is_same = |other: &EventRecord| {
        other.kind == first.kind && other.mysis.is_some() && other.code == first.code
    };
    let is_near = |one: Timestamp, other: Timestamp| one.since(other) < millis(ONE_ORDER);
    let mut earlier = events.iter().take(place).rev();
    let is_listed = earlier
        .by_ref()
        .take_while(|other| is_near(first.at, other.at))
        .any(|other| is_same(other));
    if is_listed {
        return None;
    }
    let later = events.iter().skip(place);
    let later = later.take_while(|other| is_near(other.at, first.at));
    let same = later.filter(|other| is_same(other));
    let whose: BTreeSet<MysisId> = same
        .filter_map(|other| other.mysis.as_ref().map(|who| who.id))
        .collect();
    let is_shared = whose.len() > 1 && whose.len() * 2 >= swarm_size;
    is_shared.then(|| format!("{} Myses: {}", whose.len(), first.text))
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[derive(Default)]
struct SpanReader {
    /// Those that have not ended, with the server that they are about.
    open: Vec<(String, Span)>,
    ended: Vec<(String, Span)>,
    /// The last event before the program was started last, and that start.
    gap: Option<(Timestamp, Timestamp)>,
}

impl SpanReader {
    fn read(events: &[EventRecord], until: Timestamp) -> Vec<Span> {
        let mut reader = SpanReader::default();
        let mut last = None;
        for event in events {
            if &*event.code == "up" {
                reader.gap = last.map(|last| (last, event.at));
            }
            if event.mysis.is_none() {
                reader.take(event);
            }
            last = Some(event.at);
        }
        for (_, span) in &mut reader.open {
            span.until = until;
        }
        // A program that closed and did not come back is no gap between two parts of a curve.
        let open = reader.open.into_iter();
        let open = open.filter(|(_, span)| span.kind != TimelineSpanKind::Closed);
        let all = reader.ended.into_iter().chain(open);
        let mut all: Vec<Span> = all.map(|(_, span)| span).collect();
        all.sort_by_key(|span| (span.from, span.kind));
        all
    }

    fn take(&mut self, event: &EventRecord) {
        match &*event.code {
            "circuit_open" | "game_away" | "out_of_service" => {
                let server = server_of(&event.text);
                self.begin(TimelineSpanKind::Outage, &server, event);
            }
            "circuit_closed" | "game_back" => {
                let server = server_of(&event.text);
                self.end(event.at, |kind, whose| {
                    kind == TimelineSpanKind::Outage && whose == server
                });
            }
            "store_trouble" => self.begin(TimelineSpanKind::Unwritable, "", event),
            "store_healed" => self.end(event.at, |kind, _| kind == TimelineSpanKind::Unwritable),
            // It is told once the program is up again.
            "not_closed" => self.ended.extend(self.gap.take().map(|(from, until)| {
                let (kind, text) = (TimelineSpanKind::Closed, event.text.to_string());
                let span = Span {
                    kind,
                    from,
                    until,
                    is_open: false,
                    text,
                };
                (String::new(), span)
            })),
            "freeze" => self.begin(TimelineSpanKind::Frozen, "", event),
            "thaw" => self.end(event.at, |kind, _| kind == TimelineSpanKind::Frozen),
            "closing" => {
                self.end(event.at, |kind, _| kind == TimelineSpanKind::Outage);
                self.begin(TimelineSpanKind::Closed, "", event);
            }
            "up" => self.end(event.at, |kind, _| kind != TimelineSpanKind::Frozen),
            _ => {}
        }
    }

    fn begin(&mut self, kind: TimelineSpanKind, server: &str, event: &EventRecord) {
        let mut open = self.open.iter();
        if open.any(|(whose, span)| span.kind == kind && whose == server) {
            return;
        }
        let is_again = |(whose, span): &(String, Span)| {
            let pause = event.at.since(span.until);
            let is_outage =
                span.kind == TimelineSpanKind::Outage && kind == TimelineSpanKind::Outage;
            is_outage && whose == server && pause < millis(ONE_OUTAGE)
        };
        if let Some(place) = self.ended.iter().rposition(is_again) {
            let (server, mut span) = self.ended.remove(place);
            span.is_open = true;
            return self.open.push((server, span));
        }
        let span = Span {
            kind,
            from: event.at,
            until: event.at,
            is_open: true,
            text: event.text.to_string(),
        };
        self.open.push((server.to_string(), span));
    }

    fn end(&mut self, at: Timestamp, is_meant: impl Fn(TimelineSpanKind, &str) -> bool) {
        let open = std::mem::take(&mut self.open);
        for (server, mut span) in open {
            if !is_meant(span.kind, &server) {
                self.open.push((server, span));
                continue;
            }
            span.until = at;
            span.is_open = false;
            self.ended.push((server, span));
        }
    }
}

/// The server that a notice of the gate is about: its text begins with it.
fn server_of(text: &str) -> String {
    let ends = [" is down", " serves no requests", " works again"];
    let end = ends.iter().filter_map(|end| text.find(end)).min();
    text.get(..end.unwrap_or(text.len()))
        .unwrap_or_default()
        .to_string()
}

#[cfg(test)]
mod tests {
    use actors::domain::event::MysisRef;
    use actors::domain::event_record::EventId;
    use actors::domain::message::Severity;

    use super::*;

    fn event(seconds: i64, kind: EventRecordKind, code: &str, text: &str) -> EventRecord {
        EventRecord {
            id: EventId(seconds),
            at: Timestamp(seconds * 1000),
            kind,
            mysis: None,
            severity: Severity::Info,
            code: code.into(),
            text: text.into(),
            source: Some(OrderSource::Terminal),
            row: None,
            answered: None,
        }
    }

    fn notice(seconds: i64, code: &str, text: &str) -> EventRecord {
        event(seconds, EventRecordKind::Notice, code, text)
    }

    fn stop(seconds: i64, mysis: i64) -> EventRecord {
        let name = format!("m{mysis}").into();
        EventRecord {
            mysis: Some(MysisRef {
                id: MysisId(mysis),
                name,
            }),
            ..event(seconds, EventRecordKind::Order, "stop", "stopped")
        }
    }

    fn timeline(events: &[EventRecord], swarm_size: usize) -> ReportTimeline {
        let times = (Timestamp(10_000), Timestamp(1_000_000));
        ReportTimeline::of_events(events, times, swarm_size)
    }

    #[test]
    fn a_kill_a_full_disk_and_a_standstill_are_told_with_their_times() {
        let events = [
            notice(5, "up", "the program started with 2 Myses"),
            notice(20, "store_trouble", "zoea.db: database or disk is full"),
            notice(50, "store_healed", "the store works again"),
            stop(80, 1),
            notice(95, "up", "the program started with 2 Myses"),
            notice(96, "not_closed", "the program before ended without closing"),
            notice(
                97,
                "nothing_moves",
                "the swarm makes no progress, no call returns",
            ),
            notice(99, "stood_still", "the program did not run for 11s"),
        ];
        let shown = timeline(&events, 2);
        let spans: Vec<(TimelineSpanKind, i64, i64)> = shown
            .spans
            .iter()
            .map(|span| (span.kind, span.from.0 / 1000, span.until.0 / 1000))
            .collect();
        let expected = [
            (TimelineSpanKind::Unwritable, 20, 50),
            (TimelineSpanKind::Closed, 80, 95),
        ];
        assert_eq!(spans, expected);
        let marks: Vec<&str> = shown.marks.iter().map(|mark| &*mark.text).collect();
        assert_eq!(
            marks[..2],
            [
                "the swarm makes no progress, no call returns",
                "the program did not run for 11s"
            ]
        );
    }

    #[test]
    fn outages_last_until_the_same_server_is_back_or_the_program_ends() {
        let events = [
            notice(5, "circuit_open", "provider one is down; its Myses wait"),
            notice(20, "circuit_open", "provider two is down; its Myses wait"),
            notice(25, "out_of_service", "provider two serves no requests"),
            notice(30, "circuit_closed", "provider one works again"),
            notice(35, "circuit_open", "provider one is down; its Myses wait"),
            notice(38, "circuit_closed", "provider one works again"),
            notice(40, "closing", "the program closes"),
            notice(50, "up", "the program started with 2 Myses"),
            notice(60, "game_away", "the game server is down"),
        ];
        let spans = timeline(&events, 2).spans;
        let listed: Vec<_> = spans
            .iter()
            .map(|span| {
                (
                    span.kind,
                    span.from.0 / 1000,
                    span.until.0 / 1000,
                    span.is_open,
                )
            })
            .collect();
        assert_eq!(
            listed,
            [
                (TimelineSpanKind::Outage, 10, 38, false),
                (TimelineSpanKind::Outage, 20, 40, false),
                (TimelineSpanKind::Closed, 40, 50, false),
                (TimelineSpanKind::Outage, 60, 1000, true),
            ]
        );
    }

    #[test]
    fn a_freeze_goes_on_over_a_restart() {
        let freeze = event(20, EventRecordKind::Order, "freeze", "the swarm is frozen");
        let events = [freeze, notice(30, "closing", ""), notice(40, "up", "")];
        let timeline = timeline(&events, 1);
        let frozen = timeline
            .spans
            .iter()
            .find(|span| span.kind == TimelineSpanKind::Frozen);
        assert!(frozen.is_some_and(|span| span.is_open));
        assert!(timeline.marks.is_empty(), "it is a span");
    }

    #[test]
    fn an_order_to_most_of_the_swarm_is_one_mark_and_one_to_few_is_none() {
        let mission = event(15, EventRecordKind::Order, "mission", "the mission: mine");
        let events = [
            event(1, EventRecordKind::Order, "mission", "the day before"),
            mission,
            stop(20, 1),
            stop(21, 2),
            stop(22, 3),
            stop(60, 1),
        ];
        let marks = timeline(&events, 4).marks;
        let marks: Vec<_> = marks.iter().map(|mark| &*mark.text).collect();
        assert_eq!(marks, ["the mission: mine", "3 Myses: stopped"]);
    }

    #[test]
    fn only_the_newest_marks_are_told_and_the_others_are_counted() {
        let orders = (0..40).map(|second| {
            event(
                20 + second,
                EventRecordKind::Order,
                "mission",
                "another one",
            )
        });
        let orders: Vec<EventRecord> = orders.collect();
        let timeline = timeline(&orders, 1);
        assert_eq!((timeline.marks.len(), timeline.left_out), (30, 10));
        assert_eq!(timeline.marks[0].at, Timestamp(30_000));
    }
}
