//! A swarm in the simulated game, whose results are as long as a game's are. The screen is on; game and
//! model are processes of their own.

use std::time::Duration;

use zoea_rig::Server;
use zoea_rig::process_figures::ProcessFigures;
use zoea_rig::terminal_program::{Program, command};

/// For how long a swarm plays before it is measured, and for how long it is measured.
const PLAYED: Duration = Duration::from_secs(60);
const MEASURED: Duration = Duration::from_secs(30);

/// Prints a row for each size.
pub(crate) fn measure_all(sizes: &[usize]) {
    println!("| Myses | PSS | CPU a Mysis and minute | written a Mysis and minute |");
    println!("|---|---|---|---|");
    for size in sizes {
        println!("{}", measure(*size));
    }
}

fn measure(myses: usize) -> String {
    let galaxy = Server::galaxy(&["--tick", "2s"]);
    let pilot = Server::pilot(&["--latency", "1s"]);
    let directory = tempfile::tempdir().expect("a directory");
    let home = directory.path().join("home");
    std::fs::create_dir_all(&home).expect("a home");
    let declared: String = (0..myses)
        .map(|number| format!("[[myses]]\nname = \"m{number}\"\n"))
        .collect();
    let settings = format!(
        "[budget]\nusd_per_day = \"unlimited\"\n\
         [swarm]\nmax_myses = 10000\ndefault_provider = \"pilot\"\n\
         [providers.pilot]\nendpoint = \"{}\"\nmodel = \"pilot\"\nmax_concurrency = 10000\n\
         [mcp]\nupstream = \"{}\"\nlogins_per_minute = 1000000\n{declared}",
        pilot.url, galaxy.url
    );
    std::fs::write(home.join("zoea.toml"), settings).expect("a configuration");
    let mut program = Program::start(&home, &["run", "--start-swarm"]);
    let count = format!("{myses} Mys");
    program.until("the dashboard is up", |screen| screen.contains(&count));
    command(&home, &["broadcast", "Mine ore and sell it."]);
    program.watch(PLAYED);
    let before = program.figures();
    program.watch(MEASURED);
    let after = program.figures();
    program.quit();
    row(myses, before, after)
}

fn row(myses: usize, before: ProcessFigures, after: ProcessFigures) -> String {
    let minutes = MEASURED.as_secs_f64() / 60.0 * myses.max(1) as f64;
    let a_minute = |before: u64, after: u64| (after - before) as f64 / 1000.0 / minutes;
    format!(
        "| {myses} | {} MiB | {:.2} ms | {:.1} KB |",
        after.pss >> 20,
        a_minute(before.cpu_micros, after.cpu_micros),
        a_minute(before.written, after.written),
    )
}
