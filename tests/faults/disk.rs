//! A disk that fails: system calls on the store's files return an error, once, twice, three times
//! in a row or for a while, under load. The library in `tests/failing-disk` makes them fail.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::scene::{Scene, pause};
use crate::verdict::number;
use zoea_rig::{Home, Server, until};

/// The number of failures, unless `ZOEA_STORE_FAULTS` gives another.
const FAILURES: u64 = 12;
/// The time that is waited for a call that may not come.
const PATIENCE: Duration = Duration::from_millis(1500);

/// The calls in the library's order.
const CALLS: [&str; 7] = [
    "pwrite64",
    "fsync",
    "fdatasync",
    "ftruncate",
    "openat",
    "mmap",
    "pread64",
];
const PWRITE64: usize = 0;
const FSYNC: usize = 1;
const FDATASYNC: usize = 2;
const MMAP: usize = 5;
/// `ftruncate`, `openat` and `mmap`.
const OF_START: [usize; 3] = [3, 4, 5];

/// The errors in the library's order, with their numbers on Linux.
const ERRORS: [(&str, u64); 4] = [("ENOSPC", 28), ("EIO", 5), ("EDQUOT", 122), ("EINTR", 4)];
const EINTR: usize = 3;

/// The library's number of words for each call.
const WORDS: u64 = 16;
const ERRNO: u64 = 0;
const LEFT: u64 = 1;
const SKIP: u64 = 2;
const IS_TORN: u64 = 3;
const STRUCK: u64 = 4;
const CALLED: u64 = 8;
const IS_COUNTED: u64 = 9;
/// The word behind those of the calls with the seconds by which the wall clock is ahead.
const AHEAD: u64 = 500;

/// The next failure.
#[derive(Clone, Copy, Debug)]
struct Plan {
    call: usize,
    error: usize,
    how_long: HowLong,
    /// The number of calls that pass first.
    skip: u64,
    is_torn: bool,
}

#[derive(Clone, Copy, Debug)]
enum HowLong {
    Times(u64),
    For(Duration),
}

impl Plan {
    /// Each of the two calls of a commit, one, two and three times in a row; then random plans.
    fn of(round: u64, dice: &mut fastrand::Rng) -> Plan {
        let (call, error, times) = match round {
            0..3 => (PWRITE64, 0, round + 1),
            3..6 => (FSYNC, 1, round - 2),
            _ => return Plan::by_chance(dice),
        };
        Plan {
            call,
            error,
            how_long: HowLong::Times(times),
            skip: 0,
            is_torn: false,
        }
    }

    /// A plan for the calls that a program makes when it opens the store, and seldom later.
    fn of_start(dice: &mut fastrand::Rng) -> Plan {
        let call = dice.choice(OF_START).unwrap_or(OF_START[0]);
        Plan {
            call,
            // Only the first connection of a process maps the index of the log.
            skip: if call == MMAP { 0 } else { dice.u64(..3) },
            ..Plan::by_chance(dice)
        }
    }

    fn by_chance(dice: &mut fastrand::Rng) -> Plan {
        let call = dice.usize(..CALLS.len());
        let error = dice.usize(..ERRORS.len());
        // SQLite repeats such a call until it succeeds.
        let is_short = error == EINTR || dice.u8(..3) > 0;
        let how_long = match is_short {
            true => HowLong::Times(dice.u64(1..=3)),
            false => HowLong::For(Duration::from_millis(dice.u64(200..1500))),
        };
        Plan {
            call,
            error,
            how_long,
            skip: match call {
                PWRITE64 => dice.u64(..30),
                FSYNC => dice.u64(..4),
                MMAP => 0,
                _ => dice.u64(..2),
            },
            is_torn: dice.bool(),
        }
    }
}

pub(crate) struct FailingDisk {
    file: PathBuf,
    words: File,
}

impl FailingDisk {
    pub(crate) fn new(directory: &Path) -> FailingDisk {
        let file = directory.join("failing-disk");
        let mut options = OpenOptions::new();
        let words = options.read(true).write(true).create_new(true).open(&file);
        let words = words.expect("a file");
        words.set_len(4096).expect("its length");
        FailingDisk { file, words }
    }

