//! `zoea setup` with flags and the environment: answers that play are written, and others write
//! nothing.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use zoea_rig::{Home, Process, Server, program, texts, until, written, zoea};

/// Runs setup in a home with these servers and more arguments.
fn setup(home: &Home, provider: &str, game: &str, more: &[&str]) -> Output {
    let usual = ["setup", "--yes", "--provider", provider, "--game", game];
    home.run(&[&usual[..], more].concat())
}

/// A pilot that makes no mistakes on purpose.
fn sound_pilot() -> Server {
    Server::pilot(&["--nonsense", "0"])
}

fn configuration(home: &Home) -> String {
    std::fs::read_to_string(home.file("zoea.toml")).expect("a configuration")
}

#[test]
fn flags_alone_give_a_short_configuration_that_plays_at_once() {
    let (pilot, galaxy) = (sound_pilot(), Server::galaxy(&[]));
    let home = Home::new();
    let flags = ["--model", "pilot", "--myses", "3", "--cap", "2usd"];
    let more = [&flags[..], &["--no-start"]].concat();
    let (out, err) = texts(&setup(&home, &pilot.url, &galaxy.url, &more));
    assert!(out.contains("verdict: plays"), "{out}{err}");
    assert!(err.contains("at most 20000 tokens"), "{err}");
    let kept = std::fs::read_to_string(home.file("proofs.json")).expect("what was learnt");
    assert!(kept.contains("\"plays\": true"), "{kept}");
    let text = configuration(&home);
    assert!(text.lines().count() <= 15, "{text}");
    for part in [
        "usd_per_day = 2.0",
        "model = \"pilot\"",
        "{ name = \"gamma\" }",
        &pilot.url,
    ] {
        assert!(
            text.contains(part) && out.contains(part),
            "{part}: {text}{out}"
        );
    }
    let mode = std::fs::metadata(home.file("zoea.toml"))
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    // The same arguments again, but the swarm starts.
    let usual = [
        "setup",
        "--yes",
        "--provider",
        &pilot.url,
        "--game",
        &galaxy.url,
    ];
    let swarm = home.launch(home.command(&[&usual[..], &flags].concat()));
    for name in ["alpha", "beta", "gamma"] {
        until("it has played", || {
            (home.mysis(name)["turns"].as_u64()? > 0).then_some(())
        });
    }
    assert!(home.ok(&["mission", "show"]).contains("Earn credits"));
    assert_eq!(configuration(&home), text);
    let (status, refused) = home.fails(&["setup", "--yes", "--provider", &pilot.url]);
    assert_eq!(status, 1);
    assert!(refused.contains("a swarm runs in"), "{refused}");
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}

#[test]
fn the_built_in_game_needs_no_server_and_survives_a_restart() {
    let pilot = sound_pilot();
    let home = Home::new();
    let usual = [
        "setup",
        "--yes",
        "--provider",
        &pilot.url,
        "--game",
        "offline",
        "--myses",
        "1",
    ];
    let swarm = home.launch(home.command(&usual));
    until("it has played", || {
        (home.mysis("alpha")["turns"].as_u64()? > 0).then_some(())
    });
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let before = home.mysis("alpha");
    assert!(configuration(&home).contains("upstream = \"offline\""));
    let _swarm = home.fly(&["--resume"]);
    until("it goes on with its account", || {
        let alpha = home.mysis("alpha");
        assert_eq!(alpha["account"], before["account"]);
        (alpha["turns"].as_u64()? > before["turns"].as_u64()? && alpha["mcp"] == "ok").then_some(())
    });
}

#[test]
fn accounts_come_into_the_home_that_is_set_up_also_while_an_offline_swarm_runs_in_it() {
    let (pilot, galaxy) = (sound_pilot(), Server::galaxy(&[]));
    let home = Home::new();
    let offline = home.file("offline");
    let _swarm = Process::spawn(home.command(&["run", "--offline", "--headless", "--myses", "1"]));
    until("the offline swarm is up", || {
        offline.join("run.json").exists().then_some(())
    });
    let pool = home.file("pool.json");
    let account = r#"[{"username": "prospector77", "password": "sesame-sesame"}]"#;
    std::fs::write(&pool, account).expect("a file");
    let pool = pool.display().to_string();
    let more = ["--model", "pilot", "--no-start", "--accounts", &pool];
    let (out, err) = texts(&setup(&home, &pilot.url, &galaxy.url, &more));
    assert!(out.contains("verdict: plays"), "{out}{err}");
    let has_it = |directory: &Path| {
        let mut command = zoea();
        command.arg("--home").arg(directory);
        let listed = command.args(["accounts", "list", "--json"]).output();
        let (out, err) = texts(&listed.expect("it runs"));
        assert!(out.starts_with('['), "{out}{err}");
        out.contains("prospector77")
    };
    assert!(has_it(&home.path()), "in the home that was set up");
    assert!(!has_it(&offline), "not in that of the offline swarm");
}

