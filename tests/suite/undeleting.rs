//! Deleted Myses come back: whole, once, also where the program is killed in the middle.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};
use zoea_rig::{Home, Process, Server, lines, postgres, until};

/// How often the program is killed while a Mysis is deleted.
const KILLS: usize = 6;

/// A home whose database is a file, and one whose database is on a server.
fn stores() -> Vec<String> {
    let server = postgres::database();
    let server = server.map(|url| format!("[store]\ndatabase_url = \"{url}\"\n"));
    [Some(String::new()), server]
        .into_iter()
        .flatten()
        .collect()
}

/// A home with Myses that have played, and its servers.
fn played(store: &str) -> (Home, Server, Server) {
    let (galaxy, pilot) = (Server::galaxy(&[]), Server::pilot(&["--latency", "10ms"]));
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, store);
    for name in ["alpha", "beta"] {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["broadcast", "Mine ore and sell it."]);
    (home, galaxy, pilot)
}

fn fly(home: &Home, how: &str) -> Process {
    let swarm = home.fly(&[how]);
    until("alpha has played", || {
        let alpha = home.mysis("alpha");
        (alpha["turns"].as_u64() > Some(1) && alpha["account"].is_string()).then_some(())
    });
    swarm
}

fn log(home: &Home, name: &str) -> Vec<Value> {
    home.lines(&["log", name, "--limit", "0", "--json"])
}

/// What was said. How a call ended may be known later than that it was made.
fn said(rows: &[Value]) -> Vec<(&Value, &Value, &Value)> {
    rows.iter()
        .map(|row| (&row["seq"], &row["kind"], &row["content"]))
        .collect()
}

fn books(home: &Home) -> Value {
    home.json(&["books", "--days", "0", "--json"])
}

fn copies(home: &Home) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home.file("deleted"));
    let entries = entries.into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[test]
fn what_is_deleted_comes_back_whole_with_its_account_and_costs_nothing_twice() {
    for store in stores() {
        let (home, _galaxy, _pilot) = played(&store);
        let swarm = fly(&home, "--start-swarm");
        home.ok(&["note", "alpha", "remember the belt"]);
        home.ok(&["mysis", "stop", "alpha", "beta"]);
        let (before, costs) = (log(&home, "alpha"), books(&home));
        let account = home.mysis("alpha")["account"].clone();
        home.ok(&["mysis", "delete", "alpha", "--yes"]);
        let [copy] = &copies(&home)[..] else {
            panic!("{:?}", copies(&home));
        };
        let mode = |path: &PathBuf| std::fs::metadata(path).expect("it").permissions().mode();
        assert_eq!(mode(copy) & 0o777, 0o600);
        assert_eq!(mode(&home.file("deleted")) & 0o777, 0o700);
        let copied = std::fs::read_to_string(copy).expect("a copy");
        assert!(
            !copied.contains("\"password\""),
            "an export has no passwords"
        );

        let printed = home.ok(&["mysis", "undelete", "alpha"]);
        assert!(
            printed.contains("alpha is back, idle, with its game account"),
            "{printed}"
        );
        assert_eq!(log(&home, "alpha"), before);
        assert_eq!(books(&home), costs, "the books count once");
        assert_eq!(home.mysis("alpha")["account"], account);
        assert_eq!(copies(&home), Vec::<PathBuf>::new());
        let (_, again) = home.fails(&["mysis", "undelete", "alpha"]);
        assert!(again.contains("no copy of `alpha` is in"), "{again}");
        // It plays on.
        home.ok(&["mysis", "start", "alpha"]);
        until("it plays on", || {
            (log(&home, "alpha").len() > before.len() + 3).then_some(())
        });
        swarm.signal("-TERM");
        assert!(swarm.wait().success());

        // Where no program runs, too. Another one has its name and its account meanwhile.
        home.ok(&["mysis", "delete", "alpha", "--yes"]);
        home.ok(&["mysis", "create", "alpha"]);
        let owner =
            json!([{"username": account, "password": "other-word", "assigned_to": "alpha"}]);
        let file = home.file("accounts.json");
        std::fs::write(&file, owner.to_string()).expect("a file");
        home.ok(&["accounts", "import", file.to_str().expect("a path")]);
        let printed = home.ok(&["mysis", "undelete", "alpha"]);
        assert_eq!(printed, "alpha-2 is back, idle, without a game account\n");
        assert_eq!(log(&home, "alpha-2")[..before.len()], before[..]);
        assert_eq!(home.mysis("alpha")["account"], account);

        // Without a copy nothing comes back.
        home.ok(&["mysis", "delete", "alpha-2", "--yes", "--now"]);
        assert_eq!(copies(&home), Vec::<PathBuf>::new());
        home.fails(&["mysis", "undelete", "alpha-2"]);
    }
}

#[test]
fn where_no_copy_can_be_kept_nothing_is_deleted_unless_now() {
    let (home, _galaxy, _pilot) = played("");
    std::fs::write(home.file("deleted"), "in the way").expect("a file");
    let swarm = fly(&home, "--start-swarm");
    let (status, printed) = home.fails(&["mysis", "delete", "alpha", "--yes"]);
    assert_eq!(status, 1);
    for word in [
        "alpha is not deleted",
        "/deleted: ",
        "zoea mysis delete --now alpha",
    ] {
        assert!(printed.contains(word), "{printed}");
    }
    let rows = log(&home, "alpha").len();
    until("it goes on", || {
        (log(&home, "alpha").len() > rows + 3).then_some(())
    });
    home.ok(&["mysis", "delete", "alpha", "--yes", "--now"]);
    let (_, printed) = home.fails(&["log", "alpha"]);
    assert!(printed.contains("no mysis is called `alpha`"), "{printed}");
    drop(swarm);
}

#[test]
fn killed_while_it_deletes_it_loses_nothing() {
    std::thread::scope(|scope| {
        for store in stores() {
            scope.spawn(move || a_kill_while_it_deletes_loses_nothing(&store));
        }
    });
}

fn a_kill_while_it_deletes_loses_nothing(store: &str) {
    let (home, _galaxy, _pilot) = played(store);
    let mut swarm = fly(&home, "--start-swarm");
    let mut dice = fastrand::Rng::with_seed(u64::from(std::process::id()));
    for kill in 0..KILLS {
        let before = log(&home, "alpha");
        let deleting = home.command(&["mysis", "delete", "alpha", "--yes"]);
        let deleting = Process::spawn(deleting);
        // From before the copy is begun to after the Mysis is gone.
        let moment = dice.u64(0..600);
        let begun = std::time::Instant::now();
        until("the moment of the kill", || {
            (begun.elapsed().as_millis() >= u128::from(moment)).then_some(())
        });
        swarm.signal("-KILL");
        swarm.wait();
        deleting.wait();
        let exists = lines(&home.ok(&["export"]))
            .iter()
            .any(|line| line["record"] == "mysis" && line["name"] == "alpha");
        if exists {
            let (_, printed) = home.fails(&["mysis", "undelete", "alpha"]);
            let is_explained =
                printed.contains("was not deleted") || printed.contains("no copy of");
            assert!(is_explained, "kill {kill}: {printed}");
        } else {
            home.ok(&["mysis", "undelete", "alpha"]);
        }
        let after = log(&home, "alpha");
        assert_eq!(
            said(&after)[..before.len()],
            said(&before)[..],
            "kill {kill}"
        );
        home.ok(&["send", "alpha", "go on"]);
        swarm = home.fly(&["--resume"]);
        home.run(&["mysis", "start", "alpha"]);
    }
    drop(swarm);
}
