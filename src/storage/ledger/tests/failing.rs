//! Failing transactions: acknowledged writes are there when the database is opened again, and a
//! failed one has left nothing.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, UNIX_EPOCH};

use actors::domain::record::PoolAccount;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sea_orm::ConnectionTrait;

use super::*;
use crate::place::RETRY_PAUSE;
use crate::write_lock::WriteLock;

on_both!(
    a_transaction_that_is_given_up_has_not_happened_and_holds_nobody_up,
    a_transaction_in_which_a_statement_failed_is_never_committed,
);

fn note(seq: i64) -> Write {
    let text = format!("note {seq}").into();
    append(&row(seq, RowBody::Note { text }))
}

/// The row numbers in a database that is opened again, as after the end of the process.
async fn stored(books: &Books) -> Vec<i64> {
    let ledger = books.open().await;
    let rows = ledger.load_history(ALPHA).await.unwrap().rows;
    ledger.close().await;
    rows.iter().map(|row| row.seq.0).collect()
}

/// Limits the size of files that this process can write, like a full disk, or removes the limit.
fn limit_files(to: Option<u64>) {
    let limit = Rlimit {
        current: to,
        maximum: getrlimit(Resource::Fsize).maximum,
    };
    setrlimit(Resource::Fsize, limit).unwrap();
}

/// Runs an ignored test in a process of its own.
fn run_alone(test: &str) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture"])
        .arg(format!("tests::failing::{test}"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}: {said}", output.status);
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
fn commits_that_failed_once_or_more_often_lose_nothing_that_was_acknowledged() {
    run_alone("in_a_process_with_a_disk_that_fills");
}

#[test]
fn what_a_full_disk_kept_from_being_saved_is_saved_once_there_is_room() {
    run_alone("in_a_process_that_loses_its_file_on_a_full_disk");
    run_alone("in_a_process_that_ends_as_soon_as_there_is_room");
}

#[tokio::test]
#[ignore = "limits its whole process; a test before this one runs it in one of its own"]
async fn in_a_process_that_ends_as_soon_as_there_is_room() {
    let is_received = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, is_received).unwrap();
    let books = Books::file();
    let directory = books.directory();
    let (ledger, _) = filled(&books).await;
    limit_files(Some(0));
    std::fs::remove_file(directory.path().join("zoea.db")).unwrap();
    write(&ledger, vec![note(10)]).await.unwrap_err();
    limit_files(None);
    ledger.close().await;
    let loss = ledger.loss().unwrap();
    assert!(loss.contains("is saved in"), "{loss}");
}

#[tokio::test]
#[ignore = "limits its whole process; a test before this one runs it in one of its own"]
async fn in_a_process_that_loses_its_file_on_a_full_disk() {
    let is_received = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, is_received).unwrap();
    let books = Books::file();
    let directory = books.directory();
    let file = |name: &str| directory.path().join(name);
    let (ledger, _) = filled(&books).await;
    limit_files(Some(0));
    std::fs::remove_file(file("zoea.db")).unwrap();
    for _time in 0..2 {
        let refused = write(&ledger, vec![note(10)]).await.unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("could not be saved"), "{refused}");
        assert!(refused.contains("tries again"), "{refused}");
        let loss = ledger.loss().unwrap();
        assert!(loss.contains("could not be saved"), "{loss}");
        for name in ["zoea.db.lost.new", "zoea.db.rescuing"] {
            assert!(!file(name).exists(), "{name} is incomplete");
        }
        // It refuses the next start also where it has no words.
        assert!(file("zoea.db.lost").exists());
    }
    limit_files(None);
    tokio::time::pause();
    tokio::time::advance(RETRY_PAUSE).await;
    tokio::time::resume();
    for _time in 0..2 {
        let refused = write(&ledger, vec![note(10)]).await.unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("is saved in"), "{refused}");
        let loss = ledger.loss().unwrap();
        assert!(loss.contains("is saved in"), "{loss}");
    }
    assert!(file("zoea.db.lost").exists());
    assert!(!file("zoea.db.rescued.2").exists(), "it is saved once");
    ledger.close().await;
    let rescued = file("zoea.db.rescued");
    crate::restore(&rescued, &file("zoea.db")).await.unwrap();
    assert_eq!(stored(&books).await, (1..=9).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_database_that_was_cut_is_not_copied_anew_at_each_write() {
    let books = Books::file();
    let directory = books.directory();
    let file = |name: &str| directory.path().join(name);
    // The log is empty: no other file has what is cut.
    filled(&books).await.0.close().await;
    let ledger = books.open().await;
    let database = File::options().write(true).open(file("zoea.db"));
    database.unwrap().set_len(4096).unwrap();
    let refused = write(&ledger, vec![note(10)]).await;
    let why = refused.clone().unwrap_err().to_string();
    assert!(why.contains("could not be saved"), "{why}");
    // Each try writes the note anew.
    let lost = File::open(file("zoea.db.lost")).unwrap();
    lost.set_modified(UNIX_EPOCH).unwrap();
    for _time in 0..10 {
        assert_eq!(write(&ledger, vec![note(10)]).await, refused);
    }
    let lost = std::fs::metadata(file("zoea.db.lost")).unwrap();
    assert_eq!(lost.modified().unwrap(), UNIX_EPOCH);
}

#[tokio::test]
#[ignore = "limits its whole process; a test before this one runs it in one of its own"]
async fn in_a_process_with_a_disk_that_fills() {
    let is_received = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, is_received).unwrap();
    for failures in 1..=4 {
        let books = Books::file();
        let ledger = books.open().await;
        write(&ledger, vec![create(ALPHA, "alpha"), note(1)])
            .await
            .unwrap();
        let account = GameAccount {
            username: "Quill".into(),
            password: "secret-secret".into(),
        };
        let pooled = Write::PoolAccount {
            account: PoolAccount {
                account: account.clone(),
                owner: None,
            },
            at: Timestamp(1),
        };
        write(&ledger, vec![pooled]).await.unwrap();
        limit_files(Some(0));
        for _time in 0..failures {
            let answer = write(&ledger, vec![note(2)]).await;
            assert!(
                matches!(answer, Err(LedgerFault::Unavailable(_))),
                "{answer:?}"
            );
            let answer = ledger.claim_account(ALPHA, Timestamp(2)).await;
            assert!(
                matches!(answer, Err(LedgerFault::Unavailable(_))),
                "{answer:?}"
            );
        }
        // One batch is refused, so each is tried by itself. None overtakes one that has to wait.
        let group = [note(2), create(MysisId(8), "alpha"), note(3)];
        let group = group.map(|write| batch(vec![write]));
        for answer in ledger.commit(group.into()).await {
            assert!(
                matches!(answer, Err(LedgerFault::Unavailable(_))),
                "{answer:?}"
            );
        }
        limit_files(None);
        for seq in 2..=6 {
            assert_eq!(write(&ledger, vec![note(seq)]).await, Ok(()));
        }
        let claimed = ledger.claim_account(ALPHA, Timestamp(3)).await;
        assert_eq!(claimed, Ok(Some(account.clone())));
        keep_up(&ledger).await;
        // The first row is still there, as after a kill now.
        assert_eq!(
            stored(&books).await,
            [1, 2, 3, 4, 5, 6],
            "after {failures} failures"
        );
        let again = books.open().await;
        assert_eq!(again.account(ALPHA).await.unwrap(), Some(account));
    }
}

