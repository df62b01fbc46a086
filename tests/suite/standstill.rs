//! A program whose process is stopped: commands say so at once, and it says afterwards for how long it
//! stood still.

use std::fs::File;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::json;

use zoea_rig::{Home, until};

#[test]
fn a_stopped_program_is_named_by_commands_and_tells_how_long_it_stood_still() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    let swarm = home.fly(&[]);
    home.ok(&["status"]);

    swarm.signal("-STOP");
    let stopped = Instant::now();
    for arguments in [
        &["status"][..],
        &["send", "alpha", "hello"],
        &["mysis", "list"],
        &["doctor"],
    ] {
        let asked = Instant::now();
        let output = home.run(arguments);
        let (out, err) = zoea_rig::texts(&output);
        assert!(asked.elapsed() < Duration::from_secs(20), "{arguments:?}");
        if arguments == ["doctor"] {
            continue;
        }
        assert!(!output.status.success(), "{arguments:?}: {out}");
        let pid = swarm.pid().to_string();
        for word in ["is stopped", "`fg`", &format!("kill -CONT {pid}")] {
            assert!(err.contains(word), "{arguments:?}: {err}");
        }
    }
    until("it stood still for long enough to be told", || {
        (stopped.elapsed() > Duration::from_secs(7)).then_some(())
    });
    swarm.signal("-CONT");

    let printed = until("the standstill is an event", || {
        let events = home.ok(&["events"]);
        events
            .lines()
            .find(|line| line.contains("did not run for"))
            .map(str::to_string)
    });
    assert!(printed.contains("its process was stopped"), "{printed}");
    // What the stopped program had received is not lost, and not done twice.
    home.ok(&["send", "alpha", "again"]);
}

#[test]
fn a_program_that_hangs_is_named_within_five_seconds_also_by_a_command_that_waits() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    // What a program looks like that runs and answers nothing: its locks are held, and connections are
    // taken by the system.
    let deaf = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = deaf.local_addr().expect("an address");
    std::fs::write(home.file("control.token"), "0123456789abcdef".repeat(4)).expect("a token");
    let run = json!({"pid": std::process::id(), "control": format!("http://{address}/mcp"), "started_at": "2026-02-07T12:00:00.000Z"});
    std::fs::write(home.file("run.json"), run.to_string()).expect("a file");
    let held = ["zoea.lock", "run.json"].map(|name| {
        let file = File::options().read(true).write(true).open(home.file(name));
        let file = file.expect("a file");
        file.lock().expect("nobody else has it");
        file
    });
    for arguments in [
        &["status"][..],
        &["wait", "alpha", "--until", "errored", "--timeout", "8s"],
        &["export", "--out", "/dev/null/x"],
    ] {
        let said = tempfile::NamedTempFile::new().expect("a file");
        let mut command = home.command(arguments);
        command.stderr(said.reopen().expect("the same file"));
        let asked = Instant::now();
        let waiting = zoea_rig::Process::spawn(command);
        let printed = until("it says that the program does not answer", || {
            let printed = std::fs::read_to_string(said.path()).expect("what it said");
            printed
                .contains("runs but does not answer")
                .then_some(printed)
        });
        // Twice the promised time, for a busy machine.
        assert!(asked.elapsed() < Duration::from_secs(10), "{arguments:?}");
        let pid = format!("process {}", std::process::id());
        assert!(printed.contains(&pid), "{arguments:?}: {printed}");
        waiting.signal("-KILL");
    }
    drop(held);
}

#[test]
fn a_wait_says_that_the_program_is_stopped_and_goes_on_with_it() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    let swarm = home.fly(&[]);
    let said = tempfile::NamedTempFile::new().expect("a file");
    let mut command = home.command(&["wait", "alpha", "--until", "state=stopped"]);
    command.stderr(said.reopen().expect("the same file"));
    swarm.signal("-STOP");
    let waiting = zoea_rig::Process::spawn(command);
    until("it says that the program is stopped", || {
        let printed = std::fs::read_to_string(said.path()).expect("what it said");
        printed.contains("is stopped").then_some(())
    });
    swarm.signal("-CONT");
    home.ok(&["mysis", "start", "alpha"]);
    home.ok(&["mysis", "stop", "alpha"]);
    assert!(waiting.wait().success());
}
