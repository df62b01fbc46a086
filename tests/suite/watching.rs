//! Observers from outside: their information agrees with the events.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::flight::{pilot_stats, until_all_have};
use crate::receiver::Receiver;
use zoea_rig::{Home, Process, Server, http, until};

/// A swarm of two Myses that has mined; `more` is further configuration.
pub(crate) fn playing(more: &str) -> (Home, Process, Server, Server) {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, more);
    for name in ["alpha", "beta"] {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["broadcast", "Mine ore and sell it."]);
    let mut swarm = home.fly(&["--start-swarm"]);
    until_all_have(&mut swarm, 2, &["mine", "sell"]);
    (home, swarm, galaxy, pilot)
}

/// A page of metrics: its numbers by name and labels.
fn scrape(home: &Home) -> BTreeMap<String, f64> {
    let run = fs::read_to_string(home.file("run.json")).expect("a run file");
    let run: Value = serde_json::from_str(&run).expect("JSON");
    let url = run["metrics"].as_str().expect("metrics are served");
    let (status, page) = http("GET", url, &[], "");
    assert_eq!(status, 200);
    let lines = page.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').expect("a name and a number");
            (name.to_string(), value.parse().expect("a number"))
        })
        .collect()
}

/// The metrics by OpenTelemetry's names agree with ours: the model calls and the answered tool calls.
fn check_conventions(numbers: &BTreeMap<String, f64>, asked: f64, answered: f64) {
    let sum = |beginning: &str, label: &str| -> f64 {
        let of = numbers.iter();
        let of = of.filter(|(name, _)| name.starts_with(beginning) && name.contains(label));
        of.map(|(_, number)| number).sum()
    };
    let name = "gen_ai_client_operation";
    let counted = sum(&format!("{name}_duration_seconds_count{{"), "");
    assert_eq!(counted, asked);
    let first = format!("{name}_time_to_first_chunk_seconds_count{{");
    assert!(sum(&first, "server_address=\"127.0.0.1\"") > 0.0);
    for (kind, direction) in [("input", "in"), ("output", "out")] {
        let ours = sum("zoea_tokens_total{", &format!("direction=\"{direction}\""));
        let label = format!("gen_ai_token_type=\"{kind}\"");
        assert_eq!(sum("gen_ai_client_token_usage_sum{", &label), ours);
        let total = format!("gen_ai_client_inference_usage_{kind}_tokens_total{{");
        assert_eq!(sum(&total, "gen_ai_request_model=\"pilot\""), ours);
    }
    let tools = sum("gen_ai_execute_tool_duration_seconds_count", "");
    assert_eq!(tools, answered);
    assert!(sum("mcp_client_operation_duration_seconds_count{", "tools/call") > 4.0);
    let turns = sum("gen_ai_invoke_agent_duration_seconds_count", "");
    assert!(
        turns > 0.0 && turns <= sum("zoea_turns_total", ""),
        "{turns}"
    );
    let calls = sum("gen_ai_invoke_agent_inference_calls_sum", "");
    assert!(calls >= turns, "{calls} {turns}");
}

/// No two histograms of durations get the same observations: who watches pays for each of them.
fn check_twins(numbers: &BTreeMap<String, f64>) {
    let of = |name: &str, end: &str| -> f64 {
        let beginning = format!("{name}_{end}");
        let of = numbers.iter().filter(|(key, _)| {
            let rest = key.strip_prefix(&beginning);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('{'))
        });
        of.map(|(_, number)| number).sum()
    };
    let names = numbers.keys().filter_map(|key| key.split_once("_bucket{"));
    let names: BTreeSet<&str> = names.map(|(name, _)| name).collect();
    let durations = names.iter().filter(|name| name.ends_with("_seconds"));
    let mut seen: Vec<(&str, f64, f64)> = Vec::new();
    for name in durations {
        let (count, sum) = (of(name, "count"), of(name, "sum"));
        let twin = seen.iter().find(|(_, others, total)| {
            *others == count && (total - sum).abs() <= count * 0.000_001
        });
        assert!(twin.is_none(), "{name} repeats {twin:?}");
        seen.push((name, count, sum));
    }
    assert!(seen.len() > 3, "{seen:?}");
}

