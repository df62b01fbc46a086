//! The program between two bad servers, and the memory that each input takes.

use parking_lot::Mutex;
use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use zoea_rig::{Home, Process, until};

use super::game_server::{OF_CALLS, OF_LISTS, of_a_game};
use super::model_server::{OF_MODELS, of_a_model};
use super::server::{MB, hostile, text, wants, words};

/// The memory in kB that no input may take beside the program at rest.
const MAX_TAKEN_KB: u64 = 64 << 10;

/// The servers' next bad answer, and the number of model requests since.
#[derive(Default)]
struct Stage {
    worst: Mutex<Option<&'static str>>,
    /// The tool that the model calls next.
    tool: Mutex<Option<&'static str>>,
    asked: AtomicUsize,
}

impl Stage {
    fn worst_of(&self, names: &[&str]) -> Option<&'static str> {
        let worst = self.worst.lock();
        worst.filter(|name| names.contains(name))
    }

    /// A model server that gives its bad answer once.
    fn model(self: &Arc<Stage>) -> String {
        let stage = self.clone();
        hostile(move |_| {
            stage.asked.fetch_add(1, Ordering::SeqCst);
            if let Some(name) = stage.worst_of(&OF_MODELS) {
                *stage.worst.lock() = None;
                return of_a_model(name);
            }
            let tool = stage.tool.lock().take();
            tool.map_or_else(words, wants)
        })
    }

    /// A game server that gives its bad answer whenever it is asked for.
    fn game(self: &Arc<Stage>) -> String {
        let stage = self.clone();
        hostile(move |asked| {
            let id = &asked["id"];
            let result =
                |result: Value| text(200, &json!({"jsonrpc": "2.0", "id": id, "result": result}));
            let cursor = asked["params"]["cursor"].as_str();
            let cursor = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
            match asked["method"].as_str() {
                Some("initialize") => result(json!({
                    "protocolVersion": "2025-06-18",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "worst", "version": "1"},
                })),
                Some("tools/list") => match stage.worst_of(&OF_LISTS) {
                    Some(name) => of_a_game(name, id, cursor),
                    None => result(json!({"tools": [
                        {"name": "mine", "inputSchema": {"type": "object"}},
                        {"name": "get_map", "inputSchema": {"type": "object"}},
                    ]})),
                },
                Some("tools/call") => match stage.worst_of(&OF_CALLS) {
                    Some(name) => of_a_game(name, id, 0),
                    None => result(json!({"content": [{"type": "text", "text": "ore"}]})),
                },
                _ => text(202, &json!({})),
            }
        })
    }
}

/// A memory figure of a process in kilobytes.
fn memory(pid: u32, what: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find(|line| line.starts_with(what));
    let mut words = line.expect("it is counted").split_whitespace();
    words.find_map(|word| word.parse().ok()).expect("a number")
}

/// A running program, its memory at rest, and the additional memory of each input.
pub(super) struct Measured {
    pub(super) home: Home,
    swarm: Process,
    stage: Arc<Stage>,
    rest_kb: u64,
    pub(super) taken: Vec<(u64, String)>,
}

impl Measured {
    /// Starts the program in a home that `furnish` prepares.
    pub(super) fn start(furnish: impl FnOnce(&Home)) -> Measured {
        let stage = Arc::new(Stage::default());
        let home = Home::new();
        let (model, game) = (stage.model(), stage.game());
        home.configure(&format!("{model}/v1"), &format!("{game}/mcp"), "");
        furnish(&home);
        // Nobody reads its output.
        let mut command = Command::new("sh");
        let path = home.path();
        command
            .env_remove("ZOEA_MCP_ENDPOINT")
            .args(["-c", "exec \"$0\" \"$@\" >/dev/null"])
            .args([env!("CARGO_BIN_EXE_zoea"), "--home"])
            .arg(path)
            .args(["run", "--headless"]);
        let swarm = home.launch(command);
        let mut measured = Measured {
            home,
            swarm,
            stage,
            rest_kb: 0,
            taken: Vec::new(),
        };
        // After a usual turn its usual memory is allocated.
        measured.play("usual", Some("mine"), 2);
        measured.taken.clear();
        measured.rest_kb = memory(measured.swarm.pid(), "VmRSS:");
        measured.reset_peak();
        measured
    }

    /// Restarts the count of the peak.
    fn reset_peak(&self) {
        let file = format!("/proc/{}/clear_refs", self.swarm.pid());
        fs::write(file, "5").expect("the peak can be reset");
    }

    /// A new Mysis plays until the model got `asks` requests, or until no more will come.
    pub(super) fn play(&mut self, name: &'static str, tool: Option<&'static str>, asks: usize) {
        self.home.ok(&["mysis", "create", "alpha"]);
        *self.stage.worst.lock() = Some(name);
        *self.stage.tool.lock() = tool;
        self.stage.asked.store(0, Ordering::SeqCst);
        self.home.ok(&["send", "alpha", "mine"]);
        until(&format!("{name} is dealt with"), || {
            let is_asked = self.stage.asked.load(Ordering::SeqCst) >= asks;
            (is_asked || self.home.mysis("alpha")["state"] == "errored").then_some(())
        });
        self.note(format!(
            "{name}{}",
            tool.map_or(String::new(), |tool| format!(" ({tool})"))
        ));
        self.home.ok(&["mysis", "delete", "alpha", "--yes"]);
    }

    pub(super) fn note(&mut self, name: String) {
        let peak = memory(self.swarm.pid(), "VmHWM:");
        self.taken.push((peak.saturating_sub(self.rest_kb), name));
        self.reset_peak();
    }

    /// A client of the control interface sends an order with these arguments.
    pub(super) fn order(&mut self, name: &str, arguments: &str) {
        self.call(name, "send_message", arguments);
    }

    /// A client of the control interface calls a tool. Returns the answer.
    pub(super) fn call(&mut self, name: &str, tool: &str, arguments: &str) -> String {
        let params = format!("{{\"name\":\"{tool}\",\"arguments\":{arguments}}}");
        let (_, answer) = self.home.ask_control("tools/call", &params);
        self.note(format!("control: {name}"));
        answer
    }

    /// The rows in a tool's answer, which must not be too large.
    pub(super) fn rows(&mut self, name: &str, tool: &str, arguments: &Value) -> Vec<Value> {
        let answer = self.call(name, tool, &arguments.to_string());
        // Its text is JSON within JSON.
        assert!(answer.len() < 10 * MB, "{name}: {} bytes", answer.len());
        let begin = answer.find('{').expect("JSON");
        let end = answer.rfind('}').expect("JSON");
        let answer: Value = serde_json::from_str(&answer[begin..=end]).expect("JSON");
        let text = answer["result"]["content"][0]["text"].as_str();
        serde_json::from_str(text.expect("a text")).expect("rows")
    }

    /// The memory of each input, the largest first. Too much for any input fails the test.
    #[expect(
        clippy::print_stdout,
        reason = "what was measured is for the reader of a passing run, too"
    )]
    pub(super) fn judge(self) {
        let Measured {
            mut taken, rest_kb, ..
        } = self;
        taken.sort();
        let lines = taken
            .iter()
            .rev()
            .map(|(kb, name)| format!("{kb:>8} KB  {name}"));
        let lines = lines.collect::<Vec<_>>().join("\n");
        println!("{rest_kb} KB at rest\n{lines}");
        assert!(
            taken.iter().all(|(kb, _)| *kb <= MAX_TAKEN_KB),
            "{rest_kb} KB at rest\n{lines}"
        );
    }
}
