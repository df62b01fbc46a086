//! Logging: every trace event becomes a JSON line in the log file, which a thread of its own
//! writes.
//!
//! An event never waits for the disk. It goes through a bounded queue, and is dropped and counted
//! when the queue is full. Nothing is written to stdout or stderr.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use actors::secrets::Secrets;
use chrono::{SecondsFormat, Utc};
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::{SetGlobalDefaultError, set_global_default};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::layer::SubscriberExt;
use zoea_text::clean;

use crate::host::home::log::{DroppedLines, RotatingFile};

const MAX_QUEUED_LINES: usize = 4096;

/// The time that the program waits for the disk at its end. A hung disk must not keep the program.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);

/// The lowest level at which each library is logged. `async_openai` puts whole answers into errors.
const LIBRARY_LEVELS: [(&str, LevelFilter); 15] = [
    ("async_openai", LevelFilter::OFF),
    ("h2", LevelFilter::WARN),
    ("hyper", LevelFilter::WARN),
    ("hyper_util", LevelFilter::WARN),
    ("mio", LevelFilter::WARN),
    ("ractor", LevelFilter::WARN),
    ("reqwest", LevelFilter::WARN),
    ("rmcp", LevelFilter::WARN),
    // It warns of each request of a server that it refuses or cannot answer.
    ("rmcp::service", LevelFilter::OFF),
    ("rustls", LevelFilter::WARN),
    ("sea_orm", LevelFilter::WARN),
    ("sea_orm_migration", LevelFilter::WARN),
    ("sqlx", LevelFilter::WARN),
    ("tokio_util", LevelFilter::WARN),
    ("tower", LevelFilter::WARN),
];

/// Keeps the log open. Dropping it writes the queued lines and ends the thread.
#[derive(Debug)]
pub struct LogGuard {
    queue: LineQueue,
    is_ending: Arc<AtomicBool>,
    ended: Receiver<()>,
    thread: Option<JoinHandle<()>>,
}

/// The reason why there is no log.
#[derive(Debug, thiserror::Error)]
pub enum LoggingError {
    #[error("start the log's thread")]
    Thread(#[source] io::Error),
    #[error("begin the log")]
    SetTwice(#[source] SetGlobalDefaultError),
}

#[derive(Debug, Clone)]
struct LineQueue {
    lines: SyncSender<Vec<u8>>,
    dropped: DroppedLines,
}

struct LogWriter {
    file: RotatingFile,
    lines: Receiver<Vec<u8>>,
    secrets: Secrets,
    is_ending: Arc<AtomicBool>,
    /// Nothing is sent on it. Its drop tells that the thread has ended.
    _ended: Sender<()>,
}

/// Sends every event of this process from `level` on to the log at `path`, without the secrets that
/// are known at the time of writing.
pub fn init(
    path: impl Into<PathBuf>,
    level: LevelFilter,
    secrets: Secrets,
) -> Result<LogGuard, LoggingError> {
    let guard = start(RotatingFile::new(path), secrets).map_err(LoggingError::Thread)?;
    let subscriber = subscriber(guard.queue.clone(), level);
    set_global_default(subscriber).map_err(LoggingError::SetTwice)?;
    Ok(guard)
}

fn start(file: RotatingFile, secrets: Secrets) -> io::Result<LogGuard> {
    let (sender, lines) = sync_channel(MAX_QUEUED_LINES);
    let (end, ended) = channel();
    let queue = LineQueue {
        lines: sender,
        dropped: file.dropped(),
    };
    let is_ending = Arc::new(AtomicBool::new(false));
    let writer = LogWriter {
        file,
        lines,
        secrets,
        is_ending: is_ending.clone(),
        _ended: end,
    };
    let thread = thread::Builder::new()
        .name("log".to_owned())
        .spawn(|| writer.run())?;
    Ok(LogGuard {
        queue,
        is_ending,
        ended,
        thread: Some(thread),
    })
}

fn subscriber<W>(writer: W, level: LevelFilter) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .with_span_list(false)
        .with_timer(Milliseconds)
        .with_writer(writer)
        .log_internal_errors(false);
    let targets = Targets::new()
        .with_default(level)
        .with_targets(LIBRARY_LEVELS);
    tracing_subscriber::registry().with(lines).with(targets)
}

impl LogGuard {
    /// The number of dropped lines that the log does not mention.
    pub fn dropped(&self) -> u64 {
        self.queue.dropped.get()
    }
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        self.is_ending.store(true, Ordering::Release);
        // An empty line wakes the thread. With a full queue it is awake.
        let _ = self.queue.lines.try_send(Vec::new());
        let is_hung = self.ended.recv_timeout(FLUSH_TIMEOUT) == Err(RecvTimeoutError::Timeout);
        if let Some(thread) = self.thread.take().filter(|_| !is_hung) {
            // A panic of the thread must not cause another one here.
            let _ = thread.join();
        }
    }
}

