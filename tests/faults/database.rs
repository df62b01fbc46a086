//! A database that is removed, locked or full while the program runs: the operator is told, the
//! swarm waits, and nothing that was acknowledged is lost.

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use std::fs::OpenOptions;
use std::time::{Duration, Instant};

use zoea_rig::sqlite;
use zoea_rig::{Home, Process, Server, until};

struct Scene {
    _galaxy: Server,
    _pilot: Server,
    home: Home,
}

fn scene() -> Scene {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&["--latency", "5ms"]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "mine"]);
    Scene {
        _galaxy: galaxy,
        _pilot: pilot,
        home,
    }
}

/// No file may be written to. A process that writes all the same is killed by a signal, unless it handles the signal.
const FULL: Rlimit = Rlimit {
    current: Some(0),
    maximum: None,
};

/// Sets how large the files of a process may become, and returns what was set before.
fn limit_files(swarm: &Process, limit: Rlimit) -> Rlimit {
    let pid = i32::try_from(swarm.pid()).ok().and_then(Pid::from_raw);
    prlimit(pid, Resource::Fsize, limit).expect("a limit")
}

#[test]
fn a_removed_database_is_saved_and_goes_on_where_it_was() {
    let scene = scene();
    let home = &scene.home;
    let mut swarm = home.fly(&["--start-swarm"]);
    swarm.until_line("tool_returned");
    let sent = home.ok(&["send", "alpha", "remember the number 4711"]);
    assert!(sent.contains("stored for alpha"), "{sent}");
    std::fs::remove_file(home.file("zoea.db")).expect("the database is removed");
    let printed = swarm.until_line("was removed");
    assert!(printed.contains("rescued"), "{printed}");
    swarm.signal("-KILL");
    swarm.wait();
    for name in ["zoea.db-wal", "zoea.db-shm"] {
        // The files may be gone already.
        let _ = std::fs::remove_file(home.file(name));
    }
    std::fs::rename(home.file("zoea.db.rescued"), home.file("zoea.db")).expect("what was saved");
    let found = home.lines(&["search", "remember the number 4711", "--json"]);
    assert!(found.iter().any(|row| row["kind"] == "prompt"), "{found:?}");
    let mut swarm = home.fly(&["--resume"]);
    swarm.until_line("tool_returned");
}

/// The orders of a first start wait for the store, and the store for its database.
#[test]
fn a_start_whose_database_is_removed_ends_by_a_signal() {
    let home = Home::new();
    let mut command = home.command(&["run", "--offline", "--headless", "--json"]);
    command.args(["--myses", "200"]);
    let mut swarm = Process::spawn(command);
    swarm.until_line("mysis_created");
    std::fs::remove_file(home.file("offline/zoea.db")).expect("the database is removed");
    swarm.until_line("was removed");
    swarm.signal("-TERM");
    until("it has ended", || swarm.has_ended().then_some(()));
}

#[test]
fn a_locked_database_makes_the_swarm_wait_and_then_go_on() {
    let scene = scene();
    let home = &scene.home;
    let mut swarm = home.fly(&["--start-swarm"]);
    swarm.until_line("tool_returned");
    sqlite::while_open(
        &home.file("zoea.db"),
        "PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE",
        || {
            let printed = swarm.until_line("store_trouble");
            assert!(printed.contains("locked"), "{printed}");
        },
    );
    swarm.until_line("store_healed");
    swarm.until_line("tool_returned");
    assert_eq!(home.mysis("alpha")["state"], "running");
}

#[test]
fn a_process_that_stood_still_goes_on() {
    let scene = scene();
    let home = &scene.home;
    let mut swarm = home.fly(&["--start-swarm"]);
    swarm.until_line("tool_returned");
    swarm.signal("-STOP");
    let state = format!("/proc/{}/stat", swarm.pid());
    until("it stands still", || {
        let stat = std::fs::read_to_string(&state).ok()?;
        stat.contains(") T ").then_some(())
    });
    swarm.signal("-CONT");
    swarm.until_line("tool_returned");
    let answer = home.ok(&["send", "alpha", "are you there?"]);
    assert!(answer.contains("stored for alpha"), "{answer}");
}

