//! Events are stored once each, and only the newest are kept.

use actors::domain::event::MysisRef;
use actors::domain::event_record::{EventId, EventRecord, EventRecordKind, OrderSource};

use super::*;
use crate::events::MAX_EVENTS;

on_both!(
    an_event_is_stored_once_and_reads_back,
    only_the_newest_events_are_kept,
    what_happened_to_a_mysis_outlives_it,
);

fn event(id: i64, code: &str) -> EventRecord {
    EventRecord {
        id: EventId(id),
        at: Timestamp(1000 + id),
        kind: EventRecordKind::Order,
        mysis: Some(MysisRef {
            id: ALPHA,
            name: "alpha".into(),
        }),
        severity: Severity::Warn,
        code: code.into(),
        text: "it \u{1f680} said".into(),
        source: Some(OrderSource::AttachedTerminal),
    }
}

fn of(record: &EventRecord) -> Write {
    Write::Event(Box::new(record.clone()))
}

async fn an_event_is_stored_once_and_reads_back(books: Books) {
    let ledger = books.open().await;
    let swarm_event = EventRecord {
        kind: EventRecordKind::Notice,
        mysis: None,
        source: None,
        ..event(2, "reloaded")
    };
    let events = [event(1, "stop"), swarm_event];
    write(&ledger, events.iter().map(of).collect())
        .await
        .unwrap();
    write(&ledger, vec![of(&events[0])]).await.unwrap();
    assert_eq!(ledger.events(10).await.unwrap(), events);
    assert_eq!(ledger.events(1).await.unwrap(), events[1..]);
}

async fn only_the_newest_events_are_kept(books: Books) {
    let ledger = books.open().await;
    write(&ledger, vec![of(&event(1, "old"))]).await.unwrap();
    // As if this many events had been stored since.
    let later = format!(
        "INSERT INTO event (number, id, at, kind, severity, code, text) \
         VALUES ({}, 2, 0, 'notice', 'info', 'later', '')",
        MAX_EVENTS + 1
    );
    let inner = &ledger.inner;
    inner.writer.execute_unprepared(&later).await.unwrap();
    write(&ledger, vec![of(&event(3, "new"))]).await.unwrap();
    let kept = ledger.events(usize::MAX).await.unwrap();
    let mut codes: Vec<&str> = kept.iter().map(|event| &*event.code).collect();
    codes.sort_unstable();
    assert_eq!(codes, ["later", "new"]);
}

async fn what_happened_to_a_mysis_outlives_it(books: Books) {
    let ledger = books.open().await;
    let writes = vec![create(ALPHA, "alpha"), of(&event(1, "create"))];
    write(&ledger, writes).await.unwrap();
    let delete = Write::Delete { mysis: ALPHA };
    write(&ledger, vec![delete]).await.unwrap();
    assert_eq!(ledger.events(10).await.unwrap(), [event(1, "create")]);
}