    /// Lets the calls of a program fail.
    pub(crate) fn stand_before(&self, command: &mut Command) {
        let test = std::env::current_exe().expect("this program");
        let library = test.with_file_name("libfailing_disk.so");
        assert!(
            library.is_file(),
            "{} is built with the tests",
            library.display()
        );
        command
            .env("LD_PRELOAD", library)
            .env("ZOEA_FAILING_DISK", &self.file);
    }

    fn set(&self, call: usize, word: u64, value: u64) {
        self.write(call as u64 * WORDS + word, value);
    }

    fn write(&self, word: u64, value: u64) {
        let written = self.words.write_all_at(&value.to_ne_bytes(), word * 8);
        written.expect("a word is written");
    }

    /// Sets the program's wall clock this many seconds ahead of the machine's.
    pub(crate) fn set_clock_ahead(&self, seconds: i64) {
        self.write(AHEAD, seconds.cast_unsigned());
    }

    fn get(&self, call: usize, word: u64) -> u64 {
        let mut bytes = [0; 8];
        let place = (call as u64 * WORDS + word) * 8;
        let read = self.words.read_exact_at(&mut bytes, place);
        read.expect("a word is read");
        u64::from_ne_bytes(bytes)
    }

    fn arm(&self, plan: &Plan) {
        self.set(plan.call, ERRNO, ERRORS[plan.error].1);
        self.set(plan.call, SKIP, plan.skip);
        self.set(plan.call, IS_TORN, u64::from(plan.is_torn));
        let left = match plan.how_long {
            HowLong::Times(times) => times,
            HowLong::For(_) => u64::MAX,
        };
        self.set(plan.call, LEFT, left);
        if ![PWRITE64, FSYNC].contains(&plan.call) {
            // Most other calls are made when a connection is opened, so this makes one necessary.
            self.set(FSYNC, ERRNO, ERRORS[1].1);
            self.set(FSYNC, SKIP, 0);
            self.set(FSYNC, LEFT, 1);
        }
    }

    /// Waits until the plan is carried out, or until it is clear that it will not be.
    fn wait_for(&self, plan: &Plan) {
        let patience = match plan.how_long {
            HowLong::Times(_) => PATIENCE,
            HowLong::For(length) => length,
        };
        let started = Instant::now();
        while started.elapsed() < patience && self.get(plan.call, LEFT) > 0 {
            pause(Duration::from_millis(5));
        }
    }

    fn disarm(&self) {
        for call in 0..CALLS.len() {
            self.set(call, LEFT, 0);
        }
    }

    /// The number of failures of each call with each error.
    fn failed_calls(&self) -> BTreeMap<(&'static str, &'static str), u64> {
        let mut failed_calls = BTreeMap::new();
        for (call, name) in CALLS.iter().enumerate() {
            for (place, (error, _)) in (STRUCK..).zip(&ERRORS) {
                failed_calls.insert((*name, *error), self.get(call, place));
            }
        }
        failed_calls
    }
}

/// The number of failures, one call a line.
fn table(failed_calls: &BTreeMap<(&'static str, &'static str), u64>) -> String {
    let mut table = String::new();
    for call in CALLS {
        let counts = ERRORS.map(|(error, _)| format!("{} {error}", failed_calls[&(call, error)]));
        let _ = writeln!(table, "  {call:<10} {}", counts.join(", "));
    }
    table
}

#[test]
fn whichever_call_of_the_store_fails_it_loses_nothing_and_repeats_nothing() {
    fail_often(number("ZOEA_STORE_FAULTS", FAILURES));
}