async fn a_transaction_that_is_given_up_has_not_happened_and_holds_nobody_up(books: Books) {
    let (ledger, _) = filled(&books).await;
    let inner = &ledger.inner;
    for _time in 0..3 {
        let tx = inner.begin(WriteLock::All).await.unwrap();
        inner.apply_write(&tx, &note(10)).await.unwrap();
        drop(tx);
        // The transaction ends in the middle of a statement.
        let tx = inner.begin(WriteLock::All).await.unwrap();
        inner.apply_write(&tx, &note(10)).await.unwrap();
        let slow = match inner.dialect {
            super::super::dialect::Dialect::Sqlite => {
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) \
                 SELECT count(*) FROM n"
            }
            super::super::dialect::Dialect::Postgres => "SELECT pg_sleep(1)",
        };
        let short = Duration::from_millis(20);
        let waited = tokio::time::timeout(short, tx.execute_unprepared(slow)).await;
        assert!(waited.is_err(), "it was to take longer");
        let after = tx.commit().await;
        assert!(after.is_err(), "nobody knows what became of the statement");
    }
    write(&ledger, vec![note(10)]).await.unwrap();
    let careless = inner.begin_without_foreign_keys(ALPHA).await.unwrap();
    inner.apply_write(&careless, &note(11)).await.unwrap();
    careless.commit().await.unwrap();
    let nobodys = Write::Append {
        mysis: MysisId(99),
        row: row(1, RowBody::Note { text: "x".into() }),
    };
    let refused = write(&ledger, vec![nobodys]).await;
    assert!(
        matches!(refused, Err(LedgerFault::Refused(_))),
        "whoever comes after is looked after: {refused:?}"
    );
    assert_eq!(stored(&books).await, (1..=11).collect::<Vec<_>>());
}

async fn a_transaction_in_which_a_statement_failed_is_never_committed(books: Books) {
    let (ledger, _) = filled(&books).await;
    let inner = &ledger.inner;
    let tx = inner.begin(WriteLock::All).await.unwrap();
    inner.apply_write(&tx, &note(10)).await.unwrap();
    let failed = tx
        .execute_unprepared("INSERT INTO mysis (id) VALUES (NULL)")
        .await;
    assert!(failed.is_err());
    let more = inner.apply_write(&tx, &note(11)).await;
    assert!(more.is_err(), "the statements behind it do not count");
    assert!(tx.commit().await.is_err(), "and it is not committed");
    write(&ledger, vec![note(10)]).await.unwrap();
    assert_eq!(stored(&books).await, (1..=10).collect::<Vec<_>>());
}

/// The number of open descriptors of this process for a database.
fn open_files(path: &Path) -> usize {
    let entries = std::fs::read_dir("/proc/self/fd").unwrap();
    let targets = entries.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    targets.filter(|target| target == path).count()
}

#[tokio::test]
async fn a_writer_that_is_replaced_writes_to_the_same_file_or_to_none() {
    let books = Books::file();
    let directory = books.directory();
    let path = directory.path().join("zoea.db");
    let (ledger, _) = filled(&books).await;
    write(&ledger, vec![note(10)]).await.unwrap();
    assert!(open_files(&path) > 0);
    let other = directory.path().join("other.db");
    let another = SqlLedger::open(&other).await.unwrap();
    another.close().await;
    let broken = ledger.inner.begin(WriteLock::All).await.unwrap();
    std::fs::rename(&path, directory.path().join("aside.db")).unwrap();
    drop(broken);
    for is_replaced in [false, true] {
        if is_replaced {
            std::fs::copy(&other, &path).unwrap();
        }
        let answer = write(&ledger, vec![note(11)]).await;
        assert!(
            matches!(answer, Err(LedgerFault::Unavailable(_))),
            "{answer:?}"
        );
        assert_eq!(path.exists(), is_replaced, "no file is made in its place");
    }
    let (given, left) = (
        std::fs::read(&other).unwrap(),
        std::fs::read(&path).unwrap(),
    );
    assert!(given == left, "the other file is left alone");
}
