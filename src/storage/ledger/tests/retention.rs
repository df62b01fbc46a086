//! Old rows are removed, needed ones stay, and the file stops growing.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use actors::domain::ids::Moment;
use actors::ports::Clock;
use sea_orm::Statement;

use super::super::RetentionLimits;
use super::*;

/// A clock that only moves when it is told to.
pub(super) struct Hand {
    moment: AtomicI64,
    /// How far the wall clock is ahead of the monotonic one.
    ahead: AtomicI64,
}

impl Clock for Hand {
    fn now(&self) -> Timestamp {
        let ahead = self.ahead.load(Ordering::Relaxed);
        Timestamp(self.moment.load(Ordering::Relaxed) + ahead)
    }

    fn moment(&self) -> Moment {
        Moment(self.moment.load(Ordering::Relaxed))
    }
}

const HOUR: i64 = 3_600_000;

impl Hand {
    pub(super) fn at(hours: i64) -> Arc<Hand> {
        Arc::new(Hand {
            moment: AtomicI64::new(hours * HOUR),
            ahead: AtomicI64::default(),
        })
    }

    /// Moves to the next round.
    pub(super) fn next_round(&self) {
        self.moment.fetch_add(601_000, Ordering::Relaxed);
    }

    /// Moves by this many hours.
    fn go_on(&self, hours: i64) {
        self.moment.fetch_add(hours * HOUR, Ordering::Relaxed);
    }

    /// Sets the wall clock ahead of the monotonic one.
    fn set_ahead(&self, hours: i64) {
        self.ahead.store(hours * HOUR, Ordering::Relaxed);
    }
}

pub(super) fn within(hours: u64) -> RetentionLimits {
    RetentionLimits {
        age: Some(Duration::from_secs(hours * 3600)),
        rows: None,
    }
}

pub(super) fn newest(rows: u64) -> RetentionLimits {
    RetentionLimits {
        age: None,
        rows: Some(rows),
    }
}

pub(super) fn said_at(hours: i64, seq: i64, body: RowBody) -> Arc<Row> {
    Arc::new(Row {
        at: Timestamp(hours * HOUR + seq),
        ..Row::clone(&row(seq, body))
    })
}

fn prompt(text: &str) -> RowBody {
    RowBody::Prompt { text: text.into() }
}

fn audit(text: &str) -> RowBody {
    RowBody::Audit { text: text.into() }
}

fn peer(text: &str) -> RowBody {
    RowBody::Peer {
        sender: "beta".into(),
        text: text.into(),
    }
}

pub(super) fn reply(text: &str, seen_up_to: i64) -> RowBody {
    RowBody::Reply(said(text, seen_up_to))
}

pub(super) fn calls(count: usize) -> RowBody {
    let call = |number| mining(&format!("id{number}"));
    RowBody::Call {
        utterance: said("calling", 0),
        calls: (0..count).map(call).collect(),
    }
}

pub(super) fn answer(seq: i64, position: u16, text: &str) -> RowBody {
    RowBody::Result {
        call: CallKey {
            seq: Seq(seq),
            position,
        },
        text: text.into(),
        meta: mined("id", text),
    }
}

fn mission() -> RowBody {
    RowBody::Mission {
        id: MissionId(3),
        text: "dig".into(),
    }
}

/// A conversation of two days. Its first rows are an example of each case.
fn two_days() -> Vec<Arc<Row>> {
    let note = |text: &str| RowBody::Note { text: text.into() };
    let old = [
        note("stands"),
        mission(),
        mission(),
        prompt("answered"),
        reply("first words", 4),
        calls(1),
        answer(6, 0, "brings iron"),
        prompt("answered as well"),
        reply("last words", 8),
        prompt("unanswered"),
        calls(2),
        answer(11, 1, "one of two"),
        calls(3),
        answer(13, 0, "gold"),
        answer(13, 2, "silver"),
        prompt("unanswered too"),
        answer(13, 1, "copper"),
        audit("old"),
        calls(70),
    ];
    let first = old.len() as i64 + 1;
    let many = (0..70).map(|position| answer(19, position, "dust"));
    let old = (1..).zip(old.into_iter().chain(many));
    let old = old.map(|(seq, body)| said_at(1, seq, body));
    let new = (first + 70..first + 670).map(|seq| said_at(47, seq, peer("fresh")));
    old.chain(new).collect()
}

/// The rows among the first that remain after all removals.
pub(super) const LEFT: [i64; 7] = [1, 3, 9, 10, 11, 12, 16];

