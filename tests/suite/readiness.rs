//! Readiness: the messages of the real program to a service manager, on a real socket.

use std::os::unix::net::UnixDatagram;
use std::process::Command;
use std::time::Duration;

use zoea_rig::{Home, Process};

/// A service manager that receives messages.
struct Manager {
    socket: UnixDatagram,
    received: Vec<String>,
}

impl Manager {
    fn at(home: &Home) -> Manager {
        std::fs::create_dir_all(home.path()).expect("a home");
        let socket = UnixDatagram::bind(home.file("notify")).expect("a socket");
        let patience = Some(Duration::from_secs(30));
        socket.set_read_timeout(patience).expect("a time");
        Manager {
            socket,
            received: Vec::new(),
        }
    }

    /// The program as a manager starts it.
    fn command(home: &Home) -> Command {
        let mut command = home.command(&["run", "--headless", "--json"]);
        command
            .env("NOTIFY_SOCKET", home.file("notify"))
            .env("WATCHDOG_USEC", "200000");
        command
    }

    /// Receives messages until one begins like this.
    fn until_message(&mut self, beginning: &str) -> String {
        loop {
            let mut words = [0; 4096];
            let count = self.socket.recv(&mut words).unwrap_or_else(|error| {
                panic!("never heard {beginning} ({error}): {:?}", self.received)
            });
            let words = String::from_utf8_lossy(&words[..count]).into_owned();
            self.received.push(words.clone());
            if words.starts_with(beginning) {
                return words;
            }
        }
    }
}

#[test]
fn a_service_manager_hears_of_the_start_of_life_of_a_reload_and_of_the_end() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    let mut manager = Manager::at(&home);
    let swarm = Process::spawn(Manager::command(&home));

    // A program that reported readiness can be used.
    manager.until_message("READY=1");
    assert!(home.ok(&["status"]).contains("zoea"), "it answers");
    let status = manager.until_message("STATUS=");
    assert_eq!(
        status,
        "STATUS=1 Myses: 1 idle, 0 running, 0 stopped, 0 errored"
    );
    for _ in 0..3 {
        manager.until_message("WATCHDOG=1");
    }

    // A change of the swarm is reported.
    home.ok(&["mysis", "stop", "alpha"]);
    let status = manager.until_message("STATUS=");
    assert!(status.contains("1 stopped"), "{status}");

    swarm.signal("-HUP");
    let reloading = manager.until_message("RELOADING=1\nMONOTONIC_USEC=");
    let micros = reloading.rsplit('=').next().expect("a number");
    assert!(micros.parse::<u64>().expect("a number") > 0);
    manager.until_message("READY=1");

    swarm.signal("-TERM");
    manager.until_message("STOPPING=1");
    assert!(swarm.wait().success());
}

#[test]
fn a_manager_that_hears_nothing_holds_nobody_up() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    // Nobody reads this socket, so it is full after some messages.
    let _manager = Manager::at(&home);
    let swarm = home.launch(Manager::command(&home));
    for _ in 0..20 {
        swarm.signal("-HUP");
        home.ok(&["status"]);
    }
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}
