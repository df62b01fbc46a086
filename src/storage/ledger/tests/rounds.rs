//! Rounds of removal that are cut off, late, or repeated.

use std::time::Duration;

use super::retention::{
    Hand, LEFT, answer, count, left_before, newest, reply, two_days_in, very_many_rows, within,
};
use super::*;

on_both!(
    cut_off_at_any_moment_it_leaves_no_half_of_anything,
    a_round_that_is_late_takes_larger_pieces,
);

async fn a_round_that_is_late_takes_larger_pieces(books: Books) {
    let ledger = very_many_rows(&books).await;
    keep_up(&ledger).await;
    let hand = Hand::at(1);
    ledger.set_retention(newest(600), hand.clone());
    let removed = async || {
        ledger.maintenance().expect("a step").await;
        ledger.reach(None).await.unwrap().removed
    };
    assert_eq!(removed().await, 0, "a round begins");
    assert_eq!(removed().await, 32);
    hand.next_round();
    assert_eq!(removed().await, 32 + 256);
}

/// A process may end between any two steps.
async fn cut_off_at_any_moment_it_leaves_no_half_of_anything(books: Books) {
    let ledger = two_days_in(&books).await;
    let hand = Hand::at(48);
    ledger.set_retention(within(24), hand.clone());
    let mut cut_off = 0;
    for patience in (0..4000).step_by(40) {
        if let Some(step) = ledger.maintenance() {
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
    // The next writer is subject to all constraints again.
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
    ledger.set_retention(newest(1000), hand.clone());
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
            let Some(step) = ledger.maintenance() else {
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
    // From the third wave on, at most two waves are stored at once. The removed rows' space is at
    // most half as much.
    let most = pages.iter().max().unwrap();
    assert!(most * 10 <= pages[2] * 17, "{pages:?}");
    let kept = count(&ledger, "SELECT max(doc) FROM message_term").await;
    assert!(kept <= 2100, "the index still names {kept} rows");
}
