//! Processes of the real program in homes of their own, which end with their test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::answering::THINKING;

/// The longest wait for anything, far beyond the usual time on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);
/// The bounds of the pause between two looks at a condition.
const SHORTEST_REST: Duration = Duration::from_millis(20);
const LONGEST_REST: Duration = Duration::from_millis(500);

pub fn zoea() -> Command {
    zoea_of(&crate::program())
}

/// The same of another build of the program.
fn zoea_of(program: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_remove("ZOEA_HOME")
        .env_remove("ZOEA_MCP_ENDPOINT")
        .env_remove("ZOEA_MAX_MYSES")
        .stdin(Stdio::null())
        .current_dir(std::env::temp_dir());
    command
}

/// Waits until `check` gives a value. Between two looks it rests three times as long as a look took, so that tests that
/// wait leave the processor to those that work.
pub fn until<T>(what: &str, mut check: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        let began = Instant::now();
        if let Some(found) = check() {
            return found;
        }
        let rest = (3 * began.elapsed()).clamp(SHORTEST_REST, LONGEST_REST);
        assert!(started.elapsed() < PATIENCE, "waited in vain until {what}");
        #[expect(
            clippy::disallowed_methods,
            reason = "a pause between two looks; the condition decides"
        )]
        std::thread::sleep(rest);
    }
}

/// A process that is killed when it is dropped.
pub struct Process {
    child: Child,
    out: Option<BufReader<ChildStdout>>,
}

impl Process {
    pub fn spawn(mut command: Command) -> Process {
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let out = child.stdout.take().map(BufReader::new);
        Process { child, out }
    }

    /// A process whose output goes to a file, or nowhere.
    pub fn spawn_into(mut command: Command, out: impl Into<Stdio>) -> Process {
        let child = command.stdout(out).spawn().expect("the program starts");
        Process { child, out: None }
    }

