//! A program whose process is stopped: commands say so at once, and it says afterwards for how long it
//! stood still.

use std::time::{Duration, Instant};

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

    let told = until("the standstill is an event", || {
        let events = home.ok(&["events"]);
        events
            .lines()
            .find(|line| line.contains("stood still for"))
            .map(str::to_string)
    });
    assert!(told.contains("its process was stopped"), "{told}");
    // What the stopped program had received is not lost, and not done twice.
    home.ok(&["send", "alpha", "again"]);
}
