//! The table of trouble: after how many seconds each trouble is seen where an operator looks. It prints the table.
//!
//! All of it takes minutes: `cargo test --test suite -- --ignored --nocapture troubles::`.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::Value;
use zoea_rig::odd_model::{OddModel, Oddity};
use zoea_rig::terminal_program::Program;
use zoea_rig::{Home, Process, http, program, until, zoea};

use crate::receiver::Receiver;

/// Where an operator looks.
const PLACES: [&str; 7] = ["light", "need", "band", "log", "status", "alert", "metric"];
const MYSES: [&str; 3] = ["alpha", "bravo", "ceres"];
/// How long a trouble is watched.
const LONGEST: u64 = 80;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    ModelKilled,
    ModelHangs,
    ModelAnswers(u16),
    GameKilled,
    GameHangs,
    GameWiped,
    FullDisk,
    DatabaseGone,
    LogGone,
    Stopped,
    Poisoned,
    Budget,
}

/// A swarm at play, with everything that an operator looks at.
struct Watched {
    home: Home,
    swarm: Process,
    game: Process,
    model: Process,
    /// The status with which the model answers; 0 for its own.
    status: Arc<AtomicU16>,
    webhook: Receiver,
    screen: Program,
    metrics: String,
    events: usize,
    folder: tempfile::TempDir,
}

/// A server that says where it listens.
fn serve(arguments: &[&str]) -> (Process, String) {
    let mut command = zoea();
    command.args(arguments);
    let mut process = Process::spawn(command);
    let line = process.line().expect("a server says where it listens");
    let url = line
        .split_whitespace()
        .find(|word| word.starts_with("http://"));
    (process, url.expect("an address").to_string())
}

const GALAXY: [&str; 7] = [
    "galaxy",
    "--logins-per-minute",
    "unlimited",
    "--refusals-per-minute",
    "unlimited",
    "--tick",
    "200ms",
];

impl Watched {
    fn start(what: What) -> Watched {
        let folder = tempfile::tempdir().expect("a folder");
        let galaxy = [&GALAXY[..], &["--addr", "127.0.0.1:0"]].concat();
        let (game, game_url) = serve(&galaxy);
        let status = Arc::new(AtomicU16::new(0));
        let is_odd = matches!(what, What::ModelAnswers(_) | What::Poisoned);
        let (model, url) = serve(&["pilot", "--addr", "127.0.0.1:0", "--latency", "300ms"]);
        let model_url = if is_odd {
            odd_model(&url, &status)
        } else {
            url
        };
        let webhook = Receiver::start(&[]);
        let home = Home::new();
        let budget = match what == What::Budget {
            true => "[budget]\ntokens_per_day = 150_000\n",
            false => "[budget]\nusd_per_day = \"unlimited\"\n",
        };
        fs::create_dir_all(home.path()).expect("a home");
        let text = format!(
            "[swarm]\nturn_pause = \"500ms\"\n\
             [providers.local]\nendpoint = \"{model_url}\"\nmodel = \"pilot\"\n\
             [mcp]\nupstream = \"{game_url}\"\nlogins_per_minute = 1000\n{budget}\
             [metrics]\nlisten = \"127.0.0.1:0\"\n[alerts]\nwebhook = \"{}/hook\"\n",
            webhook.url
        );
        fs::write(home.file("zoea.toml"), text).expect("a configuration");
        for name in MYSES {
            home.ok(&["mysis", "create", name]);
        }
        home.ok(&["broadcast", "Mine ore and sell it."]);
        let swarm = home.fly(&["--start-swarm"]);
        let directory = home.path();
        let arguments = ["--home", &directory.to_string_lossy(), "attach"];
        let screen = Program::open(
            &program().to_string_lossy(),
            &arguments,
            folder.path(),
            (120, 40),
        );
        let run = fs::read_to_string(home.file("run.json")).expect("a run file");
        let run: Value = serde_json::from_str(&run).expect("JSON");
        let metrics = run["metrics"].as_str().expect("an address").to_string();
        Watched {
            home,
            swarm,
            game,
            model,
            status,
            webhook,
            screen,
            metrics,
            events: 0,
            folder,
        }
    }

