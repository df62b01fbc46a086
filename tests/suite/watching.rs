//! Observers from outside: their information agrees with the events.

use std::collections::BTreeMap;
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
        let told = |key: &str| mysis[key].as_f64().expect("a number");
        let of = |direction: &str| {
            let labels = format!("mysis=\"{name}\",direction=\"{direction}\"");
            number(&format!("zoea_tokens_total{{{labels}}}"))
        };
        assert_eq!(of("in"), told("tokens_in"));
        assert_eq!(of("out"), told("tokens_out"));
        let turns = number(&format!("zoea_turns_total{{mysis=\"{name}\"}}"));
        assert_eq!(turns, told("turns"));
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
    home.ok(&["mysis", "delete", "beta", "--yes"]);
    until("beta is counted no more", || {
        let names = scrape(&home).into_keys();
        let mut of_beta = names.filter(|name| name.contains("\"beta\""));
        of_beta.next().is_none().then_some(())
    });
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}

/// The received spans of that service, with their attributes as a plain map.
fn spans(receiver: &Receiver, service: &str) -> Vec<(Value, BTreeMap<String, Value>)> {
    let mut spans = Vec::new();
    for one in receiver.brought() {
        assert_eq!(one.path, "/v1/traces");
        let resource = &one.body["resourceSpans"][0];
        assert_eq!(
            resource["resource"]["attributes"][0]["value"]["stringValue"],
            service
        );
        for span in resource["scopeSpans"][0]["spans"]
            .as_array()
            .expect("spans")
        {
            let attributes = span["attributes"].as_array().expect("attributes").iter();
            let attributes = attributes.map(|attribute| {
                let value = attribute["value"].as_object().expect("a value");
                let value = value.values().next().expect("of one kind");
                let key = attribute["key"].as_str().expect("a key");
                (key.to_string(), value.clone())
            });
            spans.push((span.clone(), attributes.collect()));
        }
    }
    spans
}

/// Spans of a swarm that played and shut down, and that is called `service` at the collector.
fn flown_with_traces(service: &str, more: &str) -> Vec<(Value, BTreeMap<String, Value>)> {
    // A collector that is busy at first gets the spans again.
    let collector = Receiver::start(&[503]);
    let endpoint = &collector.url;
    let (_home, swarm, _galaxy, _pilot) =
        playing(&format!("[traces]\nendpoint = \"{endpoint}\"\n{more}"));
    until("spans are there", || {
        let of_turns = spans(&collector, service);
        let turns = of_turns
            .iter()
            .filter(|(span, _)| span["parentSpanId"].is_null());
        (turns.count() > 2).then_some(())
    });
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    spans(&collector, service)
}

#[test]
fn a_collector_gets_a_span_for_each_turn_model_call_and_tool_call() {
    let spans = flown_with_traces("zoea", "");
    let turns: BTreeMap<&str, &Value> = spans
        .iter()
        .filter(|(span, _)| span["parentSpanId"].is_null())
        .map(|(span, _)| (span["spanId"].as_str().expect("an id"), span))
        .collect();
    let nanos = |span: &Value, key: &str| -> u128 {
        let text = span[key].as_str().expect("a text");
        text.parse().expect("nanoseconds")
    };
    let mut operations: BTreeMap<&str, usize> = BTreeMap::new();
    for (span, of) in &spans {
        let operation = of["gen_ai.operation.name"].as_str().expect("a name");
        *operations.entry(operation).or_default() += 1;
        let name = span["name"].as_str().expect("a name");
        let (start, end) = (
            nanos(span, "startTimeUnixNano"),
            nanos(span, "endTimeUnixNano"),
        );
        assert!(start <= end && start > 1_600_000_000_000_000_000, "{span}");
        assert_eq!(span["traceId"].as_str().map(str::len), Some(32));
        let rest = match operation {
            "invoke_agent" => {
                assert_eq!(span["kind"], 1);
                of["gen_ai.agent.name"].as_str()
            }
            "chat" => {
                assert!(of.contains_key("gen_ai.usage.input_tokens"), "{span}");
                assert_eq!(of["gen_ai.provider.name"], "pilot");
                of["gen_ai.request.model"].as_str()
            }
            "execute_tool" => {
                assert!(of.contains_key("gen_ai.tool.call.id"), "{span}");
                of["gen_ai.tool.name"].as_str()
            }
            other => panic!("{other} is no operation"),
        };
        assert_eq!(name, format!("{operation} {}", rest.expect("a name")));
        if let Some(parent) = span["parentSpanId"].as_str() {
            let turn = turns.get(parent).expect("its turn was brought, too");
            assert_eq!(turn["traceId"], span["traceId"]);
            assert!(nanos(turn, "startTimeUnixNano") <= start);
        }
        let said = [
            "gen_ai.output.messages",
            "gen_ai.tool.call.arguments",
            "gen_ai.tool.call.result",
        ];
        assert!(
            said.iter().all(|key| !of.contains_key(*key)),
            "contents: {span}"
        );
    }
    assert_eq!(operations.len(), 3, "{operations:?}");
    assert!(
        operations["chat"] >= operations["invoke_agent"],
        "{operations:?}"
    );
    assert!(operations["execute_tool"] > 2, "{operations:?}");
}

#[test]
fn what_was_said_is_in_the_spans_only_for_those_who_want_it() {
    let spans = flown_with_traces("belt", "contents = true\nservice = \"belt\"\n");
    let has = |key: &str| spans.iter().any(|(_, of)| of.contains_key(key));
    assert!(has("gen_ai.output.messages"));
    assert!(has("gen_ai.tool.call.arguments"));
    assert!(has("gen_ai.tool.call.result"));
}

/// A swarm whose model server refuses the key, with these alerts. It plays at once.
fn in_trouble(alerts: &str) -> (Home, Process, Receiver) {
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
    let swarm = home.fly(&[]);
    (home, swarm, model)
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
    let told = until("the webhook is told", || {
        let brought = hook.brought();
        (brought.len() > 1).then_some(brought)
    });
    assert_eq!(told[0].body, told[1].body, "asked again with the same");
    assert_eq!(told[1].path, "/hook?key=k");
    assert!(
        told[1].head.contains("authorization: bearer "),
        "{}",
        told[1].head
    );
    let alert = &told[1].body;
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
fn a_command_that_takes_too_long_is_killed_and_the_operator_is_told() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("pid");
    let (_home, mut swarm, _model) = in_trouble(&format!(
        "command = [\"sh\", \"-c\", \"echo $$ > '{}'; exec sleep 1000\"]\ntimeout = \"300ms\"\n",
        file.display()
    ));
    let told = loop {
        let line = swarm.line().expect("the swarm goes on");
        let event: Value = serde_json::from_str(&line).expect("JSON");
        if event["code"] == "alert_failed" {
            break event;
        }
    };
    let text = told["text"].as_str().expect("a text");
    assert!(text.contains("300ms") && text.contains("killed"), "{text}");
    let pid = fs::read_to_string(&file).expect("it ran");
    let gone = format!("/proc/{}", pid.trim());
    until("the command is gone", || {
        (!std::path::Path::new(&gone).exists()).then_some(())
    });
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}
