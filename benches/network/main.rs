//! The network of a real night: servers that are 40 ms away in each direction, with TLS and without. The
//! program plays the yardstick's turns without a screen, over HTTP/1.1.
//!
//! `cargo bench --bench network` takes about six minutes; `-- 16 100` measures only these sizes. It needs
//! `openssl`, for a certificate of its own. `ZOEA_BIN` measures another build of the program.

#![expect(clippy::print_stdout, reason = "a bench's figures are its output")]

mod line;
#[path = "../yardstick/mock.rs"]
#[expect(dead_code, reason = "the yardstick uses more of it")]
mod mock;

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use line::{Line, own_certificate};
use mock::Mock;
use zoea_rig::{Home, Process, ProcessFigures, until};

const DISTANCE: Duration = Duration::from_millis(40);
/// The time for which each swarm is measured.
const MEASURED: Duration = Duration::from_secs(20);

fn main() {
    let sizes = std::env::args().filter_map(|text| text.parse::<usize>().ok());
    let sizes: Vec<usize> = sizes.collect();
    let sizes = if sizes.is_empty() {
        vec![16, 100, 1000]
    } else {
        sizes
    };
    println!(
        "| Myses | connections | handshakes, whole and resumed | PSS | CPU a turn | order to first byte, half and \
         all | turns |"
    );
    println!("|---|---|---|---|---|---|---|");
    for size in sizes {
        for (name, distance, is_encrypted) in [
            ("at hand", Duration::ZERO, false),
            ("40 ms", DISTANCE, false),
            ("40 ms, TLS", DISTANCE, true),
        ] {
            println!("| {size}, {name} {}", measure(size, distance, is_encrypted));
        }
    }
}

fn measure(myses: usize, distance: Duration, is_encrypted: bool) -> String {
    let mock = Mock::start();
    let directory = tempfile::tempdir().expect("a directory");
    let (trusted, tls) = own_certificate(directory.path());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let far = Line::to(mock.address(), distance, is_encrypted.then_some(tls));
    let far = runtime.block_on(far);
    let home = Home::new();
    configure(&home, far.address, is_encrypted, myses);
    let program = start(&home, &trusted);
    // It wakes them.
    let ordered = Instant::now();
    home.ok(&["broadcast", "Mine ore and sell it."]);
    until("all have asked their models", || {
        (mock.first_asked().len() >= myses).then_some(())
    });
    until("all have played", || {
        (mock.turns() >= myses as u64).then_some(())
    });
    let (before, turns) = (ProcessFigures::of(program.pid()), mock.turns());
    #[expect(clippy::disallowed_methods, reason = "the time that is measured")]
    std::thread::sleep(MEASURED);
    let after = ProcessFigures::of(program.pid());
    let turns = (mock.turns() - turns).max(1);
    let asked = mock.first_asked();
    let since = |place: usize| (asked[place] - ordered).as_secs_f64();
    let count = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
    format!(
        "| {} | {}, {} | {} MiB | {:.2} ms | {:.2}, {:.2} s | {turns} |",
        count(&far.traffic.connections),
        count(&far.traffic.whole_handshakes),
        count(&far.traffic.resumed_handshakes),
        after.pss >> 20,
        (after.cpu_micros - before.cpu_micros) as f64 / turns as f64 / 1000.0,
        since(myses.div_ceil(2) - 1),
        since(myses - 1),
    )
}

/// The configuration of a swarm whose model and game are at this address.
fn configure(home: &Home, address: SocketAddr, is_encrypted: bool, myses: usize) {
    let scheme = if is_encrypted { "https" } else { "http" };
    let mut text = format!(
        "[budget]\nusd_per_day = \"unlimited\"\n\
         [swarm]\nmax_myses = 10000\ndefault_provider = \"mock\"\n\
         [providers.mock]\nendpoint = \"{scheme}://{address}/v1\"\nmodel = \"mock\"\n\
         max_concurrency = 10000\nstream = false\n\
         [mcp]\nupstream = \"{scheme}://{address}/mcp\"\nlogins_per_minute = 1000000\n"
    );
    for number in 0..myses {
        let _ = write!(text, "[[myses]]\nname = \"m{number}\"\n");
    }
    std::fs::create_dir_all(home.path()).expect("a home");
    std::fs::write(home.file("zoea.toml"), text).expect("a configuration");
}

fn start(home: &Home, trusted: &Path) -> Process {
    let mut command = home.command(&["run", "--headless", "--json"]);
    command.env("SSL_CERT_FILE", trusted).stderr(Stdio::null());
    let out = std::fs::File::create(home.file("out.jsonl")).expect("a file");
    let program = Process::spawn_into(command, out);
    until("the swarm is up", || {
        home.file("run.json").exists().then_some(())
    });
    program
}
