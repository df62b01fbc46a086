//! A check accepts a sound database and finds each damage.

use super::super::{DatabaseLocation, check};
use super::retention::{Hand, calls, said_at, two_days_in, within};
use super::samples::{sample, save};
use super::*;

/// The findings of all checks, in order.
pub(super) async fn findings(books: &Books) -> Vec<Result<String, String>> {
    let checked = match books {
        Books::File(directory) => {
            let path = directory.path().join("zoea.db");
            check(&DatabaseLocation::File(&path)).await
        }
        Books::Server(address) => check(&DatabaseLocation::Server(address)).await,
    };
    checked
        .unwrap()
        .into_iter()
        .map(|(_, found)| found)
        .collect()
}

/// Damages of a database, and the index of the check that must find each.
const DAMAGES: [(&str, usize); 5] = [
    ("UPDATE tool_call SET status = 'done' WHERE seq = 6000", 2),
    ("DELETE FROM message WHERE seq = 700", 3),
    ("UPDATE spending SET input = input + 1", 5),
    (
        "UPDATE message SET kind = 'audit' WHERE kind = 'call' AND seq = 11",
        2,
    ),
    (
        "UPDATE tool_call SET status = 'sent' WHERE seq = 11 AND position = 1",
        2,
    ),
];

on_both!(
    a_check_finds_a_sound_database_sound_and_each_damage,
    a_row_that_the_index_lost_is_missed,
    the_samples_of_all_hours_are_read,
);

async fn a_check_finds_a_sound_database_sound_and_each_damage(books: Books) {
    let ledger = two_days_in(&books).await;
    let sound = findings(&books).await;
    assert!(sound.iter().all(Result::is_ok), "{sound:?}");
    ledger.set_retention(within(24), Hand::at(48));
    keep_up(&ledger).await;
    let sound = findings(&books).await;
    assert!(sound.iter().all(Result::is_ok), "{sound:?}");
    let calling = said_at(47, 760, calls(1));
    write(&ledger, vec![append(&calling)]).await.unwrap();
    say(&ledger, "UPDATE tool_call SET seq = 6000 WHERE seq = 760").await;
    for (damage, place) in DAMAGES {
        say(&ledger, damage).await;
        let found = findings(&books).await;
        assert!(found[place].is_err(), "{damage}: {found:?}");
    }
}

async fn a_row_that_the_index_lost_is_missed(books: Books) {
    let ledger = two_days_in(&books).await;
    let loss = match &books {
        Books::File(_) => "INSERT INTO message_text (message_text) VALUES ('delete-all')",
        Books::Server(_) => {
            "DELETE FROM message_text WHERE id = (SELECT min(id) FROM message_text)"
        }
    };
    say(&ledger, loss).await;
    assert!(findings(&books).await[4].is_err());
}

async fn the_samples_of_all_hours_are_read(books: Books) {
    let ledger = books.open().await;
    let beta = MysisId(8);
    let mut writes = vec![create(ALPHA, "alpha"), create(beta, "beta")];
    for mysis in [ALPHA, beta] {
        // More than one query reads.
        writes.extend((0..600).map(|hour| save(mysis, hour, &[sample(hour * 60, 5, 5)])));
    }
    write(&ledger, writes).await.unwrap();
    let read = Ok("the samples of 1200 hours can be read".to_string());
    assert_eq!(findings(&books).await[6], read);
}