#[test]
fn the_metrics_agree_with_the_books_the_events_and_the_model_server() {
    let (home, swarm, _galaxy, pilot) = playing("[metrics]\nlisten = \"127.0.0.1:0\"\n");
    home.ok(&["mysis", "stop", "--all"]);
    until("everybody has stopped", || {
        let stopped = scrape(&home).get("zoea_myses{state=\"stopped\"}").copied();
        (stopped == Some(2.0)).then_some(())
    });
    let numbers = scrape(&home);
    let number = |name: &str| *numbers.get(name).unwrap_or_else(|| panic!("no {name}"));
    for name in ["alpha", "beta"] {
        let mysis = home.mysis(name);
        let printed = |key: &str| mysis[key].as_f64().expect("a number");
        let of = |direction: &str| {
            let labels = format!("mysis=\"{name}\",direction=\"{direction}\"");
            number(&format!("zoea_tokens_total{{{labels}}}"))
        };
        assert_eq!(of("in"), printed("tokens_in"));
        assert_eq!(of("out"), printed("tokens_out"));
        let turns = number(&format!("zoea_turns_total{{mysis=\"{name}\"}}"));
        assert_eq!(turns, printed("turns"));
        assert!(turns > 0.0 && of("in") > 0.0);
    }
    let answered = number("zoea_model_requests_total{provider=\"pilot\",outcome=\"ok\"}");
    let asked: f64 = numbers
        .iter()
        .filter(|(name, _)| name.starts_with("zoea_model_requests_total"))
        .map(|(_, count)| count)
        .sum();
    assert!(answered > 4.0);
    let timed = number("zoea_model_seconds_count{provider=\"pilot\"}");
    assert_eq!(timed, asked);
    let seen = pilot_stats(&pilot.url)["requests"].as_f64();
    assert!(
        seen.is_some_and(|seen| seen <= asked && seen >= answered),
        "{seen:?} {asked}"
    );
    assert!(number("zoea_store_commit_seconds_count") > 10.0);
    assert!(number("zoea_store_commit_seconds_bucket{le=\"+Inf\"}") > 10.0);
    assert_eq!(number("zoea_mailbox_depth{actor=\"store\"}"), 0.0);
    // Every result among the rows is counted once under its own status, also the result of a call
    // that was never made or that the stop cut off.
    assert!(number("zoea_credits_earned{mysis=\"alpha\"}").is_finite());
    let rows: Vec<Value> = ["alpha", "beta"]
        .into_iter()
        .flat_map(|name| home.lines(&["log", name, "--limit", "0", "--kind", "result", "--json"]))
        .collect();
    let mut answered = 0.0;
    for (status, outcome) in [
        ("done", "ok"),
        ("failed", "error"),
        ("unknown", "unknown"),
        ("not_executed", "not_executed"),
    ] {
        let of_rows = rows
            .iter()
            .filter(|row| row["metadata"]["status"] == status);
        let of_rows = of_rows.count() as f64;
        let label = format!("outcome=\"{outcome}\"");
        let is_call =
            |name: &str| name.starts_with("zoea_tool_calls_total") && name.contains(&label);
        let counted = numbers.iter().filter(|(name, _)| is_call(name));
        let counted: f64 = counted.map(|(_, count)| count).sum();
        assert_eq!(counted, of_rows, "{outcome}");
        if matches!(status, "done" | "failed") {
            answered += of_rows;
        }
    }
    assert!(answered > 4.0);
    assert_eq!(number("zoea_tool_seconds_count"), answered);
    check_conventions(&numbers, asked, answered);
    check_twins(&numbers);
    let results = number("zoea_rows_total{kind=\"result\"}");
    assert_eq!(results, rows.len() as f64);
    for server in ["pilot", "game"] {
        assert_eq!(
            number(&format!("zoea_server_away{{server=\"{server}\"}}")),
            0.0
        );
    }
    assert_eq!(number("zoea_cost_usd_total{mysis=\"alpha\"}"), 0.0);
    home.ok(&["mysis", "delete", "beta", "--yes"]);
    until("beta is counted no more", || {
        let names = scrape(&home).into_keys();
        let mut of_beta = names.filter(|name| name.contains("\"beta\""));
        of_beta.next().is_none().then_some(())
    });
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}

/// A swarm whose model server refuses the key, with these alerts. It plays at once.
fn in_trouble(alerts: &str) -> (Home, Process, Receiver) {
    let (home, model) = before_trouble(alerts);
    let swarm = home.fly(&[]);
    (home, swarm, model)
}

fn before_trouble(alerts: &str) -> (Home, Receiver) {
    let model = Receiver::start(&[401; 200]);
    let home = Home::new();
    home.configure(
        &format!("{}/v1", model.url),
        "",
        &format!("[alerts]\n{alerts}"),
    );
    for name in ["alpha", "beta"] {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["broadcast", "Mine ore."]);
    (home, model)
}

