//! Samples are stored by hour, read as series, thinned, and stay when their Mysis is deleted.

use actors::domain::samples::{
    Flow, GameFacts, Hour, Minute, PackedHour, Sample, SampleQuery, SampleSeries, SampleStep,
    SampleSteps,
};

use super::super::RetentionLimits;
use super::retention::{Hand, count};
use super::*;

on_both!(
    an_hour_replaces_what_is_stored_of_it,
    series_are_read_by_mysis_and_as_a_sum,
    the_newest_facts_of_before_count_also_within_an_hour,
    reads_beside_thinning_see_each_hour_once,
    after_a_week_an_hour_is_one_sample_and_after_a_year_it_is_gone,
    samples_of_a_deleted_mysis_stay_and_are_thinned,
);

const BETA: MysisId = MysisId(8);

pub(super) fn sample(minute: i64, credits: i64, earned: i64) -> Sample {
    Sample {
        minute: Minute(minute),
        facts: GameFacts {
            credits: Some(credits),
            system: Some("sol".into()),
            ..GameFacts::default()
        },
        flow: Flow {
            earned: Some(earned),
            tool_calls: 1,
            ..Flow::default()
        },
    }
}

pub(super) fn save(mysis: MysisId, hour: i64, samples: &[Sample]) -> Write {
    Write::Samples {
        mysis,
        hour: PackedHour::of_samples(Hour(hour), 0, samples),
    }
}

async fn with_two(books: &Books) -> SqlLedger {
    let ledger = books.open().await;
    let both = vec![create(ALPHA, "alpha"), create(BETA, "beta")];
    write(&ledger, both).await.unwrap();
    ledger
}

async fn read(ledger: &SqlLedger, is_sum: bool, (from, to): (i64, i64)) -> Vec<SampleSeries> {
    let times = (Minute(from).start_time(), Minute(to).start_time());
    let steps = SampleSteps::new(SampleStep::Minute, times, 1).unwrap();
    let query = SampleQuery {
        myses: vec![ALPHA, BETA],
        deleted: Vec::new(),
        is_sum,
        steps,
    };
    ledger.samples(query).await.unwrap()
}

fn values_of(series: &SampleSeries) -> Vec<(i64, Option<i64>, Option<i64>)> {
    let samples = series.samples.iter();
    samples
        .map(|sample| (sample.minute.0, sample.facts.credits, sample.flow.earned))
        .collect()
}

async fn an_hour_replaces_what_is_stored_of_it(books: Books) {
    let ledger = with_two(&books).await;
    let (first, second) = (sample(60, 5, 5), sample(61, 9, 4));
    write(&ledger, vec![save(ALPHA, 1, std::slice::from_ref(&first))])
        .await
        .unwrap();
    for _ in 0..2 {
        let both = save(ALPHA, 1, &[first.clone(), second.clone()]);
        write(&ledger, vec![both]).await.unwrap();
        let series = read(&ledger, false, (60, 61)).await;
        assert_eq!(
            values_of(&series[0]),
            [(60, Some(5), Some(5)), (61, Some(9), Some(4))]
        );
    }
    drop(ledger);
    let ledger = books.open().await;
    let recalled = ledger.load_history(ALPHA).await.unwrap().samples;
    assert_eq!(recalled.hours.len(), 1);
    assert_eq!(recalled.hours[0].samples().unwrap(), [first, second]);
    assert_eq!(count(&ledger, "SELECT count(*) FROM sample").await, 1);
}

async fn series_are_read_by_mysis_and_as_a_sum(books: Books) {
    let ledger = with_two(&books).await;
    let writes = vec![
        save(ALPHA, 0, &[sample(59, 100, 1)]),
        save(ALPHA, 2, &[sample(121, 150, 50)]),
        save(BETA, 2, &[sample(120, 7, 7), sample(122, 8, 1)]),
    ];
    write(&ledger, writes).await.unwrap();
    let series = read(&ledger, false, (120, 122)).await;
    assert_eq!(
        values_of(&series[0]),
        [
            (120, Some(100), None),
            (121, Some(150), Some(50)),
            (122, Some(150), None)
        ],
        "the credits of before are known"
    );
    assert_eq!(series[1].mysis, Some(BETA));
    let sum = read(&ledger, true, (120, 122)).await;
    assert_eq!(
        values_of(&sum[0]),
        [
            (120, Some(107), Some(7)),
            (121, Some(157), Some(50)),
            (122, Some(158), Some(1))
        ]
    );
    assert_eq!((sum.len(), sum[0].mysis), (1, None));
}

async fn the_newest_facts_of_before_count_also_within_an_hour(books: Books) {
    let ledger = with_two(&books).await;
    // At 9:40 and at 10:05, read from 10:20 on.
    let (first, second) = (sample(580, 100, 0), sample(605, 9000, 8900));
    let writes = vec![save(ALPHA, 9, &[first]), save(ALPHA, 10, &[second])];
    write(&ledger, writes).await.unwrap();
    let series = read(&ledger, false, (620, 621)).await;
    assert_eq!(
        values_of(&series[0]),
        [(620, Some(9000), None), (621, Some(9000), None)]
    );
    // Within a step that begins before the time that was asked for.
    let times = (Minute(620).start_time(), Minute(620 + 1440).start_time());
    let query = SampleQuery {
        myses: vec![ALPHA],
        deleted: Vec::new(),
        is_sum: false,
        steps: SampleSteps::new(SampleStep::Automatic, times, 1).unwrap(),
    };
    let series = ledger.samples(query).await.unwrap();
    assert_eq!(values_of(&series[0])[0], (615, Some(9000), None));
    assert!(
        series[0]
            .samples
            .iter()
            .all(|sample| sample.flow == Flow::default())
    );
}

