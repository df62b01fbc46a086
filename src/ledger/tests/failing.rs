//! Transactions that fail: what was acknowledged is there when the database is opened anew, what
//! failed half-way is not, and a repetition changes nothing.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use actors::domain::event_record::{EventId, EventKind, EventRecord};
use actors::domain::write::{
    AccountRecord, PoolAccount, ProfileChange, Recollection, SavedSession,
};
use actors::ports::SwarmRecord;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sea_orm::{ConnectionTrait, Statement};

use super::super::StoredMission;
use super::*;

on_both!(
    a_transaction_that_is_given_up_has_not_happened_and_holds_nobody_up,
    a_transaction_in_which_a_statement_failed_is_never_committed,
    whatever_is_repeated_after_a_lost_answer_changes_nothing,
);

fn note(seq: i64) -> Write {
    let text = format!("note {seq}").into();
    append(&row(seq, Body::Note { text }))
}

/// The places of the rows of a database that is opened anew, as after the end of the process.
async fn stored(books: &Books) -> Vec<i64> {
    let ledger = books.open().await;
    let rows = ledger.recall(ALPHA).await.unwrap().rows;
    ledger.close().await;
    rows.iter().map(|row| row.seq.0).collect()
}

/// The disk takes nothing more, from this process; or all again.
fn limit_files(to: Option<u64>) {
    let limit = Rlimit {
        current: to,
        maximum: getrlimit(Resource::Fsize).maximum,
    };
    setrlimit(Resource::Fsize, limit).unwrap();
}

#[test]
fn commits_that_failed_once_or_more_often_lose_nothing_that_was_acknowledged() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture"])
        .arg("ledger::tests::failing::in_a_process_with_a_disk_that_fills")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}: {said}", output.status);
    assert!(said.contains("1 passed"), "{said}");
}

