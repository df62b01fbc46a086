//! The record of a period: its samples as a sum, by system and by Mysis, what was spent, and its events.

use actors::domain::period::Period;
use actors::domain::reading::MAX_EVENTS;
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
    a_night_has_what_was_spent_between_its_moments,
    what_a_mysis_had_before_a_period_is_what_it_begins_with,
    the_number_that_the_operator_named_stands_where_credits_do,
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
    let day = ledger.period(Period::of_day(Day(1))).await.unwrap();
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
    let day = ledger.period(Period::of_day(Day(1))).await.unwrap();
    assert_eq!(day.samples.credits()[5], Some(130));
    assert_eq!(day.samples.minutes[5].flow.earned, Some(37));
    let gone = &day.myses[&BETA];
    assert_eq!((&gone.name, gone.credits), (&None, None));
}

async fn the_number_that_the_operator_named_stands_where_credits_do(books: Books) {
    let ledger = books.open().await;
    let counted = |minute: i64, number: i64| Sample {
        minute: Minute(minute),
        facts: GameFacts {
            number: Some(number),
            number_name: Some("total".into()),
            ..GameFacts::default()
        },
        flow: Flow::default(),
    };
    let writes = vec![
        create(ALPHA, "alpha"),
        create(BETA, "beta"),
        save(ALPHA, &[counted(59, 40)]),
        save(
            ALPHA,
            &[counted(MIDNIGHT + 5, 70), counted(MIDNIGHT + 25, 65)],
        ),
        save(BETA, &[counted(MIDNIGHT + 5, 7)]),
    ];
    write(&ledger, writes).await.unwrap();
    let day = ledger.period(Period::of_day(Day(1))).await.unwrap();
    assert_eq!(day.samples.number.as_deref(), Some("total"));
    assert_eq!(day.myses[&ALPHA].credits, Some((40, 65)));
    let at = [0, 5, 25].map(|minute: usize| day.samples.credits()[minute]);
    assert_eq!(at, [40, 77, 72].map(Some));
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
    let day = ledger.period(Period::of_day(Day(1))).await.unwrap();
    assert!(day.samples.is_hourly);
    assert_eq!(day.samples.minutes[0].flow.earned, Some(27));
    assert_eq!(day.samples.credits()[0], Some(127));
    let krynn = &day.samples.systems[&Some("krynn".into())];
    assert_eq!((krynn.flow.earned, krynn.minutes), (Some(20), 60));
}

async fn a_day_has_the_events_up_to_its_end(books: Books) {
    let ledger = books.open().await;
    let event = |id: i64, at: Timestamp| Write::Event(Box::new(EventRecord { at, ..notice(id) }));
    let end = Day(1).end_time();
    let before = Timestamp(end.0 - 1);
    let events = vec![event(1, Timestamp(0)), event(2, before), event(3, end)];
    write(&ledger, events).await.unwrap();
    let day = ledger.period(Period::of_day(Day(1))).await.unwrap();
    let ids: Vec<i64> = day.events.iter().map(|event| event.id.0).collect();
    assert_eq!((ids, day.are_events_cut), (vec![1, 2], false));
    // The numbers of a sequence have gaps, so fewer events are left than the window has numbers.
    let later = format!(
        "INSERT INTO event (number, id, at, kind, severity, code, text) \
         VALUES ({}, 4, 0, 'notice', 'info', 'later', '')",
        MAX_EVENTS + 1
    );
    say(&ledger, &later).await;
    let day = ledger.period(Period::of_day(Day(1))).await.unwrap();
    assert!(day.are_events_cut);
}

async fn an_empty_day_has_nothing(books: Books) {
    let ledger = two_days(&books).await;
    let day = ledger.period(Period::of_day(Day(-5))).await.unwrap();
    assert!(
        day.myses.is_empty()
            && day.spent.is_empty()
            && day.books.is_empty()
            && day.samples.systems.is_empty()
    );
    assert!(day.samples.credits().iter().all(Option::is_none));
    assert_eq!(Hour::of(Day(1).start_time()), Minute(MIDNIGHT).hour());
}

/// A row of Alpha of this minute, whose call is in the books.
fn billed(seq: i64, minute: i64) -> Write {
    append(&Arc::new(Row {
        seq: Seq(seq),
        at: Timestamp(minute * 60_000),
        turn: TurnNumber(seq),
        body: RowBody::Reply(said("I dig", 0)),
    }))
}

async fn a_night_has_what_was_spent_between_its_moments(books: Books) {
    let ledger = books.open().await;
    write(&ledger, vec![create(ALPHA, "alpha")]).await.unwrap();
    let minutes = [
        MIDNIGHT - 121,
        MIDNIGHT - 120,
        MIDNIGHT - 1,
        MIDNIGHT,
        MIDNIGHT + 479,
        MIDNIGHT + 480,
    ];
    let rows = (1..).zip(minutes).map(|(seq, minute)| billed(seq, minute));
    write(&ledger, rows.collect()).await.unwrap();
    let at = |minute: i64| Timestamp(minute * 60_000);
    let spent = async |from, until| {
        let period = Period {
            from: at(from),
            until: at(until),
        };
        let record = ledger.period(period).await.unwrap();
        let calls = record.spent.iter().map(|entry| entry.spent.calls);
        calls.sum::<u64>()
    };
    assert_eq!(spent(MIDNIGHT - 120, MIDNIGHT + 480).await, 4);
    assert_eq!(spent(0, MIDNIGHT).await, 3, "a whole day, by the books");
    assert_eq!(spent(0, MIDNIGHT + 1).await, 4, "by both");
    assert_eq!(spent(MIDNIGHT + 481, MIDNIGHT + 500).await, 0);
}

async fn what_a_mysis_had_before_a_period_is_what_it_begins_with(books: Books) {
    let ledger = two_days(&books).await;
    let period = Period {
        from: Timestamp((MIDNIGHT + 10) * 60_000),
        until: Timestamp((MIDNIGHT + 30) * 60_000),
    };
    let night = ledger.period(period).await.unwrap();
    // Beta told of its credits in the same hour, before the period.
    assert_eq!(night.myses[&BETA].credits, Some((7, 7)));
    assert_eq!(night.myses[&ALPHA].credits, Some((130, 120)));
    let credits = night.samples.credits();
    assert_eq!(
        (credits.len(), credits[0], credits[19]),
        (20, Some(137), Some(127))
    );
    assert_eq!(
        night.myses[&ALPHA].sampled.map(|flow| flow.earned),
        Some(Some(-10))
    );
}
