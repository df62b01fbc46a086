//! The process of a server: starts it in a group of its own, copies its standard error to the log,
//! and ends it as MCP wants: its input is closed, then it is asked to end, then it is killed.

use parking_lot::Mutex;
use std::io;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use zoea_text::clean::one_line;

use super::ChildCommand;
use super::last_words::LastWords;
use crate::pace::RequestPace;

/// How long a process may take to end after its input is closed, and again after it was asked to.
const GRACE: Duration = Duration::from_millis(700);
/// How long the rest of its standard error is read after its end.
const LAST_WORDS_WAIT: Duration = Duration::from_millis(200);
/// The longest line of standard error that goes to the log, in bytes.
const MAX_LOG_LINE: usize = 1024;
/// The most lines that go to the log in [`LOG_WINDOW`].
const MAX_LOG_LINES: u32 = 50;
const LOG_WINDOW: Duration = Duration::from_secs(10);
/// The bytes of standard error in a row, and a second from then on.
const STDERR_BYTES: RequestPace = RequestPace::new(4 << 20, 1 << 20);

pub(super) struct ChildProcess {
    stop: CancellationToken,
    end_state: Arc<ProcessEnd>,
}

#[derive(Default)]
struct ProcessEnd {
    is_over: CancellationToken,
    output: Mutex<ProcessOutput>,
}

#[derive(Default)]
struct ProcessOutput {
    status: Option<String>,
    /// The end of its standard error.
    last_words: LastWords,
}

impl ChildProcess {
    /// Starts a process. Its keeper looks after it until it has ended.
    pub(super) fn start(
        command: &ChildCommand,
        stop: CancellationToken,
        keepers: &TaskTracker,
    ) -> io::Result<(ChildProcess, ChildStdin, ChildStdout)> {
        let mut child = prepare(command)?.spawn()?;
        let missing = || io::Error::other("it has no standard streams");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let end_state = Arc::new(ProcessEnd::default());
        let keeper = Keeper {
            group: child.id().and_then(|id| Pid::from_raw(id.cast_signed())),
            child,
            name: command.short_name().into(),
            end_state: end_state.clone(),
        };
        keepers.spawn(keeper.keep(stderr, stop.clone()));
        Ok((ChildProcess { stop, end_state }, stdin, stdout))
    }

