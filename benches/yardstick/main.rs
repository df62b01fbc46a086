//! The yardstick: the real program under a real terminal, with a model that takes 200 ms and a game
//! whose only tool answers with 2 KB. Each turn is two model calls and one tool call.
//!
//! `cargo bench --bench yardstick` takes about four minutes; `-- 16 100` measures only these sizes.
//! `-- 1000 streamed traced` measures streamed answers and tracing. `ZOEA_BIN=target/dist/zoea` in
//! the environment measures another build of the program.

#![expect(clippy::print_stdout, reason = "a bench's figures are its output")]

mod mock;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mock::Mock;
use zoea_rig::terminal_program::Program;

/// The time for which each swarm is measured.
const MEASURED: Duration = Duration::from_secs(20);
/// The number of keys pressed.
const KEYS: usize = 200;

fn main() {
    let sizes: Vec<usize> = std::env::args()
        .filter_map(|text| text.parse().ok())
        .collect();
    let more: Vec<String> = std::env::args().skip(1).collect();
    let sizes = if sizes.is_empty() {
        vec![0, 16, 100, 1000]
    } else {
        sizes
    };
    println!(
        "| Myses | first paint | PSS | CPU a turn | written a turn | database a turn | key p50 | key p99 | turns |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for size in sizes {
        println!("{}", measure(size, &more));
    }
}

fn measure(myses: usize, more: &[String]) -> String {
    let mock = Mock::start();
    let directory = tempfile::tempdir().expect("a directory");
    let home = directory.path().join("home");
    std::fs::create_dir_all(&home).expect("a home");
    std::fs::write(home.join("zoea.toml"), mock.configuration(myses, more))
        .expect("a configuration");
    let count = format!("{myses} Mys");
    // The first run creates the Myses. The second one is measured, like an operator's second day.
    let mut first = Program::start(&home, &["run"]);
    first.until("the dashboard is up", |screen| screen.contains(&count));
    if myses > 0 {
        // Without a mission no Mysis would have a reason to go on.
        zoea_rig::terminal_program::command(&home, &["broadcast", "Mine ore and sell it."]);
    }
    first.quit();

    let mut program = Program::start(&home, &["run", "--start-swarm"]);
    let paint = program.until("the first paint", |screen| screen.contains(&count));
    wait_for_turns(&mock, myses);
    let before = Figures::read(&program, &mock);
    let started = Instant::now();
    let mut keys = Vec::new();
    for number in 0..KEYS {
        keys.push(program.press_and_wait(if number % 2 == 0 { "j" } else { "k" }));
        while started.elapsed() < MEASURED * u32::try_from(number).unwrap_or(0) / KEYS as u32 {
            program.read_for(Duration::from_millis(5));
        }
    }
    let after = Figures::read(&program, &mock);
    keys.sort();
    program.quit();
    let turns = after.turns - before.turns;
    let a_turn = |figure: u64| figure.checked_div(turns).unwrap_or(0);
    format!(
        "| {myses} | {} ms | {} MiB | {} ms | {} KB | {} KB | {} ms | {} ms | {turns} |",
        paint.as_millis(),
        after.pss >> 20,
        a_turn(after.cpu_micros - before.cpu_micros) as f64 / 1000.0,
        a_turn(after.written - before.written) / 1000,
        a_turn(after.database.saturating_sub(before.database)) / 1000,
        keys[keys.len() / 2].as_micros() as f64 / 1000.0,
        keys[keys.len() * 99 / 100].as_micros() as f64 / 1000.0,
    )
}

/// Waits until every Mysis has played a turn, so that the start is not measured.
fn wait_for_turns(mock: &Mock, myses: usize) {
    let started = Instant::now();
    while mock.turns.load(Ordering::Relaxed) < myses as u64 {
        assert!(
            started.elapsed() < Duration::from_secs(120),
            "the swarm does not play"
        );
        #[expect(clippy::disallowed_methods, reason = "a pause between two looks")]
        std::thread::sleep(Duration::from_millis(50));
    }
}

struct Figures {
    cpu_micros: u64,
    written: u64,
    database: u64,
    pss: u64,
    turns: u64,
}

impl Figures {
    fn read(program: &Program, mock: &Mock) -> Figures {
        Figures {
            cpu_micros: program.cpu_micros(),
            written: program.written(),
            database: program.database(),
            pss: program.pss(),
            turns: mock.turns.load(Ordering::Relaxed),
        }
    }
}
