//! Events are stored once each, and only the newest are kept.

use actors::domain::event::MysisRef;
use actors::domain::event_record::OrderSource;

use super::*;
use actors::domain::reading::{EventQuery, MAX_EVENTS};

on_both!(
    an_event_is_stored_once_and_reads_back,
    only_the_newest_events_are_kept,
    what_happened_to_a_mysis_outlives_it,
    a_message_is_read_with_the_words_that_answer_it,
    the_events_after_a_number_are_those_that_were_stored_later,
);

async fn the_events_after_a_number_are_those_that_were_stored_later(books: Books) {
    let ledger = books.open().await;
    assert_eq!(ledger.event_page(Some(0), 10).await.unwrap().bounds, None);
    let events = [9, 4, 7].map(|id| event(id, "stop"));
    for event in &events {
        write(&ledger, vec![of(event)]).await.unwrap();
    }
    // A repeated write leaves a gap in the numbers at most.
    write(&ledger, vec![of(&events[0])]).await.unwrap();
    let (mut from, mut read) = (0, Vec::new());
    loop {
        let page = ledger.event_page(Some(from), 2).await.unwrap();
        let Some((last, _)) = page.events.last() else {
            break;
        };
        assert!(*last > from);
        from = *last;
        read.extend(page.events.into_iter().map(|(_, event)| event));
    }
    assert_eq!(read, events);
    assert_eq!(ledger.newest_event().await.unwrap(), from);
    let newest = ledger.event_page(None, 1).await.unwrap();
    assert_eq!(newest.events, [(from, events[2].clone())]);
}

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
        row: None,
        answered: None,
    }
}

async fn newest(ledger: &SqlLedger, limit: usize) -> Vec<EventRecord> {
    ledger.events(EventQuery::newest(limit)).await.unwrap()
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
    assert_eq!(newest(&ledger, 10).await, events);
    assert_eq!(newest(&ledger, 1).await, events[1..]);
    let older = |before| EventQuery {
        before: Some(EventId(before)),
        limit: 10,
    };
    assert_eq!(ledger.events(older(2)).await.unwrap(), events[..1]);
    assert_eq!(ledger.events(older(1)).await.unwrap(), []);
    assert_eq!(ledger.events(older(77)).await.unwrap(), []);
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
    say(&ledger, &later).await;
    write(&ledger, vec![of(&event(3, "new"))]).await.unwrap();
    let kept = newest(&ledger, usize::MAX).await;
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
    assert_eq!(newest(&ledger, 10).await, [event(1, "create")]);
}

async fn a_message_is_read_with_the_words_that_answer_it(books: Books) {
    let ledger = books.open().await;
    let order = |id, code: &str, row| EventRecord {
        row: Some(Seq(row)),
        ..event(id, code)
    };
    let prompt = |seq| {
        let text = "mine".into();
        append(&row(seq, RowBody::Prompt { text }))
    };
    let reply = |seq, text: &str, seen| append(&row(seq, RowBody::Reply(said(text, seen))));
    let writes = vec![
        create(ALPHA, "alpha"),
        prompt(1),
        // Said before the message was in sight, and said without words.
        reply(2, "still mining", 0),
        reply(3, "", 2),
        reply(4, "done", 2),
        reply(5, "done again", 4),
        prompt(6),
        of(&order(1, "message", 1)),
        of(&order(2, "note", 1)),
        of(&order(3, "message", 6)),
    ];
    write(&ledger, writes).await.unwrap();
    let read = newest(&ledger, 10).await;
    let answers: Vec<_> = read.iter().map(|record| record.answered).collect();
    assert_eq!(answers, [Some(Seq(4)), None, None]);
    assert_eq!(read[0].row, Some(Seq(1)));
}
