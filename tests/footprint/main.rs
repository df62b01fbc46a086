//! What a Mysis costs, by counting: the bytes of heap that it holds while it plays and while it is
//! stopped, and the bytes that are written for a turn. Each is held to a figure within a twentieth, so
//! that neither grows unseen; where one shrinks, the figure is set anew.
//!
//! This binary is two programs. Without a home it is the test. With one it is `zoea` itself, on a heap
//! that counts. The test plays two swarms of different sizes in step, so that each measurement finds
//! all Myses in the same place, and takes the difference.

#![expect(clippy::print_stdout, reason = "what was counted is told")]

mod swarm;

use std::io::Write;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::ExitCode;

use counted_heap::CountedHeap;
use swarm::Taken;

#[global_allocator]
static HEAP: CountedHeap = CountedHeap::new();

/// The sizes of the two swarms.
const FEW: usize = 4;
const MANY: usize = 44;
/// The turns that a swarm plays before it is measured: its conversations are as long as they get.
const TURNS: usize = 12;
/// How often it is counted until it is right. A busy machine makes bursts, and a buffer that a burst enlarged stays
/// (up to 60 KB of a whole swarm); what a change adds is there each time.
const TAKES: usize = 3;

/// The stored figures: bytes of heap a Mysis that waits for the game, one that waits for its model, and one that is
/// stopped and rests; bytes that are written a turn of one that plays alone.
const CALLING: usize = 99_200;
const WAITING: usize = 90_300;
const STOPPED: usize = 20_100;
const WRITTEN: usize = 23_350;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(home) = arguments.iter().position(|argument| argument == "--home") {
        print_what_is_held(Path::new(&arguments[home + 1]));
        return zoea::interface::cli::main();
    }
    // The filter of `cargo test NAME` is for names of tests, and this one has one name.
    let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
    if filter.is_some_and(|filter| !"footprint".contains(filter.as_str())) {
        return ExitCode::SUCCESS;
    }
    match (0..TAKES).any(|_| is_as_stored()) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Plays the swarms and compares what was counted with what is stored.
fn is_as_stored() -> bool {
    let others = [1, FEW].map(|size| std::thread::spawn(move || swarm::play(size, TURNS)));
    let many = swarm::play(MANY, TURNS);
    let [alone, few] = others.map(|swarm| swarm.join().expect("it plays to the end"));
    let a_mysis = |of: fn(&Taken) -> usize| of(&many).saturating_sub(of(&few)) / (MANY - FEW);
    let figures = [
        (
            "bytes held a Mysis that waits for the game",
            CALLING,
            a_mysis(|taken| taken.calling),
        ),
        (
            "bytes held a Mysis that waits for its model",
            WAITING,
            a_mysis(|taken| taken.waiting),
        ),
        (
            "bytes held a stopped Mysis",
            STOPPED,
            a_mysis(|taken| taken.stopped),
        ),
        ("bytes written a turn", WRITTEN, alone.written / TURNS),
    ];
    let mut is_well = true;
    for (what, stored, counted) in figures {
        println!("{what}: {counted}, stored {stored}");
        is_well &= counted.abs_diff(stored) * 20 <= stored;
    }
    is_well
}

/// Tells everybody who connects to a socket in the home how many bytes are held.
fn print_what_is_held(home: &Path) {
    let Ok(listener) = UnixListener::bind(swarm::socket_of(home)) else {
        // A command in the home of a running swarm is not measured.
        return;
    };
    std::thread::spawn(move || {
        for mut asker in listener.incoming().flatten() {
            // Who is gone needs no answer.
            let _ = write!(asker, "{}", HEAP.held());
        }
    });
}
