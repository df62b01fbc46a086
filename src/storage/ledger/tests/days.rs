//! The record of a day: its samples as a sum, by system and by Mysis, its books and its events.

use actors::domain::event_record::{EventId, EventRecord, EventRecordKind};
use actors::domain::samples::{Flow, GameFacts, Hour, Minute, PackedHour, Sample};

use super::super::RetentionLimits;
use super::retention::Hand;
use super::samples::{WEEK, tidy_up};
use super::*;

on_both!(
    a_day_has_the_samples_of_all_together_and_of_each,
    old_days_are_told_by_the_hour,
    a_day_has_the_events_up_to_its_end,
    an_empty_day_has_nothing,
);

const BETA: MysisId = MysisId(8);
/// The first minute of the day that is read.
const MIDNIGHT: i64 = 24 * 60;

fn sample(minute: i64, credits: i64, earned: i64, system: &str) -> Sample {
    Sample {
        minute: Minute(minute),
        facts: GameFacts {
            credits: Some(credits),
            system: Some(system.into()),
            ..GameFacts::default()
        },
        flow: Flow {
            earned: Some(earned),
            tokens_in: 10,
            ..Flow::default()
        },
    }
}

fn save(mysis: MysisId, samples: &[Sample]) -> Write {
    let hour = samples[0].minute.hour();
    Write::Samples {
        mysis,
        hour: PackedHour::of_samples(hour, 0, samples),
    }
}

async fn two_days(books: &Books) -> SqlLedger {
    let ledger = books.open().await;
    let writes = vec![
        create(ALPHA, "alpha"),
        create(BETA, "beta"),
        save(ALPHA, &[sample(59, 100, 100, "sol")]),
        save(
            ALPHA,
            &[
                sample(MIDNIGHT + 5, 130, 30, "sol"),
                sample(MIDNIGHT + 25, 120, -10, "krynn"),
            ],
        ),
        save(BETA, &[sample(MIDNIGHT + 5, 7, 7, "sol")]),
        save(ALPHA, &[sample(2 * MIDNIGHT, 999, 999, "haven")]),
    ];
    write(&ledger, writes).await.unwrap();
    ledger
}

async fn a_day_has_the_samples_of_all_together_and_of_each(books: Books) {
    let ledger = two_days(&books).await;
    let day = ledger.day(Day(1)).await.unwrap();
    let credits = day.samples.credits();
    assert_eq!(credits.len(), 1440);
    let at = |minute: usize| credits[minute];
    assert_eq!(
        [at(0), at(4), at(5), at(24), at(25), at(1439)],
        [100, 100, 137, 137, 127, 127].map(Some)
    );
    assert_eq!(day.samples.minutes[5].flow.earned, Some(37));
    assert!(!day.samples.is_hourly);
    let systems = day.samples.systems.iter().map(|(system, there)| {
        let system = system.as_deref().unwrap_or_default();
        (system, there.flow.earned, there.minutes, there.myses)
    });
    let systems: Vec<_> = systems.collect();
    assert_eq!(
        systems,
        [("krynn", Some(-10), 15, 1), ("sol", Some(37), 2, 2)]
    );
    let of = &day.myses[&ALPHA];
    assert_eq!(of.credits, Some((100, 120)));
    assert_eq!(of.sampled.map(|flow| flow.earned), Some(Some(20)));
    // The account of a deleted Mysis plays on with another one, and what it earned stays earned.
    write(&ledger, vec![Write::Delete { mysis: BETA }])
        .await
        .unwrap();
    let day = ledger.day(Day(1)).await.unwrap();
    assert_eq!(day.samples.credits()[5], Some(130));
    assert_eq!(day.samples.minutes[5].flow.earned, Some(37));
    let gone = &day.myses[&BETA];
    assert_eq!((&gone.name, gone.credits), (&None, None));
}

async fn old_days_are_told_by_the_hour(books: Books) {
    let ledger = two_days(&books).await;
    let keep = RetentionLimits {
        age: None,
        rows: Some(1000),
    };
    let hand = Hand::at(2 * WEEK);
    ledger.set_retention(keep, hand.clone());
    tidy_up(&ledger, &hand).await;
    let day = ledger.day(Day(1)).await.unwrap();
    assert!(day.samples.is_hourly);
    assert_eq!(day.samples.minutes[0].flow.earned, Some(27));
    assert_eq!(day.samples.credits()[0], Some(127));
    let krynn = &day.samples.systems[&Some("krynn".into())];
    assert_eq!((krynn.flow.earned, krynn.minutes), (Some(20), 60));
}

async fn a_day_has_the_events_up_to_its_end(books: Books) {
    let ledger = books.open().await;
    let event = |id: i64, at: Timestamp| {
        Write::Event(Box::new(EventRecord {
            id: EventId(id),
            at,
            kind: EventRecordKind::Notice,
            mysis: None,
            severity: Severity::Info,
            code: "up".into(),
            text: "it runs".into(),
            source: None,
            row: None,
            answered: None,
        }))
    };
    let end = Day(1).end_time();
    let before = Timestamp(end.0 - 1);
    let events = vec![event(1, Timestamp(0)), event(2, before), event(3, end)];
    write(&ledger, events).await.unwrap();
    let day = ledger.day(Day(1)).await.unwrap();
    let ids: Vec<i64> = day.events.iter().map(|event| event.id.0).collect();
    assert_eq!((ids, day.are_events_cut), (vec![1, 2], false));
}

async fn an_empty_day_has_nothing(books: Books) {
    let ledger = two_days(&books).await;
    let day = ledger.day(Day(-5)).await.unwrap();
    assert!(day.myses.is_empty() && day.books.is_empty() && day.samples.systems.is_empty());
    assert!(day.samples.credits().iter().all(Option::is_none));
    assert!(!day.has_books_of(Day(-5)));
    assert_eq!(Hour::of(Day(1).start_time()), Minute(MIDNIGHT).hour());
}
