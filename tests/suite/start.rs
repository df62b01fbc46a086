//! Starts under bad circumstances: each gets a clear error, and nothing is lost.

use zoea_rig::{Home, ScriptedServer, Server, until};

#[test]
fn every_mistake_of_a_configuration_is_listed_and_nothing_starts() {
    let home = Home::new();
    home.ok(&["init"]);
    std::fs::write(
        home.file("zoea.toml"),
        "[swarm]\nmax_mysis = 3\nturn_pause = \"soon\"\n[nonsense]\n",
    )
    .expect("a configuration");
    let (status, error) = home.fails(&["run", "--headless"]);
    assert_eq!(status, 2);
    assert!(error.contains("max_myses"), "{error}");
    assert!(error.contains("turn_pause"), "{error}");
    assert!(error.contains("nonsense"), "{error}");
    assert!(!home.file("zoea.db").exists());
}

#[test]
fn a_mysis_of_the_configuration_without_room_stops_neither_a_start_nor_a_command() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    home.configure("http://127.0.0.1:9/v1", "", "[[myses]]\nname = \"beta\"\n");
    let file = home.file("zoea.toml");
    let text = std::fs::read_to_string(&file).expect("a configuration");
    let text = text.replace("max_myses = 1000", "max_myses = 1");
    std::fs::write(&file, text).expect("a configuration");
    let told = "create beta: the swarm is full (1 myses)";
    let is_told = |event: &serde_json::Value| {
        let text = event["text"].as_str().unwrap_or_default();
        text.starts_with(told)
    };
    let swarm = home.fly(&[]);
    home.recorded("it is told", is_told);
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    home.ok(&["mysis", "delete", "alpha", "--yes"]);
    let events = home.lines(&["events", "--limit", "0", "--json"]);
    let times = events.iter().filter(|event| is_told(event)).count();
    assert_eq!(times, 1, "a command does not tell it again");
    assert_eq!(home.mysis("beta")["state"], "idle");
}

#[test]
fn a_missing_configuration_that_was_asked_for_is_an_error() {
    let home = Home::new();
    let (status, error) = home.fails(&["--config", "/nowhere/zoea.toml", "mysis", "list"]);
    assert_eq!(status, 2);
    assert!(error.contains("/nowhere/zoea.toml"), "{error}");
}

#[test]
fn a_home_in_use_is_refused_and_the_one_that_runs_goes_on() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    let swarm = home.fly(&[]);
    let (status, error) = home.fails(&["run", "--headless"]);
    assert_eq!(status, 1);
    assert!(error.contains(&swarm.pid().to_string()), "{error}");
    home.ok(&["mysis", "create", "alpha"]);
}

#[test]
fn a_taken_port_of_the_control_interface_is_told_before_any_mysis_starts() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let model = ScriptedServer::model(&[]);
    let home = Home::new();
    home.configure(
        &model.url,
        "",
        &format!("[control]\nlisten = \"{address}\"\n"),
    );
    home.ok(&["mysis", "create", "alpha"]);
    // It would start with the program.
    home.ok(&["send", "alpha", "hello"]);
    let before = home.mysis("alpha");
    let (status, error) = home.fails(&["run", "--headless", "--start-swarm"]);
    assert_eq!(status, 1);
    assert!(error.contains(&address.to_string()), "{error}");
    assert!(error.contains("`listen` in [control]"), "{error}");
    assert!(model.requests().is_empty());
    assert_eq!(home.mysis("alpha")["state"], before["state"]);
    assert_eq!(home.mysis("alpha")["turns"], before["turns"]);
}

#[test]
fn a_start_whose_address_cannot_be_published_ends_in_good_order() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    std::fs::create_dir(home.file("run.json")).expect("a folder in the way");
    let (status, error) = home.fails(&["run", "--headless"]);
    assert_eq!(status, 1);
    assert!(error.contains("run.json: Is a directory"), "{error}");
    // It is there as long as the database is not closed.
    assert!(!home.file("zoea.db.last").exists());
}

#[test]
fn commands_reach_a_swarm_whose_address_was_removed() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    let _swarm = home.fly(&[]);
    std::fs::remove_file(home.file("run.json")).expect("it was there");
    home.ok(&["mysis", "create", "alpha"]);
    assert!(home.file("run.json").exists());
}