pub(super) async fn two_days_in(books: &Books) -> SqlLedger {
    let ledger = books.open().await;
    let mission = Write::Mission(Mission {
        id: MissionId(3),
        text: "dig".into(),
        at: Timestamp(5),
    });
    let mut writes = vec![create(ALPHA, "alpha"), mission];
    writes.extend(two_days().iter().map(append));
    write(&ledger, writes).await.unwrap();
    keep_up(&ledger).await;
    ledger
}

pub(super) async fn left_before(ledger: &SqlLedger, seq: i64) -> Vec<i64> {
    let page = PageQuery {
        mysis: ALPHA,
        from: PageFrom::After(Seq(0)),
        limit: 10_000,
        kinds: vec![],
    };
    let rows = ledger.page(page).await.unwrap();
    let seqs = rows.iter().map(|row| row.seq.0);
    seqs.filter(|left| *left < seq).collect()
}

pub(super) async fn count(ledger: &SqlLedger, sql: &str) -> i64 {
    let asked = Statement::from_string(ledger.inner.dialect.backend(), sql);
    let row = ledger.inner.readers.query_one_raw(asked).await.unwrap();
    row.unwrap().try_get_by_index(0).unwrap()
}

on_both!(
    what_is_old_goes_and_what_is_needed_stays,
    what_is_needed_no_longer_goes_in_the_next_round,
    an_order_stays_that_came_while_the_model_answered_to_nothing,
    what_is_taken_up_stays_however_many_notices_came_since,
    of_very_many_rows_the_newest_stay,
    everything_stays_where_nothing_else_is_said,
    a_wall_clock_that_is_set_makes_no_row_old_and_time_that_passes_does,
);

async fn what_is_old_goes_and_what_is_needed_stays(books: Books) {
    let ledger = two_days_in(&books).await;
    let before = ledger.load_history(ALPHA).await.unwrap();
    let spent = ledger.books(Day(0)).await.unwrap();
    assert_eq!(places(&ledger, looking_for("copper")).await, [17]);
    ledger.set_retention(within(24), Hand::at(48));
    keep_up(&ledger).await;
    assert_eq!(left_before(&ledger, 90).await, LEFT);
    let mut taken_up = before;
    let stays = |row: &Arc<Row>| row.seq.0 > 89 || LEFT.contains(&row.seq.0);
    taken_up.rows.retain(stays);
    assert_eq!(ledger.load_history(ALPHA).await.unwrap(), taken_up);
    assert_eq!(ledger.books(Day(0)).await.unwrap(), spent, "what was spent");
    for gone in ["copper", "first words", "dust"] {
        let found = ledger.search(looking_for(gone)).await.unwrap();
        assert_eq!(found.rows, [], "{gone}");
        assert_eq!(found.removed_before, Some(Timestamp(HOUR + 89)));
    }
    assert_eq!(places(&ledger, looking_for("last words")).await, [9]);
    assert_eq!(places(&ledger, looking_for("one of two")).await, [12]);
    let reach = ledger.reach(Some(ALPHA)).await.unwrap();
    assert_eq!(reach.removed, 89 - LEFT.len() as u64);
    assert_eq!(count(&ledger, "SELECT count(*) FROM tool_call").await, 2);
    write(&ledger, vec![Write::Delete { mysis: ALPHA }])
        .await
        .unwrap();
    assert_eq!(ledger.reach(None).await.unwrap().removed, 0);
}

async fn what_is_needed_no_longer_goes_in_the_next_round(books: Books) {
    let ledger = two_days_in(&books).await;
    let hand = Hand::at(48);
    ledger.set_retention(within(24), hand.clone());
    keep_up(&ledger).await;
    let last = two_days().last().unwrap().seq.0;
    let writes = vec![
        Write::ClearNotes {
            mysis: ALPHA,
            upto: Seq(1),
        },
        append(&said_at(47, last + 1, answer(11, 0, "late"))),
        append(&said_at(47, last + 2, mission())),
        append(&said_at(47, last + 3, reply("words", last))),
    ];
    write(&ledger, writes).await.unwrap();
    assert!(ledger.maintenance().is_none(), "the round is over");
    hand.next_round();
    keep_up(&ledger).await;
    // One of the two results of row 11 is new, so both stay and so does their call.
    assert_eq!(left_before(&ledger, 90).await, [11, 12]);
    write(
        &ledger,
        vec![append(&said_at(47, last + 4, prompt("go on")))],
    )
    .await
    .unwrap();
    assert_eq!(
        ledger.load_history(ALPHA).await.unwrap().last,
        Seq(last + 4)
    );
}

