//! Logins of several processes: the game counts them by address, so they are counted on the way to it.

use parking_lot::Mutex;
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zoea_rig::postgres;
use zoea_rig::{Home, Process, Server, until};

use crate::limits::end;
use crate::shared::MISSION;
use crate::wire::Wire;

/// The Myses of each process.
const MYSES: usize = 30;
/// The limit: two a second, and a burst of an eighth of it.
const A_MINUTE: usize = 120;
const BURST: usize = A_MINUTE / 8;
/// The time in which so many may begin.
const ADMITTED: Duration = Duration::from_secs(15);
/// The time in which those are counted: on a busy machine a login is on its way to the game for some seconds.
const COUNTED: Duration = Duration::from_secs(10);
/// The most that may begin in that time.
const MOST: usize = A_MINUTE * ADMITTED.as_secs() as usize / 60 + BURST;

/// When a login of each kind was on its way to the game.
#[derive(Clone, Default)]
struct Logins(Arc<Mutex<Vec<Instant>>>);

impl Logins {
    /// The wire to this game on which they are heard.
    fn on_the_way_to(&self, galaxy: &Server) -> Wire {
        let logins = self.clone();
        Wire::overheard(&galaxy.address(), move |piece| {
            let text = String::from_utf8_lossy(piece);
            let count = |what: &str| text.matches(what).count();
            let found = count("\"method\":\"initialize\"")
                + count("\"name\":\"register\"")
                + count("\"name\":\"login\"");
            let now = Instant::now();
            let mut times = logins.0.lock();
            times.extend(std::iter::repeat_n(now, found));
        })
    }

    fn count(&self) -> usize {
        self.0.lock().len()
    }

    fn until(&self, least: usize) {
        until(&format!("{least} logins"), || {
            (self.count() >= least).then_some(())
        });
    }

    /// The most that were counted within any such time.
    fn most(&self) -> usize {
        let times = self.0.lock();
        let within = |from: &Instant| {
            let is_counted = |at: &&Instant| **at >= *from && **at < *from + COUNTED;
            times.iter().filter(is_counted).count()
        };
        times.iter().map(within).max().unwrap_or(0)
    }
}

/// A home on this database and this game, with Myses of its own, on the machine that `address` names.
fn home(url: &str, game: &Wire, pilot: &Server, address: &str, number: usize) -> Home {
    let home = Home::new();
    std::fs::create_dir_all(home.path()).expect("a home");
    let mut text = format!(
        "[budget]\nusd_per_day = \"unlimited\"\n[store]\ndatabase_url = \"{url}\"\n\
         [mcp]\nupstream = \"http://{}/mcp\"\n\
         logins_per_minute = {A_MINUTE}\nlogins_address = \"{address}\"\n\
         [swarm]\nmax_myses = 1000\ndefault_provider = \"pilot\"\n\
         [providers.pilot]\nendpoint = \"{}\"\nmodel = \"pilot\"\nmax_concurrency = 64\n",
        game.address(),
        pilot.url
    );
    for place in 0..MYSES {
        write!(text, "[[myses]]\nname = \"m{number}-{place}\"\n").expect("a text");
    }
    std::fs::write(home.file("zoea.toml"), text).expect("a configuration");
    home
}

/// What all three processes of a fleet begin, of which one is killed and comes back: until so many logins were
/// seen. `addresses` are those of the three.
fn most_of_three(addresses: [&str; 3], logins_seen: usize) -> Option<usize> {
    let url = postgres::database()?;
    let (galaxy, pilot) = (
        Server::galaxy(&["--tick", "100ms"]),
        Server::pilot(&["--latency", "200ms"]),
    );
    let logins = Logins::default();
    let wire = logins.on_the_way_to(&galaxy);
    let homes = [0, 1, 2].map(|at| home(&url, &wire, &pilot, addresses[at], at));
    let mut processes: Vec<Process> = homes
        .iter()
        .map(|home| home.fly(&["--start-swarm"]))
        .collect();
    homes[0].ok(&["broadcast", MISSION]);
    logins.until(logins_seen / 2);
    let second = processes.remove(1);
    second.signal("-KILL");
    second.wait();
    processes.push(homes[1].fly(&[]));
    logins.until(logins_seen);
    end(processes);
    Some(logins.most())
}

#[test]
fn the_game_sees_no_more_logins_of_three_processes_at_one_address_than_of_one() {
    let Some(most) = most_of_three(["office", "office", "office"], 80) else {
        return;
    };
    println!(
        "3 processes: {most} logins within {COUNTED:?}, of {MOST} that may begin within {ADMITTED:?}"
    );
    assert!(most <= MOST, "{most}");
    assert!(most >= MOST / 3, "they did log in: {most}");
}

#[test]
fn each_address_has_logins_of_its_own() {
    let Some(most) = most_of_three(["office", "cellar", "attic"], 110) else {
        return;
    };
    println!("3 processes, 3 addresses: {most} logins within {COUNTED:?}");
    assert!(most > MOST, "more than one address: {most}");
    assert!(most <= 3 * MOST, "{most}");
}