    /// Waits until they play, so that it is known how long calls take.
    fn play(&mut self, what: What) {
        let most = if what == What::Budget { 0.0 } else { 60.0 };
        until("they play", || {
            let (_, page) = http("GET", &self.metrics, &[], "");
            let answered = |line: &&str| {
                line.starts_with("zoea_model_requests_total") && line.contains("\"ok\"")
            };
            let answers = page.lines().filter(answered);
            let answers = answers.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
            (answers.sum::<f64>() > most).then_some(())
        });
        self.screen
            .until("the screen is there", |text| text.contains("ZOEA"));
        self.note_events();
    }

    /// What was told so far is not about the trouble.
    fn note_events(&mut self) {
        self.events = self.home.lines(&["events", "--limit", "0", "--json"]).len();
    }

    fn strike(&mut self, what: What) {
        match what {
            What::ModelKilled => self.model.signal("-KILL"),
            What::ModelHangs => self.model.signal("-STOP"),
            What::ModelAnswers(status) => self.status.store(status, Ordering::SeqCst),
            What::GameKilled => self.game.signal("-KILL"),
            What::GameHangs => self.game.signal("-STOP"),
            What::GameWiped => self.wipe_game(),
            What::DatabaseGone => fs::remove_file(self.home.file("zoea.db")).expect("a database"),
            What::FullDisk => {
                let pid = i32::try_from(self.swarm.pid()).ok().and_then(Pid::from_raw);
                let full = Rlimit {
                    current: Some(0),
                    maximum: None,
                };
                prlimit(pid, Resource::Fsize, full).expect("a limit");
            }
            What::LogGone => fs::remove_file(self.home.file("zoea.log")).expect("a log file"),
            What::Stopped => self.swarm.signal("-STOP"),
            What::Poisoned => drop(self.home.ok(&["send", "alpha", "say POISON"])),
            What::Budget => {}
        }
    }

    /// Another game at the same address, which knows no player.
    fn wipe_game(&mut self) {
        let config = fs::read_to_string(self.home.file("zoea.toml")).expect("a configuration");
        let line = config.lines().find(|line| line.starts_with("upstream"));
        let address = line.and_then(|line| line.split("//").nth(1)?.split('/').next());
        let address = address.expect("an address").to_string();
        let galaxy = [&GALAXY[..], &["--addr", &address]].concat();
        self.game.signal("-KILL");
        until("the port is free", || {
            std::net::TcpListener::bind(&address).is_ok().then_some(())
        });
        self.game = serve(&galaxy).0;
    }

    /// What is seen now, a place after the other.
    fn seen(&mut self, what: What) -> [bool; 7] {
        for _ in 0..5 {
            self.screen.read_for(Duration::from_millis(20));
        }
        let text = self.screen.contents();
        let first = text
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start()
            .to_string();
        if what == What::Stopped {
            // Nothing that the program says itself is there; commands answer for it.
            let output = self.home.run(&["status"]);
            let is_stopped = String::from_utf8_lossy(&output.stderr).contains("is stopped");
            return [false, false, false, false, is_stopped, false, false];
        }
        let trouble_sign = |sign: &str| {
            let server = ["local", "game", "store"];
            server
                .iter()
                .any(|name| text.contains(&format!("{sign} {name}")))
        };
        let status = self.home.run(&["status", "--json"]);
        let status: Value = serde_json::from_slice(&status.stdout).unwrap_or_default();
        let lasts = |key: &str| {
            let list = status[key].as_array();
            list.is_some_and(|list| !list.is_empty()) || status[key].is_string()
        };
        let is_errored = status["states"]["errored"].is_number();
        let is_paused = status["today"]["budget_percent"].as_u64() >= Some(100);
        let (_, metrics) = http("GET", &self.metrics, &[], "");
        let is_over = |line: &str| {
            let name = ["zoea_server_light", "zoea_needs{", "zoea_server_away"];
            name.iter().any(|name| line.starts_with(name)) && !line.ends_with(" 0")
        };
        [
            ["✖", "◐", "◌"].iter().any(|sign| trouble_sign(sign)),
            text.contains("need you"),
            !first.starts_with('⬢') && !first.starts_with('⬡'),
            self.has_new_event(),
            ["away", "doubtful", "needs", "warnings", "trouble"]
                .into_iter()
                .any(lasts)
                || is_errored
                || is_paused,
            !self.webhook.brought().is_empty(),
            metrics.lines().any(is_over),
        ]
    }