#[test]
fn what_cannot_play_says_why_and_writes_nothing() {
    let (pilot, galaxy) = (sound_pilot(), Server::galaxy(&[]));
    let locked = Server::pilot(&["--api-key", "sesame-sesame"]);
    let writes = Server::pilot(&["--nonsense", "0", "--fault", "prose-calls"]);
    let home = Home::new();
    let nobody = "http://127.0.0.1:9/v1";
    let model = ["--model", "pilot", "--no-start"];
    let game = galaxy.url.as_str();
    for (provider, game, more, says) in [
        (&*locked.url, game, &model[..], "refuses the key"),
        (
            &*pilot.url,
            game,
            &["--model", "gpt-99"],
            "has no model `gpt-99`; it has pilot",
        ),
        (game, game, &["--no-start"], "is not a model server"),
        (nobody, game, &model, "no server answers there"),
        (
            "nonsense",
            game,
            &model,
            "`nonsense` is not a model server; name one of openai",
        ),
        (
            &*pilot.url,
            "chess",
            &model,
            "`chess` is not a game; write offline",
        ),
        (
            &*pilot.url,
            "http://127.0.0.1:9/mcp",
            &model,
            "nothing was written: the game cannot be used",
        ),
        (
            &*writes.url,
            game,
            &model,
            "verdict: cannot play: it writes",
        ),
        (
            &*writes.url,
            game,
            &model,
            "nothing was written: pilot cannot play",
        ),
        (
            &*pilot.url,
            game,
            &["--cap", "much"],
            "`much` is not a cap; write 2usd",
        ),
        (
            &*pilot.url,
            game,
            &["--key-env", "NO_SUCH_KEY"],
            "NO_SUCH_KEY holds no key",
        ),
        ("openai", game, &model, "put it into OPENAI_API_KEY"),
    ] {
        let output = setup(&home, provider, game, more);
        let (out, err) = texts(&output);
        assert_eq!(output.status.code(), Some(1), "{out}{err}");
        assert!(format!("{out}{err}").contains(says), "{says}: {out}{err}");
        for name in ["zoea.toml", "credentials.json", "proofs.json"] {
            assert!(!home.file(name).exists(), "{name} after {says}");
        }
    }
}

#[test]
fn a_context_that_the_games_tools_fill_is_told_by_setup_doctor_and_the_swarm() {
    const TOLD: &str = "tools of a request take about ";
    let small = Server::pilot(&["--nonsense", "0", "--fault", "context-length:6000"]);
    let home = Home::new();
    let more = ["--model", "pilot", "--myses", "1", "--no-start"];
    let (out, err) = texts(&setup(&home, &small.url, "offline", &more));
    assert!(out.contains("verdict: plays"), "{out}{err}");
    let line = out.lines().find(|line| line.starts_with("✗ context: "));
    let line = line.unwrap_or_else(|| panic!("nothing of the context: {out}{err}"));
    assert!(line.contains(TOLD) && line.contains("-c 16384"), "{line}");
    assert!(configuration(&home).contains("context_tokens = 6000"));
    let output = home.run(&["doctor"]);
    let (out, _) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{out}");
    assert!(out.contains("✗ context of local: the "), "{out}");
    let _swarm = home.fly(&["--start-swarm"]);
    until("the swarm says it", || {
        let rows = home.lines(&["log", "alpha", "--kind", "host", "--json"]);
        let mut printed = rows
            .iter()
            .filter(|row| row["metadata"]["code"] == "small_context");
        let text = printed.next()?["content"].as_str()?;
        text.contains(TOLD).then_some(())
    });
}

