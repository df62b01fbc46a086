//! The log of events: what folds, what is new, what came of orders, and older pages.

use actors::domain::event::MysisRef;
use actors::domain::event_record::{EventId, EventRecord, EventRecordKind, OrderSource};
use actors::domain::ids::{Seq, Timestamp};
use actors::domain::message::Severity;
use zoea_scenes::swarm::Swarm;

use crate::operator::Operator;
use crate::snapshots::check_at;

const SIZES: [(u16, u16); 3] = [(60, 15), (80, 24), (120, 40)];
const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

/// Sees the log of this operator at every size.
fn check(name: &str, play: impl Fn(&mut Operator)) {
    check_at(
        name,
        SIZES,
        || Swarm::new(6, 3, 7),
        |operator| {
            happen(operator);
            play(operator);
        },
    );
}

/// What happens to one Mysis, or to the swarm, so many milliseconds before now.
struct Entry<'a> {
    ago: i64,
    who: Option<usize>,
    kind: EventRecordKind,
    severity: Severity,
    code: &'a str,
    text: &'a str,
}

impl Operator {
    fn made(&self, entry: &Entry<'_>) -> EventRecord {
        let id = entry.who.map(|place| self.swarm.ids()[place]);
        let mysis = id.map(|id| MysisRef {
            id,
            name: self.swarm.statuses[&id].name.clone(),
        });
        let is_order = entry.kind == EventRecordKind::Order;
        EventRecord {
            id: EventId(self.records.len() as i64 + 1),
            at: Timestamp(self.now.0 - entry.ago),
            kind: entry.kind,
            mysis,
            severity: entry.severity,
            code: entry.code.into(),
            text: entry.text.into(),
            source: is_order.then_some(OrderSource::Terminal),
            row: None,
            answered: None,
        }
    }

    fn record_entry(&mut self, entry: Entry<'_>) {
        self.record(self.made(&entry));
    }
}

const OUTAGE: &str = "provider local at http://127.0.0.1:11434 cannot be reached since 12:34; its Myses wait; \
                      zoea tries it every 4s: error sending request: connection refused";

/// Two days of a swarm: yesterday's end, an outage, orders with what came of them, and what came in a pause.
fn happen(operator: &mut Operator) {
    let entry_of = |ago, who, kind, severity, code, text| Entry {
        ago,
        who,
        kind,
        severity,
        code,
        text,
    };
    use EventRecordKind::{Need, Notice, Order, State};
    use Severity::{Error, Info, Warn};
    operator.keys("j");
    operator.record_entry(entry_of(
        DAY,
        None,
        Notice,
        Info,
        "closing",
        "the program closes",
    ));
    operator.record_entry(entry_of(
        40 * MINUTE,
        None,
        Notice,
        Info,
        "up",
        "the program started with 6 Myses",
    ));
    for who in 0..6 {
        operator.record_entry(entry_of(
            39 * MINUTE,
            Some(who),
            State,
            Info,
            "running",
            "idle → running",
        ));
    }
    let stored = |operator: &mut Operator, ago, row, answered| {
        let text = "a message: sell all ore at Sol Central, then tell me what it brought";
        let mut record = operator.made(&entry_of(ago, Some(1), Order, Info, "message", text));
        (record.row, record.answered) = (Some(Seq(row)), answered);
        operator.record(record);
    };
    stored(operator, 30 * MINUTE, 997, Some(Seq(1003)));
    operator.record_entry(entry_of(
        20 * MINUTE,
        Some(2),
        Order,
        Warn,
        "start",
        "start was refused: mysis already running",
    ));
    operator.now = Timestamp(operator.now.0 + 15 * MINUTE);
    operator.record_entry(entry_of(
        3 * MINUTE,
        None,
        Notice,
        Error,
        "provider",
        OUTAGE,
    ));
    for who in 0..6 {
        operator.record_entry(entry_of(
            2 * MINUTE,
            Some(who),
            Order,
            Info,
            "stop",
            "stopped",
        ));
        operator.record_entry(entry_of(
            2 * MINUTE,
            Some(who),
            State,
            Info,
            "stopped",
            "running → stopped",
        ));
    }
    operator.record_entry(entry_of(
        MINUTE,
        Some(0),
        Need,
        Warn,
        "stuck",
        "no gain for 20 turns",
    ));
    operator.prepare_frame();
}

#[test]
fn events() {
    check("events", |operator| {
        operator.keys("L");
    });
    check("events-wrapped", |operator| {
        operator.keys("Lw");
    });
    check("events-whole", |operator| {
        operator.keys("L/connection refused<enter><enter>");
    });
    check("events-unfolded", |operator| {
        operator.keys("Lkk /stop<enter>");
    });
    check("events-orders-of-one", |operator| {
        operator.keys("L/sell all<enter>offf");
    });
    check("lately", |operator| {
        operator.keys("k");
    });
}

#[test]
fn older_events_are_read_until_the_searched_one_is_found_and_no_further() {
    let mut operator = Operator::at(Swarm::new(3, 3, 7), (120, 40));
    let mut past = Vec::new();
    for number in 1..=4_000 {
        let text = format!("notice {number}");
        past.push(EventRecord {
            id: EventId(number),
            at: Timestamp(operator.now.0 - (5_000 - number) * 1_000),
            kind: EventRecordKind::Notice,
            mysis: None,
            severity: Severity::Info,
            code: "x".into(),
            text: text.into(),
            source: None,
            row: None,
            answered: None,
        });
    }
    operator.records.clone_from(&past);
    operator.board.on_past_events(Ok(past.split_off(3_500)));
    operator.keys("L/notice 2042<enter>");
    assert!(
        operator.text().contains("notice 2042"),
        "{}",
        operator.text()
    );
    assert_eq!(operator.board.facts().log.messages().len(), 2_000);
    assert!(operator.board.facts().log.has_older());
    operator.keys("/notice 77777<enter>");
    assert!(
        operator.text().contains("no match for"),
        "{}",
        operator.text()
    );
    assert_eq!(operator.board.facts().log.messages().len(), 4_000);
    assert!(!operator.board.facts().log.has_older());
    operator.keys("<esc>q");
    assert_eq!(operator.board.facts().log.messages().len(), 2_000);
}

/// Two terminals that heard the same, one of them from the start and one from the store, show the same.
#[test]
fn a_terminal_that_was_there_and_one_that_reads_it_show_the_same() {
    let size = (120, 40);
    let mut there = Operator::at(Swarm::new(6, 3, 7), size);
    happen(&mut there);
    let mut late = Operator::at(Swarm::new(6, 3, 7), size);
    late.now = there.now;
    late.board = late.board.into_attached();
    late.board.on_past_events(Ok(there.records.clone()));
    let lines = |operator: &mut Operator| {
        let text = operator.keys("L").text();
        let lines = text.lines().skip_while(|line| !line.starts_with(" LOG"));
        let lines = lines.filter(|line| !line.is_empty() && !line.contains("since you looked"));
        lines.map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(lines(&mut late), lines(&mut there));
}