#[tokio::test]
#[ignore = "limits its whole process; the test before this one runs it in one of its own"]
async fn in_a_process_with_a_disk_that_fills() {
    let heard = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, heard).unwrap();
    for failures in 1..=4 {
        let books = Books::file();
        let ledger = books.open().await;
        write(&ledger, vec![create(ALPHA, "alpha"), note(1)])
            .await
            .unwrap();
        let account = Account {
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
        // One of them is refused, so each is tried by itself: nobody overtakes one that must wait.
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
        // The first one still stands there, as in a process that is killed now.
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
        let tx = inner.writer.begin().await.unwrap();
        inner.apply(&tx, &note(10)).await.unwrap();
        drop(tx);
        // Half-way through a statement.
        let tx = inner.writer.begin().await.unwrap();
        inner.apply(&tx, &note(10)).await.unwrap();
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
    let careless = inner.writer.begin_carelessly().await.unwrap();
    inner.apply(&careless, &note(11)).await.unwrap();
    careless.commit().await.unwrap();
    let nobodys = Write::Append {
        mysis: MysisId(99),
        row: row(1, Body::Note { text: "x".into() }),
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
    let tx = inner.writer.begin().await.unwrap();
    inner.apply(&tx, &note(10)).await.unwrap();
    let failed = tx
        .execute_unprepared("INSERT INTO mysis (id) VALUES (NULL)")
        .await;
    assert!(failed.is_err());
    let more = inner.apply(&tx, &note(11)).await;
    assert!(more.is_err(), "the statements behind it do not count");
    assert!(tx.commit().await.is_err(), "and it is not committed");
    write(&ledger, vec![note(10)]).await.unwrap();
    assert_eq!(stored(&books).await, (1..=10).collect::<Vec<_>>());
}

/// Everything that a reader sees.
#[derive(Debug, PartialEq)]
struct Seen {
    swarm: SwarmRecord,
    past: Vec<Recollection>,
    accounts: Vec<AccountRecord>,
    sessions: Vec<Option<SavedSession>>,
    missions: Vec<StoredMission>,
    books: Vec<actors::domain::books::Entry>,
    events: Vec<EventRecord>,
    calls: Vec<String>,
}

async fn seen(ledger: &SqlLedger) -> Seen {
    let mut past = Vec::new();
    let mut sessions = Vec::new();
    for mysis in [ALPHA, MysisId(8)] {
        past.push(ledger.recall(mysis).await.unwrap());
        sessions.push(ledger.session(mysis).await.unwrap());
    }
    let calls = Statement::from_string(
        ledger.inner.dialect.backend(),
        "SELECT seq || ' ' || status || ' ' || coalesce(sent_at, 0) FROM tool_call ORDER BY seq",
    );
    let calls = ledger.inner.readers.query_all_raw(calls).await.unwrap();
    Seen {
        swarm: ledger.swarm().await.unwrap(),
        past,
        accounts: ledger.accounts().await.unwrap(),
        sessions,
        missions: ledger.missions(None).await.unwrap(),
        books: ledger.books(Day(0)).await.unwrap(),
        events: ledger.events(100).await.unwrap(),
        calls: calls
            .iter()
            .map(|row| row.try_get_by_index(0).unwrap())
            .collect(),
    }
}

/// What a group can hold, each kind once at least, and the order counts.
fn of_every_kind() -> Vec<Write> {
    let beta = MysisId(8);
    let mission = |number| Mission {
        id: MissionId(number),
        text: format!("mission {number}").into(),
        at: Timestamp(number),
    };
    let sighting = Sighting {
        look: Look {
            tool: "get_status".into(),
            arguments: "{}".into(),
        },
        call: CallKey {
            seq: Seq(5),
            position: 0,
        },
        digest: "seen".into(),
        tick: Some(1),
        at: Timestamp(5),
        stale_by: None,
    };
    let account = Account {
        username: "Quill".into(),
        password: "secret-secret".into(),
    };
    let mut writes = vec![
        create(ALPHA, "alpha"),
        create(beta, "beta"),
        create(MysisId(9), "gamma"),
        Write::Fence {
            mysis: ALPHA,
            incarnation: Incarnation(2),
        },
        Write::Mission(mission(3)),
    ];
    writes.extend(conversation().iter().take(5).map(append));
    writes.push(Write::CallSent {
        mysis: ALPHA,
        call: sighting.call,
        at: Timestamp(7),
    });
    writes.extend(conversation().iter().skip(5).map(append));
    writes.extend([
        Write::State {
            mysis: ALPHA,
            state: State::Running,
            reason: None,
            fault: None,
            at: Timestamp(8),
        },
        Write::Called { mysis: beta },
        Write::Configure {
            mysis: beta,
            change: ProfileChange {
                provider: Some("other".into()),
                model: Some(None),
                temperature: None,
            },
        },
        Write::Totals {
            mysis: ALPHA,
            totals: Totals::default(),
        },
        Write::ClearNotes {
            mysis: ALPHA,
            upto: Seq(1),
        },
        Write::Stale {
            mysis: ALPHA,
            account: "Quill".into(),
            tools: vec!["get_status".into()],
            by: "mine".into(),
        },
        Write::Sighted {
            mysis: ALPHA,
            account: "Quill".into(),
            sighting: Box::new(sighting.clone()),
        },
        Write::Sighted {
            mysis: beta,
            account: "Quill".into(),
            sighting: Box::new(sighting),
        },
        Write::ForgetSightings {
            mysis: beta,
            account: "Quill".into(),
        },
        Write::SaveAccount {
            mysis: ALPHA,
            account: account.clone(),
            at: Timestamp(9),
        },
        Write::PoolAccount {
            account: PoolAccount {
                account: Account {
                    username: "Drake".into(),
                    ..account
                },
                owner: None,
            },
            at: Timestamp(10),
        },
        Write::KeepSession {
            mysis: ALPHA,
            session: Some(SavedSession {
                ticket: "ticket".into(),
                account: None,
            }),
        },
        Write::Watched {
            mysis: ALPHA,
            memo: "memo".into(),
        },
        // The one that is cleared is not the one that stands afterwards.
        Write::ClearMission {
            mission: MissionId(3),
            at: Timestamp(11),
        },
        Write::Mission(mission(4)),
        Write::Delete { mysis: MysisId(9) },
        Write::Event(Box::new(EventRecord {
            id: EventId(1),
            at: Timestamp(12),
            kind: EventKind::Order,
            mysis: None,
            severity: Severity::Info,
            code: "stop".into(),
            text: "said".into(),
            source: None,
        })),
    ]);
    writes
}

/// Which kind a write is; whoever adds one adds it above, too.
fn kind(write: &Write) -> usize {
    match write {
        Write::Create(_) => 0,
        Write::Configure { .. } => 1,
        Write::Delete { .. } => 2,
        Write::Fence { .. } => 3,
        Write::State { .. } => 4,
        Write::Called { .. } => 5,
        Write::Append { .. } => 6,
        Write::CallSent { .. } => 7,
        Write::Totals { .. } => 8,
        Write::ClearNotes { .. } => 9,
        Write::Sighted { .. } => 10,
        Write::Stale { .. } => 11,
        Write::ForgetSightings { .. } => 12,
        Write::Mission(_) => 13,
        Write::ClearMission { .. } => 14,
        Write::SaveAccount { .. } => 15,
        Write::KeepSession { .. } => 16,
        Write::Watched { .. } => 17,
        Write::PoolAccount { .. } => 18,
        Write::Event(_) => 19,
    }
}

async fn whatever_is_repeated_after_a_lost_answer_changes_nothing(books: Books) {
    let writes = of_every_kind();
    let kinds: std::collections::BTreeSet<usize> = writes.iter().map(kind).collect();
    assert_eq!(kinds.len(), 20, "each kind");
    let ledger = books.open().await;
    // As the Store gives them: many batches, one commit.
    let group = |writes: &[Write]| -> Vec<Batch> {
        let each = writes.iter().map(|write| batch(vec![write.clone()]));
        each.collect()
    };
    for upto in 1..=writes.len() {
        let all_well = vec![Ok(()); upto];
        assert_eq!(ledger.commit(group(&writes[..upto])).await, all_well);
        let before = seen(&ledger).await;
        assert_eq!(
            ledger.commit(group(&writes[..upto])).await,
            all_well,
            "repeated, {:?} is refused",
            writes[upto - 1]
        );
        assert_eq!(
            seen(&ledger).await,
            before,
            "repeated up to {:?}",
            writes[upto - 1]
        );
    }
    let claim = || ledger.claim_account(MysisId(8), Timestamp(20));
    let claimed = claim().await.unwrap();
    assert!(claimed.is_some());
    let before = seen(&ledger).await;
    assert_eq!(claim().await, Ok(claimed));
    assert_eq!(seen(&ledger).await, before);
}

/// How many files of a database this process has open.
fn open_files(path: &Path) -> usize {
    let entries = std::fs::read_dir("/proc/self/fd").unwrap();
    let targets = entries.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    targets.filter(|target| target == path).count()
}

#[tokio::test]
async fn a_writer_that_is_replaced_writes_to_the_same_file_or_to_none() {
    let books = Books::file();
    let Books::File(directory) = &books else {
        return;
    };
    let path = directory.path().join("zoea.db");
    let (ledger, _) = filled(&books).await;
    write(&ledger, vec![note(10)]).await.unwrap();
    assert!(open_files(&path) > 0);
    let other = directory.path().join("other.db");
    let another = SqlLedger::open(&other).await.unwrap();
    another.close().await;
    let broken = ledger.inner.writer.begin().await.unwrap();
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