#[test]
fn who_needs_the_operator_is_told_once_to_the_webhook_and_to_the_command() {
    // The webhook is busy at first, and is tried again.
    let hook = Receiver::start(&[503]);
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("told");
    let alerts = format!(
        "webhook = \"{}/hook?key=k\"\ntoken_env = \"PATH\"\ncommand = [\"sh\", \"-c\", \"cat >> '{}'\"]\n\
         cool_down = \"1h\"\n",
        hook.url,
        file.display()
    );
    let (home, swarm, _model) = in_trouble(&alerts);
    let printed = until("the webhook is told", || {
        let brought = hook.brought();
        (brought.len() > 1).then_some(brought)
    });
    assert_eq!(
        printed[0].body, printed[1].body,
        "asked again with the same"
    );
    assert_eq!(printed[1].path, "/hook?key=k");
    assert!(
        printed[1].head.contains("authorization: bearer "),
        "{}",
        printed[1].head
    );
    let alert = &printed[1].body;
    assert_eq!(alert["cause"], "errored", "{alert}");
    assert_eq!(alert["help"], "relaunch");
    assert!(
        alert["why"].as_str().expect("a text").contains("401"),
        "{alert}"
    );
    assert!(alert["count"].as_u64().expect("a number") >= 1);
    let run = until("the command is told", || {
        let text = fs::read_to_string(&file).ok()?;
        text.ends_with('\n').then_some(text)
    });
    let run: Value = serde_json::from_str(run.lines().next().expect("a line")).expect("JSON");
    assert_eq!(run, *alert);
    until("both are errored", || {
        let errored = |name| home.mysis(name)["state"] == "errored";
        (errored("alpha") && errored("beta")).then_some(())
    });
    // The same cause is not reported again before it has cooled down.
    home.ok(&["mysis", "start", "alpha"]);
    until("alpha is errored again", || {
        let rows = home.lines(&["log", "alpha", "--limit", "0", "--kind", "host", "--json"]);
        let errored = rows
            .iter()
            .filter(|row| row["content"].to_string().contains("401"));
        (errored.count() > 1).then_some(())
    });
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    assert_eq!(hook.brought().len(), 2);
}

#[test]
fn a_command_that_takes_too_long_is_killed_with_its_children_and_the_operator_is_told() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("pids");
    let (_home, mut swarm, _model) = in_trouble(&format!(
        "command = [\"sh\", \"-c\", \"sleep 1000 & echo $$ $! > '{}'; wait\"]\ntimeout = \"300ms\"\n",
        file.display()
    ));
    let printed = loop {
        let line = swarm.line().expect("the swarm goes on");
        let event: Value = serde_json::from_str(&line).expect("JSON");
        if event["code"] == "alert_failed" {
            break event;
        }
    };
    let text = printed["text"].as_str().expect("a text");
    assert!(text.contains("300ms") && text.contains("killed"), "{text}");
    let pids = fs::read_to_string(&file).expect("it ran");
    assert_eq!(pids.split_whitespace().count(), 2, "{pids}");
    for pid in pids.split_whitespace() {
        until("it is gone", || is_gone(pid).then_some(()));
    }
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}

/// Whether a process has ended, also where nobody waits for it.
fn is_gone(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().unwrap_or_default();
    state.is_empty() || state.starts_with('Z')
}

#[test]
fn the_command_of_an_alert_sees_no_key_and_no_other_variable_of_the_program() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("environment");
    let (home, _model) = before_trouble(&format!(
        "token_env = \"HOOK_TOKEN\"\ncommand = [\"sh\", \"-c\", \"env > '{0}.new'; mv '{0}.new' '{0}'\"]\n",
        file.display()
    ));
    let settings = home.file("zoea.toml");
    let text = fs::read_to_string(&settings).expect("settings");
    let text = text.replacen(
        "model = \"pilot\"",
        "model = \"pilot\"\napi_key_env = \"ODD_KEY\"",
        1,
    );
    fs::write(&settings, text).expect("settings");
    let keys = [
        "ODD_KEY",
        "HOOK_TOKEN",
        "OPENAI_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "ZOEA_REGISTRATION_CODE",
        "PGPASSWORD",
        "ANY_OTHER",
    ];
    let mut command = home.command(&["run", "--headless", "--json"]);
    for key in keys {
        command.env(key, format!("hush-{key}"));
    }
    command.env("HTTPS_PROXY", "http://user:hush-proxy@127.0.0.1:9");
    let _swarm = home.launch(command);
    let seen = until("the command is told", || fs::read_to_string(&file).ok());
    assert!(!seen.contains("hush-"), "{seen}");
    assert!(seen.contains("PATH="), "{seen}");
}