/// The words of a turn that a mission began before there was any row answer no order.
async fn an_order_stays_that_came_while_the_model_answered_to_nothing(books: Books) {
    let ledger = books.open().await;
    let old = [prompt("came meanwhile"), reply("a greeting", 0)];
    let old = (1..).zip(old).map(|(seq, body)| said_at(1, seq, body));
    let new = (3..603).map(|seq| said_at(47, seq, peer("fresh")));
    let mut writes = vec![create(ALPHA, "alpha")];
    writes.extend(old.chain(new).map(|row| append(&row)));
    write(&ledger, writes).await.unwrap();
    ledger.set_retention(within(24), Hand::at(48));
    keep_up(&ledger).await;
    assert_eq!(left_before(&ledger, 3).await, [1, 2]);
    let recalled = ledger.load_history(ALPHA).await.unwrap().rows;
    assert!(
        recalled
            .iter()
            .any(|row| row.text().as_ref() == "came meanwhile")
    );
}

/// A night of notices does not push the messages out of what a Mysis recalls.
async fn what_is_taken_up_stays_however_many_notices_came_since(books: Books) {
    let ledger = books.open().await;
    let said = (1..=196).map(|seq| match seq {
        // The oldest recalled row is the second of these results.
        3 => calls(2),
        4 | 5 => answer(3, u16::try_from(seq - 4).unwrap(), "gold"),
        _ => peer("old"),
    });
    let old = (1..).zip(said).map(|(seq, body)| said_at(1, seq, body));
    let new = (197..1197).map(|seq| said_at(47, seq, audit("trouble")));
    let mut writes = vec![create(ALPHA, "alpha")];
    writes.extend(old.chain(new).map(|row| append(&row)));
    write(&ledger, writes).await.unwrap();
    let before = ledger.load_history(ALPHA).await.unwrap();
    ledger.set_retention(newest(600), Hand::at(48));
    keep_up(&ledger).await;
    assert_eq!(ledger.load_history(ALPHA).await.unwrap(), before);
    let left = left_before(&ledger, 696).await;
    assert_eq!(left[..3], [3, 4, 5], "the loop is whole");
    assert_eq!(left.len(), 194 + 99, "old notices go");
}

/// A ledger with 2,000 rows and a 2,001st that has seen them.
pub(super) async fn very_many_rows(books: &Books) -> SqlLedger {
    let ledger = books.open().await;
    write(&ledger, vec![create(ALPHA, "alpha")]).await.unwrap();
    append_texts(&ledger, 1, (1..=2000).map(|number| format!("row {number}"))).await;
    write(&ledger, vec![append(&row(2001, reply("read", 2000)))])
        .await
        .unwrap();
    ledger
}

async fn of_very_many_rows_the_newest_stay(books: Books) {
    let ledger = very_many_rows(&books).await;
    ledger.set_retention(newest(700), Hand::at(1));
    keep_up(&ledger).await;
    let left = left_before(&ledger, i64::MAX).await;
    assert_eq!((left[0], left.len()), (1302, 700));
    // One row would be within the limit, but the newest 512 rows stay in any case.
    let ledger = books.open().await;
    ledger.set_retention(newest(1), Hand::at(2));
    keep_up(&ledger).await;
    assert_eq!(left_before(&ledger, i64::MAX).await.len(), 512);
}

async fn everything_stays_where_nothing_else_is_said(books: Books) {
    let ledger = two_days_in(&books).await;
    ledger.set_retention(
        RetentionLimits {
            age: None,
            rows: None,
        },
        Hand::at(1_000_000),
    );
    // Samples are thinned all the same.
    keep_up(&ledger).await;
    assert!(ledger.maintenance().is_none());
    assert_eq!(left_before(&ledger, 90).await.len(), 89);
}

async fn a_wall_clock_that_is_set_makes_no_row_old_and_time_that_passes_does(books: Books) {
    const TEN_YEARS: i64 = 10 * 365 * 24;
    let ledger = two_days_in(&books).await;
    let all = left_before(&ledger, i64::MAX).await.len();
    // The clock is set before the first round and during it, ahead and back.
    let hand = Hand::at(48);
    hand.set_ahead(TEN_YEARS);
    ledger.set_retention(within(72), hand.clone());
    for ahead in [TEN_YEARS, 100 * TEN_YEARS, -TEN_YEARS, 0, TEN_YEARS] {
        hand.set_ahead(ahead);
        hand.next_round();
        keep_up(&ledger).await;
        assert_eq!(left_before(&ledger, i64::MAX).await.len(), all, "{ahead}");
    }
    // The rows of the first hour are three days old now.
    hand.go_on(30);
    keep_up(&ledger).await;
    assert_eq!(left_before(&ledger, 90).await, LEFT);
    assert_eq!(
        left_before(&ledger, i64::MAX).await.len(),
        all - 89 + LEFT.len()
    );
}
