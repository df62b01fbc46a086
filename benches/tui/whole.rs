//! The whole program under a real terminal.

#![expect(clippy::print_stdout, reason = "a bench's figures are its output")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actors::domain::ids::{MysisId, Seq, Timestamp, TurnNumber};
use actors::domain::message::{Row, RowBody, Utterance};
use actors::domain::record::{MysisProfile, NewMysis};
use actors::domain::write::{Author, Batch, Write};
use actors::ports::Ledger;
use tempfile::TempDir;
use zoea_ledger::SqlLedger;

use zoea_rig::terminal_program::Program;
use zoea_scenes::pretender;

/// The time that each of these is measured: many events, an idle swarm, a terminal that does not
/// read.
const STORM: Duration = Duration::from_secs(60);
const REST: Duration = Duration::from_secs(20);
const DEAF: Duration = Duration::from_secs(20);
/// The number of messages in the large database.
const MESSAGES: usize = 1_000_000;
const AUTHORS: usize = 100;

/// Runs the made-up swarm in this process until the operator quits.
pub(crate) fn demo(myses: &str, rate: &str) {
    let (Ok(myses), Ok(rate)) = (myses.parse(), rate.parse()) else {
        panic!("two numbers: how many Myses, how many steps a second");
    };
    tokio::runtime::Runtime::new()
        .expect("a runtime")
        .block_on(pretender::fly(myses, rate))
        .expect("it flies");
}

pub(crate) fn measure() {
    println!("{}", storm());
    println!("{}", deaf());
    println!("{}", at_rest());
    println!("{}", large());
}

fn pretended(folder: &Path, rate: &str) -> Program {
    let own = std::env::current_exe().expect("this program");
    let own = own.to_string_lossy();
    let mut program = Program::open(&own, &["demo", "1000", rate], folder, (200, 60));
    program.until("the dashboard", |screen| screen.contains("1000 Mys"));
    program
}

/// Measures keys while a thousand Myses cause a thousand events a second.
fn storm() -> String {
    let folder = TempDir::new().expect("a folder");
    let mut program = pretended(folder.path(), "1000");
    let started = Instant::now();
    let cpu = program.figures().cpu_micros;
    let mut keys = Vec::new();
    while started.elapsed() < STORM {
        let key = if keys.len() % 2 == 0 { "j" } else { "k" };
        keys.push(program.press_and_wait(key));
        program.watch(Duration::from_millis(70));
    }
    let busy = (program.figures().cpu_micros - cpu) as f64 / started.elapsed().as_micros() as f64;
    program.quit();
    keys.sort();
    let at =
        |share: usize| keys[(keys.len() * share / 1000).min(keys.len() - 1)].as_secs_f64() * 1e3;
    format!(
        "storm, 1,000 Myses, 1,000 steps/s, {} s, 200x60: key to frame p50 {:.1} ms, p99 {:.1} ms, worst {:.1} ms ({} keys); {:.0} % of a core",
        STORM.as_secs(),
        at(500),
        at(990),
        at(1000),
        keys.len(),
        busy * 100.0
    )
}

/// The same, with and without a reader of the terminal's output.
fn deaf() -> String {
    let grown = |reads: bool| {
        let folder = TempDir::new().expect("a folder");
        let mut program = pretended(folder.path(), "1000");
        program.watch(Duration::from_secs(5));
        let before = program.figures().pss;
        program.hold_back(!reads);
        match reads {
            true => program.watch(DEAF),
            false => pause(),
        }
        let after = program.figures().pss;
        program.hold_back(false);
        program.quit();
        after as f64 - before as f64
    };
    let (read, unread) = (grown(true), grown(false));
    format!(
        "a terminal that does not read for {} s in that storm: memory grows by {:.1} MiB, by {:.1} MiB where it reads (what the pretended Myses say)",
        DEAF.as_secs(),
        unread / 1_048_576.0,
        read / 1_048_576.0
    )
}

#[expect(
    clippy::disallowed_methods,
    reason = "nothing is awaited here but time"
)]
fn pause() {
    std::thread::sleep(DEAF);
}

