//! Clients that wait: for events and for states of Myses, over kills and restarts of the program and of
//! themselves; and readers that wait for nothing more.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};
use zoea_rig::{Home, Process, Server, sqlite, until, written};

/// How many clients wait, unless `ZOEA_WAITERS` says otherwise.
const WAITERS: usize = 48;
/// How many begin at once.
const AT_ONCE: usize = 8;
/// How often the program is killed.
const KILLS: usize = 3;
/// How many clients of either kind wait over an orderly restart.
const RESTARTED: usize = 12;

#[expect(
    clippy::disallowed_methods,
    reason = "settings are the program's; this is how much a test does"
)]
fn waiters() -> usize {
    match std::env::var("ZOEA_WAITERS") {
        Ok(text) => text.parse().expect("a number"),
        Err(_) => WAITERS,
    }
}

/// A home with Myses, and its servers.
fn home_with_servers(pilot: &[&str]) -> (Home, Server, Server) {
    let (galaxy, pilot) = (Server::galaxy(&[]), Server::pilot(pilot));
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    for name in ["alpha", "beta"] {
        home.ok(&["mysis", "create", name]);
    }
    (home, galaxy, pilot)
}

fn follow(home: &Home, from: u64, into: &Path) -> Process {
    let from = from.to_string();
    let arguments = ["events", "--follow", "--from", &from, "--json"];
    let mut command = home.command(&arguments);
    command.stderr(File::create(into.with_extension("err")).expect("a file"));
    Process::spawn_into(command, File::create(into).expect("a file"))
}

fn numbers(events: &[Value]) -> Vec<u64> {
    let number = |event: &Value| event["number"].as_u64().expect("a number");
    events.iter().map(number).collect()
}

#[test]
fn over_kills_of_both_sides_no_event_is_missed_and_none_comes_twice() {
    let (home, _galaxy, _pilot) = home_with_servers(&["--latency", "20ms"]);
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let mut swarm = home.fly(&["--start-swarm"]);
    let files = tempfile::tempdir().expect("a directory");
    let file = |place: usize| files.path().join(format!("{place}.jsonl"));
    // Hundreds that begin at once take the machine from the program.
    let follows = |place| {
        let follower = follow(&home, 0, &file(place));
        if place % AT_ONCE == 0 {
            until("they follow", || {
                (!written(&file(place)).is_empty()).then_some(())
            });
        }
        follower
    };
    let followers: Vec<Process> = (1..=waiters()).map(follows).collect();
    let until_stopped = [
        "wait",
        "beta",
        "--until",
        "state=stopped",
        "--timeout",
        "5m",
    ];
    let mut waiting: Vec<Process> = (0..waiters())
        .map(|_| Process::spawn(home.command(&until_stopped)))
        .collect();
    // One whose own process is killed each time, and which goes on after the last number that it has.
    let mut parts = vec![follow(&home, 0, &file(1000))];
    let received = || -> Vec<Value> {
        let parts = (1000..1000 + KILLS + 1).map(file);
        parts
            .filter(|part| part.exists())
            .flat_map(|part| written(&part))
            .collect()
    };
    for kill in 0..KILLS {
        let before = numbers(&received()).len();
        home.ok(&["send", "alpha", &format!("order {kill}")]);
        until("something is heard", || {
            (received().len() > before).then_some(())
        });
        swarm.signal("-KILL");
        swarm.wait();
        parts.pop();
        let last = numbers(&received()).last().copied().unwrap_or(0);
        parts.push(follow(&home, last, &file(1001 + kill)));
        swarm = home.fly(&["--resume"]);
    }
    assert!(waiting.iter_mut().all(|one| !one.has_ended()));
    home.ok(&["mysis", "stop", "beta"]);
    for one in waiting {
        assert!(one.wait().success(), "it heard that beta stopped");
    }
    home.ok(&["mysis", "stop", "alpha"]);
    let all = until("nothing more happens", || {
        let all = numbers(&home.lines(&["events", "--from", "0", "--json"]));
        let place_of_all = |events: &[Value]| numbers(events).last() == all.last();
        let are_done = (1..=waiters()).all(|place| place_of_all(&written(&file(place))));
        (are_done && place_of_all(&received())).then_some(all)
    });
    assert!(all.len() > KILLS && all.is_sorted(), "{all:?}");
    assert_eq!(all.len(), all.iter().collect::<BTreeSet<_>>().len());
    for place in 1..=waiters() {
        assert_eq!(numbers(&written(&file(place))), all, "follower {place}");
    }
    assert_eq!(numbers(&received()), all, "the one that was killed");
    // Each kill is told by the next start, and by the report of the day.
    let printed = home.ok(&["events", "--limit", "0"]);
    assert_eq!(
        printed.matches("ended without closing").count(),
        KILLS,
        "{printed}"
    );
    let report = home.ok(&["report"]);
    assert!(report.contains("ended without closing"), "{report}");
    drop((followers, parts));
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}