#[test]
fn a_registration_code_reaches_the_game_and_nobody_else() {
    const CODE: &str = "REG-0815-sesame";
    let galaxy = Server::galaxy(&["--registration-code", CODE]);
    let home = Home::new();
    std::fs::create_dir_all(home.path()).expect("a home");
    let record = home.file("record.jsonl").display().to_string();
    let pilot = ["--nonsense", "0", "--record", &record, "--keep-bodies"];
    let pilot = Server::pilot(&pilot);
    let usual = [
        "setup",
        "--yes",
        "--provider",
        &pilot.url,
        "--game",
        &galaxy.url,
    ];
    let more = ["--myses", "1", "--code-env", "THE_CODE"];
    let mut command = home.command(&[&usual[..], &more].concat());
    command.env("THE_CODE", CODE);
    let swarm = home.launch(command);
    until("it has registered and played", || {
        let alpha = home.mysis("alpha");
        (alpha["account"].is_string() && alpha["turns"].as_u64()? > 0).then_some(())
    });
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    let text = configuration(&home);
    assert!(
        text.contains("registration_code_env = \"THE_CODE\""),
        "{text}"
    );
    for file in std::fs::read_dir(home.path()).expect("a home").flatten() {
        let bytes = std::fs::read(file.path()).unwrap_or_default();
        let is_in = bytes
            .windows(CODE.len())
            .any(|part| part == CODE.as_bytes());
        assert!(!is_in, "{}", file.path().display());
    }
    let mut asked = written(Path::new(&record)).into_iter();
    let register = asked.find_map(|request| {
        let tools = request["body"]["tools"].as_array()?.clone();
        let mut tools = tools.into_iter().map(|tool| tool["function"].clone());
        tools.find(|tool| tool["name"] == "register")
    });
    let wanted = register.expect("it can register")["parameters"]["properties"].clone();
    assert!(wanted["username"].is_object(), "{wanted}");
    assert!(wanted.get("registration_code").is_none(), "{wanted}");
}

#[test]
fn every_answer_may_come_from_the_environment() {
    let locked = Server::pilot(&["--nonsense", "0", "--api-key", "sesame-sesame"]);
    let home = Home::new();
    let mut command = home.command(&["setup", "--yes", "--no-start"]);
    for (name, value) in [
        ("ZOEA_SETUP_PROVIDER", &*locked.url),
        ("ZOEA_SETUP_KEY_ENV", "THE_KEY"),
        ("THE_KEY", "sesame-sesame"),
        ("ZOEA_SETUP_MODEL", "pilot"),
        ("ZOEA_SETUP_GAME", "offline"),
        ("ZOEA_SETUP_MYSES", "2"),
        ("ZOEA_SETUP_CAP", "1Mtokens"),
    ] {
        command.env(name, value);
    }
    let (out, err) = texts(&command.output().expect("it runs"));
    let text = configuration(&home);
    for part in [
        "api_key_env = \"THE_KEY\"",
        "upstream = \"offline\"",
        "tokens_per_day = 1000000",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for said in [&text, &out, &err] {
        assert!(!said.contains("sesame"), "{said}");
    }
}

#[test]
fn what_is_there_is_replaced_only_when_that_is_asked_for_and_a_copy_is_kept() {
    let pilot = sound_pilot();
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "[tui]\ntheme = \"light\"\n");
    home.ok(&["mysis", "create", "alpha"]);
    let before = configuration(&home);
    let usual = [
        "setup",
        "--provider",
        &pilot.url,
        "--game",
        "offline",
        "--no-start",
    ];
    let (status, refused) = home.fails(&usual);
    assert_eq!(status, 1);
    assert!(
        refused.contains("--yes replaces it and keeps a copy"),
        "{refused}"
    );
    assert_eq!(configuration(&home), before);
    let out = home.ok(&[&usual[..], &["--yes"]].concat());
    assert!(out.contains("zoea.toml.before-setup-1"), "{out}");
    let copy = std::fs::read_to_string(home.file("zoea.toml.before-setup-1")).expect("a copy");
    assert_eq!(copy, before);
    let text = configuration(&home);
    assert!(
        text.contains("theme = \"light\"") && text.contains(&pilot.url),
        "{text}"
    );
    // A Mysis of the former default provider has moved to the new one.
    assert_eq!(home.mysis("alpha")["provider"], "local");
    std::fs::write(home.file("zoea.toml"), "[nonsense]\n").expect("a mistake");
    let (status, refused) = home.fails(&[&usual[..], &["--yes"]].concat());
    assert_eq!(status, 2);
    assert!(refused.contains("nonsense"), "{refused}");
}

