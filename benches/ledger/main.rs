//! The cost of the ledger: bytes and time of appends, searches and removal.
//!
//! `cargo bench --bench ledger` takes some minutes, as it fills a database with a million rows; `--
//! 100000` fills it with that many. It prints the bytes written and the growth in bytes for a turn
//! of the yardstick's shape (two model calls and one result of 2 KB), with a result of one repeated
//! letter and with one like the game's. Then it prints the time of an append, of searches among all
//! rows, and of a step of removal. `-- 100000 postgres://user@host/new_database` measures appends
//! and searches on a server. `-- writers` measures several processes that write to one Postgres,
//! which it starts.

#![expect(clippy::print_stdout, reason = "a bench's figures are its output")]

mod removal;
mod writers;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use actors::domain::ids::{CallKey, MysisId, Seq, Timestamp, TurnNumber};
use actors::domain::message::{
    CallRecord, CallStatus, ReplyMeta, ResultMeta, Row, RowBody, Utterance,
};
use actors::domain::model::TokenUsage;
use actors::domain::record::{MysisProfile, NewMysis};
use actors::domain::write::{Author, Batch, Write};
use actors::ports::{Archive, Ledger, SearchIn, SearchQuery};
use zoea_ledger::{HomeClaim, ProcessKind, ServerAddress, SqlLedger};

const MYSES: i64 = 16;
/// The number of measured turns.
const TURNS: i64 = 2000;
/// A result of 2 KB, the size of most results of a game.
const RESULT: usize = 2048;

fn main() {
    let rows = std::env::args()
        .filter_map(|text| text.parse().ok())
        .next()
        .unwrap_or(1_000_000);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let server = std::env::args().find(|text| text.starts_with("postgres"));
    runtime.block_on(async {
        if std::env::args().any(|text| text == "writers") {
            return writers::measure().await;
        }
        if let Some(url) = server {
            let address = ServerAddress::parse(&url).expect("an address");
            let home = HomeClaim::new("bench", &[]);
            let ledger = SqlLedger::open_server(&address, home, ProcessKind::Resident).await;
            let ledger = ledger.expect("a ledger");
            create(&ledger).await;
            measure_appends(&ledger).await;
            measure_search(&ledger, rows).await;
            return ledger.close().await;
        }
        for (name, result) in [
            ("one letter", (|_| "x".repeat(RESULT)) as fn(i64) -> String),
            ("as the game's", game_like),
        ] {
            measure_turns(name, result).await;
        }
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("zoea.db");
        let ledger = open(&path).await;
        measure_appends(&ledger).await;
        measure_search(&ledger, rows).await;
        println!("{} MB", file_size(&path) >> 20);
        removal::measure(&ledger).await;
        ledger.close().await;
    });
}

/// A result like the game's, with ids and numbers that no other result has.
fn game_like(number: i64) -> String {
    let mut dice = fastrand::Rng::with_seed(number.unsigned_abs());
    let mut text = String::from("{\"items\":[");
    while text.len() < RESULT {
        let item = ["ore_iron", "ore_copper", "fuel_cell", "circuit_board"][dice.usize(..4)];
        text.push_str(&format!(
            "{{\"id\":\"{:016x}\",\"item\":\"{item}\",\"quantity\":{},\"price_each\":{},\"seller\":\"{}\"}},",
            dice.u64(..),
            dice.u32(..500),
            dice.u32(..9000),
            ["QuillArdent", "BrassTide", "CoralHand", "DeepRunner"][dice.usize(..4)],
        ));
    }
    text.truncate(RESULT);
    text
}

fn batch(writes: Vec<Write>) -> Batch {
    Batch {
        author: Author::Commander,
        writes,
    }
}

fn append(mysis: i64, seq: i64, turn: i64, body: RowBody) -> Write {
    Write::Append {
        mysis: MysisId(mysis),
        row: Arc::new(Row {
            seq: Seq(seq),
            at: Timestamp(1_790_000_000_000 + turn),
            turn: TurnNumber(turn),
            body,
        }),
    }
}