async fn reads_beside_thinning_see_each_hour_once(books: Books) {
    let ledger = with_two(&books).await;
    let writes = (0..400).map(|hour| save(ALPHA, hour, &[sample(hour * 60 + 3, hour, 1)]));
    write(&ledger, writes.collect()).await.unwrap();
    let hand = Hand::at(WEEK + 400);
    let keep = RetentionLimits {
        age: None,
        rows: None,
    };
    ledger.set_retention(keep, hand.clone());
    let thinning = tidy_up(&ledger, &hand);
    let mut thinning = std::pin::pin!(thinning);
    let mut is_over = false;
    while !is_over {
        let mut reading = std::pin::pin!(read_hours(&ledger, (0, 399)));
        let earned = loop {
            tokio::select! {
                earned = &mut reading => break earned,
                () = &mut thinning, if !is_over => is_over = true,
            }
        };
        assert_eq!(earned, 400);
    }
    assert_eq!(hours(&ledger).await, (0, 400));
    assert_eq!(read_hours(&ledger, (0, 399)).await, 400);
}

/// What was earned in these hours.
async fn read_hours(ledger: &SqlLedger, (first, last): (i64, i64)) -> i64 {
    let times = (Hour(first).first_minute(), Hour(last).last_minute());
    let times = (times.0.start_time(), times.1.start_time());
    let query = SampleQuery {
        myses: vec![ALPHA],
        deleted: Vec::new(),
        is_sum: false,
        steps: SampleSteps::new(SampleStep::Hour, times, 1).unwrap(),
    };
    let series = ledger.samples(query).await.unwrap();
    let samples = series[0].samples.iter();
    samples.filter_map(|sample| sample.flow.earned).sum()
}

/// Does all maintenance that is due.
pub(super) async fn tidy_up(ledger: &SqlLedger, hand: &Hand) {
    hand.next_round();
    for _ in 0..1000 {
        let Some(step) = ledger.maintenance() else {
            return;
        };
        step.await;
    }
    panic!("maintenance comes to no end");
}

async fn hours(ledger: &SqlLedger) -> (i64, i64) {
    (
        count(ledger, "SELECT count(*) FROM sample").await,
        count(ledger, "SELECT count(*) FROM sample_hour").await,
    )
}

pub(super) const WEEK: i64 = 7 * 24;

async fn after_a_week_an_hour_is_one_sample_and_after_a_year_it_is_gone(books: Books) {
    let ledger = with_two(&books).await;
    let of_hour = |hour: i64| [sample(hour * 60 + 3, 10, 10), sample(hour * 60 + 9, 15, 5)];
    let writes = (0..WEEK + 40).map(|hour| save(ALPHA, hour, &of_hour(hour)));
    write(&ledger, writes.collect()).await.unwrap();
    // Everything of a conversation is kept.
    let keep = RetentionLimits {
        age: None,
        rows: None,
    };
    let hand = Hand::at(WEEK + 40);
    ledger.set_retention(keep, hand.clone());
    tidy_up(&ledger, &hand).await;
    assert_eq!(hours(&ledger).await, (WEEK, 40));
    tidy_up(&ledger, &hand).await;
    assert_eq!(
        hours(&ledger).await,
        (WEEK, 40),
        "a second time changes nothing"
    );
    let series = read(&ledger, false, (39 * 60, 40 * 60 + 10)).await;
    assert_eq!(
        values_of(&series[0])[0],
        (39 * 60, Some(15), Some(15)),
        "an hour in one"
    );
    assert_eq!(
        values_of(&series[0])[63],
        (40 * 60 + 3, Some(10), Some(10)),
        "still minutes"
    );
    // An hour that comes late, because the clock was set back, is added.
    let late = sample(39 * 60, 99, 15);
    write(&ledger, vec![save(ALPHA, 39, &[late])])
        .await
        .unwrap();
    for _ in 0..2 {
        let series = read(&ledger, false, (39 * 60, 39 * 60)).await;
        assert_eq!(values_of(&series[0]), [(39 * 60, Some(99), Some(30))]);
        tidy_up(&ledger, &hand).await;
    }
    let hand = Hand::at(365 * 24 + 20);
    let ledger = books.open().await;
    ledger.set_retention(keep, hand.clone());
    tidy_up(&ledger, &hand).await;
    assert_eq!(hours(&ledger).await, (0, WEEK + 20));
}

async fn samples_of_a_deleted_mysis_stay_and_are_thinned(books: Books) {
    let ledger = with_two(&books).await;
    write(&ledger, vec![save(BETA, 0, &[sample(5, 7, 7)])])
        .await
        .unwrap();
    assert_eq!(ledger.deleted_with_samples().await.unwrap(), []);
    write(&ledger, vec![Write::Delete { mysis: BETA }])
        .await
        .unwrap();
    let keep = RetentionLimits {
        age: None,
        rows: Some(1000),
    };
    let hand = Hand::at(WEEK + 1);
    ledger.set_retention(keep, hand.clone());
    tidy_up(&ledger, &hand).await;
    assert_eq!(hours(&ledger).await, (0, 1));
    assert_eq!(ledger.deleted_with_samples().await.unwrap(), [BETA]);
    let times = (Timestamp(0), Minute(60).start_time());
    let query = SampleQuery {
        myses: vec![ALPHA],
        deleted: vec![BETA],
        is_sum: true,
        steps: SampleSteps::new(SampleStep::Hour, times, 1).unwrap(),
    };
    let sum = ledger.samples(query).await.unwrap();
    assert_eq!(
        values_of(&sum[0])[0],
        (0, None, Some(7)),
        "its credits play on with another"
    );
}
