//! Commands: the same words and answers with and without a running swarm, and clear failures.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use zoea_rig::{Home, Server, until};

#[test]
fn orders_without_a_swarm_are_kept_for_the_next_run() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    assert_eq!(home.ok(&["mysis", "create", "alpha"]), "created alpha\n");
    let sent = home.ok(&["send", "alpha", "hello"]);
    assert!(sent.contains("kept for the next run"), "{sent}");
    let (status, error) = home.fails(&["mysis", "start", "alpha"]);
    let printed = "error: no swarm is running here; `zoea run` starts one, with --headless without a terminal\n";
    assert_eq!((status, error.as_str()), (1, printed));

    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    home.configure(&pilot.url, &galaxy.url, "");
    let _swarm = home.fly(&[]);
    until("the message starts it", || {
        (home.mysis("alpha")["turns"] != 0).then_some(())
    });
}

#[test]
fn a_running_swarm_takes_every_order() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    let swarm = home.fly(&[]);
    home.ok(&["mysis", "create", "alpha", "--model", "other"]);
    home.ok(&["mysis", "create", "beta"]);
    home.ok(&["mysis", "start", "alpha", "beta"]);
    let (_, error) = home.fails(&["mysis", "start", "alpha"]);
    assert_eq!(error, "error: mysis already running\n");
    home.ok(&["mysis", "stop", "--all"]);
    assert_eq!(home.mysis("alpha")["state"], "stopped");
    let again = home.ok(&["mysis", "stop", "--all"]);
    assert_eq!(again, "already stopped alpha\nalready stopped beta\n");
    let (_, error) = home.fails(&["mysis", "stop", "alpha"]);
    assert_eq!(error, "error: mysis already stopped\n");
    let nothing = "nothing to retry: the mysis is neither errored nor waiting to try again";
    let (_, error) = home.fails(&["mysis", "retry", "alpha"]);
    assert_eq!(error, format!("error: {nothing}\n"));
    let printed = home.ok(&["mysis", "retry", "--all"]);
    assert_eq!(
        printed,
        "nothing to retry for alpha\nnothing to retry for beta\n"
    );
    let (_, error) = home.fails(&["send", "alpha", "hello"]);
    assert_eq!(error, "error: mysis stopped - press 'r' to relaunch\n");
    home.ok(&["mysis", "configure", "alpha", "--temperature", "0"]);
    let (_, error) = home.fails(&["mysis", "configure", "alpha", "--provider", "nowhere"]);
    assert!(error.contains("the configuration has pilot"), "{error}");
    let reached = home.ok(&["broadcast", "wait"]);
    assert!(reached.contains("did not reach alpha, beta"), "{reached}");
    assert_eq!(home.ok(&["mission", "show"]), "wait\n");
    home.ok(&["mission", "clear"]);
    assert_eq!(home.ok(&["mission", "show"]), "there is no mission\n");
    home.ok(&["mysis", "start", "--state", "stopped"]);
    home.ok(&["note", "alpha", "never sell the ship"]);
    home.ok(&["note", "alpha", "--clear"]);
    home.ok(&["mysis", "delete", "beta", "--yes"]);
    let (_, error) = home.fails(&["mysis", "stop", "beta"]);
    assert_eq!(error, "error: no mysis is called `beta`\n");
    // What means several at a terminal or behind an option is a name here.
    for word in ["all", "marked", ".", "running", "interrupted"] {
        let (_, error) = home.fails(&["mysis", "delete", word, "--yes"]);
        assert_eq!(error, format!("error: no mysis is called `{word}`\n"));
    }
    let (status, error) = home.fails(&["mysis", "stop", "--state", "marked"]);
    let known = "a state is one of idle, running, stopped, errored, interrupted";
    assert!(status == 2 && error.contains(known), "{error}");
    let status = home.ok(&["status"]);
    assert!(status.contains(&format!("pid {}", swarm.pid())), "{status}");
    let rows = home.lines(&["log", "alpha", "--limit", "0", "--json"]);
    let places: Vec<i64> = rows.iter().filter_map(|row| row["seq"].as_i64()).collect();
    assert!(
        places.windows(2).all(|pair| pair[0] < pair[1]),
        "{places:?}"
    );
    let notes = home.lines(&["log", "alpha", "--kind", "note", "--json"]);
    assert_eq!(notes.len(), 1);
}