    /// The next line of its output; none at its end.
    pub fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.out.as_mut()?.read_line(&mut line).expect("output");
        (read > 0).then(|| line.trim_end().to_string())
    }

    /// The next line of its output that contains this. Those before it are thrown away.
    #[track_caller]
    pub fn until_line(&mut self, word: &str) -> String {
        let found = std::iter::from_fn(|| self.line()).find(|line| line.contains(word));
        found.expect("the swarm goes on")
    }

    /// The next line of its output, which is JSON.
    #[track_caller]
    pub fn event(&mut self) -> Value {
        let line = self.line().expect("the swarm goes on");
        serde_json::from_str(&line).expect("a line of JSON")
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal.
    pub fn signal(&self, name: &str) {
        let pid = self.pid().to_string();
        let sent = Command::new("sh")
            .args(["-c", r#"kill "$0" "$1""#, name, &pid])
            .status();
        assert!(sent.expect("kill runs").success(), "{name} {pid}");
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_some()
    }

    /// Waits for its end. Further output is read and thrown away.
    pub fn wait(mut self) -> ExitStatus {
        while self.line().is_some() {}
        self.child.wait().expect("it ends")
    }

    /// Ends it as an operator does; nothing may go wrong then.
    #[track_caller]
    pub fn land(self) {
        self.signal("-TERM");
        assert!(self.wait().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A simulated server that reports its address.
pub struct Server {
    _process: Process,
    pub url: String,
}

impl Server {
    /// `zoea galaxy` without limits, with a fast tick unless `more` gives another.
    pub fn galaxy(more: &[&str]) -> Server {
        Server::galaxy_at("127.0.0.1:0", more)
    }

    /// The same at an address that another server may have had before.
    pub fn galaxy_at(address: &str, more: &[&str]) -> Server {
        let mut command = zoea();
        command
            .args(["galaxy", "--addr", address])
            .args(["--refusals-per-minute", "unlimited"])
            .args(more);
        if !more.contains(&"--logins-per-minute") {
            command.args(["--logins-per-minute", "unlimited"]);
        }
        if !more.contains(&"--tick") {
            command.args(["--tick", "20ms"]);
        }
        Server::start(command)
    }

    /// `zoea pilot` that thinks for a moment, unless `more` says how long.
    pub fn pilot(more: &[&str]) -> Server {
        Server::pilot_at("127.0.0.1:0", more)
    }

    /// The same at an address that another server may have had before.
    pub fn pilot_at(address: &str, more: &[&str]) -> Server {
        let mut command = zoea();
        command.args(["pilot", "--addr", address]).args(more);
        if !more.contains(&"--latency") {
            let thinking = format!("{}ms", THINKING.as_millis());
            command.args(["--latency", &thinking]);
        }
        Server::start(command)
    }

    pub fn address(&self) -> String {
        let address = self.url.trim_start_matches("http://");
        address.split('/').next().expect("an address").to_string()
    }

    /// What a simulated provider counted.
    pub fn stats(&self) -> Value {
        let url = format!("http://{}/stats", self.address());
        serde_json::from_str(&http("GET", &url, &[], "").1).expect("JSON")
    }

    /// The requests that a simulated provider got.
    pub fn requests(&self) -> u64 {
        self.stats()["requests"].as_u64().expect("a number")
    }

    fn start(command: Command) -> Server {
        let mut process = Process::spawn(command);
        let line = process.line().expect("a server says where it listens");
        let url = line
            .split_whitespace()
            .find(|word| word.starts_with("http://"))
            .expect("an address")
            .to_string();
        Server {
            _process: process,
            url,
        }
    }
}

/// A home directory and commands in it.
pub struct Home {
    directory: TempDir,
}

impl Default for Home {
    fn default() -> Home {
        Home {
            directory: tempfile::tempdir().expect("a directory"),
        }
    }
}

impl Home {
    /// A request with these parameters, which are JSON or meant to be none, to the control interface of the program that
    /// runs here: the answer's status and body.
    ///
    /// # Panics
    ///
    /// No program runs here.
    #[must_use]
    pub fn ask_control(&self, method: &str, params: &str) -> (u16, String) {
        let run = std::fs::read_to_string(self.file("run.json")).expect("it runs");
        let run: Value = serde_json::from_str(&run).expect("JSON");
        let token = std::fs::read_to_string(self.file("control.token")).expect("a token");
        let request =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{params}}}");
        let headers = [
            &*format!("Authorization: Bearer {}", token.trim()),
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
            "MCP-Protocol-Version: 2025-06-18",
        ];
        let url = run["control"].as_str().expect("an address");
        http("POST", url, &headers, &request)
    }

    /// A home without any file.
    pub fn new() -> Home {
        Home::default()
    }

    pub fn path(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Writes the configuration for these servers. Spending is unlimited unless `more` says otherwise.
    pub fn configure(&self, pilot: &str, galaxy: &str, more: &str) {
        self.configure_game(pilot, &format!("upstream = \"{galaxy}\""), more);
    }

    /// The same with a line that says where the game is.
    pub fn configure_game(&self, pilot: &str, game: &str, more: &str) {
        std::fs::create_dir_all(self.path()).expect("a home");
        let budget = match more.contains("[budget]") {
            true => "",
            false => "[budget]\nusd_per_day = \"unlimited\"\n",
        };
        let text = format!(
            "{budget}[swarm]\nmax_myses = 1000\nturn_pause = \"50ms\"\ndefault_provider = \"pilot\"\n\
             [providers.pilot]\nendpoint = \"{pilot}\"\nmodel = \"pilot\"\n\
             max_concurrency = 64\nretry = [\"20ms\", \"50ms\", \"100ms\"]\n\
             [mcp]\n{game}\nretry = [\"20ms\", \"50ms\"]\n\
             logins_per_minute = 1000000\n{more}"
        );
        std::fs::write(self.file("zoea.toml"), text).expect("a configuration");
    }

    /// A command of the program in this home.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(&crate::program(), arguments)
    }

    /// The same of another build of the program.
    pub fn command_of(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = zoea_of(program);
        command.arg("--home").arg(self.path()).args(arguments);
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the command runs")
    }

    /// Runs a command that must succeed, and gives its output.
    pub fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (out, err) = texts(&output);
        assert!(output.status.success(), "{arguments:?}: {err}");
        out
    }

    /// Runs a command that must fail. Returns its status and its error text.
    pub fn fails(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments:?} succeeded");
        (output.status.code().unwrap_or(-1), texts(&output).1)
    }

    /// Runs a command that answers in JSON.
    pub fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.ok(arguments)).expect("JSON")
    }

    /// Runs a command that answers in JSON lines.
    pub fn lines(&self, arguments: &[&str]) -> Vec<Value> {
        lines(&self.ok(arguments))
    }

    /// Waits until an event is stored that fulfils a condition, and returns all. What the program answers is ahead of what
    /// it has stored.
    pub fn recorded(&self, what: &str, is_it: impl Fn(&Value) -> bool) -> Vec<Value> {
        until(what, || {
            let events = self.lines(&["events", "--limit", "0", "--json"]);
            events.iter().any(&is_it).then_some(events)
        })
    }

    /// Starts the swarm without a terminal and waits until it can be reached.
    pub fn fly(&self, arguments: &[&str]) -> Process {
        self.launch(self.command(&[&["run", "--headless", "--json"], arguments].concat()))
    }

    /// Starts this command, which runs a swarm, and waits until it can be reached.
    pub fn launch(&self, command: Command) -> Process {
        let process = Process::spawn(command);
        let run_file = self.file("run.json");
        until("the swarm is up", || {
            pid_in(&run_file).filter(|pid| *pid == process.pid())
        });
        process
    }

    /// The status of the Mysis of that name.
    pub fn mysis(&self, name: &str) -> Value {
        let myses = self.json(&["mysis", "list", "--json"]);
        let found = myses
            .as_array()
            .expect("a list")
            .iter()
            .find(|mysis| mysis["name"] == name);
        found.expect("the mysis exists").clone()
    }
}