#[test]
fn a_wait_ends_by_what_came_and_its_status_says_what() {
    let (home, _galaxy, pilot) = home_with_servers(&["--latency", "20ms", "--api-key", "right"]);
    let wait = |arguments: &[&str]| {
        let output = home.run(&[&["wait"], arguments].concat());
        let (out, err) = zoea_rig::texts(&output);
        (
            output.status.code().expect("a status"),
            format!("{out}{err}"),
        )
    };
    let swarm = home.fly(&[]);
    let (status, printed) = wait(&["alpha", "--until", "idle"]);
    assert_eq!((status, printed.as_str()), (0, "idle: alpha\n"));
    let (status, printed) = wait(&["--all", "--until", "state=idle"]);
    assert_eq!(
        (status, printed.contains("alpha, beta")),
        (0, true),
        "{printed}"
    );
    let (status, printed) = wait(&["alpha", "--until", "credits>5000", "--timeout", "300ms"]);
    assert_eq!(status, 3, "{printed}");
    assert!(
        printed.contains("`credits>5000` did not happen in time: alpha"),
        "{printed}"
    );
    let (status, printed) = wait(&["nobody", "--until", "idle"]);
    assert_eq!(status, 4, "{printed}");
    assert!(printed.contains("no mysis is called `nobody`"), "{printed}");
    let (status, printed) = wait(&["alpha", "--until", "answered", "--timeout", "5s"]);
    assert_eq!(status, 1, "{printed}");
    assert!(printed.contains("alpha got no direct message"), "{printed}");
    for wrong in [
        &["alpha", "--until", "bored"][..],
        &["--until", "idle"],
        &["alpha"],
    ] {
        assert_eq!(wait(wrong).0, 2, "{wrong:?}");
    }

    // A key that the server refuses: it is errored, and what was waited for does not come by itself.
    home.ok(&["mysis", "start", "alpha"]);
    let (status, printed) = wait(&["alpha", "--until", "errored", "--timeout", "50s"]);
    assert_eq!(status, 0, "{printed}");
    let (status, printed) = wait(&["alpha", "--until", "needs-me", "--json"]);
    assert_eq!(status, 0, "{printed}");
    let answer: Value = serde_json::from_str(printed.trim()).expect("JSON");
    assert_eq!(
        (&answer["outcome"], &answer["met"][0]),
        (&"met".into(), &"alpha".into())
    );
    let (status, printed) = wait(&["alpha", "beta", "--until", "done", "--timeout", "50s"]);
    assert_eq!(status, 4, "{printed}");
    assert!(printed.contains("alpha (errored)"), "{printed}");
    let (status, _) = wait(&["alpha", "beta", "--any", "--until", "idle"]);
    assert_eq!(status, 0);

    // Another server takes the key, and the message is answered.
    let address = pilot.address();
    drop(pilot);
    let _pilot = Server::pilot_at(&address, &["--latency", "20ms"]);
    home.ok(&["mysis", "start", "alpha"]);
    home.ok(&["send", "alpha", "what do you see?"]);
    let (status, printed) = wait(&["alpha", "--until", "answered", "--timeout", "50s"]);
    assert_eq!(status, 0, "{printed}");
    let (status, printed) = wait(&[
        "--all",
        "--any",
        "--until",
        "credits>=0",
        "--timeout",
        "50s",
    ]);
    assert_eq!((status, printed.as_str()), (0, "credits>=0: alpha\n"));

    // A Mysis that is deleted meanwhile.
    let waiting = home.command(&["wait", "beta", "--until", "errored"]);
    let waiting = Process::spawn(waiting);
    home.ok(&["mysis", "delete", "beta", "--yes"]);
    assert_eq!(waiting.wait().code(), Some(4));
    drop(swarm);
}

/// A home with one Mysis, in which nothing runs.
fn resting_home() -> Home {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    home
}

#[test]
fn an_orderly_restart_ends_no_wait_and_no_follow() {
    let home = resting_home();
    let swarm = home.fly(&[]);
    let files = tempfile::tempdir().expect("a directory");
    let file = |place: usize| files.path().join(format!("{place}.jsonl"));
    let until_stopped = [
        "wait",
        "alpha",
        "--until",
        "state=stopped",
        "--timeout",
        "5m",
    ];
    let (mut waiting, mut followers) = (Vec::new(), Vec::new());
    // One after the other, so that each looks at another moment than the others.
    for place in 0..RESTARTED {
        waiting.push(Process::spawn(home.command(&until_stopped)));
        followers.push(follow(&home, 0, &file(place)));
        until("it follows", || {
            (!written(&file(place)).is_empty()).then_some(())
        });
    }
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let _swarm = home.fly(&[]);
    home.ok(&["mysis", "stop", "alpha"]);
    for one in waiting {
        let status = one.wait();
        assert!(status.success(), "it heard that alpha stopped: {status}");
    }
    let all = until("all have followed", || {
        let all = numbers(&home.lines(&["events", "--from", "0", "--json"]));
        let has_last = |place| numbers(&written(&file(place))).last() == all.last();
        (0..RESTARTED).all(has_last).then_some(all)
    });
    for (place, follower) in followers.iter_mut().enumerate() {
        assert!(!follower.has_ended(), "follower {place}");
        assert_eq!(numbers(&written(&file(place))), all, "follower {place}");
    }
}