#[test]
fn beside_a_running_swarm_it_names_the_order_that_moves_the_myses_after_the_reload() {
    let pilot = sound_pilot();
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    let swarm = home.fly(&[]);
    let out = home.ok(&["setup", "--yes", "--provider", &pilot.url, "--no-start"]);
    let order = "after `:reload`: `zoea mysis configure --where 'provider=pilot' --provider local ";
    assert!(out.contains(order), "{out}");
    assert_eq!(home.mysis("alpha")["provider"], "pilot");
    swarm.signal("-HUP");
    let order = ["mysis", "configure", "--where", "provider=pilot"];
    let order = [&order[..], &["--provider", "local"]].concat();
    until("it knows the new provider", || {
        home.run(&order).status.success().then_some(())
    });
    assert_eq!(home.mysis("alpha")["provider"], "local");
}

#[test]
fn a_game_that_is_a_program_stays_until_an_address_takes_its_place() {
    let pilot = sound_pilot();
    let home = Home::new();
    let program = program().display().to_string();
    let game = format!("command = [\"{program}\", \"galaxy\", \"--stdio\"]");
    home.configure_game(&pilot.url, &game, "");
    let again = ["setup", "--yes", "--no-start"];
    home.ok(&again);
    assert!(configuration(&home).contains("\"--stdio\""));
    home.ok(&[&again[..], &["--game", "offline"]].concat());
    let text = configuration(&home);
    assert!(text.contains("upstream = \"offline\""), "{text}");
    assert!(!text.contains("command"), "{text}");
}

#[test]
fn a_swarm_that_ran_on_the_defaults_goes_to_the_new_provider() {
    let pilot = Server::pilot_at("127.0.0.2:0", &["--nonsense", "0"]);
    let home = Home::new();
    home.ok(&["mysis", "create", "zoe"]);
    assert_eq!(home.mysis("zoe")["provider"], "local");
    let (out, err) = texts(&setup(&home, &pilot.url, "offline", &["--no-start"]));
    assert!(out.contains("zoe is on 127-0-0-2 now."), "{out}{err}");
    assert_eq!(home.mysis("zoe")["provider"], "127-0-0-2");
}

/// Runs a command whose writes fail.
fn on_a_full_disk(home: &Home, arguments: &[&str]) -> Output {
    let shell = "ulimit -f 0; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", shell]).arg(program());
    command.arg("--home").arg(home.path()).args(arguments);
    command.output().expect("it runs")
}

#[test]
fn init_on_a_full_disk_leaves_no_file_that_the_next_one_would_find() {
    let home = Home::new();
    let output = on_a_full_disk(&home, &["init"]);
    let (_, err) = texts(&output);
    assert!(!output.status.success() && err.contains("write"), "{err}");
    home.ok(&["init"]);
    assert!(configuration(&home).contains("[swarm]"));
}

#[test]
fn a_full_disk_and_a_missing_home_are_told_and_leave_nothing_half_written() {
    let pilot = sound_pilot();
    let home = Home::new();
    home.ok(&["mysis", "list"]);
    let output = on_a_full_disk(
        &home,
        &[
            "setup",
            "--yes",
            "--provider",
            &pilot.url,
            "--game",
            "offline",
            "--no-start",
        ],
    );
    let (_, err) = texts(&output);
    assert!(!output.status.success());
    assert!(
        err.contains("write") && err.contains("nothing was changed"),
        "{err}"
    );
    let names = std::fs::read_dir(home.path()).expect("a home").flatten();
    for entry in names {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(
            !name.contains("zoea.toml") && !name.contains("credentials"),
            "{name}"
        );
    }
    let output = zoea_rig::zoea()
        .arg("setup")
        .env_remove("HOME")
        .output()
        .expect("it runs");
    let (_, err) = texts(&output);
    assert_eq!(output.status.code(), Some(2));
    assert!(err.contains("name a directory with --home"), "{err}");
}
