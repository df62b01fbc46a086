//! The ledger against a real SQLite file, and against a real Postgres server.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use actors::domain::books::Day;
use actors::domain::event_record::{EventId, EventRecord, EventRecordKind};
use actors::domain::fault::{MysisFault, MysisFaultKind};
use actors::domain::game_state::SnapshotResult;
use actors::domain::ids::{CallKey, Incarnation, MissionId, MysisId, Seq, Timestamp, TurnNumber};
use actors::domain::message::{
    CallRecord, CallStatus, HostMeta, ReplyMeta, ResultMeta, Row, RowBody, RowKind, Severity,
    Utterance,
};
use actors::domain::model::{Charge, Echo, TokenUsage};
use actors::domain::record::{GameAccount, Mission, MysisProfile, NewMysis};
use actors::domain::snapshot_query::SnapshotQuery;
use actors::domain::state::{LifeState, Totals};
use actors::domain::write::{Author, Batch, Write};
use actors::ports::{
    Archive, Ledger, LedgerFault, PageFrom, PageQuery, ResultPiece, ResultQuery, SearchIn,
    SearchQuery,
};
use sea_orm::ConnectionTrait;

use super::{HomeClaim, OpenError, ProcessKind, ServerAddress, SqlLedger};

mod fleet;
mod leases;
mod limits;
mod same;
mod server;

const ALPHA: MysisId = MysisId(7);

/// Processes of the tests' home. Each is gone when the next one opens its database.
static EARLIER: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// A process of which no earlier one is known to be gone.
impl From<&str> for HomeClaim {
    fn from(home: &str) -> HomeClaim {
        HomeClaim::new(home, &[])
    }
}

enum Books {
    File(tempfile::TempDir),
    Server(Box<ServerAddress>),
}

impl Books {
    fn file() -> Books {
        Books::File(tempfile::tempdir().unwrap())
    }

    /// `None` if no server is available.
    fn server() -> Option<Books> {
        let url = zoea_rig::postgres::database()?;
        Some(Books::Server(Box::new(ServerAddress::parse(&url).unwrap())))
    }

    /// The directory of a file.
    fn directory(&self) -> &tempfile::TempDir {
        match self {
            Books::File(directory) => directory,
            Books::Server(_) => panic!("it is on a server"),
        }
    }

    fn address(&self) -> &ServerAddress {
        match self {
            Books::File(_) => panic!("it is a file"),
            Books::Server(address) => address,
        }
    }

    async fn try_open(&self) -> Result<SqlLedger, OpenError> {
        match self {
            Books::File(directory) => SqlLedger::open(&directory.path().join("zoea.db")).await,
            Books::Server(address) => {
                let home = {
                    let mut earlier = EARLIER.lock();
                    let home = HomeClaim::new("home", &earlier);
                    earlier.push(home.owner().to_string());
                    home
                };
                SqlLedger::open_server(address, home, ProcessKind::Resident).await
            }
        }
    }

    async fn open(&self) -> SqlLedger {
        self.try_open().await.unwrap()
    }
}

/// Runs tests on both databases.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod in_a_file {
            $(#[tokio::test]
            async fn $name() {
                super::$name(super::Books::file()).await;
            })*
        }

        mod on_a_server {
            $(#[tokio::test]
            async fn $name() {
                if let Some(books) = super::Books::server() {
                    super::$name(books).await;
                }
            })*
        }
    };
}

mod beside;
mod checking;
mod compacting;
mod copying;
mod deleting;
mod events;
mod failing;
mod figures;
mod finding;
mod golden;
mod logs;
mod mapping;
mod periods;
mod recalling;
mod repeating;
mod retention;
mod rounds;
mod samples;
mod saved_calls;
mod tasks;

fn batch(writes: Vec<Write>) -> Batch {
    Batch {
        author: Author::Commander,
        writes,
    }
}

async fn write(ledger: &SqlLedger, writes: Vec<Write>) -> Result<(), LedgerFault> {
    ledger.commit(vec![batch(writes)]).await.remove(0)
}

/// Executes a statement past the ledger.
async fn say(ledger: &SqlLedger, sql: &str) {
    ledger.inner.writer.execute_unprepared(sql).await.unwrap();
}

fn create(id: MysisId, name: &str) -> Write {
    Write::Create(Box::new(NewMysis {
        id,
        profile: MysisProfile {
            temperature: Some(0.5),
            ..MysisProfile::of(name, "local")
        },
        at: Timestamp(id.0),
    }))
}

fn row(seq: i64, body: RowBody) -> Arc<Row> {
    Arc::new(Row {
        seq: Seq(seq),
        at: Timestamp(1000 + seq),
        turn: TurnNumber(1),
        body,
    })
}