#[test]
fn conditions_select_whom_a_command_shows_and_reaches() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9", "http://127.0.0.1:9", "");
    for name in ["scout-1", "scout-2", "miner-1"] {
        home.ok(&["mysis", "create", name]);
    }
    let listed = home.ok(&["mysis", "list", "--where", "name=scout-*"]);
    let names: Vec<_> = listed
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(names, ["scout-1", "scout-2"]);
    let nowhere = home.ok(&["mysis", "list", "--json", "--where", "system=krynn"]);
    assert_eq!(nowhere, "[]\n");
    let printed = home.ok(&[
        "mysis",
        "delete",
        "--dry-run",
        "--where",
        "name!=scout-*,state=idle",
    ]);
    assert_eq!(printed, "would be deleted: miner-1\n");
    assert_eq!(
        home.json(&["mysis", "list", "--json"])
            .as_array()
            .map(Vec::len),
        Some(3),
        "nobody is deleted"
    );
    home.ok(&["mysis", "delete", "--yes", "--where", "name=scout-*"]);
    let left = home.ok(&["mysis", "list", "--where", "state=idle"]);
    assert!(
        left.contains("miner-1") && !left.contains("scout"),
        "{left}"
    );
    let (status, error) = home.fails(&["mysis", "list", "--where", "place=sol"]);
    assert!(
        status == 2 && error.contains("is not one of state, name"),
        "{error}"
    );
}

#[test]
fn a_dry_run_refuses_a_name_that_no_mysis_has() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    let (status, error) = home.fails(&["mysis", "stop", "alpa", "--dry-run"]);
    let said = "error: no mysis is called `alpa`; did you mean alpha?\n";
    assert_eq!((status, error.as_str()), (1, said));
    let both = home.run(&["mysis", "stop", "alpha", "nobody", "--dry-run", "--json"]);
    let outcomes: serde_json::Value = serde_json::from_slice(&both.stdout).expect("JSON");
    assert_eq!(
        [&outcomes[0]["outcome"], &outcomes[1]["outcome"]],
        ["selected", "refused"]
    );
    let (_, error) = zoea_rig::texts(&both);
    assert_eq!(error, "error: 1 of 2 Myses would not get the order\n");
    assert_eq!(both.status.code(), Some(1));
    let said = home.ok(&["mysis", "stop", "alpha", "--dry-run"]);
    assert_eq!(said, "would be stopped: alpha\n");
}

#[test]
fn an_errored_mysis_tries_again_once_its_key_is_mended() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&["--fault", "http-401"]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    let _swarm = home.fly(&[]);
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["mysis", "start", "alpha"]);
    until("the key is refused", || {
        (home.mysis("alpha")["state"] == "errored").then_some(())
    });
    let address = pilot.address();
    drop(pilot);
    let _mended = Server::pilot_at(&address, &[]);
    let printed = home.ok(&["mysis", "retry", "--state", "errored"]);
    assert_eq!(printed, "retried alpha\n");
    until("a turn", || {
        (home.mysis("alpha")["turns"] != 0).then_some(())
    });
    let events = home.lines(&["events", "--json"]);
    let orders = events.iter().filter(|event| event["code"] == "retry");
    let orders: Vec<_> = orders
        .map(|order| (&order["mysis"], &order["text"]))
        .collect();
    assert_eq!(orders.len(), 1, "{orders:?}");
    assert_eq!(orders[0].0, "alpha");
    assert_eq!(orders[0].1, "tried again at once");
}

#[test]
fn wrong_usage_says_what_is_right() {
    let home = Home::new();
    assert_eq!(home.fails(&["mysis", "start"]).0, 2);
    assert_eq!(home.fails(&["frobnicate"]).0, 2);
    let (status, error) = home.fails(&["mysis", "create", "a b"]);
    assert_eq!(status, 1);
    assert!(error.contains("cannot be a name"), "{error}");
    let (_, error) = home.fails(&["log", "nobody"]);
    assert_eq!(error, "error: no mysis is called `nobody`\n");
    let (_, error) = home.fails(&["search", ""]);
    assert_eq!(error, "error: query cannot be empty\n");
    home.ok(&["mysis", "create", "alpha"]);
    let (_, error) = home.fails(&["log", "alpha", "--kind", "hologram"]);
    assert!(error.contains("there are prompt, mission"), "{error}");
    let (_, error) = home.fails(&["mysis", "delete", "alpha"]);
    assert!(error.contains("--yes"), "{error}");
}