impl LogWriter {
    fn run(mut self) {
        while let Ok(line) = self.lines.recv() {
            self.write(&line);
            if self.is_ending.load(Ordering::Acquire) {
                break;
            }
        }
        // Only the lines that were queued before the end. Later ones could come for ever.
        for _ in 0..=MAX_QUEUED_LINES {
            let Ok(line) = self.lines.try_recv() else {
                break;
            };
            self.write(&line);
        }
    }

    fn write(&mut self, line: &[u8]) {
        if line.is_empty() {
            return;
        }
        let line = String::from_utf8_lossy(line);
        let known = self.secrets.clean(line.trim_end_matches('\n'));
        // The file is read on terminals.
        let mut line = clean::clean_json(&known).into_owned();
        line.push('\n');
        self.file.write_line(line.as_bytes());
    }
}

impl Write for LineQueue {
    /// Takes all of `line` as one line. Never fails.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.lines.try_send(line.to_vec()).is_err() {
            self.dropped.count();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for LineQueue {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// RFC 3339, UTC, with milliseconds.
#[derive(Debug)]
struct Milliseconds;

impl FormatTime for Milliseconds {
    fn format_time(&self, writer: &mut Writer<'_>) -> std::fmt::Result {
        writer.write_str(&Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use chrono::DateTime;
    use serde_json::{Value, json};

    use super::*;

    fn logged(level: LevelFilter, log: impl FnOnce()) -> Vec<Value> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("zoea.log");
        let guard = start(RotatingFile::new(&path), Secrets::default()).unwrap();
        let subscriber = subscriber(guard.queue.clone(), level);
        tracing::subscriber::with_default(subscriber, log);
        drop(guard);
        lines(&path)
    }

    fn lines(path: &Path) -> Vec<Value> {
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[test]
    fn an_event_becomes_a_json_line_with_its_fields_and_its_span() {
        let lines = logged(LevelFilter::INFO, || {
            let _span = tracing::info_span!("mysis", id = 7).entered();
            tracing::info!(state = "running", "state changed");
        });
        let [line] = lines.as_slice() else {
            panic!("{lines:?}")
        };
        assert_eq!(line["level"], "INFO");
        assert_eq!(
            line["fields"],
            json!({"message": "state changed", "state": "running"})
        );
        assert_eq!(line["span"], json!({"name": "mysis", "id": 7}));
        let timestamp = line["timestamp"].as_str().unwrap();
        let time = DateTime::parse_from_rfc3339(timestamp).unwrap().to_utc();
        assert_eq!(time.to_rfc3339_opts(SecondsFormat::Millis, true), timestamp);
    }

    #[test]
    fn debug_lines_are_written_on_demand_and_libraries_stay_quiet() {
        let log = || {
            tracing::debug!("traffic");
            tracing::debug!(target: "sqlx::query", "select");
            tracing::info!(target: "hyper_util::client", "connected");
            tracing::warn!(target: "rmcp::transport", "closed");
            tracing::error!(target: "async_openai::client", "a whole answer");
            tracing::warn!(target: "rmcp::service", "response error");
        };
        let messages = |level| -> Vec<Value> {
            logged(level, log)
                .iter()
                .map(|line| line["fields"]["message"].clone())
                .collect()
        };
        assert_eq!(messages(LevelFilter::INFO), ["closed"]);
        assert_eq!(messages(LevelFilter::DEBUG), ["traffic", "closed"]);
    }

    #[test]
    fn all_that_is_queued_is_written_before_the_guard_is_gone() {
        let lines = logged(LevelFilter::INFO, || {
            for number in 0..MAX_QUEUED_LINES {
                tracing::info!(number);
            }
        });
        assert_eq!(lines.len(), MAX_QUEUED_LINES);
    }

    #[test]
    fn an_event_does_not_wait_for_the_disk() {
        let (lines, _never_read) = sync_channel(1);
        let dropped = DroppedLines::default();
        let queue = LineQueue {
            lines,
            dropped: dropped.clone(),
        };
        tracing::subscriber::with_default(subscriber(queue, LevelFilter::INFO), || {
            for _ in 0..3 {
                tracing::info!("burst");
            }
        });
        assert_eq!(dropped.get(), 2);
    }

    #[test]
    fn an_event_after_the_end_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let guard = start(
            RotatingFile::new(directory.path().join("zoea.log")),
            Secrets::default(),
        )
        .unwrap();
        let mut queue = guard.queue.clone();
        drop(guard);
        queue.write_all(b"late\n").unwrap();
        assert_eq!(queue.dropped.get(), 1);
    }
}