/// Lets calls fail until there were enough failures, and until each call of a commit has failed
/// one, two and three times in a row.
#[expect(clippy::print_stdout, reason = "the figures are worth a look")]
fn fail_often(failures: u64) {
    let seed = number("ZOEA_SEED", u64::from(std::process::id()));
    let mut scene = Scene::new(seed, "", &std::env::temp_dir());
    let disk = FailingDisk::new(&scene.home.path());
    let stand_before = |command: &mut Command| disk.stand_before(command);
    assert!(scene.start(stand_before));
    let total = || disk.failed_calls().values().sum::<u64>();
    let (mut round, mut kills, mut ends, mut vain_starts) = (0, 0, 0, 0);
    while round < 6 || total() < failures {
        let plan = Plan::of(round, &mut scene.dice);
        round += 1;
        disk.arm(&plan);
        scene.send();
        disk.wait_for(&plan);
        // Checks do not follow each failure: a mistake after two of them may be hidden by one.
        let (is_end, is_kill, is_in_trouble) = match round {
            3 | 6 => (true, true, false),
            0..6 => (false, false, false),
            _ => (
                scene.dice.u8(..5) == 0,
                scene.dice.bool(),
                scene.dice.bool(),
            ),
        };
        if !(is_end && is_in_trouble) {
            disk.disarm();
            scene.goes_on();
        }
        if !is_end {
            continue;
        }
        if is_kill {
            kills += 1;
            scene.kill();
        } else {
            ends += 1;
            let is_good = scene.end();
            assert!(is_good || is_in_trouble, "seed {seed}: {plan:?}");
        }
        disk.disarm();
        // Some calls are made mostly at the start of a program, which may not start because of
        // them.
        if scene.dice.u8(..4) > 0 {
            let plan = Plan::of_start(&mut scene.dice);
            disk.arm(&plan);
            vain_starts += u64::from(!scene.start(stand_before));
            disk.disarm();
        }
        if !scene.is_up() {
            assert!(scene.start(stand_before), "seed {seed}: it comes up");
        }
        scene.goes_on();
    }
    let failed_calls = disk.failed_calls();
    let orders = scene.orders();
    println!(
        "seed {seed}: {} system calls failed in {round} rounds ({kills} kills, {ends} orderly ends, \
         {vain_starts} vain starts, {orders} orders)\n{}",
        total(),
        table(&failed_calls)
    );
    println!("seed {seed}: {}", scene.judge());
    for call in ["pwrite64", "fsync"] {
        let of_call = ERRORS
            .iter()
            .map(|(error, _)| failed_calls[&(call, *error)]);
        assert!(of_call.sum::<u64>() >= 6, "{call} did fail");
    }
}

/// Checks that the program makes all these calls: a call that is never made never fails.
#[test]
fn the_store_makes_these_calls_and_syncs_by_fsync_alone() {
    let mut scene = Scene::new(7, "", &std::env::temp_dir());
    let disk = FailingDisk::new(&scene.home.path());
    for call in 0..CALLS.len() {
        disk.set(call, IS_COUNTED, 1);
    }
    let mut table = String::new();
    for start in 1..=2 {
        assert!(scene.start(|command| disk.stand_before(command)));
        for _ in 0..10 {
            scene.goes_on();
        }
        assert!(scene.end());
        let called = |call| disk.get(call, CALLED);
        for (call, name) in CALLS.iter().enumerate() {
            let _ = write!(table, "{name} {}, ", called(call));
        }
        let _ = writeln!(table, "after {start} runs");
        // The index of the log is mapped once in the life of a process, whatever the number of
        // connections.
        assert_eq!(called(MMAP), start, "{table}");
        assert_eq!(called(FDATASYNC), 0, "{table}");
        for call in (0..CALLS.len()).filter(|call| ![MMAP, FDATASYNC].contains(call)) {
            assert!(called(call) > 0, "{table}");
        }
    }
    println!("{table}");
}

#[test]
fn a_full_disk_is_told_of_while_it_lasts_and_not_longer() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&["--latency", "5ms"]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "mine"]);
    let disk = FailingDisk::new(&home.path());
    let mut command = home.command(&["run", "--headless", "--json", "--start-swarm"]);
    disk.stand_before(&mut command);
    let mut swarm = home.launch(command);
    swarm.until_line("tool_returned");
    disk.arm(&Plan {
        call: PWRITE64,
        error: 0,
        how_long: HowLong::For(Duration::MAX),
        skip: 0,
        is_torn: true,
    });
    let printed = swarm.until_line("store_trouble");
    assert!(printed.contains("full"), "{printed}");
    let shown = home.ok(&["status"]);
    assert!(
        shown.contains("trouble: ") && shown.contains("full"),
        "{shown}"
    );
    disk.disarm();
    swarm.until_line("store_healed");
    until("it is not shown any more", || {
        (!home.ok(&["status"]).contains("trouble: ")).then_some(())
    });
    swarm.until_line("tool_returned");
}
