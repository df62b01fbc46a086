//! A disk that is really full: a small file system is filled and emptied while the swarm plays on
//! it.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use zoea_rig::{Home, until};

use crate::scene::{Scene, pause};
use crate::verdict::number;

/// The number of times that it is filled, unless `ZOEA_FULL_DISKS` gives another.
const TIMES: u64 = 2;

/// Mounts a small file system in a namespace of its own, which ends with the last process in it, and runs a
/// test of this program there.
const SCRIPT: &str = r#"mount -t tmpfs -o size="$4" tmpfs "$1" && TMPDIR="$1" exec "$2" --ignored --exact --nocapture "$3""#;

#[test]
fn a_disk_that_fills_up_and_is_emptied_costs_nothing_that_was_acknowledged() {
    let printed = run_in_a_file_system("full::in_a_small_file_system", "40m");
    println!("{printed}");
}

#[test]
fn a_disk_with_little_room_is_told_of_before_it_is_full_and_until_it_has_room() {
    let printed = run_in_a_file_system("full::in_a_file_system_with_some_room", "100m");
    println!("{printed}");
}

/// Runs a test in a file system of its own. Returns what it said.
fn run_in_a_file_system(test: &str, size: &str) -> String {
    let place = tempfile::tempdir().expect("a directory");
    let may = Command::new("unshare")
        .args(["-rm", "mount", "-t", "tmpfs", "tmpfs"])
        .arg(place.path())
        .output();
    if !may.is_ok_and(|output| output.status.success()) {
        return "!!!! A SMALL FILE SYSTEM IS NOT TESTED: none can be made here (unshare -rm, mount)"
            .to_string();
    }
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c", SCRIPT, "sh"])
        .arg(place.path())
        .arg(std::env::current_exe().expect("this program"))
        .args([test, size])
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
    assert!(said.contains("1 passed"), "{said}");
    said.into_owned()
}

#[test]
#[ignore = "fills its temporary directory; the test before this one runs it in a small one"]
fn in_a_small_file_system() {
    let seed = number("ZOEA_SEED", u64::from(std::process::id()));
    // The game's files must not be on the full disk.
    let test = std::env::current_exe().expect("this program");
    let beside = test.parent().expect("a directory");
    let mut scene = Scene::new(seed, "", beside);
    let filler = std::env::temp_dir().join("filler");
    assert!(scene.start(|_| ()));
    let times = number("ZOEA_FULL_DISKS", TIMES);
    for _time in 0..times {
        scene.goes_on();
        fill(&filler);
        for _order in 0..4 {
            scene.send();
            pause(Duration::from_millis(scene.dice.u64(100..900)));
        }
        std::fs::remove_file(&filler).expect("it is emptied");
        scene.wait_for_messengers();
        for _order in 0..3 {
            scene.goes_on();
        }
        if scene.dice.bool() {
            scene.kill();
        } else {
            assert!(scene.end(), "in good order");
        }
        assert!(scene.start(|_| ()));
    }
    println!("seed {seed}: filled {times} times, {}", scene.judge());
}

#[test]
#[ignore = "fills its temporary directory; a test above runs it in a small one"]
fn in_a_file_system_with_some_room() {
    let home = Home::new();
    let received = std::env::temp_dir().join("alerts");
    let command = format!("cat >> {}", received.display());
    let more = format!("[alerts]\ncommand = [\"sh\", \"-c\", \"{command}\"]\n");
    home.configure("http://127.0.0.1:9/v1", "", &more);
    let mut command = home.command(&["run", "--headless", "--json"]);
    // What it says at the end must not be on the full disk.
    let test = std::env::current_exe().expect("this program");
    let beside = test.parent().expect("a directory");
    let complaints = tempfile::NamedTempFile::new_in(beside).expect("a file");
    command.stderr(complaints.reopen().expect("the same file"));
    let mut swarm = home.launch(command);
    let database = home.file("zoea.db").display().to_string();
    let is_little =
        |text: &str| text.contains(&format!("the disk of {database} is almost full: 4"));
    let doctor = || String::from_utf8_lossy(&home.run(&["doctor"]).stdout).into_owned();
    assert!(!is_little(&doctor()));
    let filler = std::env::temp_dir().join("filler");
    std::fs::write(&filler, vec![7; 55_000_000]).expect("there is room");
    swarm.until_line("\"little_room\"");
    assert!(is_little(&home.ok(&["status"])));
    let status = home.json(&["status", "--json"]);
    assert_eq!(status["warnings"][0]["code"], "little_room");
    assert!(is_little(&doctor()), "{}", doctor());
    until("the command of alerts is told", || {
        let received = std::fs::read_to_string(&received).ok()?;
        is_little(&received).then_some(())
    });
    let log = std::fs::read_to_string(home.file("zoea.log")).expect("a log");
    assert!(is_little(&log));
    std::fs::remove_file(&filler).expect("it is emptied");
    swarm.until_line("\"room_again\"");
    assert_eq!(home.json(&["status", "--json"])["warnings"], json!([]));
    assert!(!is_little(&doctor()));
    // A full disk is told of by doctor, too, and at the end.
    fill(&filler);
    let printed = std::thread::scope(|scope| {
        let order = scope.spawn(|| home.run(&["mysis", "create", "alpha"]));
        let printed = swarm.until_line("store_trouble");
        let doctor = doctor();
        assert!(doctor.contains("nothing can be stored"), "{doctor}");
        swarm.signal("-TERM");
        drop(order.join());
        printed
    });
    let whole = format!("nothing can be stored, so the Myses wait; zoea retries: {database}: ");
    assert!(
        printed.contains(&whole) && printed.contains("free space"),
        "{printed}"
    );
    swarm.wait();
    check_commands_on_full_disk(&home, beside);
    let complaints = std::fs::read_to_string(complaints.path()).expect("what it said");
    assert!(
        complaints.contains(&format!("at the end: nothing can be stored: {database}: ")),
        "{complaints}"
    );
}

/// Where no program runs, commands that write say what is wrong, and those that read find another place.
fn check_commands_on_full_disk(home: &Home, elsewhere: &Path) {
    let refused = home.run(&["mysis", "create", "beta"]);
    let refused = String::from_utf8_lossy(&refused.stderr).into_owned();
    let is_named = refused.contains("free space on it") || refused.contains("No space left");
    assert!(is_named && !refused.contains("restore a copy"), "{refused}");
    let mut reading = home.command(&["mysis", "list"]);
    let reading = reading.env("TMPDIR", elsewhere).output().expect("it runs");
    let said = String::from_utf8_lossy(&reading.stderr);
    assert!(reading.status.success(), "{said}");
    assert!(said.contains("read from a copy"), "{said}");
}

/// Writes until the disk is full.
fn fill(path: &Path) {
    let mut file = File::create(path).expect("a file");
    for size in [1 << 16, 512, 1] {
        let bytes = vec![7; size];
        while file.write_all(&bytes).is_ok() {}
    }
}