    /// Whether the log has a new warning or error.
    fn has_new_event(&self) -> bool {
        let output = self.home.run(&["events", "--limit", "0", "--json"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let new = text.lines().skip(self.events);
        let mut new = new.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        new.any(|event| event["severity"] != "info" && !event["severity"].is_null())
    }
}

/// A server in front of the model's, which refuses as the test says.
fn odd_model(url: &str, status: &Arc<AtomicU16>) -> String {
    let status = status.clone();
    let judge = move |body: &str, _: usize| match status.load(Ordering::SeqCst) {
        0 if body.contains("POISON") => Some(Oddity::status(400, "Content Exists Risk")),
        0 => None,
        402 => Some(Oddity::status(402, "Insufficient Balance")),
        status => Some(Oddity::status(status, "not now")),
    };
    OddModel::in_front_of(url, Box::new(judge)).url
}

/// After how many seconds a trouble is seen in each place, and what `doctor` says of it in the end.
fn watch(what: What) -> ([Option<u64>; 7], bool) {
    let mut watched = Watched::start(what);
    watched.play(what);
    let mut before = match what == What::Budget {
        true => [false; 7],
        false => watched.seen(What::LogGone),
    };
    before[3] = false;
    watched.note_events();
    watched.strike(what);
    let struck = Instant::now();
    let mut after = [None; 7];
    while struck.elapsed().as_secs() < LONGEST && after.iter().any(Option::is_none) {
        let seen = watched.seen(what);
        for place in 0..PLACES.len() {
            if seen[place] && !before[place] && after[place].is_none() {
                after[place] = Some(struck.elapsed().as_secs());
            }
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "a pause between two looks at the program"
        )]
        std::thread::sleep(Duration::from_millis(200));
    }
    let doctor = watched.home.run(&["doctor"]);
    if what == What::Stopped {
        watched.swarm.signal("-CONT");
    }
    drop(watched.folder);
    (after, !doctor.status.success())
}

/// What was seen of a trouble: after how many seconds in each place, and whether `doctor` says so.
type Seen = (What, [Option<u64>; 7], bool);

#[expect(clippy::print_stdout, reason = "the table is worth a look")]
fn print_head() {
    let places: String = PLACES.iter().map(|place| format!("{place:>8}")).collect();
    println!("{:<20}{places}  doctor", "seconds until");
}

#[expect(clippy::print_stdout, reason = "the table is worth a look")]
fn print_row((what, after, doctor): &Seen) {
    let seconds = after.iter().map(|seconds| {
        let text = seconds.map_or("–".to_string(), |seconds| seconds.to_string());
        format!("{text:>8}")
    });
    let seconds: String = seconds.collect();
    let doctor = if *doctor { "says so" } else { "–" };
    println!("{:<20}{seconds}  {doctor}", format!("{what:?}"));
}

/// The most seconds until a place shows a trouble; `None` where it need not.
fn most(what: What) -> [Option<u64>; 7] {
    // light, need, band, log, status, alert, metric
    match what {
        // What is away for less than a minute needs no operator.
        What::ModelKilled | What::GameKilled | What::ModelAnswers(503) => {
            places([10, 75, 0, 45, 10, 80, 10])
        }
        What::ModelAnswers(_) => places([10, 15, 0, 15, 10, 20, 10]),
        What::ModelHangs => places([30, 60, 0, 60, 30, 60, 30]),
        What::GameHangs => places([45, 70, 0, 70, 45, 75, 45]),
        What::GameWiped => places([10, 20, 0, 15, 15, 20, 15]),
        What::FullDisk | What::DatabaseGone => places([15, 15, 15, 0, 15, 20, 15]),
        What::Stopped => places([0, 0, 0, 0, 8, 0, 0]),
        What::Poisoned => places([0, 20, 0, 15, 20, 30, 20]),
        What::Budget => places([0, 60, 0, 60, 60, 60, 60]),
        // The program begins another file, whose first line says so.
        What::LogGone => places([0; 7]),
    }
}

fn places(most: [u64; 7]) -> [Option<u64>; 7] {
    most.map(|seconds| (seconds > 0).then_some(seconds))
}

/// Whether `doctor` has to say so, too.
fn is_of_doctor(what: What) -> bool {
    !matches!(what, What::LogGone | What::Poisoned)
}

/// So many troubles are watched at a time. They mostly wait.
const AT_A_TIME: usize = 4;

fn check(all: &[What]) {
    print_head();
    let mut rows: Vec<Seen> = Vec::new();
    for some in all.chunks(AT_A_TIME) {
        let seen: Vec<Seen> = std::thread::scope(|scope| {
            let watching: Vec<_> = some
                .iter()
                .map(|what| {
                    scope.spawn(|| {
                        let (after, doctor) = watch(*what);
                        (*what, after, doctor)
                    })
                })
                .collect();
            let seen = watching.into_iter().map(|one| one.join().expect("a row"));
            seen.collect()
        });
        seen.iter().for_each(print_row);
        rows.extend(seen);
    }
    let mut late = Vec::new();
    for (what, after, doctor) in rows {
        if is_of_doctor(what) && !doctor {
            late.push(format!("{what:?} is not told by doctor"));
        }
        for (place, (most, after)) in most(what).into_iter().zip(after).enumerate() {
            let is_soon = most.is_none_or(|most| after.is_some_and(|after| after <= most));
            if !is_soon {
                let place = PLACES[place];
                late.push(format!(
                    "{what:?} is seen in {place} after {after:?} s, not {most:?}"
                ));
            }
        }
    }
    assert!(late.is_empty(), "{late:#?}");
}

#[test]
#[ignore = "it takes minutes, and prints the table of trouble"]
fn each_trouble_is_seen_where_an_operator_looks() {
    check(&[
        What::ModelKilled,
        What::ModelHangs,
        What::ModelAnswers(503),
        What::ModelAnswers(401),
        What::ModelAnswers(402),
        What::GameKilled,
        What::GameHangs,
        What::GameWiped,
        What::FullDisk,
        What::DatabaseGone,
        What::LogGone,
        What::Stopped,
        What::Poisoned,
        What::Budget,
    ]);
}

/// Red from the first failure on: the light, `status` and the metric.
fn is_red_at_once(what: What) -> Watched {
    let mut watched = Watched::start(what);
    watched.play(what);
    watched.strike(what);
    let struck = Instant::now();
    until("it is seen", || {
        let seen = watched.seen(what);
        (seen[0] && seen[4] && seen[6]).then_some(())
    });
    assert!(struck.elapsed() < Duration::from_secs(15), "{what:?}");
    watched
}

#[test]
fn a_game_that_is_killed_is_red_within_seconds() {
    is_red_at_once(What::GameKilled);
}

#[test]
fn a_model_server_that_is_killed_is_red_within_seconds_and_away_since_then_after_a_restart() {
    let watched = is_red_at_once(What::ModelKilled);
    let Watched { home, swarm, .. } = watched;
    let since = |home: &Home| {
        let away = home.json(&["status", "--json"])["away"][0]["since"].clone();
        away.as_str().map(str::to_string)
    };
    let first = since(&home).expect("it is away");
    until("its circuit is open", || {
        let events = home.lines(&["events", "--limit", "0", "--json"]);
        let printed = events.iter().any(|event| event["code"] == "circuit_open");
        printed.then_some(())
    });
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let _swarm = home.fly(&["--resume"]);
    let again = until("it is away again", || since(&home));
    // Not the milliseconds, which both clocks round.
    assert_eq!(again[..18], first[..18]);
}
