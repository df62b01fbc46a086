//! What is promised keeps its words: enums, settings, commands, exit statuses, control tools, metrics, and the
//! members of what commands print.

use std::collections::BTreeSet;
use std::time::Duration;

use actors::domain::event::LinkState;
use actors::domain::event_record::{EventRecordKind, OrderSource};
use actors::domain::fault::MysisFaultKind;
use actors::domain::fleet_process::ProcessState;
use actors::domain::held::HeldKind;
use actors::domain::memo::MemoKind;
use actors::domain::message::{CallStatus, RowKind, Severity};
use actors::domain::model::{ModelAnswer, ModelFault, RefusalHint, ServiceReturn};
use actors::domain::needs::NeedCause;
use actors::domain::order::CompletedAction;
use actors::domain::outages::Light;
use actors::domain::progress::StallKind;
use actors::domain::routine::Each;
use actors::domain::selector::SelectorWord;
use actors::domain::standing::StandingKind;
use actors::domain::state::LifeState;
use serde_json::{Value, json};
use zoea::telemetry::metrics::tool_outcome;
use zoea::telemetry::observation::ModelCallEnd;
use zoea_golden::{every, hold, hold_json, hold_seen, members};
use zoea_rig::{Home, Process, Server, http};

/// The words of all variants.
fn words<T: Copy, const N: usize>(all: [T; N], word: impl Fn(T) -> &'static str) -> Value {
    all.map(word).to_vec().into()
}

#[test]
fn the_words_of_enums_stay() {
    let kinds = every!(RowKind: Prompt, Mission, Peer, Note, Reply, Call, Result, Host, Audit);
    let standing = every!(StandingKind: StoreTrouble, NothingMoves, LittleRoom, SecretMissing);
    let links = every!(LinkState:
        None => [LinkState::None],
        Ok => [LinkState::Ok],
        Down => [LinkState::Down],
        NoAccess => [LinkState::NoAccess],
        LoginRefused => [LinkState::LoginRefused("no".into())],
    );
    let selectors = every!(SelectorWord:
        All => [SelectorWord::All],
        Marked => [SelectorWord::Marked],
        InHand => [SelectorWord::InHand],
        State => [SelectorWord::State(LifeState::Idle)],
        Interrupted => [SelectorWord::Interrupted],
    );
    let words = json!({
        "kind": words(kinds, RowKind::as_str),
        "role": words(kinds, |kind| kind.role().unwrap_or("-")),
        "source": words(kinds, RowKind::source),
        "status of a call": words(
            every!(CallStatus: Recorded, Sent, Done, Failed, Unknown, NotExecuted),
            CallStatus::as_str,
        ),
        "severity": words(every!(Severity: Info, Warn, Error), Severity::as_str),
        "state": words(every!(LifeState: Idle, Running, Stopped, Errored), LifeState::as_str),
        "fault": words(
            every!(MysisFaultKind: Transient, Permanent, Crash, Store),
            MysisFaultKind::as_str,
        ),
        "held text": words(every!(HeldKind: Text, Tool, Size, Calls), HeldKind::as_str),
        "event": words(every!(EventRecordKind: State, Notice, Need, Order), EventRecordKind::as_str),
        "source of an order": words(
            every!(OrderSource:
                Terminal, AttachedTerminal, Control, CommandLine, Configuration, Signal, Program,
            ),
            OrderSource::as_str,
        ),
        "need": words(
            every!(NeedCause: Store, Disk, Game, Login, Model, Key, Account, Budget, Mysis),
            NeedCause::as_str,
        ),
        "standing condition": words(standing, StandingKind::code),
        "end of one": words(standing, |kind| kind.end().0),
        "light": words(every!(Light: Green, Amber, Red), Light::as_str),
        "stall": words(every!(StallKind: OnlyText, Repeats, AllCallsFail, Looping, Inactive), StallKind::as_str),
        "each": words(every!(Each: Cargo, Missions), Each::as_str),
        "process": words(
            every!(ProcessState: Alive, Draining, Frozen, Ended, Gone),
            ProcessState::as_str,
        ),
        "memo": words(every!(MemoKind: Watch, WorkingSet, Tier, Routines, Reminders), MemoKind::as_str),
        "order carried out": words(
            every!(CompletedAction:
                Started, Retried, Stopped, Deleted, Configured, NotesCleared, RoutineStarted, RoutineStopped,
                ReminderCancelled, Answered, Declined, Cancelled, Drained, Undrained, Forgotten, BudgetRaised,
            ),
            CompletedAction::as_str,
        ),
        "link": links.iter().map(LinkState::as_str).collect::<Vec<_>>(),
        "selector": words(selectors, SelectorWord::as_str),
    });
    hold_json("words.json", &words);
}