/// A thousand idle Myses of the real program.
fn at_rest() -> String {
    let folder = TempDir::new().expect("a folder");
    let mut text = "[swarm]\nmax_myses = 1000\n[mcp]\nupstream = \"\"\n".to_string();
    for number in 0..1000 {
        text.push_str(&format!("[[myses]]\nname = \"mysis-{number}\"\n"));
    }
    std::fs::write(folder.path().join("zoea.toml"), text).expect("a configuration");
    let mut program = Program::start(folder.path(), &["run"]);
    program.until("all are there", |screen| screen.contains("1000 Mys"));
    program.watch(Duration::from_secs(5));
    let (cpu, started) = (program.figures().cpu_micros, Instant::now());
    program.watch(REST);
    let busy = (program.figures().cpu_micros - cpu) as f64 / started.elapsed().as_micros() as f64;
    let pss = program.figures().pss >> 20;
    program.quit();
    format!(
        "1,000 idle Myses of the real program for {} s: {:.2} % of a core, {pss} MiB",
        REST.as_secs(),
        busy * 100.0
    )
}

/// The first frame of the real program with a large database.
fn large() -> String {
    let folder = TempDir::new().expect("a folder");
    let home = folder.path().join("home");
    std::fs::create_dir_all(&home).expect("a home");
    std::fs::write(
        home.join("zoea.toml"),
        "[swarm]\nmax_myses = 1000\n[mcp]\nupstream = \"\"\n",
    )
    .expect("a configuration");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(fill(&home));
    let size = std::fs::metadata(home.join("zoea.db")).map_or(0, |file| file.len()) >> 20;
    let mut pictures = Vec::new();
    let mut opened = Vec::new();
    for _ in 0..3 {
        let mut program = Program::start(&home, &["run"]);
        pictures.push(program.until("a picture", |screen| screen.contains("ZOEA")));
        let up = program.until("everybody", |screen| screen.contains("100 Mys"));
        let whole = program.press_until("\r", |screen| screen.contains("word 9999"));
        opened.push((up, whole));
        program.quit();
    }
    pictures.sort();
    opened.sort();
    format!(
        "{MESSAGES} messages ({size} MiB): first picture after {} ms, everybody in it after {} ms, a conversation of {} open after {} ms (medians of 3)",
        pictures[1].as_millis(),
        opened[1].0.as_millis(),
        MESSAGES / AUTHORS,
        opened[1].1.as_millis()
    )
}

async fn fill(home: &Path) {
    let ledger = SqlLedger::open(&home.join("zoea.db"))
        .await
        .expect("a ledger");
    for number in 1..=AUTHORS {
        let mysis = MysisId(i64::try_from(number).unwrap_or(0));
        let create = Write::Create(Box::new(NewMysis {
            id: mysis,
            profile: MysisProfile::of(&format!("mysis-{number}"), "local"),
            at: Timestamp(0),
        }));
        commit(&ledger, Author::Commander, vec![create]).await;
        let rows: Vec<Write> = (1..=MESSAGES / AUTHORS)
            .map(|place| Write::Append {
                mysis,
                row: row(place),
            })
            .collect();
        for piece in rows.chunks(10_000) {
            let author = Author::Mysis(mysis, actors::domain::ids::Incarnation(1));
            commit(&ledger, author, piece.to_vec()).await;
        }
    }
    ledger.close().await;
}

async fn commit(ledger: &SqlLedger, author: Author, writes: Vec<Write>) {
    let done = ledger.commit(vec![Batch { author, writes }]).await;
    assert_eq!(done, [Ok(())]);
}

fn row(place: usize) -> Arc<Row> {
    let place = i64::try_from(place).unwrap_or(0);
    let text = format!("I sold what I mined, and go back to the belt: word {place}");
    Arc::new(Row {
        seq: Seq(place),
        at: Timestamp(1_700_000_000_000 + place * 1000),
        turn: TurnNumber(place),
        body: RowBody::Reply(Utterance {
            text: text.into(),
            reasoning: None,
            seen_up_to: Seq(place - 1),
            meta: Arc::default(),
        }),
    })
}
