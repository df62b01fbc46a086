//! Copies of a database that something else has open meanwhile.

use std::fs;
use std::path::Path;
use std::process::Command;

use migration::{Migrator, MigratorTrait};
use sea_orm::TransactionTrait;

use super::retention::count;
use super::*;
use crate::{CopyError, back_up, file, restore};

async fn say(connection: &sea_orm::DatabaseConnection, sql: &str) {
    connection.execute_unprepared(sql).await.unwrap();
}

const FILL: &str = "INSERT INTO big WITH RECURSIVE up (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 2000) \
                    SELECT randomblob(100) FROM up";

#[tokio::test]
async fn the_copy_before_a_migration_has_what_a_reader_holds_up_in_the_log() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("zoea.db");
    let version = u32::try_from(Migrator::migrations().len() - 1).unwrap();
    let old = file::open_writer(&path).await.unwrap();
    Migrator::up(old.connection(), Some(version)).await.unwrap();
    say(old.connection(), "CREATE TABLE big (body)").await;
    say(old.connection(), FILL).await;
    let other = file::open_reader(&path).await.unwrap();
    let reading = other.begin().await.unwrap();
    let looked = reading.execute_unprepared("SELECT count(*) FROM big").await;
    looked.unwrap();
    say(old.connection(), FILL).await;
    old.close().await;
    // What a killed process left of its copy.
    fs::write(directory.path().join("zoea.db.copying"), "half").unwrap();
    let ledger = SqlLedger::open(&path).await.unwrap();
    reading.rollback().await.unwrap();
    other.close().await.unwrap();
    let copy = directory.path().join(format!("zoea.db.version-{version}"));
    let note = &ledger.notes()[0];
    assert!(note.contains(&copy.display().to_string()), "{note}");
    ledger.close().await;
    assert!(!directory.path().join("zoea.db.copying").exists());
    let restored = directory.path().join("restored.db");
    restore(&copy, &restored).await.unwrap();
    let ledger = SqlLedger::open(&restored).await.unwrap();
    assert_eq!(count(&ledger, "SELECT count(*) FROM big").await, 4000);
    ledger.close().await;
}

#[tokio::test]
async fn a_backup_of_the_open_database_leaves_its_locks_in_place() {
    let books = Books::file();
    let directory = books.directory();
    let (ledger, _) = filled(&books).await;
    let copy = directory.path().join("backup.db");
    let bytes = ledger.back_up(&copy).await.unwrap();
    assert_eq!(bytes, fs::metadata(&copy).unwrap().len());
    let again = ledger.back_up(&copy).await;
    assert!(matches!(again, Err(CopyError::Exists(_))), "{again:?}");
    let output = Command::new(std::env::current_exe().unwrap())
        .current_dir(directory.path())
        .args(["--ignored", "--exact", "--nocapture"])
        .arg("tests::copying::in_a_process_that_looks_at_a_database_and_quits")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}: {said}", output.status);
    assert!(said.contains("1 passed"), "{said}");
    let log = directory.path().join("zoea.db-wal");
    assert!(log.exists(), "the other one was not the last to close it");
    let note = row(10, RowBody::Note { text: "on".into() });
    write(&ledger, vec![append(&note)]).await.unwrap();
    ledger.close().await;
    let kept = SqlLedger::open(&copy).await.unwrap();
    assert_eq!(kept.load_history(ALPHA).await.unwrap().last, Seq(9));
}

#[tokio::test]
#[ignore = "looks at a database in its directory; the test before this one runs it in one of its own"]
async fn in_a_process_that_looks_at_a_database_and_quits() {
    let path = Path::new("zoea.db");
    if !path.exists() {
        return;
    }
    let other = file::open_writer(path).await.unwrap();
    say(other.connection(), "SELECT count(*) FROM mysis").await;
    other.close().await;
}

#[tokio::test]
async fn a_database_that_was_lost_and_one_on_a_server_are_not_backed_up() {
    let books = Books::file();
    let directory = books.directory();
    let (ledger, _) = filled(&books).await;
    fs::remove_file(directory.path().join("zoea.db")).unwrap();
    let copy = directory.path().join("backup.db");
    let refused = ledger.back_up(&copy).await.unwrap_err().to_string();
    assert!(refused.contains("zoea.db.rescued"), "{refused}");
    assert!(!copy.exists());
    ledger.close().await;
    let Some(books) = Books::server() else {
        return;
    };
    let refused = books.open().await.back_up(&copy).await;
    assert!(matches!(refused, Err(CopyError::OnServer)), "{refused:?}");
    assert!(!copy.exists());
}

#[tokio::test]
async fn a_path_means_what_it_says_whatever_letters_it_has() {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path().join("a%20b?c");
    fs::create_dir(&home).unwrap();
    let path = home.join("zoea.db");
    let ledger = SqlLedger::open(&path).await.unwrap();
    write(&ledger, vec![create(ALPHA, "alpha")]).await.unwrap();
    assert_eq!(ledger.swarm().await.unwrap().myses.len(), 1);
    ledger.back_up(&home.join("one.db")).await.unwrap();
    ledger.close().await;
    back_up(&path, &home.join("other.db")).await.unwrap();
    restore(&home.join("one.db"), &path).await.unwrap();
    let ledger = SqlLedger::open(&path).await.unwrap();
    assert_eq!(ledger.swarm().await.unwrap().myses.len(), 1);
    ledger.close().await;
    let beside = fs::read_dir(directory.path()).unwrap();
    assert_eq!(beside.count(), 1, "no other directory is used");
}