#[test]
fn the_words_of_outcomes_stay() {
    let text = String::new;
    let faults = every!(ModelFault:
        Transient => [ModelFault::Transient { text: text(), retry_after: None }],
        Unreachable => [ModelFault::Unreachable { text: text() }],
        NoDescriptor => [ModelFault::NoDescriptor { text: text() }],
        Empty => [ModelFault::Empty { text: text(), usage: None }],
        TooLong => [ModelFault::TooLong { text: text(), limit: None }],
        OutOfService => [ModelFault::OutOfService {
            text: text(),
            wait: Duration::ZERO,
            ends_by: ServiceReturn::Time,
        }],
        Adapted => [ModelFault::Adapted { text: text() }],
        Refused => [ModelFault::Refused {
            text: text(),
            usage: None,
            hint: RefusalHint::Nothing,
        }],
        Permanent => [ModelFault::Permanent { text: text() }],
    );
    let answer = ModelAnswer::default();
    let ends = [
        ModelCallEnd::Answered(&answer),
        ModelCallEnd::TimedOut,
        ModelCallEnd::Aborted,
    ];
    let ends = ends.iter().map(ModelCallEnd::outcome);
    let of_faults = faults
        .iter()
        .map(|fault| ModelCallEnd::Failed(fault).outcome());
    let outcomes = json!({
        "of a model call": ends.collect::<Vec<_>>(),
        "of one that failed": of_faults.collect::<Vec<_>>(),
        "of a tool call": words(
            every!(CallStatus: Recorded, Sent, Done, Failed, Unknown, NotExecuted),
            tool_outcome,
        ),
    });
    hold_json("outcomes.json", &outcomes);
}

#[test]
fn settings_keep_their_keys_and_defaults() {
    let template = zoea_settings::template();
    let settings = template.lines().filter_map(|line| line.strip_prefix('#'));
    let settings = settings.filter(|rest| !rest.starts_with(' '));
    // What stands behind a key explains it; it is no form.
    let keys = settings.map(|line| line.split("  # ").next().unwrap_or_default());
    hold("settings.toml", &keys.collect::<Vec<_>>().join("\n"));
}

#[test]
fn commands_keep_their_names_and_options() {
    let script = Home::new().ok(&["completions", "bash"]);
    let mut command = "";
    let mut lines = Vec::new();
    for line in script.lines().map(str::trim) {
        let label = line
            .strip_suffix(')')
            .filter(|label| label.starts_with("zoea"));
        command = label.unwrap_or(command);
        let options = line
            .strip_prefix("opts=\"")
            .and_then(|rest| rest.strip_suffix('"'));
        let is_help = command.split("__").any(|part| part == "help");
        if let Some(options) = options.filter(|_| !is_help && !command.is_empty()) {
            lines.push(format!("{}: {options}", command.replace("__subcmd__", " ")));
        }
    }
    assert!(lines.len() > 40, "{lines:?}");
    hold("commands.txt", &lines.join("\n"));
}

/// A program that runs two Myses, with its servers: one plays, and the model of the other one refuses its key.
fn playing(home: &Home) -> (Process, [Server; 3]) {
    let (galaxy, pilot) = (Server::galaxy(&[]), Server::pilot(&["--nonsense", "0.3"]));
    let refusing = Server::pilot(&["--api-key", "right"]);
    let more = format!(
        "[metrics]\nlisten = \"127.0.0.1:0\"\n[providers.refusing]\nendpoint = \"{}\"\nmodel = \"pilot\"\n",
        refusing.url
    );
    home.configure(&pilot.url, &galaxy.url, &more);
    let swarm = home.fly(&[]);
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["mysis", "create", "beta", "--provider", "refusing"]);
    home.ok(&["broadcast", "Mine ore and sell it."]);
    (swarm, [galaxy, pilot, refusing])
}

fn run_file(home: &Home) -> Value {
    let run = std::fs::read_to_string(home.file("run.json")).expect("run.json");
    serde_json::from_str(&run).expect("JSON")
}

fn control(home: &Home, method: &str, params: &Value) -> Value {
    let token = std::fs::read_to_string(home.file("control.token")).expect("a token");
    let bearer = format!("Authorization: Bearer {}", token.trim());
    let headers = [
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        &bearer,
    ];
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let run = run_file(home);
    let url = run["control"].as_str().expect("an address");
    let (status, answer) = http("POST", url, &headers, &body);
    assert_eq!(status, 200, "{answer}");
    let mut answer: Value = serde_json::from_str(&answer).expect("JSON");
    answer["result"].take()
}

/// The commands with JSON that needs no more than two Myses.
const PRINTED: [&[&str]; 13] = [
    &["status", "--json"],
    &["mysis", "list", "--json"],
    &["log", "alpha", "--json"],
    &["log", "beta", "--json"],
    &["search", "ore", "--json"],
    &["events", "--json"],
    &["books", "--json"],
    &["samples", "alpha", "--json"],
    &["accounts", "list", "--json"],
    &["held", "--json"],
    &["processes", "--json"],
    &["doctor", "--json"],
    &["db", "check", "--json"],
];

