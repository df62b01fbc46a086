//! The calls that routines made in the models' place, by day.

use actors::domain::books::SavedCalls;

use super::*;

on_both!(
    steps_of_routines_are_counted_by_day_once_and_outlive_their_mysis,
    the_steps_of_before_are_counted_by_the_migration,
);

const DAY_MS: i64 = 86_400_000;

/// A call, made by a routine or not, and its result.
fn call(seq: i64, day: i64, id: &str, routine: Option<&str>, status: CallStatus) -> [Write; 2] {
    let at = |row: Arc<Row>| {
        append(&Arc::new(Row {
            at: Timestamp(day * DAY_MS + seq),
            ..Row::clone(&row)
        }))
    };
    let call = CallRecord {
        routine: routine.map(Into::into),
        ..mining(id)
    };
    let step = RowBody::Call {
        utterance: Utterance::default(),
        calls: vec![call],
    };
    let meta = ResultMeta {
        status,
        ..mined(id, "{}")
    };
    let key = CallKey {
        seq: Seq(seq),
        position: 0,
    };
    let (text, call) = ("{}".into(), key);
    let result = RowBody::Result { call, text, meta };
    [at(row(seq, step)), at(row(seq + 1, result))]
}

/// Two calls on day 1 and one on day 2 that routines spared, and others.
fn played() -> Vec<Write> {
    let ore = Some("ore");
    let calls = [
        call(11, 1, "look1.0", ore, CallStatus::Done),
        call(13, 1, "r1.1.1", ore, CallStatus::Done),
        call(15, 1, "r1.2.1", ore, CallStatus::NotExecuted),
        call(17, 1, "r1.2.1", ore, CallStatus::Failed),
        call(19, 1, "r1.2.1", None, CallStatus::Done),
        call(21, 2, "r12.2.10", ore, CallStatus::Unknown),
        call(23, 2, "call_7", None, CallStatus::Done),
    ];
    calls.into_iter().flatten().collect()
}

fn saved(day: i64, calls: u64) -> SavedCalls {
    SavedCalls {
        day: Day(day),
        mysis: ALPHA,
        calls,
    }
}

async fn steps_of_routines_are_counted_by_day_once_and_outlive_their_mysis(books: Books) {
    let (ledger, _) = filled(&books).await;
    write(&ledger, played()).await.unwrap();
    let costs = ledger.books(Day(0)).await.unwrap();
    let expected = [saved(1, 2), saved(2, 1)];
    assert_eq!(ledger.saved_calls(Day(0)).await.unwrap(), expected);
    assert_eq!(ledger.saved_calls(Day(2)).await.unwrap(), expected[1..]);
    write(&ledger, played()).await.unwrap();
    assert_eq!(
        ledger.saved_calls(Day(0)).await.unwrap(),
        expected,
        "repeated"
    );
    let gone = Write::Delete { mysis: ALPHA };
    write(&ledger, vec![gone]).await.unwrap();
    assert_eq!(
        ledger.saved_calls(Day(0)).await.unwrap(),
        expected,
        "deleted"
    );
    assert_eq!(ledger.books(Day(0)).await.unwrap(), costs, "no other sums");
}

async fn the_steps_of_before_are_counted_by_the_migration(books: Books) {
    let (ledger, _) = filled(&books).await;
    write(&ledger, played()).await.unwrap();
    for sql in [
        "DROP TABLE spared",
        "DELETE FROM seaql_migrations WHERE version = 'm20261126_000017_spared'",
    ] {
        say(&ledger, sql).await;
    }
    ledger.close().await;
    let ledger = books.open().await;
    let counted = ledger.saved_calls(Day(0)).await.unwrap();
    assert_eq!(counted, [saved(1, 2), saved(2, 1)]);
}
