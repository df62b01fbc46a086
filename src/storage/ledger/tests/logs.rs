//! Which log belongs to which file, after a kill: the files of an open ledger are copied, as a process
//! that is killed leaves them, and opened again with one of them replaced.

use std::fs;
use std::path::{Path, PathBuf};

use sea_orm::ConnectionTrait;
use tempfile::TempDir;

use super::*;
use crate::{back_up, restore};

const CHECKPOINT: &str = "PRAGMA wal_checkpoint(PASSIVE)";
const UNMARK: [&str; 3] = [
    "PRAGMA user_version = 0",
    "PRAGMA application_id = 0",
    "PRAGMA wal_checkpoint(TRUNCATE)",
];

/// How far the log is carried into the file when the process is killed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Age {
    /// Everything is in the log.
    Young,
    /// The log was begun by another process than the file.
    Old,
    /// The log was carried into the file once, and begun anew.
    Checkpointed,
    /// The beginning of the log was carried into the file.
    Half,
}

const AGES: [Age; 4] = [Age::Young, Age::Old, Age::Checkpointed, Age::Half];

fn database(directory: &TempDir) -> PathBuf {
    directory.path().join("zoea.db")
}

fn log(directory: &TempDir) -> PathBuf {
    directory.path().join("zoea.db-wal")
}

async fn add(ledger: &SqlLedger, seqs: std::ops::RangeInclusive<i64>) {
    for seq in seqs {
        let text = format!("note {seq}").into();
        let note = append(&row(seq, RowBody::Note { text }));
        let event = Write::Event(Box::new(notice(seq)));
        write(ledger, vec![note, event]).await.unwrap();
    }
}

/// The files of a process that was killed at this age with rows 1 to 30, and the backup that was made
/// of row 1 to 9.
async fn killed(age: Age) -> (TempDir, TempDir) {
    let (books, copies) = (Books::file(), tempfile::tempdir().unwrap());
    let directory = books.directory();
    let (mut ledger, _) = filled(&books).await;
    let path = database(directory);
    back_up(&path, &copies.path().join("backup.db"))
        .await
        .unwrap();
    if age == Age::Old {
        ledger.close().await;
        fs::copy(&path, copies.path().join("raw.db")).unwrap();
        ledger = books.open().await;
        add(&ledger, 10..=12).await;
        ledger.close().await;
        ledger = books.open().await;
        add(&ledger, 13..=30).await;
    } else {
        add(&ledger, 10..=15).await;
        let reader = ledger.inner.readers.begin().await.unwrap();
        if age == Age::Half {
            reader
                .execute_unprepared("SELECT * FROM mysis")
                .await
                .unwrap();
        }
        add(&ledger, 16..=20).await;
        if age != Age::Young {
            say(&ledger, CHECKPOINT).await;
        }
        add(&ledger, 21..=30).await;
        reader.end().await.unwrap();
    }
    let left = leave(directory);
    ledger.close().await;
    (left, copies)
}

/// What a process leaves in its directory when it is killed now.
fn leave(directory: &TempDir) -> TempDir {
    let left = tempfile::tempdir().unwrap();
    for name in ["zoea.db", "zoea.db-wal"] {
        fs::copy(directory.path().join(name), left.path().join(name)).unwrap();
    }
    left
}

/// Opens what was left. Returns the newest row and the notes.
async fn opened(left: &TempDir) -> (i64, Vec<String>) {
    let ledger = SqlLedger::open(&database(left)).await.unwrap();
    let rows = ledger.load_history(ALPHA).await.unwrap().rows;
    let seqs: Vec<i64> = rows.iter().map(|row| row.seq.0).collect();
    let newest = *seqs.last().unwrap();
    assert_eq!(seqs, (1..=newest).collect::<Vec<_>>());
    let notes = ledger.notes().to_vec();
    ledger.close().await;
    let path = database(left);
    let checked = crate::check(&crate::DatabaseLocation::File(&path)).await;
    let (_, pages) = checked.unwrap().remove(0);
    pages.unwrap();
    (newest, notes)
}

fn assert_set_aside(left: &TempDir, notes: &[String], what: &str) {
    let aside = left.path().join("zoea.db.old-log");
    assert!(aside.is_file(), "{what}: {notes:?}");
    let listed = notes
        .iter()
        .any(|note| note.contains(&aside.display().to_string()));
    assert!(listed, "{what}: {notes:?}");
}