/// The control tools that only read, and have no command that prints their JSON.
fn read_tools() -> [(&'static str, Value); 5] {
    [
        ("report", json!({"day": "today"})),
        ("get_reach", json!({})),
        ("get_mission", json!({})),
        ("wait", json!({"until": "turns<0", "timeout": 0})),
        ("read_samples", json!({"sum": true, "since": "1h"})),
    ]
}

/// Members whose own members are a model's choice, or are not there in every run. Other tests hold those.
const BEYOND: [&str; 19] = [
    "arguments.",
    "states.",
    "circle.",
    "routine.",
    "tier.",
    "question.",
    "away[]",
    "doubtful[]",
    "needs[]",
    "warnings[]",
    "held_up[]",
    "timeline.",
    "lost[]",
    "before.",
    "metadata.attempt",
    "metadata.cost_micros",
    "metadata.from_text",
    "tool_calls[].routine",
    "status --json: myses[]",
];

/// What a program prints, with its members: `books --json: [].cost`.
fn printed(home: &Home) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut add = |what: &str, value: &Value| {
        let lines = members(value)
            .into_iter()
            .map(|member| format!("{what}: {member}"));
        all.extend(lines.filter(|line| !BEYOND.iter().any(|part| line.contains(part))));
    };
    for command in PRINTED {
        let (out, _) = zoea_rig::texts(&home.run(command));
        // Whether a notice stands in alpha's log is chance. In beta's there is one.
        let name = command.join(" ");
        let name = name
            .replace("log alpha", "log NAME")
            .replace("log beta", "log NAME");
        for value in serde_json::Deserializer::from_str(&out).into_iter::<Value>() {
            add(&name, &value.expect("JSON"));
        }
    }
    for (tool, arguments) in read_tools() {
        let answer = control(
            home,
            "tools/call",
            &json!({"name": tool, "arguments": arguments}),
        );
        let text = answer["content"][0]["text"].as_str().expect("a text");
        add(
            tool,
            &serde_json::from_str(text).unwrap_or_else(|_| panic!("{tool}: {text}")),
        );
    }
    add("run.json", &run_file(home));
    all
}

/// The metrics, each with its labels, and the values of those whose words are ours.
fn metrics(home: &Home) -> BTreeSet<String> {
    let run = run_file(home);
    let url = run["metrics"].as_str().expect("metrics are served");
    let (status, page) = http("GET", url, &[], "");
    assert_eq!(status, 200, "{page}");
    let lines = page
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let form = |line: &str| {
        let name = line.split(['{', ' ']).next().unwrap_or_default();
        let Some((labels, _)) = line[name.len()..].rsplit_once('}') else {
            return name.to_string();
        };
        let labels = labels[1..]
            .split("\",")
            .filter_map(|label| Some(label.split_once('=')?.0));
        format!("{name}{{{}}}", labels.collect::<Vec<_>>().join(","))
    };
    // Whether a call fails on its way to the game, or a session ends, is chance.
    let is_chance = |line: &String| {
        let of_a_failure = line.starts_with("mcp_") && line.contains("error_type");
        of_a_failure || line.starts_with("mcp_client_session")
    };
    lines.map(form).filter(|line| !is_chance(line)).collect()
}

#[test]
fn a_running_program_keeps_its_tools_its_metrics_and_what_it_prints() {
    let home = Home::new();
    let _running = playing(&home);
    let tools = control(&home, "tools/list", &json!({}));
    let tools = tools["tools"].as_array().expect("tools").iter();
    let tools = tools.map(|tool| {
        let schema = &tool["inputSchema"];
        let parameters = schema["properties"].as_object().into_iter().flatten();
        let parameters = parameters.map(|(name, schema)| {
            let is_required = schema_has(&tool["inputSchema"]["required"], name);
            let mark = if is_required { "" } else { "?" };
            format!("{name}{mark} {}", schema["type"])
        });
        let parameters: Vec<String> = parameters.collect();
        format!(
            "{} {{{}}}",
            tool["name"].as_str().unwrap_or_default(),
            parameters.join(", ")
        )
    });
    let tools: BTreeSet<String> = tools.collect();
    hold(
        "tools.txt",
        &tools.into_iter().collect::<Vec<_>>().join("\n"),
    );
    hold_seen("printed.txt", || printed(&home));
    hold_seen("metrics.txt", || metrics(&home));
}

fn schema_has(required: &Value, name: &str) -> bool {
    let mut required = required.as_array().into_iter().flatten();
    required.any(|required| required == name)
}

#[test]
fn commands_end_with_the_statuses_that_scripts_know() {
    let home = Home::new();
    let _running = playing(&home);
    let broken = Home::new();
    broken.configure("http://127.0.0.1:9/v1", "", "nonsense = 1\n");
    let runs: [(&Home, &[&str]); 8] = [
        (&home, &["--version"]),
        (&home, &["mysis", "list"]),
        (&home, &["mysis", "start", "gamma"]),
        (&home, &["nonsense"]),
        (&broken, &["mysis", "list"]),
        (&home, &["wait", "alpha", "--until", "turns>=0"]),
        (
            &home,
            &["wait", "alpha", "--until", "turns<0", "--timeout", "10ms"],
        ),
        (&home, &["wait", "gamma", "--until", "idle"]),
    ];
    let listed = runs.map(|(home, command)| {
        let status = home.run(command).status.code();
        format!("{}: {}", command.join(" "), status.expect("a status"))
    });
    hold("exit-statuses.txt", &listed.join("\n"));
}
