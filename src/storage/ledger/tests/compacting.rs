//! Compaction of a file that something else reads meanwhile.

use std::fs;

use sea_orm::sqlx::{self, SqlitePool};

use super::*;

async fn note(ledger: &SqlLedger, seq: i64) -> Result<(), LedgerFault> {
    let text = format!("note {seq}").into();
    write(ledger, vec![append(&row(seq, RowBody::Note { text }))]).await
}

#[tokio::test]
async fn a_file_whose_checkpoint_a_reader_holds_up_is_not_taken_for_one_that_was_cut() {
    let books = Books::file();
    let directory = books.directory();
    let (ledger, _) = filled(&books).await;
    let path = directory.path().join("zoea.db");
    let length = || fs::metadata(&path).unwrap().len();
    say(&ledger, "CREATE TABLE big (body)").await;
    let fill = "INSERT INTO big WITH RECURSIVE up (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 2000) \
                SELECT randomblob(1000) FROM up";
    say(&ledger, fill).await;
    say(&ledger, "PRAGMA wal_checkpoint(PASSIVE)").await;
    note(&ledger, 101).await.unwrap();
    let url = format!("sqlite://{}", path.display());
    let other = SqlitePool::connect(&url).await.unwrap();
    let mut reading = other.begin().await.unwrap();
    let count = sqlx::query("SELECT count(*) FROM big");
    count.fetch_one(&mut *reading).await.unwrap();
    say(&ledger, "DROP TABLE big").await;
    let before = length();
    ledger.compact().await.unwrap();
    note(&ledger, 102).await.unwrap();
    assert_eq!(length(), before, "the reader still needs the pages");
    reading.rollback().await.unwrap();
    say(&ledger, "PRAGMA wal_checkpoint(PASSIVE)").await;
    assert!(length() < before / 2, "{} of {before}", length());
    note(&ledger, 103).await.unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_len(length() - 1024).unwrap();
    let refused = note(&ledger, 104).await.unwrap_err().to_string();
    assert!(refused.contains("was cut short"), "{refused}");
}