#[test]
fn a_database_that_is_cut_short_is_told_of_and_not_written_to() {
    let scene = scene();
    let home = &scene.home;
    let mut swarm = home.fly(&["--start-swarm"]);
    swarm.until_line("tool_returned");
    let file = OpenOptions::new().write(true).open(home.file("zoea.db"));
    let file = file.expect("the database");
    let half = file.metadata().expect("its size").len() / 2;
    file.set_len(half).expect("it is cut");
    let printed = swarm.until_line("was cut short");
    assert!(printed.contains("store_trouble"), "{printed}");
    let status = home.ok(&["status"]);
    assert!(status.contains("cut short"), "{status}");
}

#[test]
fn a_disk_that_takes_nothing_makes_the_swarm_wait_and_then_go_on() {
    let scene = scene();
    let home = &scene.home;
    let mut swarm = home.fly(&["--start-swarm"]);
    swarm.until_line("tool_returned");
    let before = limit_files(&swarm, FULL);
    let printed = swarm.until_line("store_trouble");
    assert!(printed.contains("disk"), "{printed}");
    limit_files(&swarm, before);
    swarm.until_line("store_healed");
    swarm.until_line("tool_returned");
    let sent = home.ok(&["send", "alpha", "remember the number 4711"]);
    assert!(sent.contains("stored for alpha"), "{sent}");
    swarm.signal("-KILL");
    swarm.wait();
    let mut swarm = home.fly(&["--resume"]);
    swarm.until_line("tool_returned");
    assert_eq!(home.mysis("alpha")["state"], "running");
}

#[test]
fn the_output_of_a_headless_run_goes_on_after_its_disk_was_full() {
    let scene = scene();
    let home = &scene.home;
    let out = tempfile::NamedTempFile::new().expect("a file");
    let command = home.command(&["run", "--headless", "--json", "--start-swarm"]);
    let swarm = Process::spawn_into(command, out.reopen().expect("the same file"));
    let printed = || zoea_rig::written(out.path());
    let has = |code: &str| printed().iter().any(|line| line["code"] == code);
    let until_many_more = |what| {
        let before = printed().len();
        until(what, || (printed().len() > before + 20).then_some(()));
    };
    until_many_more("it plays");
    let before = limit_files(&swarm, FULL);
    until("the program has noticed", || {
        let status = home.json(&["status", "--json"]);
        status["trouble"].is_string().then_some(())
    });
    limit_files(&swarm, before);
    until("it tells that it can store again", || {
        has("store_healed").then_some(())
    });
    until_many_more("it goes on");
}

#[test]
fn an_offline_swarm_and_its_game_live_through_a_full_disk() {
    let home = Home::new();
    let run = ["run", "--offline", "--headless", "--json", "--tick", "50ms"];
    let mut swarm = Process::spawn(home.command(&run));
    swarm.until_line("tool_returned");
    let before = limit_files(&swarm, FULL);
    swarm.until_line("store_trouble");
    // The game's own files are on the same disk.
    let log = home.path().join("offline").join("galaxy");
    assert!(log.is_dir());
    // An attempt that is undone changes the time of the last write, but not the size of a file.
    let mut known = (0, Instant::now());
    until("the game has stood still for a while", || {
        let files = std::fs::read_dir(&log).expect("its files");
        let sizes = files.filter_map(|file| Some(file.ok()?.metadata().ok()?.len()));
        let size: u64 = sizes.sum();
        if size != known.0 {
            known = (size, Instant::now());
        }
        (known.1.elapsed() > Duration::from_millis(700)).then_some(())
    });
    limit_files(&swarm, before);
    swarm.until_line("store_healed");
    for _call in 0..10 {
        let line = swarm.until_line("tool_returned");
        assert!(!line.contains("unreachable"), "{line}");
    }
    // The game's records are still whole.
    swarm.signal("-KILL");
    swarm.wait();
    let mut swarm = Process::spawn(home.command(&run));
    swarm.until_line("tool_returned");
    swarm.land();
}
