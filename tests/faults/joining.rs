//! Processes that start at once on an empty database, each with the same configuration, as a StatefulSet
//! starts them: all of them come up, and each Mysis is there once.
//!
//! `ZOEA_STARTS=100` is the number of such starts.

use crate::verdict::number;
use zoea_rig::{Home, Process, Server, postgres, until};

/// The number of starts, unless the environment gives another.
const STARTS: u64 = 3;
/// The processes of a start.
const PROCESSES: usize = 4;
/// The Myses that each of them declares.
const MYSES: [&str; 6] = ["m1", "m2", "m3", "m4", "m5", "m6"];

/// Starts a process in each home at the same time. Returns how many came up; the others ended.
fn start_at_once(homes: &[Home]) -> (usize, Vec<Process>) {
    let command = |home: &Home| home.command(&["run", "--headless", "--json", "--start-swarm"]);
    let mut processes: Vec<Process> = homes
        .iter()
        .map(|home| Process::spawn(command(home)))
        .collect();
    let mut up = 0;
    for (home, process) in homes.iter().zip(&mut processes) {
        up += until("a process is up or has ended", || {
            let run = std::fs::read_to_string(home.file("run.json")).unwrap_or_default();
            let is_up = run.contains(&format!("\"pid\":{}", process.pid()));
            (is_up || process.has_ended()).then_some(usize::from(is_up))
        });
    }
    (up, processes)
}

#[test]
fn processes_that_start_at_once_with_the_same_myses_all_start() {
    let starts = number("ZOEA_STARTS", STARTS);
    let galaxy = Server::galaxy(&["--tick", "200ms"]);
    let pilot = Server::pilot(&["--latency", "200ms"]);
    let declared: String = MYSES
        .iter()
        .map(|name| format!("[[myses]]\nname = \"{name}\"\n"))
        .collect();
    let mut ended = 0;
    for start in 0..starts {
        let Some(url) = postgres::database() else {
            return;
        };
        let more = format!("[store]\ndatabase_url = \"{url}\"\n{declared}");
        let homes: Vec<Home> = (0..PROCESSES).map(|_| Home::new()).collect();
        for home in &homes {
            home.configure(&pilot.url, &galaxy.url, &more);
        }
        let (up, processes) = start_at_once(&homes);
        ended += PROCESSES - up;
        let names = postgres::column(&url, "SELECT name FROM mysis ORDER BY name");
        assert_eq!(names, MYSES, "start {start}: each is there once");
        let held = "SELECT count(*)::text FROM lease JOIN mysis ON mysis.id = lease.mysis_id \
                    WHERE expires_at > clock_timestamp() AND state = 'running'";
        until("each of them runs", || {
            (postgres::column(&url, held).concat() == MYSES.len().to_string()).then_some(())
        });
        drop(processes);
    }
    println!("{starts} starts of {PROCESSES} processes at once: {ended} processes ended");
    assert_eq!(ended, 0);
}
