//! Reminders over kills: each is delivered once, however close to its time the program is killed, and
//! whichever process of a fleet runs its Mysis then.

use std::time::{Duration, Instant};

use zoea_rig::{Home, Server, postgres, sqlite, until};

use crate::shared::{MISSION, names, scene, until_held};
use crate::verdict::number;

const NAMES: [&str; 3] = ["m0", "m1", "m2"];
/// The kills of a usual run.
const KILLS: u64 = 6;

/// How often each text that was left stands in the conversations as a direct message.
const DELIVERED: &str = "SELECT content || ' ' || count(*) FROM message WHERE kind = 'prompt' \
                         AND content LIKE 'Bell %' GROUP BY content ORDER BY content";

#[test]
fn each_reminder_is_delivered_once_however_close_to_its_time_the_program_is_killed() {
    let (galaxy, pilot) = (Server::galaxy(&[]), Server::pilot(&["--latency", "10ms"]));
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    for name in NAMES {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["broadcast", "Mine ore, sell it at your station, refuel."]);
    let seed = number("ZOEA_SEED", u64::from(std::process::id()));
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut left = Vec::new();
    for kill in 0..number("ZOEA_REMINDER_KILLS", KILLS) {
        let swarm = home.fly(&["--start-swarm"]);
        for name in NAMES {
            let text = format!("Bell {kill:03} of {name}");
            home.ok(&["remind", name, &text, "--in", "800ms"]);
            left.push(text);
        }
        // The first ones are due about now, the last one within a second.
        let (begun, wait) = (Instant::now(), Duration::from_millis(rng.u64(0..1200)));
        until("the moment of the kill has come", || {
            (begun.elapsed() >= wait).then_some(())
        });
        swarm.signal("-KILL");
        swarm.wait();
    }
    let swarm = home.fly(&["--start-swarm"]);
    let database = home.file("zoea.db");
    let expected: Vec<String> = left.iter().map(|text| format!("{text} 1")).collect();
    until("all are delivered", || {
        let delivered = sqlite::column(&database, DELIVERED);
        (delivered.len() >= expected.len()).then_some(())
    });
    let waiting = home.json(&["reminders", "--json"]);
    assert_eq!(waiting, serde_json::json!([]));
    swarm.land();
    let mut expected = expected;
    expected.sort();
    assert_eq!(sqlite::column(&database, DELIVERED), expected, "each once");
}

#[test]
fn a_reminder_of_a_killed_process_is_delivered_by_the_one_that_takes_its_mysis() {
    let Some((scene, _files)) = scene() else {
        return;
    };
    let url = &scene.url;
    let homes = [scene.home(&["m1", "m2", "m3", "m4"]), scene.home(&[])];
    let first = homes[0].fly(&["--start-swarm"]);
    homes[0].ok(&["broadcast", MISSION]);
    let second = homes[1].fly(&[]);
    until_held(url, &["2", "2"]);
    // Given at the one process for a Mysis of the other, which is killed before it is due.
    let name = names(&homes[1])[0].clone();
    homes[0].ok(&["remind", &name, "Bell of the dead", "--in", "4s"]);
    until("its own process has it", || {
        let listed = homes[1].json(&["reminders", "--json"]);
        (listed[0]["mysis"] == *name).then_some(())
    });
    until("the other process shows it", || {
        let listed = homes[0].json(&["reminders", "--json"]);
        (listed[0]["text"] == "Bell of the dead").then_some(())
    });
    second.signal("-KILL");
    second.wait();
    until("it is delivered", || {
        let delivered = postgres::column(url, DELIVERED);
        (!delivered.is_empty()).then_some(())
    });
    until("nothing waits", || {
        let listed = homes[0].json(&["reminders", "--json"]);
        (listed == serde_json::json!([])).then_some(())
    });
    assert_eq!(postgres::column(url, DELIVERED), ["Bell of the dead 1"]);
    first.land();
}