#[test]
fn the_doctor_tells_good_from_bad() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    let report = home.json(&["doctor", "--json"]);
    assert_eq!(report["ok"], true, "{report}");
    home.configure("http://127.0.0.1:9/v1", &galaxy.url, "");
    let output = home.run(&["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["ok"], false);
    let bad: Vec<_> = report["checks"]
        .as_array()
        .expect("checks")
        .iter()
        .filter(|check| check["ok"] == false)
        .collect();
    assert_eq!(bad.len(), 1, "{bad:?}");
    assert_eq!(bad[0]["name"], "provider pilot");
}

/// Creates `count` Myses, each by a command of its own, all at the same time.
fn create_at_once(home: &Home, count: usize) {
    let commands: Vec<_> = (0..count)
        .map(|number| {
            let mut command = home.command(&["mysis", "create", &format!("m{number}")]);
            let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().expect("the command starts")
        })
        .collect();
    for command in commands {
        let output = command.wait_with_output().expect("the command ends");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{error}");
    }
    let myses = home.json(&["mysis", "list", "--json"]);
    assert_eq!(myses.as_array().expect("a list").len(), count);
}

#[test]
fn commands_at_the_same_moment_all_do_their_work() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    let _swarm = home.fly(&[]);
    create_at_once(&home, 40);
    let left = std::fs::read_dir(home.path()).expect("a home");
    let mut left = left.map(|entry| entry.expect("an entry").file_name());
    assert!(!left.any(|name| name.to_string_lossy().contains("probe")));
}

#[test]
fn commands_without_a_program_wait_for_one_another() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    create_at_once(&home, 5);
}

#[test]
fn a_run_waits_for_a_command_and_says_so() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "list"]);
    let lock = std::fs::File::open(home.file("zoea.lock")).expect("a lock");
    lock.lock().expect("nobody has it");
    let mut command = home.command(&["run", "--headless"]);
    let mut run = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut said = String::new();
    let mut errors = BufReader::new(run.stderr.take().expect("its errors"));
    errors.read_line(&mut said).expect("a line");
    assert!(
        said.contains("waiting for another zoea (process "),
        "{said}"
    );
    lock.unlock().expect("it is ours");
    until("it is up", || home.file("run.json").exists().then_some(()));
    run.kill().expect("it runs");
    run.wait().expect("it ends");
}

