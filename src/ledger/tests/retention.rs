//! Old rows go, what is needed stays, and the file stops growing.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use actors::ports::Clock;
use sea_orm::Statement;

use super::super::Keep;
use super::*;

/// A clock that stands until it is put forward.
pub(super) struct Hand(AtomicI64);

impl Clock for Hand {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::Relaxed))
    }
}

const HOUR: i64 = 3_600_000;

impl Hand {
    pub(super) fn at(hours: i64) -> Arc<Hand> {
        Arc::new(Hand(AtomicI64::new(hours * HOUR)))
    }

    /// Puts it forward to the next round.
    fn next_round(&self) {
        self.0.fetch_add(601_000, Ordering::Relaxed);
    }
}

pub(super) fn within(hours: u64) -> Keep {
    Keep {
        age: Some(Duration::from_secs(hours * 3600)),
        rows: None,
    }
}

fn newest(rows: u64) -> Keep {
    Keep {
        age: None,
        rows: Some(rows),
    }
}

pub(super) fn said_at(hours: i64, seq: i64, body: Body) -> Arc<Row> {
    Arc::new(Row {
        at: Timestamp(hours * HOUR + seq),
        ..Row::clone(&row(seq, body))
    })
}

fn prompt(text: &str) -> Body {
    Body::Prompt { text: text.into() }
}

fn audit(text: &str) -> Body {
    Body::Audit { text: text.into() }
}

fn peer(text: &str) -> Body {
    Body::Peer {
        sender: "beta".into(),
        text: text.into(),
    }
}

fn reply(text: &str, horizon: i64) -> Body {
    Body::Reply(said(text, horizon))
}

pub(super) fn calls(count: usize) -> Body {
    let call = |number| Call {
        id: format!("id{number}").into(),
        name: "mine".into(),
        arguments: "{}".into(),
        status: CallStatus::Recorded,
        read_only: false,
    };
    Body::Call {
        utterance: said("calling", 0),
        calls: (0..count).map(call).collect(),
    }
}

fn answer(seq: i64, position: u16, text: &str) -> Body {
    Body::Result {
        call: CallKey {
            seq: Seq(seq),
            position,
        },
        text: text.into(),
        meta: ResultMeta {
            call_id: "id".into(),
            tool: "mine".into(),
            status: CallStatus::Done,
            ms: 1,
            tick: None,
            bytes: 3,
        },
    }
}

fn mission() -> Body {
    Body::Mission {
        id: MissionId(3),
        text: "dig".into(),
    }
}

