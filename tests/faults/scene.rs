//! A swarm that meets faults while it plays and while it gets orders.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::verdict::{Order, Played, finish_without_faults, how_to_start, is_up};
use zoea_rig::{Home, Process, Server, until};

const MYSES: usize = 5;

/// A home, the servers that it plays against, and the orders that it got.
pub(crate) struct Scene {
    pub(crate) home: Home,
    pub(crate) seed: u64,
    pub(crate) dice: fastrand::Rng,
    /// The directory outside of the home, which survives its loss.
    _beside: TempDir,
    ledger: PathBuf,
    _galaxy: Server,
    pilot: Server,
    running: Option<Process>,
    orders: Vec<Order>,
    messengers: Vec<(usize, Child)>,
}

impl Scene {
    /// A swarm that has its orders and does not play yet. `more` is further configuration. The
    /// game's ledger is in a directory of its own below `below`.
    pub(crate) fn new(seed: u64, more: &str, below: &Path) -> Scene {
        let beside = tempfile::tempdir_in(below).expect("a directory");
        let ledger = beside.path().join("ledger.jsonl");
        let galaxy = Server::galaxy(&["--ledger", ledger.to_str().expect("a path")]);
        let pilot = Server::pilot(&["--latency", "5ms", "--seed", "1"]);
        let home = Home::new();
        home.configure(&pilot.url, &galaxy.url, more);
        for number in 0..MYSES {
            home.ok(&["mysis", "create", &format!("m{number}")]);
        }
        home.ok(&[
            "broadcast",
            "Mine ore, sell it at your station, refuel and go again.",
        ]);
        Scene {
            home,
            seed,
            dice: fastrand::Rng::with_seed(seed),
            _beside: beside,
            ledger,
            _galaxy: galaxy,
            pilot,
            running: None,
            orders: Vec::new(),
            messengers: Vec::new(),
        }
    }

    /// Starts the swarm as `prepare` says, and waits until it can be reached. Returns whether it
    /// started.
    pub(crate) fn start(&mut self, prepare: impl Fn(&mut Command)) -> bool {
        let mut command = self
            .home
            .command(&["run", "--headless", how_to_start(&self.home)]);
        command.stderr(Stdio::null());
        prepare(&mut command);
        let mut running = Process::spawn_into(command, Stdio::null());
        let has_come_up = until("the swarm is up or has given up", || {
            if running.has_ended() {
                return Some(false);
            }
            is_up(&self.home, &running).then_some(true)
        });
        self.running = has_come_up.then_some(running);
        has_come_up
    }

    /// Sends an order from a process of its own, which waits for the answer.
    pub(crate) fn send(&mut self) {
        let number = self.orders.len();
        let order = Order {
            text: format!("order {number} of {}: report when you can", self.seed),
            is_acknowledged: false,
        };
        let name = format!("m{}", self.dice.usize(..MYSES));
        let mut command = self.home.command(&["send", &name, &order.text]);
        let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
        let messenger = quiet.spawn().expect("the messenger leaves");
        self.messengers.push((number, messenger));
        self.orders.push(order);
    }

    /// Waits for the answers to all orders. Returns whether the last one was acknowledged.
    pub(crate) fn wait_for_messengers(&mut self) -> bool {
        for (number, mut messenger) in self.messengers.drain(..) {
            let ended = until("a messenger is back", || {
                messenger.try_wait().expect("its status")
            });
            self.orders[number].is_acknowledged = ended.success();
        }
        self.orders
            .last()
            .is_some_and(|order| order.is_acknowledged)
    }

    /// Checks that an order given now is stored without any help.
    pub(crate) fn goes_on(&mut self) {
        self.send();
        assert!(
            self.wait_for_messengers(),
            "seed {}: the swarm does not go on",
            self.seed
        );
    }

    pub(crate) fn kill(&mut self) {
        self.running = None;
        self.wait_for_messengers();
    }

    /// Ends the process in good order. Returns whether it ended so.
    pub(crate) fn end(&mut self) -> bool {
        let Some(mut running) = self.running.take() else {
            return false;
        };
        running.signal("-TERM");
        until("it has ended", || running.has_ended().then_some(()));
        self.wait_for_messengers();
        running.wait().success()
    }

    /// Whether a process runs.
    pub(crate) fn is_up(&self) -> bool {
        self.running.is_some()
    }

    /// The number of orders that were given.
    pub(crate) fn orders(&self) -> usize {
        self.orders.len()
    }

    /// Lets the swarm play once more without faults, and checks the outcome.
    pub(crate) fn judge(mut self) -> String {
        self.kill();
        finish_without_faults(&self.home);
        let played = Played {
            seed: self.seed,
            home: &self.home,
            ledger: &self.ledger,
            pilot: &self.pilot,
            orders: &self.orders,
        };
        played.judge(MYSES)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the time of a fault is chance itself"
)]
pub(crate) fn pause(length: Duration) {
    std::thread::sleep(length);
}