#[test]
fn a_run_that_waits_for_a_command_ends_when_it_is_asked_to() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "list"]);
    let lock = std::fs::File::open(home.file("zoea.lock")).expect("a lock");
    lock.lock().expect("nobody has it");
    for signal in ["-TERM", "-INT"] {
        let mut command = home.command(&["run", "--headless"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut run = command.spawn().expect("it starts");
        let mut said = String::new();
        let mut errors = BufReader::new(run.stderr.take().expect("its errors"));
        errors.read_line(&mut said).expect("a line");
        assert!(
            said.contains("waiting for another zoea (process "),
            "{said}"
        );
        let pid = run.id().to_string();
        let sent = std::process::Command::new("kill")
            .args([signal, &pid])
            .status();
        assert!(sent.expect("kill runs").success(), "{signal}");
        let began = Instant::now();
        assert!(run.wait().expect("it ends").success(), "{signal}");
        // Else it waits for the lock half a minute.
        assert!(began.elapsed() < Duration::from_secs(10), "{signal}");
    }
}

#[test]
fn a_run_without_a_configuration_says_what_it_uses() {
    let home = Home::new();
    let output = home.run(&["run", "--headless", "--for", "100ms"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    for part in [
        "no zoea.toml",
        "127.0.0.1:11434",
        "game.spacemolt.com",
        "zoea init",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let log = std::fs::read_to_string(home.file("zoea.log")).expect("a log");
    assert!(log.contains("no_configuration"), "{log}");
    home.configure("http://127.0.0.1:9/v1", "", "");
    let output = home.run(&["run", "--headless", "--for", "100ms"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said, "");
}

#[test]
fn several_places_are_searched_at_once() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["send", "alpha", "look for osmium"]);
    home.ok(&["broadcast", "osmium for all"]);
    let places = |places: &str| {
        let found = home.lines(&["search", "osmium", "--in", places, "--json"]);
        let kinds = found
            .iter()
            .map(|row| row["kind"].as_str().unwrap_or_default().to_string());
        kinds.collect::<Vec<String>>()
    };
    assert_eq!(places("messages"), ["prompt"]);
    assert_eq!(places("missions"), ["mission"]);
    assert_eq!(places("messages,missions"), ["prompt", "mission"]);
    assert_eq!(places("missions,messages,reasoning"), ["prompt", "mission"]);
    let newest = home.lines(&[
        "search",
        "osmium",
        "--in",
        "messages,missions",
        "--limit",
        "1",
        "--json",
    ]);
    assert_eq!(newest[0]["kind"], "mission");
    assert_eq!(home.fails(&["search", "osmium", "--in", "dreams"]).0, 2);
}

/// What bash offers after these words, by the completions that the program prints.
fn offered_by_bash(home: &Home, words: &[&str]) -> Vec<String> {
    std::fs::create_dir_all(home.path()).expect("bash is there");
    let script = home.file("completions.bash");
    std::fs::write(&script, home.ok(&["completions", "bash"])).expect("bash is there");
    let ask = r#"source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1));
        _zoea zoea "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"; printf '%s\n' "${COMPREPLY[@]}""#;
    let printed = std::process::Command::new("bash")
        .args(["--norc", "-c", ask])
        .arg(&script)
        .args(words)
        .output()
        .expect("bash is there");
    let text = String::from_utf8(printed.stdout).expect("bash is there");
    assert!(
        printed.status.success(),
        "{}",
        String::from_utf8_lossy(&printed.stderr)
    );
    text.lines().map(ToString::to_string).collect()
}

#[test]
fn a_shell_completes_commands_and_options() {
    let home = Home::new();
    let commands = offered_by_bash(&home, &["zoea", "b"]);
    assert_eq!(commands, ["broadcast", "books", "budget"]);
    let shown = offered_by_bash(&home, &["zoea", "a"]);
    assert_eq!(shown, ["attach", "answer", "accounts"]);
    let orders = offered_by_bash(&home, &["zoea", "mysis", "st"]);
    assert_eq!(orders, ["start", "stop"]);
    let options = offered_by_bash(&home, &["zoea", "run", "--off"]);
    assert_eq!(options, ["--offline"]);
    for shell in ["zsh", "fish"] {
        assert!(home.ok(&["completions", shell]).contains("broadcast"));
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let home = Home::new();
    let page = home.ok(&["man", "mysis", "create"]);
    assert!(page.contains(".TH zoea-mysis-create 1"), "{page}");
    let (status, error) = home.fails(&["man", "mysis", "fly"]);
    assert_eq!(status, 1);
    let wanted = "error: no command is called \"mysis fly\"; `zoea --help` lists them\n";
    assert_eq!(error, wanted);
    let pages = home.path().join("pages");
    home.ok(&["man", "--dir", &pages.to_string_lossy()]);
    for name in ["zoea.1", "zoea-run.1", "zoea-mysis-create.1"] {
        assert!(pages.join(name).exists(), "{name}");
    }
}

#[test]
fn a_wrong_value_of_an_option_is_wrong_usage() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    for (arguments, printed) in [
        (
            &["samples", "--since", "someday"][..],
            "`someday` is not a time",
        ),
        (&["samples", "--until", "never"], "`never` is not a time"),
        (
            &["samples", "--since", "2200-01-01"],
            "later than `until`, or than now",
        ),
        (
            &["samples", "--since", "1h", "--until", "2h"],
            "later than `until`",
        ),
        (
            &["remind", "alpha", "x", "--in", "nonsense"],
            "a duration looks like",
        ),
        (&["samples", "--resolution", "week"], "automatic"),
        (
            &["log", "alpha", "--kind", "nonsense"],
            "`nonsense` is not a kind of row",
        ),
        (&["report", "--day", "someday"], "`someday` is not a day"),
        (
            &["mysis", "configure", "a", "--temperature", "9"],
            "from 0 to 2",
        ),
        (
            &["mysis", "list", "--where", "colour=red"],
            "`colour` is not one of",
        ),
        (&["export", "--format", "xml"], "jsonl"),
        (&["search", "x", "--in", "dreams"], "messages"),
        (&["events", "--limit", "many"], "many"),
    ] {
        let (status, error) = home.fails(arguments);
        assert_eq!(status, 2, "{arguments:?}: {error}");
        assert!(error.contains(printed), "{arguments:?}: {error}");
    }
}

#[test]
fn a_home_that_is_moved_while_it_is_used_says_where_everything_is() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    let swarm = home.fly(&[]);
    let moved = home.path().with_file_name("moved");
    std::fs::rename(home.path(), &moved).expect("it is moved");
    let in_moved = |arguments: &[&str]| {
        let mut command = zoea_rig::zoea();
        command.arg("--home").arg(&moved).args(arguments);
        zoea_rig::texts(&command.output().expect("it runs"))
    };
    // The order waits for the store, so what is wrong is seen meanwhile.
    let mut order = zoea_rig::zoea();
    order
        .arg("--home")
        .arg(&moved)
        .args(["send", "alpha", "Mine."]);
    let order = zoea_rig::Process::spawn(order);
    let trouble = until("the trouble is reported", || {
        let (out, _) = in_moved(&["status", "--json"]);
        let status: serde_json::Value = serde_json::from_str(&out).ok()?;
        Some(status["trouble"].as_str()?.to_string())
    });
    assert!(
        trouble.contains("was moved to") && trouble.contains("/moved"),
        "{trouble}"
    );
    assert!(!trouble.contains("restore a copy"), "{trouble}");
    drop(order);
    swarm.signal("-KILL");
    swarm.wait();
    let (out, error) = in_moved(&["mysis", "list"]);
    assert!(out.contains("alpha"), "{out}{error}");
}
