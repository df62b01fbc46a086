//! The model of the timeline.

use actors::domain::ids::{CallKey, TurnNumber};
use actors::domain::message::{CallStatus, ReplyMeta, ResultMeta, Utterance};
use actors::domain::samples::{Flow, GameFacts, Sample};
use actors::domain::screen::UiEffect;

use super::*;
use crate::dashboard::tests::loads_of;

fn row(seq: i64, at_second: i64, body: RowBody) -> Row {
    Row {
        seq: Seq(seq),
        at: Timestamp(at_second * 1_000),
        turn: TurnNumber(1),
        body,
    }
}

fn result(seq: i64, at_second: i64, (tool, status): (&str, CallStatus), seconds: u64) -> Row {
    let body = RowBody::Result {
        call: CallKey {
            seq: Seq(seq - 1),
            position: 0,
        },
        text: "{}".into(),
        meta: ResultMeta {
            call_id: "x".into(),
            tool: tool.into(),
            status,
            ms: Some(seconds * 1_000),
            tick: None,
            bytes: 2,
            game: actors::domain::game::GameRef::SpaceMolt,
            kept: None,
        },
    };
    row(seq, at_second, body)
}

fn thought(seq: i64, at_second: i64, seconds: u64) -> Row {
    let meta = ReplyMeta {
        ms: Some(seconds.saturating_mul(1_000)),
        ..ReplyMeta::default()
    };
    let utterance = Utterance {
        meta: meta.into(),
        ..Utterance::default()
    };
    row(seq, at_second, RowBody::Reply(utterance))
}

fn uses(timeline: &Timeline, minutes: std::ops::Range<i64>) -> Vec<Option<MinuteUse>> {
    let main = |minute| {
        timeline
            .minute(Minute(minute))
            .and_then(MinuteRecord::main_use)
    };
    minutes.map(main).collect()
}

#[test]
fn a_minute_is_of_what_took_most_of_it() {
    let mut timeline = Timeline::default();
    let (done, failed) = (CallStatus::Done, CallStatus::Failed);
    for row in [
        thought(1, 30, 20),
        result(2, 50, ("mine", done), 10),
        thought(3, 70, 5),
        result(4, 100, ("mine", done), 30),
        // A travel of two and a half minutes, from 2:10 to 4:40.
        result(5, 280, ("travel", done), 150),
        result(6, 330, ("sell", failed), 8),
        thought(7, 340, 4),
    ] {
        timeline.on_row_stored(&row);
    }
    let text = uses(&timeline, 0..7);
    let (think, act) = (Some(MinuteUse::Think), Some(MinuteUse::Act));
    let (travel, fail) = (Some(MinuteUse::Travel), Some(MinuteUse::Fail));
    assert_eq!(text, [think, act, travel, travel, travel, fail, None]);
    assert_eq!(timeline.minute(Minute(3)).and_then(|it| it.first), None);
    assert_eq!(
        timeline.minute(Minute(4)).and_then(|it| it.first),
        Some(Seq(5))
    );
}

#[test]
fn waits_come_from_the_samples_and_only_from_those_that_were_asked_for() {
    let mut timeline = Timeline::default();
    timeline.on_row_stored(&thought(1, 30, 20));
    let mut outbox = Outbox::default();
    let mut refresh = |timeline: &mut Timeline, ms| {
        let facts = Facts {
            now: Timestamp(600_000),
            moment: Moment(ms),
            ..Facts::default()
        };
        timeline.refresh(MysisId(1), &facts, &mut outbox);
        std::mem::take(&mut outbox.effects)
    };
    let query = samples_query(MysisId(1), Timestamp(600_000));
    assert_eq!((query.steps.minutes, query.is_sum), (1, false));
    let first = refresh(&mut timeline, 0);
    let [UiEffect::Read { id, query: asked }] = &first[..] else {
        panic!("the samples are read");
    };
    assert_eq!(*asked, StoreQuery::Samples(query));
    let sample = |minute, waited_ms| Sample {
        minute: Minute(minute),
        facts: GameFacts::default(),
        flow: Flow {
            waited_ms,
            ..Flow::default()
        },
    };
    let read = [SampleSeries {
        mysis: Some(MysisId(1)),
        samples: vec![sample(0, 40_000), sample(1, 60_000), sample(2, 10)],
    }];
    timeline.take_samples(ReadId(id.0 + 1), &read);
    assert_eq!(uses(&timeline, 0..3), [Some(MinuteUse::Think), None, None]);
    assert!(
        refresh(&mut timeline, 90_000).is_empty(),
        "one read at a time"
    );
    timeline.take_samples(*id, &read);
    let wait = Some(MinuteUse::Wait);
    assert_eq!(uses(&timeline, 0..3), [wait, wait, None]);
    assert!(refresh(&mut timeline, 29_000).is_empty());
    assert_eq!(refresh(&mut timeline, 30_000).len(), 1);
}

#[test]
fn rows_of_the_store_and_rows_that_come_meanwhile_are_counted_once() {
    let mut timeline = Timeline::default();
    let mut outbox = Outbox::default();
    timeline.read_rows(MysisId(1), &mut outbox);
    assert_eq!(loads_of(&outbox.effects)[0].1.limit, MAX_ROWS);
    timeline.on_row_stored(&thought(9, 70, 10));
    let rows = [thought(8, 50, 10), thought(9, 70, 10)].map(Arc::new);
    assert!(!timeline.take_rows(ReadId(2), &rows), "another read");
    assert!(timeline.take_rows(ReadId(1), &rows));
    let spent = |minute| {
        timeline
            .minute(Minute(minute))
            .map(|it| it.spent[&MinuteUse::Think])
    };
    assert_eq!((spent(0), spent(1)), (Some(10_000), Some(10_000)));
}

#[test]
fn the_cursor_goes_from_minute_to_minute_in_which_something_was_stored() {
    let mut timeline = Timeline::default();
    let order = |seq, at| row(seq, at, RowBody::Prompt { text: "go".into() });
    for row in [
        order(1, 30),
        thought(2, 45, 1),
        order(3, 400),
        thought(4, 900, 1),
    ] {
        timeline.on_row_stored(&row);
    }
    let mut steps = Vec::new();
    for is_later in [false, false, false, false, true, true, true] {
        let there = timeline.beside(is_later);
        timeline.cursor = there.map(|(minute, _)| minute).or(timeline.cursor);
        steps.push(there.map(|(_, seq)| seq.0));
    }
    assert_eq!(
        steps,
        [Some(4), Some(3), Some(1), None, Some(3), Some(4), None]
    );
    assert_eq!(timeline.upto(Minute(5)), Some((Minute(0), Seq(1))));
    assert_eq!(timeline.upto(Minute(-1)), None);
    assert!(timeline.minute(Minute(6)).is_some_and(|it| it.has_order));
}

#[test]
fn only_the_newest_minutes_are_kept() {
    let mut timeline = Timeline::default();
    for minute in 0..2_000 {
        timeline.on_row_stored(&thought(minute + 1, minute * 60 + 30, 1));
    }
    assert!(timeline.minutes.len() <= 401);
    // A time that no row can have is cut.
    timeline.on_row_stored(&thought(3_000, 2_000 * 60, u64::MAX));
    assert!(timeline.minutes.len() <= 401);
}
