//! Screenshots of a fleet for the documents: `cargo build && cargo run --example fleet_screens`.
//!
//! Runs three processes on a Postgres server of its own that share twelve Myses, attaches a terminal to
//! one of them at several sizes, lets the program write its screen to files, and copies these to
//! `docs/screens/`.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};
use zoea_rig::terminal_program::Program;
use zoea_rig::{Home, Process, Server, postgres, program, until};

/// How long the swarm plays before the first picture.
const PLAY_TIME: Duration = Duration::from_secs(90);

/// The sizes, in columns and rows.
const SIZES: [(u16, u16); 4] = [(60, 15), (80, 24), (120, 40), (200, 60)];

const NAMES: [&str; 12] = [
    "alpha", "bravo", "ceres", "drift", "echo", "foxglove", "gamma", "halcyon", "iris", "juno",
    "kestrel", "lumen",
];
const MISSION: &str = "Mine ore at the belt of your home system, and sell it where it pays best.";

fn main() -> anyhow::Result<()> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/screens");
    let url = postgres::database().context("there is no Postgres server on this machine")?;
    let galaxy = Server::galaxy(&["--tick", "500ms", "--seed", "5"]);
    let pilot = Server::pilot(&["--latency", "700ms", "--seed", "5"]);
    let servers = (pilot.url.as_str(), galaxy.url.as_str());
    let home = |names: &[&str]| configured(&url, servers, names);
    let homes = [home(&NAMES)?, home(&[])?, home(&[])?];
    let mut swarms = vec![homes[0].fly(&["--start-swarm"])];
    homes[0].ok(&["broadcast", MISSION]);
    swarms.extend(homes[1..].iter().map(|home| home.fly(&[])));
    until_shared_out(&url);
    attached(&homes[0], SIZES[0]).watch(PLAY_TIME);
    let written = homes[0].file("screens");
    for size in SIZES {
        let mut terminal = attached(&homes[0], size);
        terminal.picture(&written, &target, "fleet");
        terminal.press_until("H", |text| text.contains("share this database"));
        terminal.picture(&written, &target, "processes");
    }
    end(swarms)
}

/// A home on this database, with these Myses.
fn configured(
    database: &str,
    (pilot, galaxy): (&str, &str),
    names: &[&str],
) -> anyhow::Result<Home> {
    let mut text = format!(
        "[swarm]\ndefault_provider = \"local\"\nmax_myses = 16\n\
         [budget]\nusd_per_day = \"unlimited\"\n\
         [providers.local]\nendpoint = \"{pilot}\"\nmodel = \"pilot\"\n\
         max_concurrency = 12\n\
         price = {{ input = 0.3, output = 1.2 }}\n\
         [mcp]\nupstream = \"{galaxy}\"\nlogins_per_minute = 10000\n\
         [store]\ndatabase_url = \"{database}\"\n"
    );
    for name in names {
        text.push_str(&format!("[[myses]]\nname = \"{name}\"\n"));
    }
    let home = Home::new();
    std::fs::create_dir_all(home.path())?;
    std::fs::write(home.file("zoea.toml"), text)?;
    Ok(home)
}

/// Waits until each process has its share.
fn until_shared_out(url: &str) {
    until("the Myses are shared out", || {
        let held = postgres::column(
            url,
            "SELECT count(*)::text FROM lease WHERE expires_at > clock_timestamp() GROUP BY owner",
        );
        (held == ["4", "4", "4"]).then_some(())
    });
}

fn end(swarms: Vec<Process>) -> anyhow::Result<()> {
    for swarm in &swarms {
        swarm.signal("-TERM");
    }
    for swarm in swarms {
        ensure!(swarm.wait().success(), "a process fails at its end");
    }
    Ok(())
}

/// A terminal that is attached to the process of this home.
fn attached(home: &Home, size: (u16, u16)) -> Program {
    let path = home.path();
    let arguments = ["--home", &path.to_string_lossy(), "attach"];
    let program = program().to_string_lossy().into_owned();
    let mut terminal = Program::open(&program, &arguments, &path, size);
    terminal.until("the swarm is shown", |text| text.contains("12 running"));
    terminal
}
