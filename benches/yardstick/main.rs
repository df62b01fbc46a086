//! The yardstick: the real program under a real terminal, with a model that takes 200 ms and a game
//! whose only tool answers with 2 KB. Each turn is two model calls and one tool call.
//!
//! `cargo bench --bench yardstick` takes about six minutes; `-- 16 100` measures only these sizes.
//! `-- floor 100` measures, beside the program, the least that the same work can cost (`floor.rs`).
//! `-- played 100 1000` measures the simulated game's own results in their place (`played.rs`).
//! `-- 1000 streamed traced` measures streamed answers and tracing. `ZOEA_BIN=target/dist/zoea` in
//! the environment measures another build of the program.

#![expect(clippy::print_stdout, reason = "a bench's figures are its output")]

mod floor;
mod mock;
mod played;

use std::path::Path;
use std::time::{Duration, Instant};

use floor::Floor;
use mock::{Mock, Requests};
use zoea_rig::process_figures::ProcessFigures;
use zoea_rig::terminal_program::Program;

/// The heap of the program, so that the floor has the same one.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static HEAP: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The time for which each swarm is measured.
const MEASURED: Duration = Duration::from_secs(20);
/// The number of keys pressed.
const KEYS: usize = 200;

fn main() {
    let more: Vec<String> = std::env::args().skip(1).collect();
    if let Some(role) = floor::role(&more) {
        return role.play();
    }
    let sizes: Vec<usize> = more.iter().filter_map(|text| text.parse().ok()).collect();
    let sizes = if sizes.is_empty() {
        vec![0, 16, 100, 1000]
    } else {
        sizes
    };
    if more.iter().any(|wanted| wanted == "played") {
        return played::measure_all(&sizes);
    }
    println!(
        "| Myses | first paint | PSS | CPU a turn | written a turn | database a turn | key p50 | key p99 | turns \
         | after kill -9: first calls of half, of all | CPU until then | CPU a turn without keys |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for size in sizes {
        let (line, requests) = measure(size, &more);
        println!("{line}");
        if more.iter().any(|wanted| wanted == "floor") && size > 0 {
            println!("{}", measure_floor(size, &requests));
        }
    }
}

/// Measures the least that the same turns can cost.
fn measure_floor(agents: usize, requests: &Requests) -> String {
    let mock = Mock::start();
    let directory = tempfile::tempdir().expect("a directory");
    let floor = Floor::start(directory.path(), mock.address(), agents, requests);
    wait_for_turns(&mock, agents);
    let before = Figures::of(floor.figures(), floor.database(), &mock);
    #[expect(clippy::disallowed_methods, reason = "the time that is measured")]
    std::thread::sleep(MEASURED);
    let after = Figures::of(floor.figures(), floor.database(), &mock);
    format!(
        "| {agents}, the floor | | {} | | | {} | | |",
        Figures::columns(&before, &after),
        after.turns - before.turns
    )
}

fn measure(myses: usize, more: &[String]) -> (String, Requests) {
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
    let unwatched = Figures::of(program.figures(), program.database(), &mock);
    program.watch(MEASURED);
    let before = Figures::of(program.figures(), program.database(), &mock);
    let started = Instant::now();
    let mut keys = Vec::new();
    for number in 0..KEYS {
        keys.push(program.press_and_wait(if number % 2 == 0 { "j" } else { "k" }));
        while started.elapsed() < MEASURED * u32::try_from(number).unwrap_or(0) / KEYS as u32 {
            program.read_for(Duration::from_millis(5));
        }
    }
    let after = Figures::of(program.figures(), program.database(), &mock);
    keys.sort();
    let line = format!(
        "| {myses} | {} ms | {} | {} ms | {} ms | {} | {} | {:.2} ms |",
        paint.as_millis(),
        Figures::columns(&before, &after),
        keys[keys.len() / 2].as_micros() as f64 / 1000.0,
        keys[keys.len() * 99 / 100].as_micros() as f64 / 1000.0,
        after.turns - before.turns,
        measure_return(program, &home, &mock, myses),
        Figures::cpu_a_turn(&unwatched, &before),
    );
    (line, mock.requests())
}

/// Kills the program and starts it again. Returns the time from there until half of the Myses and all
/// of them have asked their model, and the processor's time of the program until the former.
fn measure_return(program: Program, home: &Path, mock: &Mock, myses: usize) -> String {
    program.kill();
    mock.forget_who_asked();
    let mut program = Program::start(home, &["run", "--resume"]);
    let half = myses.div_ceil(2);
    let mut cpu = None;
    while mock.first_asked().len() < myses {
        program.read_for(Duration::from_millis(5));
        if mock.first_asked().len() >= half && cpu.is_none() {
            cpu = Some(program.figures().cpu_micros);
        }
    }
    let asked = mock.first_asked();
    let since = |place: usize| {
        let asked = asked.get(place);
        asked.map_or(0, |asked| (*asked - program.started()).as_millis())
    };
    let line = format!(
        "{}, {} ms | {} ms",
        since(half.saturating_sub(1)),
        since(myses.saturating_sub(1)),
        cpu.unwrap_or_default() / 1000
    );
    program.quit();
    line
}

/// Waits until every Mysis has played a turn, so that the start is not measured.
fn wait_for_turns(mock: &Mock, myses: usize) {
    let started = Instant::now();
    while mock.turns() < myses as u64 {
        assert!(
            started.elapsed() < Duration::from_secs(120),
            "the swarm does not play"
        );
        #[expect(clippy::disallowed_methods, reason = "a pause between two looks")]
        std::thread::sleep(Duration::from_millis(50));
    }
}

struct Figures {
    process: ProcessFigures,
    database: u64,
    turns: u64,
}

impl Figures {
    fn of(process: ProcessFigures, database: u64, mock: &Mock) -> Figures {
        Figures {
            process,
            database,
            turns: mock.turns(),
        }
    }

    /// Milliseconds of the processor's time for each turn.
    fn cpu_a_turn(before: &Figures, after: &Figures) -> f64 {
        let cpu = after.process.cpu_micros - before.process.cpu_micros;
        thousands_a_turn(before, after, cpu)
    }

    /// Memory, CPU a turn, written a turn, and growth of the database a turn.
    fn columns(before: &Figures, after: &Figures) -> String {
        let a_turn = |figure: u64| thousands_a_turn(before, after, figure);
        let database = after.database.saturating_sub(before.database);
        format!(
            "{} MiB | {:.2} ms | {:.1} KB | {:.1} KB",
            after.process.pss >> 20,
            Figures::cpu_a_turn(before, after),
            a_turn(after.process.written - before.process.written),
            a_turn(database),
        )
    }
}

fn thousands_a_turn(before: &Figures, after: &Figures, figure: u64) -> f64 {
    let turns = after.turns - before.turns;
    figure.checked_div(turns).unwrap_or(0) as f64 / 1000.0
}