    /// Ends the process when it is cancelled.
    pub(super) fn stop_token(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Ends the process and waits until it has ended.
    pub(super) async fn end(&self) {
        self.stop.cancel();
        self.end_state.is_over.cancelled().await;
    }

    /// Waits until the process has ended and whatever it said before has been read. What it started
    /// may hold its streams open.
    pub(super) async fn is_long_over(&self) {
        self.end_state.is_over.cancelled().await;
        tokio::time::sleep(LAST_WORDS_WAIT).await;
    }

    /// How the process ended, and its last words; `None` if it does not end within this time.
    pub(super) async fn how_it_ended(&self, limit: Duration) -> Option<String> {
        timeout(limit, self.end_state.is_over.cancelled())
            .await
            .ok()?;
        let output = self.end_state.output.lock();
        let status = output.status.as_deref().unwrap_or("for unknown reasons");
        let words = match output.last_words.that_tell() {
            Some(words) => format!("; its last words: {words}"),
            None => String::new(),
        };
        Some(format!("the server's process has ended ({status}){words}"))
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn prepare(command: &ChildCommand) -> io::Result<Command> {
    let mut words = command.command.iter();
    let program = words.next();
    let program = program.ok_or_else(|| io::Error::other("there is no command"))?;
    let mut prepared = match command.guard.as_deref().and_then(<[String]>::split_first) {
        Some((guard, more)) => {
            let mut prepared = Command::new(guard);
            prepared.args(more).arg(std::process::id().to_string());
            prepared.arg("--").arg(program);
            prepared
        }
        None => Command::new(program),
    };
    prepared
        .args(words)
        .env_clear()
        .envs(
            command
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // The operator's Ctrl-C is for us, and what the process starts ends with it.
        .process_group(0)
        .kill_on_drop(true);
    Ok(prepared)
}

struct Keeper {
    child: Child,
    group: Option<Pid>,
    name: Arc<str>,
    end_state: Arc<ProcessEnd>,
}

impl Keeper {
    async fn keep(mut self, stderr: ChildStderr, stop: CancellationToken) {
        let name = self.name.clone();
        let end_state = self.end_state.clone();
        let id = self.child.id();
        tracing::info!(server = %name, pid = id, "the server's process has started");
        let mut log = Box::pin(copy_to_log(stderr, &name, &end_state));
        let mut is_log_open = true;
        let status = {
            let life = self.live(&stop);
            tokio::pin!(life);
            loop {
                // Cancel-safe: both are pinned and go on.
                tokio::select! {
                    status = &mut life => break status,
                    () = &mut log, if is_log_open => is_log_open = false,
                }
            }
        };
        // What the process has started and left behind ends, too.
        self.signal_group(Signal::KILL);
        if is_log_open {
            // A process that has left the group may hold the stream open.
            let _ = timeout(LAST_WORDS_WAIT, log).await;
        }
        tracing::info!(server = %name, pid = id, %status, "the server's process has ended");
        end_state.output.lock().status = Some(status);
        end_state.is_over.cancel();
    }

    async fn live(&mut self, stop: &CancellationToken) -> String {
        // Cancel-safe: waiting for a child is, and so is a token.
        let ended = tokio::select! {
            ended = self.child.wait() => ended,
            () = stop.cancelled() => self.wind_down().await,
        };
        ended.map_or_else(|error| error.to_string(), |status| status.to_string())
    }

    /// Ends the process. Its input is closed by the end of its session.
    async fn wind_down(&mut self) -> io::Result<std::process::ExitStatus> {
        for next in [Signal::TERM, Signal::KILL] {
            if let Ok(ended) = timeout(GRACE, self.child.wait()).await {
                return ended;
            }
            self.signal_group(next);
        }
        self.child.wait().await
    }

    fn signal_group(&self, signal: Signal) {
        if let Some(group) = self.group {
            // An empty group is what is wanted.
            let _ = kill_process_group(group, signal);
        }
    }
}

/// Copies standard error to the log, line by line, and remembers the last ones. Of a flood the rest
/// is read later.
async fn copy_to_log(stderr: ChildStderr, name: &str, end_state: &ProcessEnd) {
    let mut output = BufReader::with_capacity(4096, stderr);
    let mut line = Vec::new();
    let mut window = LogWindow::new(Instant::now());
    let mut bytes = STDERR_BYTES.begin(Instant::now());
    loop {
        let Ok(read) = output.fill_buf().await else {
            return;
        };
        let is_at_end = read.is_empty();
        let end = read.iter().position(|byte| *byte == b'\n');
        let piece = &read[..end.unwrap_or(read.len())];
        let room = MAX_LOG_LINE - line.len();
        line.extend_from_slice(&piece[..piece.len().min(room)]);
        let used = end.map_or(read.len(), |end| end + 1);
        output.consume(used);
        let pause = bytes.count(used, Instant::now());
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        if !is_at_end && end.is_none() {
            continue;
        }
        let text = one_line(&String::from_utf8_lossy(&line));
        line.clear();
        if !text.is_empty() {
            if let Some(left_out) = window.admit(Instant::now()) {
                if left_out > 0 {
                    tracing::warn!(server = %name, left_out, "lines of stderr were left out");
                }
                tracing::info!(server = %name, "stderr: {text}");
            }
            end_state.output.lock().last_words.push(text);
        }
        if is_at_end {
            return;
        }
    }
}

/// Bounds the lines of a process that go to the log.
pub(super) struct LogWindow {
    began: Instant,
    lines: u32,
    left_out: u64,
}

impl LogWindow {
    pub(super) fn new(now: Instant) -> LogWindow {
        LogWindow {
            began: now,
            lines: 0,
            left_out: 0,
        }
    }

    /// How many lines were left out right before this one, if it goes to the log.
    pub(super) fn admit(&mut self, now: Instant) -> Option<u64> {
        let mut left_out = 0;
        if now.duration_since(self.began) >= LOG_WINDOW {
            left_out = self.left_out;
            *self = LogWindow::new(now);
        }
        self.lines += 1;
        if self.lines > MAX_LOG_LINES {
            self.left_out += 1;
            return None;
        }
        Some(left_out)
    }
}