/// A conversation of two days: the first rows are of every fate.
fn two_days() -> Vec<Arc<Row>> {
    let note = |text: &str| Body::Note { text: text.into() };
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

/// What is left of those rows when all that is old and not needed is gone.
const LEFT: [i64; 7] = [1, 3, 9, 10, 11, 12, 16];

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

async fn left_before(ledger: &SqlLedger, seq: i64) -> Vec<i64> {
    let page = Page {
        mysis: ALPHA,
        from: PageFrom::After(Seq(0)),
        limit: 10_000,
        kinds: vec![],
    };
    let rows = ledger.page(page).await.unwrap();
    let seqs = rows.iter().map(|row| row.seq.0);
    seqs.filter(|left| *left < seq).collect()
}

async fn count(ledger: &SqlLedger, sql: &str) -> i64 {
    let asked = Statement::from_string(ledger.inner.readers.dialect().backend(), sql);
    let row = ledger.inner.writer.query_one_raw(asked).await.unwrap();
    row.unwrap().try_get_by_index(0).unwrap()
}

on_both!(
    what_is_old_goes_and_what_is_needed_stays,
    what_is_needed_no_longer_goes_in_the_next_round,
    an_order_stays_that_came_while_the_model_answered_to_nothing,
    what_is_taken_up_stays_however_many_notices_came_since,
    of_very_many_rows_the_newest_stay,
    a_round_that_is_late_takes_larger_pieces,
    everything_stays_where_nothing_else_is_said,
    cut_off_at_any_moment_it_leaves_no_half_of_anything,
);

async fn what_is_old_goes_and_what_is_needed_stays(books: Books) {
    let ledger = two_days_in(&books).await;
    let before = ledger.recall(ALPHA).await.unwrap();
    let spent = ledger.books(Day(0)).await.unwrap();
    assert_eq!(places(&ledger, looking_for("copper")).await, [17]);
    ledger.keep(within(24), Hand::at(48));
    keep_up(&ledger).await;
    assert_eq!(left_before(&ledger, 90).await, LEFT);
    let mut taken_up = before;
    let stays = |row: &Arc<Row>| row.seq.0 > 89 || LEFT.contains(&row.seq.0);
    taken_up.rows.retain(stays);
    assert_eq!(ledger.recall(ALPHA).await.unwrap(), taken_up);
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
    ledger.keep(within(24), hand.clone());
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
    assert!(ledger.upkeep().is_none(), "the round is over");
    hand.next_round();
    keep_up(&ledger).await;
    // One of the two results of row 11 is new: both stay, and so does their call.
    assert_eq!(left_before(&ledger, 90).await, [11, 12]);
    write(
        &ledger,
        vec![append(&said_at(47, last + 4, prompt("go on")))],
    )
    .await
    .unwrap();
    assert_eq!(ledger.recall(ALPHA).await.unwrap().last, Seq(last + 4));
}

/// Words of a turn that a mission began before there was any row answer none.
async fn an_order_stays_that_came_while_the_model_answered_to_nothing(books: Books) {
    let ledger = books.open().await;
    let old = [prompt("came meanwhile"), reply("a greeting", 0)];
    let old = (1..).zip(old).map(|(seq, body)| said_at(1, seq, body));
    let new = (3..603).map(|seq| said_at(47, seq, peer("fresh")));
    let mut writes = vec![create(ALPHA, "alpha")];
    writes.extend(old.chain(new).map(|row| append(&row)));
    write(&ledger, writes).await.unwrap();
    ledger.keep(within(24), Hand::at(48));
    keep_up(&ledger).await;
    assert_eq!(left_before(&ledger, 3).await, [1, 2]);
    let recalled = ledger.recall(ALPHA).await.unwrap().rows;
    assert!(
        recalled
            .iter()
            .any(|row| row.text().as_ref() == "came meanwhile")
    );
}

/// A night of notices does not make a Mysis forget what was said.
async fn what_is_taken_up_stays_however_many_notices_came_since(books: Books) {
    let ledger = books.open().await;
    let said = (1..=100).map(|seq| match seq {
        // The oldest row that is taken up is the second of these results.
        3 => calls(2),
        4 | 5 => answer(3, u16::try_from(seq - 4).unwrap(), "gold"),
        _ => peer("old"),
    });
    let old = (1..).zip(said).map(|(seq, body)| said_at(1, seq, body));
    let new = (101..1101).map(|seq| said_at(47, seq, audit("trouble")));
    let mut writes = vec![create(ALPHA, "alpha")];
    writes.extend(old.chain(new).map(|row| append(&row)));
    write(&ledger, writes).await.unwrap();
    let before = ledger.recall(ALPHA).await.unwrap();
    ledger.keep(newest(600), Hand::at(48));
    keep_up(&ledger).await;
    assert_eq!(ledger.recall(ALPHA).await.unwrap(), before);
    let left = left_before(&ledger, 600).await;
    assert_eq!(left[..3], [3, 4, 5], "the loop is whole");
    assert_eq!(left.len(), 98 + 99, "old notices go");
}

async fn of_very_many_rows_the_newest_stay(books: Books) {
    let ledger = books.open().await;
    write(&ledger, vec![create(ALPHA, "alpha")]).await.unwrap();
    append_texts(&ledger, 1, (1..=2000).map(|number| format!("row {number}"))).await;
    write(&ledger, vec![append(&row(2001, reply("read", 2000)))])
        .await
        .unwrap();
    ledger.keep(newest(700), Hand::at(1));
    keep_up(&ledger).await;
    let left = left_before(&ledger, i64::MAX).await;
    assert_eq!((left[0], left.len()), (1302, 700));
    // A row of each Mysis at least is far more than was asked for.
    let ledger = books.open().await;
    ledger.keep(newest(1), Hand::at(2));
    keep_up(&ledger).await;
    assert_eq!(left_before(&ledger, i64::MAX).await.len(), 512);
}

async fn a_round_that_is_late_takes_larger_pieces(books: Books) {
    let ledger = books.open().await;
    write(&ledger, vec![create(ALPHA, "alpha")]).await.unwrap();
    append_texts(&ledger, 1, (1..=2000).map(|number| format!("row {number}"))).await;
    write(&ledger, vec![append(&row(2001, reply("read", 2000)))])
        .await
        .unwrap();
    keep_up(&ledger).await;
    let hand = Hand::at(1);
    ledger.keep(newest(600), hand.clone());
    let removed = async || {
        ledger.upkeep().expect("a step").await;
        ledger.reach(None).await.unwrap().removed
    };
    assert_eq!(removed().await, 0, "a round begins");
    assert_eq!(removed().await, 32);
    hand.next_round();
    assert_eq!(removed().await, 32 + 256);
}

async fn everything_stays_where_nothing_else_is_said(books: Books) {
    let ledger = two_days_in(&books).await;
    ledger.keep(
        Keep {
            age: None,
            rows: None,
        },
        Hand::at(1_000_000),
    );
    assert!(ledger.upkeep().is_none());
    assert_eq!(left_before(&ledger, 90).await.len(), 89);
}

/// A process may end between any two looks of a step at the world.
async fn cut_off_at_any_moment_it_leaves_no_half_of_anything(books: Books) {
    let ledger = two_days_in(&books).await;
    let hand = Hand::at(48);
    ledger.keep(within(24), hand.clone());
    let mut cut_off = 0;
    for patience in (0..4000).step_by(40) {
        if let Some(step) = ledger.upkeep() {
            let patience = Duration::from_micros(patience);
            cut_off += usize::from(tokio::time::timeout(patience, step).await.is_err());
        }
        hand.next_round();
        let rows = "SELECT count(*) FROM message WHERE call_seq IS NOT NULL AND NOT EXISTS \
                    (SELECT 1 FROM tool_call AS c WHERE c.mysis_id = message.mysis_id \
                    AND c.seq = call_seq AND c.position = call_position)";
        assert_eq!(count(&ledger, rows).await, 0, "a result without its call");
        let calls = "SELECT count(*) FROM tool_call WHERE NOT EXISTS \
                     (SELECT 1 FROM message WHERE message.mysis_id = tool_call.mysis_id \
                     AND message.seq = tool_call.seq)";
        assert_eq!(count(&ledger, calls).await, 0, "a call without its row");
        let results = "SELECT count(*) FROM tool_call WHERE status = 'done' AND NOT EXISTS \
                       (SELECT 1 FROM message WHERE message.mysis_id = tool_call.mysis_id \
                       AND call_seq = tool_call.seq AND call_position = tool_call.position)";
        assert_eq!(
            count(&ledger, results).await,
            0,
            "a call without its result"
        );
    }
    assert!(cut_off > 0, "no step was cut off");
    hand.next_round();
    keep_up(&ledger).await;
    assert_eq!(left_before(&ledger, 90).await, LEFT);
    // Whoever writes next is held to every rule again.
    let orphan = append(&row(5000, answer(4999, 0, "of nothing")));
    let refused = write(&ledger, vec![orphan]).await;
    assert!(
        matches!(refused, Err(LedgerFault::Refused(_))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_file_stops_growing_and_its_index_forgets_what_is_gone() {
    let books = Books::file();
    let ledger = books.open().await;
    let hand = Hand::at(1);
    write(&ledger, vec![create(ALPHA, "alpha")]).await.unwrap();
    ledger.keep(newest(1000), hand.clone());
    let (mut pages, mut took) = (Vec::new(), [Vec::new(), Vec::new()]);
    for wave in 0..24_i64 {
        let texts = (0..1000_i64).map(|place| {
            let seed = (wave * 1000 + place) as u64;
            let words = (0..40).map(|word| (seed * 31 + word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            words
                .map(|word| format!("{:x} ", word >> 44))
                .collect::<String>()
        });
        let first = wave * 1001 + 1;
        append_texts(&ledger, first, texts).await;
        let read = row(first + 1000, reply("read", first + 999));
        write(&ledger, vec![append(&read)]).await.unwrap();
        hand.next_round();
        loop {
            let is_index = usize::from(ledger.inner.is_index_due());
            let Some(step) = ledger.upkeep() else {
                break;
            };
            let begun = std::time::Instant::now();
            step.await;
            took[is_index].push(begun.elapsed());
        }
        pages.push(count(&ledger, "SELECT page_count FROM pragma_page_count()").await);
    }
    let [removing, indexing] = took.map(|mut took| {
        took.sort();
        let at = |percent| took[(took.len() - 1) * percent / 100];
        format!(
            "{} steps, p50 {:?}, p99 {:?}, longest {:?}",
            took.len(),
            at(50),
            at(99),
            at(100)
        )
    });
    println!("pages of 1 KiB after each wave of 1000 rows: {pages:?}");
    println!("removing: {removing}; indexing: {indexing}");
    // From the third wave on two waves at most are there at once, and half as much is gone.
    let most = pages.iter().max().unwrap();
    assert!(most * 10 <= pages[2] * 17, "{pages:?}");
    let kept = count(&ledger, "SELECT max(doc) FROM message_term").await;
    assert!(kept <= 2100, "the index still names {kept} rows");
}
