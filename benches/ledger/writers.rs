//! Several processes that write to one Postgres: commits a second, and how long one takes.
//!
//! Each writer is a ledger of its own with a thousand Myses, and commits what their turns write, a
//! group at a time. Beside it, the server's own limit: as many connections that insert a row each.

use std::time::{Duration, Instant};

use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::record::{MysisProfile, NewMysis};
use actors::domain::write::{Batch, Write};
use actors::ports::Ledger;
use sea_orm::sqlx::{Connection, Executor, PgConnection};
use zoea_ledger::{HomeClaim, ProcessKind, ServerAddress, SqlLedger};

use super::{RESULT, batch, turn_of};

/// The numbers of writers, each a process in a fleet.
const WRITERS: [usize; 4] = [1, 2, 4, 10];
const MYSES: i64 = 1000;
/// The Myses that write in one commit.
const GROUPS: [usize; 2] = [1, 16];
/// How long each figure is measured.
const TIME: Duration = Duration::from_secs(5);

/// One process of a fleet.
struct Writer {
    ledger: SqlLedger,
    first: i64,
    /// The Mysis that is next, the turn of all, and the commit of that turn.
    next: (i64, i64, usize),
}

impl Writer {
    async fn open(url: &str, number: usize) -> Writer {
        let address = ServerAddress::parse(url).expect("an address");
        let home = HomeClaim::new(&format!("writer {number}"), &[]);
        let ledger = SqlLedger::open_server(&address, home, ProcessKind::Resident).await;
        let writer = Writer {
            ledger: ledger.expect("a ledger"),
            first: i64::try_from(number).expect("few") * MYSES,
            next: (0, 1, 0),
        };
        let create = |id: i64| {
            Write::Create(Box::new(NewMysis {
                id: MysisId(writer.first + id),
                profile: MysisProfile::of(&format!("m{number}-{id}"), "mock"),
                at: Timestamp(0),
            }))
        };
        let created = (1..=MYSES).map(create).collect();
        let answers = writer.ledger.commit(vec![batch(created)]).await;
        assert!(answers.iter().all(Result::is_ok), "{answers:?}");
        writer
    }

    /// What some Myses write at the same time: each of the four commits of a turn in its order.
    fn group(&mut self, size: usize) -> Vec<Batch> {
        let (mysis, turn, commit) = self.next;
        let size = i64::try_from(size).expect("few");
        let batches = (mysis..mysis + size).map(|place| {
            let mysis = self.first + place % MYSES + 1;
            let mut batches = turn_of(mysis, turn, "x".repeat(RESULT));
            std::mem::replace(&mut batches[commit], batch(Vec::new()))
        });
        let batches = batches.collect();
        self.next = match (commit, mysis + size) {
            (0..3, _) => (mysis, turn, commit + 1),
            (_, next) if next + size > MYSES => (0, turn + 1, 0),
            (_, next) => (next, turn, 0),
        };
        batches
    }

    /// Commits groups until the time is over. Returns how long each commit took.
    async fn write(&mut self, size: usize) -> Vec<Duration> {
        let mut taken = Vec::new();
        let until = Instant::now() + TIME;
        while Instant::now() < until {
            let batches = self.group(size);
            let begun = Instant::now();
            let answers = self.ledger.commit(batches).await;
            assert!(answers.iter().all(Result::is_ok), "{answers:?}");
            taken.push(begun.elapsed());
            if let Some(step) = self.ledger.maintenance() {
                step.await;
            }
        }
        taken
    }
}

/// Measures all numbers of writers, each figure on a new database: rows that an earlier one left for
/// the search index would be work for the next.
pub(super) async fn measure() {
    for count in WRITERS {
        for size in GROUPS {
            let name = format!("{count} writers, groups of {size}");
            print_times(&name, size, measure_writers(count, size).await);
        }
        let url = new_database();
        let mut beside = PgConnection::connect(&url).await.expect("a connection");
        let table = beside.execute("CREATE TABLE floor (content TEXT NOT NULL)");
        table.await.expect("a table");
        let work = (0..count).map(|_| tokio::spawn(insert_rows(url.clone())));
        let name = format!("{count} connections that insert a row of {RESULT} bytes");
        print_times(&name, 1, gathered(work.collect()).await);
    }
}

/// A new database, on a server that has nothing left to do for earlier ones.
fn new_database() -> String {
    let url = zoea_rig::postgres::durable_database().expect("a server");
    zoea_rig::postgres::execute(&url, "CHECKPOINT");
    url
}

async fn measure_writers(count: usize, size: usize) -> Vec<Duration> {
    let url = new_database();
    let mut writers = Vec::new();
    for number in 0..count {
        writers.push(Writer::open(&url, number).await);
    }
    let work = writers.into_iter().map(|mut writer| {
        tokio::spawn(async move {
            let taken = writer.write(size).await;
            writer.ledger.close().await;
            taken
        })
    });
    gathered(work.collect()).await
}

async fn gathered(work: Vec<tokio::task::JoinHandle<Vec<Duration>>>) -> Vec<Duration> {
    let mut all = Vec::new();
    for task in work {
        all.extend(task.await.expect("it writes"));
    }
    all
}

/// The least that a commit can cost: one statement.
async fn insert_rows(url: String) -> Vec<Duration> {
    let mut connection = PgConnection::connect(&url).await.expect("a connection");
    let mut taken = Vec::new();
    let until = Instant::now() + TIME;
    while Instant::now() < until {
        let begun = Instant::now();
        let insert = sea_orm::sqlx::query("INSERT INTO floor VALUES ($1)").bind("x".repeat(RESULT));
        insert.execute(&mut connection).await.expect("it inserts");
        taken.push(begun.elapsed());
    }
    taken
}

#[expect(clippy::print_stdout, reason = "a bench's figures are its output")]
fn print_times(name: &str, size: usize, mut taken: Vec<Duration>) {
    taken.sort();
    let a_second = taken.len() as f64 / TIME.as_secs_f64();
    let at = |part: usize| taken[(taken.len() - 1) * part / 100];
    println!(
        "{name}: {a_second:.0} commits a second, {:.0} of Myses; {:.1?} (p50), {:.1?} (p99)",
        a_second * size as f64,
        at(50),
        at(99),
    );
}