#[test]
fn a_database_that_is_none_is_refused_and_left_alone() {
    let home = Home::new();
    home.ok(&["mysis", "list"]);
    for name in ["zoea.db-wal", "zoea.db-shm"] {
        // The files may be gone already.
        let _ = std::fs::remove_file(home.file(name));
    }
    let broken = "this is not a database, but an operator may still want to look at it";
    std::fs::write(home.file("zoea.db"), broken).expect("a broken database");
    let (status, error) = home.fails(&["run", "--headless"]);
    assert_eq!(status, 1);
    assert!(
        error.contains("not a database") && error.contains("--home"),
        "{error}"
    );
    assert_eq!(
        std::fs::read_to_string(home.file("zoea.db")).expect("text"),
        broken
    );
}

#[test]
fn whoever_cannot_reach_its_provider_waits_and_says_so() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["send", "alpha", "hello"]);
    let _swarm = home.fly(&[]);
    let alpha = until("it waits", || {
        let alpha = home.mysis("alpha");
        let activity = alpha["activity"].as_str().unwrap_or_default();
        activity
            .starts_with("waiting for provider")
            .then_some(alpha)
    });
    assert_eq!(alpha["state"], "running");
    let activity = alpha["activity"].as_str().unwrap_or_default();
    assert!(
        activity.contains("the server at http://127.0.0.1:9 cannot be reached; is it running?"),
        "{activity}"
    );
    let retries = home.lines(&["log", "alpha", "--kind", "host", "--json"]);
    let codes: Vec<&str> = retries
        .iter()
        .filter_map(|row| row["metadata"]["code"].as_str())
        .collect();
    assert_eq!(codes[..3], ["retry", "retry", "retry"], "{codes:?}");
    assert!(!codes.contains(&"errored"), "{codes:?}");
    let status = home.ok(&["status"]);
    assert!(status.contains("away: provider"), "{status}");
    let prompts = home.lines(&["log", "alpha", "--kind", "prompt", "--json"]);
    assert_eq!(prompts.len(), 1);
}

#[test]
fn an_unreachable_game_is_a_notice_and_the_mysis_still_talks() {
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, "http://127.0.0.1:9/mcp", "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["send", "alpha", "Are you there?"]);
    let _swarm = home.fly(&[]);
    let replies = until("it answers", || {
        let rows = home.lines(&["log", "alpha", "--kind", "reply", "--json"]);
        (!rows.is_empty()).then_some(rows)
    });
    assert_eq!(replies[0]["role"], "assistant");
    let alpha = home.mysis("alpha");
    assert_eq!(alpha["mcp"], "down");
    // By now the program may have reported everything.
    let state = alpha["state"].as_str().expect("a state");
    assert!(["running", "idle"].contains(&state), "{state}");
    let notices = home.lines(&["log", "alpha", "--kind", "host", "--json"]);
    assert_eq!(notices[0]["metadata"]["code"], "mcp_down");
    // Whose tools it has is not known before it has listed them.
    let said = notices[0]["content"].as_str().expect("a text");
    assert!(
        said.starts_with("the tool server cannot be used: "),
        "{said}"
    );
}

#[test]
fn many_myses_of_the_configuration_are_created_in_few_commits() {
    let home = Home::new();
    let myses = (0..900).map(|n| format!("[[myses]]\nname = \"m{n}\"\n"));
    let more = format!(
        "[metrics]\nlisten = \"127.0.0.1:0\"\n{}",
        myses.collect::<String>()
    );
    home.configure("http://127.0.0.1:9/v1", "", &more);
    let _swarm = home.fly(&[]);
    let listed = home.json(&["mysis", "list", "--json"]);
    assert_eq!(listed.as_array().expect("a list").len(), 900);
    let run = std::fs::read_to_string(home.file("run.json")).expect("it runs");
    let run: serde_json::Value = serde_json::from_str(&run).expect("JSON");
    let url = run["metrics"].as_str().expect("an address");
    let (_, page) = zoea_rig::http("GET", url, &[], "");
    let number = |name: &str| {
        let line = page.lines().find_map(|line| line.strip_prefix(name));
        line.expect(name).trim().parse::<f64>().expect("a number")
    };
    let commits = number("zoea_store_commit_seconds_count");
    assert!(commits < 300.0, "{commits} commits");
    assert!(number("process_resident_memory_bytes") > 1e6);
    assert!(page.contains("zoea_build_info{version="), "{page}");
}