fn append(row: &Arc<Row>) -> Write {
    Write::Append {
        mysis: ALPHA,
        row: row.clone(),
    }
}

fn said(text: &str, seen_up_to: i64) -> Utterance {
    Utterance {
        text: text.into(),
        reasoning: Some("be\"cause".into()),
        seen_up_to: Seq(seen_up_to),
        meta: ReplyMeta {
            usage: Some(TokenUsage {
                input: 10,
                output: 2,
                cached: 4,
            }),
            ms: Some(12),
            model: "m".into(),
            provider: "local".into(),
            finish_reason: Some("stop".into()),
            cost_micros: None,
            echo: Some(Arc::new(Echo {
                provider: "local".into(),
                model: "asked".into(),
                message: r#"{"reasoning_details":[{"data":"A="}]}"#.into(),
                reasoning: r#"{"reasoning":"be\"cause"}"#.into(),
                calls: vec!["".into(), r#"{"extra_content":{}}"#.into()],
            })),
            is_from_text: seen_up_to > 4,
        }
        .into(),
    }
}

/// A call that is recorded.
fn mining(id: &str) -> CallRecord {
    CallRecord {
        id: id.into(),
        name: "mine".into(),
        arguments: "{}".into(),
        status: CallStatus::Recorded,
        read_only: false,
        routine: None,
    }
}

/// What is told of the result of such a call.
fn mined(id: &str, text: &str) -> ResultMeta {
    ResultMeta {
        call_id: id.into(),
        tool: "mine".into(),
        status: CallStatus::Done,
        ms: Some(1),
        tick: None,
        bytes: text.len() as u64,
        game: actors::domain::game::GameRef::SpaceMolt,
        kept: None,
    }
}

/// A notice of this id, at this time.
fn notice(id: i64) -> EventRecord {
    EventRecord {
        id: EventId(id),
        at: Timestamp(id),
        kind: EventRecordKind::Notice,
        mysis: None,
        severity: Severity::Info,
        code: "code".into(),
        text: "text".into(),
        source: None,
        row: None,
        answered: None,
    }
}

fn mission() -> Mission {
    Mission {
        id: MissionId(3),
        text: "mine 100% of_it".into(),
        at: Timestamp(5),
    }
}

/// A conversation with every kind of row, a call and its result.
fn conversation() -> Vec<Arc<Row>> {
    let call = CallRecord {
        arguments: r#"{"x":"|:"}"#.into(),
        ..mining("a:b|c")
    };
    let key = CallKey {
        seq: Seq(5),
        position: 0,
    };
    vec![
        row(
            1,
            RowBody::Note {
                text: "note".into(),
            },
        ),
        row(
            2,
            RowBody::Mission {
                id: MissionId(3),
                text: "mine 100% of_it".into(),
            },
        ),
        row(
            3,
            RowBody::Prompt {
                text: "Hello".into(),
            },
        ),
        row(
            4,
            RowBody::Peer {
                sender: "beta".into(),
                text: "hi".into(),
            },
        ),
        row(
            5,
            RowBody::Call {
                utterance: said("", 4),
                calls: vec![call],
            },
        ),
        row(
            6,
            RowBody::Result {
                call: key,
                text: "ore".into(),
                meta: ResultMeta {
                    ms: Some(3),
                    tick: Some(9),
                    ..mined("a:b|c", "ore")
                },
            },
        ),
        row(
            7,
            RowBody::Host {
                text: "retry".into(),
                meta: HostMeta {
                    severity: Severity::Warn,
                    code: "retry".into(),
                    attempt: Some(2),
                    bill: None,
                },
            },
        ),
        row(8, RowBody::Audit { text: "x".into() }),
        row(9, RowBody::Reply(said("done", 8))),
    ]
}

async fn filled(books: &Books) -> (SqlLedger, Vec<Arc<Row>>) {
    let ledger = books.open().await;
    let rows = conversation();
    let mut writes = vec![create(ALPHA, "alpha"), Write::Mission(mission())];
    writes.extend(rows.iter().map(append));
    write(&ledger, writes).await.unwrap();
    (ledger, rows)
}

/// All rows of alpha, oldest first.
async fn all_rows(ledger: &SqlLedger) -> Vec<Arc<Row>> {
    let page = PageQuery {
        mysis: ALPHA,
        from: PageFrom::Newest,
        limit: 10_000,
        kinds: vec![],
    };
    ledger.page(page).await.unwrap()
}

/// The rows as they are read back: the call has the status of its result.
fn answered(mut rows: Vec<Arc<Row>>) -> Vec<Arc<Row>> {
    for row in &mut rows {
        if let RowBody::Call { calls, .. } = &mut Arc::make_mut(row).body {
            calls[0].status = CallStatus::Done;
        }
    }
    rows
}

on_both!(
    the_books_agree_with_the_rows_also_when_a_write_is_repeated_or_its_mysis_is_gone,
    every_kind_of_row_reads_back_as_it_was_written,
    a_repeated_write_changes_nothing_and_a_contradiction_is_refused,
    one_refused_batch_does_not_take_the_group_down,
    an_older_incarnation_is_shut_out_also_after_the_database_was_opened_again,
    an_account_is_claimed_oldest_first_and_returns_when_its_mysis_is_deleted,
    a_corrupt_row_and_an_unknown_kind_are_shown_as_unknown,
    a_newer_database_is_refused,
);

async fn every_kind_of_row_reads_back_as_it_was_written(books: Books) {
    let (ledger, rows) = filled(&books).await;
    assert_eq!(all_rows(&ledger).await, answered(rows.clone()));
    let recalled = ledger.load_history(ALPHA).await.unwrap();
    assert_eq!(recalled.rows, answered(rows));
    assert_eq!(recalled.last, Seq(9));
    assert_eq!(recalled.notes.len(), 1);
}

async fn a_repeated_write_changes_nothing_and_a_contradiction_is_refused(books: Books) {
    let (ledger, rows) = filled(&books).await;
    let again: Vec<Write> = rows.iter().map(append).collect();
    write(&ledger, again).await.unwrap();
    let other = row(
        9,
        RowBody::Prompt {
            text: "other".into(),
        },
    );
    let refused = write(&ledger, vec![append(&other)]).await;
    assert!(
        matches!(refused, Err(LedgerFault::Refused(_))),
        "{refused:?}"
    );
    assert_eq!(all_rows(&ledger).await, answered(rows));
}

async fn one_refused_batch_does_not_take_the_group_down(books: Books) {
    let (ledger, _) = filled(&books).await;
    let good = row(
        10,
        RowBody::Prompt {
            text: "good".into(),
        },
    );
    let results = ledger
        .commit(vec![
            batch(vec![create(MysisId(8), "alpha")]),
            batch(vec![append(&good)]),
        ])
        .await;
    assert_eq!(results[0], Err(LedgerFault::NameTaken));
    assert_eq!(results[1], Ok(()));
    assert_eq!(ledger.load_history(ALPHA).await.unwrap().last, Seq(10));
}

async fn an_older_incarnation_is_shut_out_also_after_the_database_was_opened_again(books: Books) {
    let (ledger, _) = filled(&books).await;
    let by = |incarnation, writes| Batch {
        author: Author::Mysis(ALPHA, Incarnation(incarnation)),
        writes,
    };
    let fence = Write::Fence {
        mysis: ALPHA,
        incarnation: Incarnation(5),
    };
    assert_eq!(ledger.commit(vec![by(5, vec![fence])]).await, [Ok(())]);
    let late = by(
        4,
        vec![append(&row(10, RowBody::Audit { text: "x".into() }))],
    );
    let fenced = [Err(LedgerFault::Fenced)];
    assert_eq!(ledger.commit(vec![late.clone()]).await, fenced);
    ledger.close().await;
    let again = books.open().await;
    assert_eq!(again.commit(vec![late]).await, fenced);
}

async fn an_account_is_claimed_oldest_first_and_returns_when_its_mysis_is_deleted(books: Books) {
    let (ledger, _) = filled(&books).await;
    let account = GameAccount {
        username: "Quill".into(),
        password: "secret-secret".into(),
    };
    let save = Write::SaveAccount {
        mysis: ALPHA,
        account: account.clone(),
        at: Timestamp(1),
    };
    write(&ledger, vec![save, create(MysisId(8), "beta")])
        .await
        .unwrap();
    let beta = MysisId(8);
    assert_eq!(ledger.claim_account(beta, Timestamp(2)).await, Ok(None));
    assert_eq!(
        ledger.claim_account(ALPHA, Timestamp(2)).await,
        Ok(Some(account.clone()))
    );
    write(&ledger, vec![Write::Delete { mysis: ALPHA }])
        .await
        .unwrap();
    assert_eq!(
        ledger.claim_account(beta, Timestamp(3)).await,
        Ok(Some(account.clone()))
    );
    assert_eq!(ledger.account(beta).await.unwrap(), Some(account));
    assert_eq!(ledger.swarm().await.unwrap().myses.len(), 1);
    assert_eq!(ledger.load_history(ALPHA).await.unwrap().rows, []);
}

async fn a_corrupt_row_and_an_unknown_kind_are_shown_as_unknown(books: Books) {
    let (ledger, _) = filled(&books).await;
    for sql in [
        "UPDATE message SET kind = 'hologram' WHERE seq = 3",
        "UPDATE message SET metadata = '{' WHERE seq = 6",
    ] {
        say(&ledger, sql).await;
    }
    let rows = ledger.load_history(ALPHA).await.unwrap().rows;
    assert_eq!(rows[2].kind_word(), "hologram");
    assert!(!rows[2].is_sendable());
    assert!(!rows[5].is_sendable());
}

async fn a_newer_database_is_refused(books: Books) {
    let ledger = books.open().await;
    let newer = "INSERT INTO seaql_migrations VALUES ('m2999_000001_future', 1)";
    say(&ledger, newer).await;
    ledger.close().await;
    let refused = books.try_open().await.err().unwrap();
    assert!(matches!(refused, OpenError::Newer { .. }), "{refused}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let other = directory.path().join("other.db");
    std::fs::write(
        &other,
        "no database at all, but long enough to be read as one",
    )
    .unwrap();
    let refused = SqlLedger::open(&other).await.err().unwrap();
    assert!(refused.to_string().contains("not a database"), "{refused}");
}

/// Appends rows of texts in one batch.
async fn append_texts(ledger: &SqlLedger, first: i64, texts: impl Iterator<Item = String>) {
    let writes = (first..)
        .zip(texts)
        .map(|(seq, text)| append(&row(seq, RowBody::Prompt { text: text.into() })))
        .collect();
    write(ledger, writes).await.unwrap();
}

/// Runs every maintenance step that is due. Returns how many were steps of the index.
async fn keep_up(ledger: &SqlLedger) -> usize {
    let waiting = || ledger.inner.waiting.load(Ordering::Relaxed);
    let mut steps = 0;
    while let Some(step) = ledger.maintenance() {
        let before = waiting();
        step.await;
        steps += usize::from(waiting() < before);
    }
    steps
}

fn looking_for(text: &str) -> SearchQuery {
    SearchQuery {
        text: text.to_string(),
        mysis: None,
        within: SearchIn::Messages,
        case_sensitive: true,
        sendable_only: false,
        until: None,
        limit: 10,
    }
}

async fn places(ledger: &SqlLedger, search: SearchQuery) -> Vec<i64> {
    let found = ledger.search(search).await.unwrap();
    found.rows.iter().map(|(_, row)| row.seq.0).collect()
}

async fn the_books_agree_with_the_rows_also_when_a_write_is_repeated_or_its_mysis_is_gone(
    books: Books,
) {
    let (ledger, _) = filled(&books).await;
    let books = |ledger: SqlLedger| async move { ledger.books(Day(0)).await.unwrap() };
    let before = books(ledger.clone()).await;
    let billed: Vec<_> = conversation()
        .iter()
        .filter_map(|row| row.charge())
        .collect();
    assert!(!billed.is_empty());
    assert_eq!(before.len(), 1, "one day, one mysis, one provider");
    assert_eq!(before[0].spent.calls, billed.len() as u64);
    assert_eq!(before[0].spent.input, 10 * billed.len() as u64);
    assert_eq!(before[0].spent.cached, 4 * billed.len() as u64);
    let again = conversation().iter().map(append).collect();
    write(&ledger, again).await.unwrap();
    assert_eq!(books(ledger.clone()).await, before, "repeated");

    let late = Row {
        at: Timestamp(3 * 86_400_000),
        ..Row::clone(&row(
            100,
            RowBody::Host {
                text: "late".into(),
                meta: HostMeta {
                    severity: Severity::Info,
                    code: "late_answer".into(),
                    attempt: None,
                    bill: Some(Charge {
                        provider: "other".into(),
                        usage: TokenUsage {
                            input: 7,
                            output: 1,
                            cached: 0,
                        },
                        cost_micros: Some(9),
                    }),
                },
            },
        ))
    };
    let late = Arc::new(late);
    write(&ledger, vec![append(&late)]).await.unwrap();
    let of_today = ledger.swarm().await.unwrap().books;
    assert_eq!(of_today.len(), 1, "the newest day alone");
    assert_eq!((of_today[0].day, &*of_today[0].provider), (Day(3), "other"));
    assert_eq!(of_today[0].spent.cost_micros, 9);
    let all = books(ledger.clone()).await;
    write(&ledger, vec![Write::Delete { mysis: ALPHA }])
        .await
        .unwrap();
    assert_eq!(books(ledger).await, all, "what is spent is spent");
}