/// Signals that end a command of these tests, with their numbers: those that the tests ignore (`nohup`, a job in the
/// background) are ignored by what they start, too.
pub fn ending_signals() -> Vec<(&'static str, i32)> {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = u64::from_str_radix(ignored.expect("a mask").trim(), 16).expect("a number");
    let mut signals = vec![("-INT", 2), ("-TERM", 15), ("-HUP", 1)];
    signals.retain(|(_, number)| ignored >> (number - 1) & 1 == 0);
    signals
}

/// Sends one HTTP request over a connection of its own. Returns the status and the body.
pub fn http(method: &str, url: &str, headers: &[&str], body: &str) -> (u16, String) {
    try_http(method, url, headers, body).expect("an answer")
}

/// The same; an error where the server closes the connection without an answer.
pub fn try_http(
    method: &str,
    url: &str,
    headers: &[&str],
    body: &str,
) -> std::io::Result<(u16, String)> {
    let rest = url.strip_prefix("http://").expect("an http address");
    let (address, path) = rest.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(address).expect("a connection");
    let has_host = headers.iter().any(|header| header.starts_with("Host:"));
    let host = if has_host {
        String::new()
    } else {
        format!("Host: {address}\r\n")
    };
    let more: String = headers
        .iter()
        .map(|header| format!("{header}\r\n"))
        .collect();
    write!(
        stream,
        "{method} /{path} HTTP/1.1\r\n{host}{more}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    let status = head.split_whitespace().nth(1).expect("a status");
    Ok((status.parse().expect("a number"), body.to_string()))
}

fn pid_in(run_file: &Path) -> Option<u32> {
    let text = std::fs::read_to_string(run_file).ok()?;
    let run: Value = serde_json::from_str(&text).ok()?;
    u32::try_from(run["pid"].as_u64()?).ok()
}

pub fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

/// The lines of JSON that a program has written whole to a file. It may be writing the next one, so
/// what stands behind the last line's end is left out.
pub fn written(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).expect("a file of lines");
    lines(text.rfind('\n').map_or("", |end| &text[..end]))
}

pub fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}