fn said(text: &str, seen_up_to: i64) -> Utterance {
    Utterance {
        text: text.into(),
        reasoning: None,
        seen_up_to: Seq(seen_up_to),
        meta: ReplyMeta {
            usage: Some(TokenUsage {
                input: 500,
                output: 20,
                cached: 0,
            }),
            ms: Some(200),
            model: "mock".into(),
            provider: "mock".into(),
            finish_reason: Some("stop".into()),
            cost_micros: None,
            ..ReplyMeta::default()
        }
        .into(),
    }
}

/// The four commits of a turn: the call, its sending, its result, the reply.
fn turn_of(mysis: i64, turn: i64, result: String) -> [Batch; 4] {
    let first = (turn - 1) * 3 + 1;
    let call = CallKey {
        seq: Seq(first),
        position: 0,
    };
    let bytes = result.len() as u64;
    [
        vec![append(
            mysis,
            first,
            turn,
            RowBody::Call {
                utterance: said("", first - 1),
                calls: vec![CallRecord {
                    id: "call_1".into(),
                    name: "look".into(),
                    arguments: r#"{"where":"here"}"#.into(),
                    status: CallStatus::Recorded,
                    read_only: false,
                    routine: None,
                }],
            },
        )],
        vec![Write::CallSent {
            mysis: MysisId(mysis),
            call,
            at: Timestamp(1_790_000_000_000 + turn),
        }],
        vec![append(
            mysis,
            first + 1,
            turn,
            RowBody::Result {
                call,
                text: result.into(),
                meta: ResultMeta {
                    call_id: "call_1".into(),
                    tool: "look".into(),
                    status: CallStatus::Done,
                    ms: Some(3),
                    tick: None,
                    bytes,
                    game: actors::domain::game::GameRef::SpaceMolt,
                    kept: None,
                },
            },
        )],
        vec![
            append(
                mysis,
                first + 2,
                turn,
                RowBody::Reply(said("I looked around and all is well.", first + 1)),
            ),
            Write::Totals {
                mysis: MysisId(mysis),
                totals: actors::domain::state::Totals {
                    turns: turn.unsigned_abs(),
                    ..Default::default()
                },
            },
        ],
    ]
    .map(batch)
}

async fn open(path: &Path) -> SqlLedger {
    let ledger = SqlLedger::open(path).await.expect("a ledger");
    create(&ledger).await;
    ledger
}

async fn create(ledger: &SqlLedger) {
    let writes = (1..=MYSES)
        .map(|id| {
            Write::Create(Box::new(NewMysis {
                id: MysisId(id_of(id)),
                profile: MysisProfile::of(&format!("m{id}"), "mock"),
                at: Timestamp(0),
            }))
        })
        .collect();
    commit(ledger, vec![batch(writes)]).await;
}

/// Measures the time until a row is durable, alone and in a group of others.
async fn measure_appends(ledger: &SqlLedger) {
    let mut seq = 100_000_000;
    for group in [1, 32] {
        let mut taken = Vec::new();
        for _ in 0..300 {
            let batches: Vec<Batch> = (0..group)
                .map(|place| {
                    let text = "x".repeat(200).into();
                    let mysis = id_of(place % MYSES + 1);
                    batch(vec![append(mysis, seq + place, 1, RowBody::Audit { text })])
                })
                .collect();
            seq += group;
            let started = Instant::now();
            let answers = ledger.commit(batches).await;
            taken.push(started.elapsed());
            assert!(answers.iter().all(Result::is_ok));
        }
        taken.sort();
        println!(
            "an append in a group of {group}: {:.2?} (p50), {:.2?} (p99)",
            taken[150], taken[297]
        );
    }
}

fn id_of(number: i64) -> i64 {
    number * (0x0123_4567_89ab_cdef / 17)
}

async fn commit(ledger: &SqlLedger, batches: Vec<Batch>) {
    let answers = ledger.commit(batches).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    while let Some(step) = ledger.maintenance() {
        step.await;
    }
}

