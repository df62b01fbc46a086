//! A check accepts a sound database and finds each damage.

use super::super::{DatabaseLocation, check};
use super::retention::{Hand, calls, said_at, two_days_in, within};
use super::*;

/// The findings of all checks, in order.
async fn findings(books: &Books) -> Vec<Result<String, String>> {
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

on_both!(a_check_finds_a_sound_database_sound_and_each_damage);

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
    ledger
        .inner
        .writer
        .execute_unprepared("UPDATE tool_call SET seq = 6000 WHERE seq = 760")
        .await
        .unwrap();
    for (damage, place) in DAMAGES {
        ledger
            .inner
            .writer
            .execute_unprepared(damage)
            .await
            .unwrap();
        let found = findings(&books).await;
        assert!(found[place].is_err(), "{damage}: {found:?}");
    }
}

#[tokio::test]
async fn a_row_that_the_index_lost_is_missed() {
    let books = Books::file();
    let ledger = two_days_in(&books).await;
    let all = "INSERT INTO message_text (message_text) VALUES ('delete-all')";
    ledger.inner.writer.execute_unprepared(all).await.unwrap();
    assert!(findings(&books).await[4].is_err());
}
