//! The files of the database are removed, cut, moved or replaced, while the program runs and after it
//! was killed: nothing that was acknowledged is lost in silence. Either it is there again by the
//! command that the program names, or the start is refused.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::symlink;
use std::process::Stdio;

use serde_json::Value;

use crate::verdict::number;
use zoea_rig::{Home, Process, until};

/// The number of rounds of each kind, unless `ZOEA_PLACE_FAULTS` gives another.
const ROUNDS: u64 = 2;

/// What is done to the files.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    FileRemoved,
    FileEmptied,
    LogRemoved,
    LogCut,
    LogReplaced,
    MovedBehindLink,
}

const FAULTS: [Fault; 6] = [
    Fault::FileRemoved,
    Fault::FileEmptied,
    Fault::LogRemoved,
    Fault::LogCut,
    Fault::LogReplaced,
    Fault::MovedBehindLink,
];

struct Scene {
    home: Home,
    dice: fastrand::Rng,
    acknowledged: Vec<String>,
}

impl Scene {
    /// A home whose swarm takes orders. A young one has all of them in its log.
    fn new(seed: u64, is_young: bool) -> (Scene, Process) {
        let home = Home::new();
        home.configure("http://127.0.0.1:9/v1", "http://127.0.0.1:9/mcp", "");
        let mut scene = Scene {
            home,
            dice: fastrand::Rng::with_seed(seed),
            acknowledged: Vec::new(),
        };
        if !is_young {
            scene.home.ok(&["mysis", "create", "alpha"]);
            scene.send();
        }
        let swarm = scene.home.fly(&[]);
        if is_young {
            scene.home.ok(&["mysis", "create", "alpha"]);
        }
        for _ in 0..scene.dice.usize(2..6) {
            scene.send();
        }
        (scene, swarm)
    }

    fn send(&mut self) {
        let text = format!("order {}: report when you can", self.acknowledged.len());
        self.home.ok(&["send", "alpha", &text]);
        self.acknowledged.push(text);
    }

    /// The acknowledged orders that are not there.
    fn lost(&self) -> Vec<&String> {
        let rows = ["log", "alpha", "--limit", "0", "--kind", "prompt", "--json"];
        let output = self.home.run(&rows);
        let (said, _) = zoea_rig::texts(&output);
        let prompts: Vec<Value> = zoea_rig::lines(&said);
        let is_there = |order: &&String| !prompts.iter().any(|row| row["content"] == ***order);
        self.acknowledged.iter().filter(is_there).collect()
    }

    fn strike(&mut self, fault: Fault) {
        let (file, log) = (self.home.file("zoea.db"), self.home.file("zoea.db-wal"));
        let cut = |path, length| {
            let opened = OpenOptions::new().write(true).open(path);
            opened.and_then(|file| file.set_len(length)).expect("a cut");
        };
        match fault {
            Fault::FileRemoved => fs::remove_file(file).expect("a file"),
            Fault::FileEmptied => cut(file, 0),
            Fault::LogRemoved => fs::remove_file(log).expect("a log"),
            Fault::LogCut => {
                let length = fs::metadata(&log).expect("a log").len();
                cut(log, self.dice.u64(0..length));
            }
            Fault::LogReplaced => {
                let other = self.home.file("other");
                fs::copy(&log, &other).expect("a copy");
                fs::rename(other, log).expect("another log");
            }
            Fault::MovedBehindLink => {
                let real = self.home.path().with_file_name("real.db");
                fs::rename(&file, &real).expect("it moves");
                symlink(real, file).expect("a link");
            }
        }
    }

    fn assert_refused(&self, what: &str) -> String {
        let (status, said) = self.home.fails(&["run", "--headless", "--for", "1s"]);
        assert!(status == 1 && said.contains("zoea"), "{what}: {said}");
        let (_, sent) = self.home.fails(&["send", "alpha", "into nothing"]);
        assert!(sent.contains("zoea"), "{what}: {sent}");
        said
    }

    /// The command that a text names, with whole paths.
    fn command(&self, words: &str, file: &str) -> String {
        let home = self.home.path();
        format!(
            "zoea --home {} db {words} {}",
            home.display(),
            self.home.file(file).display()
        )
    }

    fn starts(&self) -> Vec<String> {
        let mut command = self.home.command(&["run", "--headless", "--for", "1ms"]);
        let output = command.output().expect("it runs");
        let (_, said) = zoea_rig::texts(&output);
        assert!(output.status.success(), "{said}");
        said.lines().map(str::to_string).collect()
    }
}

/// Strikes a running program, ends it, and goes the way back that it names. Returns the number of
/// acknowledged orders, and of those that were told to be lost.
fn strike_running(fault: Fault, round: u64, seed: u64) -> (usize, usize) {
    let what = format!("seed {seed}, {fault:?}, round {round}");
    let (mut scene, mut swarm) = Scene::new(seed + round, round.is_multiple_of(2));
    scene.strike(fault);
    let mut late = scene.home.command(&["send", "alpha", "too late"]);
    let quiet = late.stdout(Stdio::null()).stderr(Stdio::null());
    let mut late = quiet.spawn().expect("a messenger");
    let printed = swarm.until_line("store_trouble");
    let is_killed = round % 4 < 2;
    swarm.signal(if is_killed { "-KILL" } else { "-TERM" });
    assert!(!swarm.wait().success(), "{what}");
    let answer = until("the messenger is back", || {
        late.try_wait().expect("a status")
    });
    assert!(!answer.success(), "{what}: nothing is acknowledged then");
    let refusal = scene.assert_refused(&what);
    let way_back = scene.command("restore", "zoea.db.rescued");
    let rescued = scene.home.file("zoea.db.rescued");
    let is_whole = !matches!(fault, Fault::LogCut | Fault::FileEmptied);
    assert!(rescued.exists() || !is_whole, "{what}: {printed}");
    if rescued.exists() {
        assert!(printed.contains(&way_back), "{what}: {printed}");
        assert!(refusal.contains(&way_back), "{what}: {refusal}");
        // A person may move it as well.
        if round.is_multiple_of(2) || fault == Fault::MovedBehindLink {
            scene
                .home
                .ok(&["db", "restore", rescued.to_str().expect("a path")]);
        } else {
            fs::rename(&rescued, scene.home.file("zoea.db")).expect("it moves");
        }
        scene.starts();
    } else {
        assert!(printed.contains("could not be saved"), "{what}: {printed}");
        return (scene.acknowledged.len(), scene.acknowledged.len());
    }
    let lost = scene.lost().len();
    assert!(lost == 0 || !is_whole, "{what}: {:?}", scene.lost());
    assert!(
        lost == 0 || printed.contains("could not be saved"),
        "{what}: {printed}"
    );
    (scene.acknowledged.len(), lost)
}