#[test]
fn a_wait_that_one_ends_says_how_each_of_them_is() {
    let home = resting_home();
    for name in ["bravo", "carol"] {
        home.ok(&["mysis", "create", name]);
    }
    let _swarm = home.fly(&[]);
    home.ok(&["mysis", "stop", "bravo", "carol"]);
    let names = ["wait", "alpha", "bravo", "carol"];
    let rest = ["--until", "state=idle", "--json"];
    let mut waiting = Process::spawn(home.command(&[&names[..], &rest].concat()));
    home.ok(&["mysis", "delete", "carol", "--yes"]);
    let answer: String = std::iter::from_fn(|| waiting.line()).collect();
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer["outcome"], "lost", "{answer}");
    assert_eq!(answer["met"], json!(["alpha"]), "{answer}");
    assert_eq!(answer["open"], json!(["bravo"]), "{answer}");
}

/// The end of a pipe as the output of a process.
fn into_pipe(pipe: PipeWriter) -> File {
    File::from(OwnedFd::from(pipe))
}

#[test]
fn a_program_whose_lines_nobody_reads_ends_when_it_is_asked_to() {
    let home = resting_home();
    let (_unread, pipe) = std::io::pipe().expect("a pipe");
    // It fills the pipe, and keeps it full.
    let shared = pipe.try_clone().expect("a pipe");
    let _filling = Process::spawn_into(Command::new("yes"), into_pipe(shared));
    let run = home.command(&["run", "--headless"]);
    let mut swarm = Process::spawn_into(run, into_pipe(pipe));
    until("it is up", || home.file("run.json").exists().then_some(()));
    home.ok(&["mysis", "create", "beta"]);
    let asked = Instant::now();
    swarm.signal("-TERM");
    until("it ends", || swarm.has_ended().then_some(()));
    let took = asked.elapsed();
    assert!(took.as_secs() < 10, "{took:?}");
    assert!(swarm.wait().success());
}

#[test]
fn what_follows_a_quiet_swarm_ends_with_its_reader() {
    let home = resting_home();
    let _swarm = home.fly(&[]);
    home.ok(&["note", "alpha", "one"]);
    for follow in [&["log", "alpha", "--follow"][..], &["events", "--follow"]] {
        let (reader, pipe) = std::io::pipe().expect("a pipe");
        let mut following = Process::spawn_into(home.command(follow), into_pipe(pipe));
        let mut line = String::new();
        let mut reader = BufReader::new(reader);
        reader.read_line(&mut line).expect("a line");
        assert!(!line.is_empty(), "{follow:?} printed what is there");
        // Nothing happens after that.
        drop(reader);
        until("it ends", || following.has_ended().then_some(()));
        assert!(following.wait().success(), "{follow:?}");
    }
}

#[test]
fn a_wait_ends_in_time_where_no_program_runs() {
    let home = resting_home();
    let (status, printed) = home.fails(&["wait", "alpha", "--until", "idle", "--timeout", "1s"]);
    assert_eq!(status, 3, "{printed}");
    assert!(
        printed.contains("`idle` did not happen in time: no program answered"),
        "{printed}"
    );
}

#[test]
fn all_events_are_printed_however_long_they_are() {
    let home = resting_home();
    for name in ["beta", "gamma", "delta", "epsilon"] {
        home.ok(&["mysis", "create", name]);
    }
    let long = "UPDATE event SET text = hex(zeroblob(750000))";
    sqlite::execute(&home.file("zoea.db"), long);
    let all = numbers(&home.lines(&["events", "--json", "--from", "0"]));
    assert!(all.len() >= 5, "{all:?}");
    for limit in ["0", "5000"] {
        let newest = home.lines(&["events", "--json", "--limit", limit]);
        assert_eq!(numbers(&newest), all, "{limit}");
    }
}

#[test]
fn events_from_a_database_that_has_fewer_are_refused() {
    let home = resting_home();
    let (status, printed) = home.fails(&["events", "--from", "1000000", "--json"]);
    assert_eq!(status, 1);
    assert!(
        printed.contains("the events of this database end with"),
        "{printed}"
    );
    let all = numbers(&home.lines(&["events", "--json"]));
    assert_eq!(
        numbers(&home.lines(&["events", "--json", "--from", "0"])),
        all
    );
    let after = home.lines(&["events", "--json", "--from", "0", "--limit", "1"]);
    assert_eq!(numbers(&after), all[..1]);
}