#[tokio::test]
async fn a_log_is_carried_into_its_own_file_and_set_aside_from_any_other() {
    for age in AGES {
        let (left, copies) = killed(age).await;
        let before = (
            fs::read(database(&left)).unwrap(),
            fs::read(log(&left)).unwrap(),
        );
        assert_eq!(opened(&left).await, (30, Vec::new()), "{age:?}");
        let mut others = vec!["backup.db"];
        if age == Age::Old {
            others.push("raw.db");
        }
        for other in others {
            fs::write(log(&left), &before.1).unwrap();
            fs::copy(copies.path().join(other), database(&left)).unwrap();
            let (newest, notes) = opened(&left).await;
            let what = format!("{age:?} {other}");
            assert_eq!(newest, 9, "{what}");
            assert_set_aside(&left, &notes, &what);
            fs::rename(left.path().join("zoea.db.old-log"), log(&left)).unwrap();
            fs::write(database(&left), &before.0).unwrap();
            assert_eq!(opened(&left).await.0, 30, "{what}: and it was not changed");
        }
    }
}

#[tokio::test]
async fn a_restored_copy_has_no_log_whatever_stood_in_its_place() {
    for age in AGES {
        let (left, copies) = killed(age).await;
        let backup = copies.path().join("backup.db");
        let restored = restore(&backup, &database(&left)).await.unwrap();
        assert_eq!(opened(&left).await, (9, Vec::new()), "{age:?}");
        let replaced = restored.replaced.unwrap();
        restore(&replaced, &database(&left)).await.unwrap();
        assert_eq!(
            opened(&left).await.0,
            30,
            "{age:?}: the replaced one is whole"
        );
    }
}

/// The file of a killed process, as an older version leaves it, which knew no marks.
async fn unmarked(rows: std::ops::RangeInclusive<i64>) -> TempDir {
    let books = Books::file();
    let directory = books.directory();
    let (ledger, _) = filled(&books).await;
    for sql in UNMARK {
        say(&ledger, sql).await;
    }
    for seq in rows {
        let values = format!("({seq}, {seq}, 'order', 'info', 'told', 'of before {seq}')");
        let columns = "(id, at, kind, severity, code, text)";
        say(
            &ledger,
            &format!("INSERT INTO event {columns} VALUES {values}"),
        )
        .await;
    }
    let left = leave(directory);
    ledger.close().await;
    left
}

async fn events(path: &Path) -> usize {
    let ledger = SqlLedger::open(path).await.unwrap();
    let events = ledger.inner.query_events_for_test().await;
    ledger.close().await;
    events
}

impl crate::LedgerInner {
    async fn query_events_for_test(&self) -> usize {
        let sql = "SELECT id FROM event WHERE text LIKE 'of before %'";
        let asked = sea_orm::Statement::from_string(sea_orm::DbBackend::Sqlite, sql);
        self.readers.query_all_raw(asked).await.unwrap().len()
    }
}

#[tokio::test]
async fn a_log_of_an_older_version_is_tried_before_it_is_believed() {
    let left = unmarked(100..=400).await;
    let before = (
        fs::read(database(&left)).unwrap(),
        fs::read(log(&left)).unwrap(),
    );
    assert_eq!(events(&database(&left)).await, 301);
    // A newer file of the same home, of which the log lacks the newest.
    let newer = unmarked(100..=500).await;
    let mut ledger = SqlLedger::open(&database(&newer)).await.unwrap();
    ledger.close().await;
    fs::copy(database(&newer), database(&left)).unwrap();
    fs::write(log(&left), &before.1).unwrap();
    ledger = SqlLedger::open(&database(&left)).await.unwrap();
    let notes = ledger.notes().to_vec();
    ledger.close().await;
    assert_set_aside(&left, &notes, "a newer file");
    assert_eq!(events(&database(&left)).await, 401);
}

#[tokio::test]
async fn a_file_that_is_missing_or_empty_does_not_cost_its_log() {
    for age in AGES {
        let (left, _copies) = killed(age).await;
        let file = fs::read(database(&left)).unwrap();
        let content = fs::read(log(&left)).unwrap();
        for is_missing in [true, false] {
            match is_missing {
                true => fs::remove_file(database(&left)).unwrap(),
                false => fs::write(database(&left), "").unwrap(),
            }
            let refused = SqlLedger::open(&database(&left)).await.err().unwrap();
            assert!(matches!(refused, OpenError::Lost(_)), "{refused}");
            assert!(fs::read(log(&left)).unwrap() == content, "{age:?}");
        }
        fs::write(database(&left), &file).unwrap();
        assert_eq!(opened(&left).await.0, 30, "{age:?}");
    }
}