#[test]
fn files_that_are_taken_from_a_running_program_cost_nothing_in_silence() {
    let seed = number("ZOEA_SEED", u64::from(std::process::id()));
    let rounds = number("ZOEA_PLACE_FAULTS", ROUNDS) * 2;
    for fault in FAULTS {
        let (mut orders, mut printed) = (0, 0);
        for round in 0..rounds {
            let (sent, lost) = strike_running(fault, round, seed);
            (orders, printed) = (orders + sent, printed + lost);
        }
        println!(
            "seed {seed}: {fault:?} struck {rounds} times while the program ran, {rounds} starts \
             refused; {orders} orders acknowledged, 0 lost in silence, {printed} told as lost"
        );
    }
}

/// What is found at a start after a kill.
#[derive(Clone, Copy, Debug)]
enum Left {
    /// The log of the file.
    Own,
    /// A log beside a backup that was put in the file's place.
    BesideBackup,
    LogRemoved,
    LogCut,
    /// A log without a file.
    FileRemoved,
    /// A log beside a link to the file.
    BesideLink,
}

const LEFT: [Left; 6] = [
    Left::Own,
    Left::BesideBackup,
    Left::LogRemoved,
    Left::LogCut,
    Left::FileRemoved,
    Left::BesideLink,
];

/// Kills a program, changes what it left, and starts it again. Returns the number of acknowledged
/// orders, and whether the start was refused.
fn strike_killed(left: Left, round: u64, seed: u64) -> (usize, bool) {
    let what = format!("seed {seed}, {left:?}, round {round}");
    let (mut scene, swarm) = Scene::new(seed + round, round.is_multiple_of(2));
    let backup = scene.home.path().with_file_name("backup.db");
    scene
        .home
        .ok(&["db", "backup", backup.to_str().expect("a path")]);
    let before = scene.acknowledged.len();
    for _ in 0..3 {
        scene.send();
    }
    swarm.signal("-KILL");
    swarm.wait();
    let (file, log) = (scene.home.file("zoea.db"), scene.home.file("zoea.db-wal"));
    let (aside, sent) = (
        scene.home.path().with_file_name("aside"),
        scene.acknowledged.len(),
    );
    fs::copy(&log, &aside).expect("a copy");
    let is_refused = match left {
        Left::Own => {
            scene.starts();
            false
        }
        Left::BesideBackup => {
            fs::copy(&backup, &file).expect("a copy");
            let said = scene.starts().concat();
            let old = scene.home.file("zoea.db.old-log");
            assert!(
                said.contains(old.to_str().expect("a path")),
                "{what}: {said}"
            );
            assert_eq!(
                fs::read(&old).expect("a log"),
                fs::read(&aside).expect("a log")
            );
            // The operator went back to the backup.
            scene.acknowledged.truncate(before);
            false
        }
        Left::LogRemoved | Left::LogCut => {
            let is_cut = matches!(left, Left::LogCut);
            scene.strike(if is_cut {
                Fault::LogCut
            } else {
                Fault::LogRemoved
            });
            scene.assert_refused(&what);
            fs::copy(&aside, &log).expect("it is put back");
            scene.starts();
            true
        }
        Left::FileRemoved => {
            let kept = fs::read(&file).expect("a file");
            scene.strike(Fault::FileRemoved);
            scene.assert_refused(&what);
            fs::write(&file, kept).expect("it is put back");
            scene.starts();
            true
        }
        Left::BesideLink => {
            scene.strike(Fault::MovedBehindLink);
            let said = scene.assert_refused(&what);
            let (_, way) = said.split_once(" by mv ").expect("a command");
            let words: Vec<&str> = way.split_whitespace().collect();
            fs::rename(words[0], words[1]).expect("the command works");
            scene.starts();
            true
        }
    };
    assert!(
        scene.lost().is_empty(),
        "{what}: {:?} of {sent}",
        scene.lost()
    );
    (scene.acknowledged.len(), is_refused)
}

#[test]
fn a_log_that_a_killed_program_left_is_its_files_or_is_set_aside() {
    let seed = number("ZOEA_SEED", u64::from(std::process::id()));
    let rounds = number("ZOEA_PLACE_FAULTS", ROUNDS);
    for left in LEFT {
        let (mut orders, mut refusals) = (0, 0);
        for round in 0..rounds {
            let (sent, is_refused) = strike_killed(left, round, seed);
            (orders, refusals) = (orders + sent, refusals + usize::from(is_refused));
        }
        println!(
            "seed {seed}: {left:?} found {rounds} times at a start, {refusals} refused; {orders} \
             acknowledged orders, 0 lost"
        );
    }
}
