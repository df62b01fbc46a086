//! Headless output: one line per event on stdout, as text or as JSON.
//!
//! A slow reader delays nobody: lines wait in a bounded queue, and the number of dropped lines is counted
//! and printed. If it fails, the swarm goes on without output.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use actors::commander::Watcher;
use actors::domain::event::SwarmEvent;
use actors::listener::Listener;
use ractor::ActorProcessingErr;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use zoea_contract::{EventJson, event_line};
use zoea_system::out::Lines;

const MAX_QUEUED_LINES: usize = 65_536;

/// How long the last lines may take to be written. A reader that reads nothing would take them never.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    /// JSON lines as in CONTRACT.md.
    Json,
}

pub struct Headless {
    listener: Listener,
    writer: JoinHandle<()>,
}

impl Headless {
    /// Opens the output on stdout.
    pub async fn start(format: Format) -> Result<Headless, ActorProcessingErr> {
        let (lines, mut queue) = channel(MAX_QUEUED_LINES);
        let unwritten = Arc::new(AtomicU64::new(0));
        let counted = unwritten.clone();
        let writer = std::thread::Builder::new()
            .name("headless".to_string())
            .spawn(move || write_lines(&mut queue, format, &counted))?;
        let mut printer = Printer {
            format,
            lines,
            left_out: 0,
            unwritten,
        };
        let listener = Listener::start(Box::new(move |event| printer.print_event(event))).await?;
        Ok(Headless { listener, writer })
    }

    pub fn watcher(&self) -> Watcher {
        self.listener.watcher()
    }

    /// Writes the waiting lines and closes the output. What nobody reads in time is lost with the program.
    pub async fn stop(self) {
        self.listener.stop().await;
        let writer = self.writer;
        let written = tokio::task::spawn_blocking(move || writer.join());
        let _ = tokio::time::timeout(STOP_TIMEOUT, written).await;
    }
}

struct Printer {
    format: Format,
    lines: Sender<String>,
    left_out: u64,
    /// The lines that the writer could not write, and that are not told of yet.
    unwritten: Arc<AtomicU64>,
}

impl Printer {
    fn print_event(&mut self, event: &SwarmEvent) {
        let line = match self.format {
            Format::Json => {
                EventJson::of(event).map(|line| zoea_contract::to_value(&line).to_string())
            }
            Format::Text => event_line(event),
        };
        let Some(line) = line else {
            return;
        };
        self.left_out += self.unwritten.swap(0, Ordering::Relaxed);
        if self.left_out > 0 {
            let notice = self.left_out_notice(event);
            if self.lines.try_send(notice).is_ok() {
                self.left_out = 0;
            }
        }
        match self.lines.try_send(line) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                self.left_out += 1;
                tracing::warn!(
                    left_out = self.left_out,
                    "the reader of the headless output is too slow, so lines were left out"
                );
            }
            // Nobody reads the output any more.
            Err(TrySendError::Closed(_)) => {}
        }
    }

    fn left_out_notice(&self, event: &SwarmEvent) -> String {
        let text = format!(
            "{} lines left out: the reader is too slow, or the output was full",
            self.left_out
        );
        match self.format {
            Format::Text => format!("({text})"),
            Format::Json => serde_json::json!({
                "at": event.at.to_string(),
                "event": "host",
                "seq": null,
                "severity": "warn",
                "code": "lines_left_out",
                "text": text,
            })
            .to_string(),
        }
    }
}

/// Writes lines until no sender or no reader is left. A line that cannot be written, as on a full disk, is counted and
/// left out, and the next one is tried.
fn write_lines(queue: &mut Receiver<String>, format: Format, unwritten: &AtomicU64) {
    let mut lines = Lines::open();
    let is_over = |written: &io::Result<()>| {
        let kind = written.as_ref().err().map(io::Error::kind);
        kind == Some(ErrorKind::BrokenPipe)
    };
    while let Some(first) = queue.blocking_recv() {
        let more = std::iter::from_fn(|| queue.try_recv().ok()).take(1024);
        for line in std::iter::once(first).chain(more) {
            let written = match format {
                Format::Json => lines.json(&line),
                // One event is one line, so newlines become spaces.
                Format::Text => lines.text(&line.replace(['\n', '\r'], " ")),
            };
            if is_over(&written) {
                return;
            }
            unwritten.fetch_add(u64::from(written.is_err()), Ordering::Relaxed);
        }
        // What is not flushed stays, and goes with the next lines.
        if is_over(&lines.flush()) {
            return;
        }
    }
}