async fn measure_turns(name: &str, result: fn(i64) -> String) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("zoea.db");
    let ledger = open(&path).await;
    let (written, size, started) = (written_bytes(), file_size(&path), Instant::now());
    // Two Myses in each commit, the usual number for sixteen at play.
    for turn in 1..=TURNS / MYSES {
        for pair in 0..MYSES / 2 {
            let [one, other] = [pair * 2 + 1, pair * 2 + 2]
                .map(|number| turn_of(id_of(number), turn, result(turn * MYSES + number)));
            for (one, other) in one.into_iter().zip(other) {
                commit(&ledger, vec![one, other]).await;
            }
        }
    }
    let taken = started.elapsed();
    ledger.close().await;
    let turns = (TURNS / MYSES * MYSES).unsigned_abs();
    println!(
        "a turn with a result {name}: {} bytes written, {} bytes of growth, {} µs",
        (written_bytes() - written) / turns,
        (file_size(&path) - size) / turns,
        taken.as_micros() / u128::from(turns),
    );
}

async fn measure_search(ledger: &SqlLedger, rows: i64) {
    let started = Instant::now();
    let turns = rows / 3 / MYSES;
    for turn in 1..=turns {
        let batches = (1..=MYSES).flat_map(|number| {
            let mut result = game_like(turn * MYSES + number);
            result.truncate(RESULT / 4);
            if turn == turns / 2 && number == 7 {
                result.push_str("a needle: Zweiundvierzig, 100% \"quoted\"");
            }
            turn_of(id_of(number), turn, result)
        });
        let answers = ledger.commit(batches.collect()).await;
        assert!(answers.iter().all(Result::is_ok));
        if let Some(step) = ledger.maintenance() {
            step.await;
        }
    }
    while let Some(step) = ledger.maintenance() {
        step.await;
    }
    println!(
        "{} rows of 512 bytes a result, filled and indexed in {:.0?}",
        turns * MYSES * 3,
        started.elapsed()
    );
    let absent = format!("{:016x}", 0x7777_1234_dead_beef_u64);
    for (what, text, mysis, case_sensitive) in [
        (
            "one row in the middle",
            "Zweiundvierzig, 100% \"",
            None,
            true,
        ),
        (
            "the same, own rows",
            "Zweiundvierzig, 100% \"",
            Some(7),
            true,
        ),
        ("the same, any case", "zweiundVIERZIG", None, false),
        ("an id that is nowhere", absent.as_str(), None, true),
        ("a word of every row", "ore_iron", None, true),
        ("a word of every row, own", "ore_iron", Some(3), true),
        ("common letters, nowhere", "iron_ore_iron", None, true),
        ("capitals of a common word", "ALL IS WELL", Some(3), true),
        ("two letters, common", "or", None, true),
        ("two letters, once", "Zw", None, true),
        ("two letters, nowhere", "ß!", None, true),
        ("one letter, nowhere", "ß", None, true),
    ] {
        let search = SearchQuery {
            text: text.to_string(),
            mysis: mysis.map(|number| MysisId(id_of(number))),
            within: SearchIn::Messages,
            case_sensitive,
            sendable_only: false,
            until: None,
            limit: 20,
        };
        let started = Instant::now();
        let found = ledger.search(search.clone()).await.expect("a search");
        let first = started.elapsed();
        let started = Instant::now();
        ledger.search(search).await.expect("a search");
        println!(
            "{what}: {} rows in {first:.1?}, again {:.1?}",
            found.rows.len(),
            started.elapsed()
        );
    }
}

fn file_size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

/// The bytes that this process sent to the disk.
fn written_bytes() -> u64 {
    let io = std::fs::read_to_string("/proc/self/io").expect("the kernel's figures");
    io.lines()
        .find_map(|line| line.strip_prefix("write_bytes: "))
        .and_then(|number| number.parse().ok())
        .expect("a figure")
}
