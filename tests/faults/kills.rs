//! Kills: SIGKILL at random moments, many times in a row, under load.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::books::logins;
use crate::verdict::{Order, Played, finish_without_faults, how_to_start, is_up, number};
use zoea_rig::postgres;
use zoea_rig::{Home, Process, Server};

/// The number of kills, unless `ZOEA_KILLS` gives another.
const KILLS: u64 = 12;
/// The number of kills with the database on a server.
const KILLS_ON_A_SERVER: u64 = 3;
/// The number of further kills until one order was acknowledged.
const PATIENCE: u64 = 30;
const MYSES: usize = 5;
/// The longest run. The kill comes at a random moment of it.
const FLIGHT: Duration = Duration::from_millis(2500);

#[test]
fn killed_at_any_instant_it_loses_nothing_and_repeats_nothing() {
    kill_often(number("ZOEA_KILLS", KILLS), "", "");
}

/// A session of the second interface needs the game's own session id, which is never stored. So
/// each process logs in anew.
#[test]
fn killed_in_the_second_interface_it_loses_nothing_and_repeats_nothing() {
    kill_often(number("ZOEA_KILLS", KILLS), "/v2", "");
}

#[test]
fn killed_at_any_instant_with_its_books_on_a_server_it_loses_and_repeats_nothing() {
    if let Some(url) = postgres::database() {
        let store = format!("[store]\ndatabase_url = \"{url}\"\n");
        kill_often(number("ZOEA_KILLS", KILLS_ON_A_SERVER), "", &store);
    }
}

#[expect(clippy::print_stdout, reason = "the figures are worth a look")]
fn kill_often(kills: u64, path: &str, store: &str) {
    let seed = number("ZOEA_SEED", u64::from(std::process::id()));
    let mut dice = fastrand::Rng::with_seed(seed);
    let home = Home::new();
    std::fs::create_dir_all(home.path()).expect("a home");
    let ledger = home.path().with_file_name("ledger.jsonl");
    let data = home.path().with_file_name("galaxy");
    let galaxy = Server::galaxy(&[
        "--ledger",
        ledger.to_str().expect("a path"),
        "--data",
        data.to_str().expect("a path"),
    ]);
    let pilot = Server::pilot(&["--latency", "5ms", "--seed", "1"]);
    home.configure(&pilot.url, &format!("{}{path}", galaxy.url), store);
    let names: Vec<String> = (0..MYSES).map(|number| format!("m{number}")).collect();
    for name in &names {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&[
        "broadcast",
        "Mine ore, sell it at your station, refuel and go again.",
    ]);

    let mut orders = Vec::new();
    let mut before_it_was_up = 0;
    // With few kills, chance may put every one before the first acknowledged order.
    let is_enough = |kill: u64, orders: &[Order]| {
        let was_acknowledged = orders.iter().any(|order| order.is_acknowledged);
        kill >= kills && (was_acknowledged || kill >= kills + PATIENCE)
    };
    let mut kill = 0;
    while !is_enough(kill, &orders) {
        let process = Process::spawn(home.command(&["run", "--headless", how_to_start(&home)]));
        let length = FLIGHT.mul_f64(dice.f64());
        let order = Order {
            text: format!("order {kill} of {seed}: report when you can"),
            is_acknowledged: false,
        };
        match fly(&home, &process, &names[dice.usize(..MYSES)], order, length) {
            Some(order) => orders.push(order),
            None => before_it_was_up += 1,
        }
        process.signal("-KILL");
        assert!(!process.wait().success());
        kill += 1;
    }

    finish_without_faults(&home);
    let played = Played {
        seed,
        home: &home,
        ledger: &ledger,
        pilot: &pilot,
        orders: &orders,
    };
    println!(
        "seed {seed}: {kill} kills ({before_it_was_up} before it was up), {}",
        played.judge(MYSES)
    );
    let logins = logins(&data);
    println!("seed {seed}: {logins} logins in {} processes", kill + 1);
    // Where sessions hold with their connection, each process logs in: so logins are really counted.
    assert!(path.is_empty() || logins > 0, "logins are in the journal");
    // On a busy machine, a process that acknowledged no order may have been killed before it stored its logins.
    let early = kill - orders.iter().filter(|order| order.is_acknowledged).count() as u64;
    let processes = if path.is_empty() { 1 + early } else { kill + 2 };
    let most = MYSES * usize::try_from(processes).expect("few processes");
    assert!(logins <= most, "sessions of before are taken up again");
}

/// Lets the program run this long, and sends an order half-way; `None` if it did not start.
fn fly(
    home: &Home,
    process: &Process,
    name: &str,
    mut order: Order,
    length: Duration,
) -> Option<Order> {
    let started = Instant::now();
    let mut messenger = None;
    while started.elapsed() < length {
        if messenger.is_none() && started.elapsed() > length / 2 && is_up(home, process) {
            let mut command = home.command(&["send", name, &order.text]);
            let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
            messenger = Some(quiet.spawn().expect("the messenger leaves"));
        }
        pause();
    }
    // The kill comes while the order may still be on its way.
    process.signal("-KILL");
    let mut messenger = messenger?;
    order.is_acknowledged = messenger.wait().expect("the messenger ends").success();
    Some(order)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the instant of the kill is chance itself"
)]
fn pause() {
    std::thread::sleep(Duration::from_millis(2));
}
