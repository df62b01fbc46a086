//! A disk that is really full: a small file system is filled and emptied while the swarm plays on
//! it.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::scene::{Scene, pause};
use crate::verdict::number;

/// The number of times that it is filled, unless `ZOEA_FULL_DISKS` gives another.
const TIMES: u64 = 2;

/// Mounts a file system of 40 MB in a namespace of its own, which ends with the last process in it.
const SCRIPT: &str = r#"mount -t tmpfs -o size=40m tmpfs "$1" && TMPDIR="$1" exec "$2" --ignored --exact --nocapture full::in_a_small_file_system"#;

#[test]
fn a_disk_that_fills_up_and_is_emptied_costs_nothing_that_was_acknowledged() {
    let place = tempfile::tempdir().expect("a directory");
    let may = Command::new("unshare")
        .args(["-rm", "mount", "-t", "tmpfs", "tmpfs"])
        .arg(place.path())
        .output();
    if !may.is_ok_and(|output| output.status.success()) {
        println!(
            "!!!! A SMALL FILE SYSTEM IS NOT TESTED: none can be made here (unshare -rm, mount)"
        );
        return;
    }
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c", SCRIPT, "sh"])
        .arg(place.path())
        .arg(std::env::current_exe().expect("this program"))
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
    assert!(said.contains("1 passed"), "{said}");
    println!("{said}");
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

/// Writes until the disk is full.
fn fill(path: &Path) {
    let mut file = File::create(path).expect("a file");
    for size in [1 << 16, 512, 1] {
        let bytes = vec![7; size];
        while file.write_all(&bytes).is_ok() {}
    }
}
