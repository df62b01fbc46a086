//! Headless output: one line per event on stdout, as text or as JSON.
//!
//! Hears: the Commander, as one who watches. Tells: nobody. A reader that is slow holds nobody up:
//! lines wait in a queue with a bound, and what does not fit is counted and said. Fails: the swarm
//! goes on without output.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use actors::commander::Watcher;
use actors::domain::event::{EventKind, SwarmEvent};
use ractor::{Actor, ActorProcessingErr, ActorRef};

use zoea_contract::EventJson;
use zoea_system::out::Lines;

/// Lines that wait for a slow reader.
const QUEUE: usize = 65_536;

/// How events are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// CONTRACT.md's JSON lines.
    Json,
}

/// The output, while it is open.
pub struct Headless {
    crier: ActorRef<CrierMsg>,
    printer: JoinHandle<()>,
}

impl Headless {
    /// Opens the output on stdout.
    ///
    /// # Errors
    /// The actor or the thread behind it cannot be started.
    pub async fn start(format: Format) -> Result<Headless, ActorProcessingErr> {
        let (lines, queue) = sync_channel(QUEUE);
        let printer = std::thread::Builder::new()
            .name("headless".to_string())
            .spawn(move || print(&queue, format))?;
        let args = CrierState {
            format,
            lines,
            left_out: 0,
        };
        let (crier, _) = Actor::spawn(None, Crier, args).await?;
        Ok(Headless { crier, printer })
    }

    /// Through which it hears what happens.
    #[must_use]
    pub fn watcher(&self) -> Watcher {
        self.crier.get_derived()
    }

    /// Writes what is left and closes.
    pub async fn stop(self) {
        // One that is gone has written what it could.
        let _ = self.crier.drain_and_wait(None).await;
        let printer = self.printer;
        let _ = tokio::task::spawn_blocking(move || printer.join()).await;
    }
}

struct Crier;

#[derive(Debug)]
enum CrierMsg {
    Happened(Arc<SwarmEvent>),
}

impl From<Arc<SwarmEvent>> for CrierMsg {
    fn from(event: Arc<SwarmEvent>) -> Self {
        CrierMsg::Happened(event)
    }
}

impl From<CrierMsg> for Arc<SwarmEvent> {
    fn from(message: CrierMsg) -> Self {
        let CrierMsg::Happened(event) = message;
        event
    }
}

struct CrierState {
    format: Format,
    lines: SyncSender<String>,
    left_out: u64,
}

impl Actor for Crier {
    type Msg = CrierMsg;
    type State = CrierState;
    type Arguments = CrierState;

    async fn pre_start(
        &self,
        _myself: ActorRef<CrierMsg>,
        state: CrierState,
    ) -> Result<CrierState, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        _myself: ActorRef<CrierMsg>,
        message: CrierMsg,
        state: &mut CrierState,
    ) -> Result<(), ActorProcessingErr> {
        let CrierMsg::Happened(event) = message;
        state.cry(&event);
        Ok(())
    }
}

impl CrierState {
    fn cry(&mut self, event: &SwarmEvent) {
        let line = match self.format {
            Format::Json => {
                EventJson::of(event).map(|line| zoea_contract::to_value(&line).to_string())
            }
            Format::Text => text(event),
        };
        let Some(line) = line else {
            return;
        };
        if self.left_out > 0 {
            let said = self.apology(event);
            if self.lines.try_send(said).is_ok() {
                self.left_out = 0;
            }
        }
        match self.lines.try_send(line) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => {
                self.left_out += 1;
                tracing::warn!(left_out = self.left_out, "headless output is too slow");
            }
            // Nobody reads any more.
            Err(TrySendError::Disconnected(_)) => {}
        }
    }
}

impl CrierState {
    /// What is said about lines that were left out.
    fn apology(&self, event: &SwarmEvent) -> String {
        let text = format!("{} lines left out: the reader is too slow", self.left_out);
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

/// Writes lines until nobody sends or nobody reads any more.
fn print(queue: &Receiver<String>, format: Format) {
    let mut lines = Lines::open();
    while let Ok(first) = queue.recv() {
        let mut more = std::iter::once(first).chain(queue.try_iter().take(1024));
        let written = more.try_for_each(|line| match format {
            Format::Json => lines.json(&line),
            // One event is one line, whatever it says.
            Format::Text => lines.text(&line.replace(['\n', '\r'], " ")),
        });
        if written.and_then(|()| lines.flush()).is_err() {
            return;
        }
    }
}

/// An event in one line for people.
fn text(event: &SwarmEvent) -> Option<String> {
    let what = match &event.what {
        EventKind::Created => "created".to_string(),
        EventKind::Deleted => "deleted".to_string(),
        EventKind::StateChanged { from, to, reason } => {
            let reason = reason.as_deref().map(|why| format!(": {why}"));
            let (from, to) = (from.as_str(), to.as_str());
            format!("{from} → {to}{}", reason.unwrap_or_default())
        }
        EventKind::TurnStarted => "turn".to_string(),
        EventKind::ModelReplied { usage, ms } => match usage {
            Some(usage) => format!(
                "model replied: {} + {} tokens, {ms} ms",
                usage.input, usage.output
            ),
            None => format!("model replied: {ms} ms"),
        },
        EventKind::ToolCalled { tool, .. } => format!("→ {tool}"),
        EventKind::ToolReturned {
            tool, is_error, ms, ..
        } => {
            let sign = if *is_error { '✗' } else { '✓' };
            format!("{sign} {tool}, {ms} ms")
        }
        EventKind::Stored(row) => {
            let line: String = row.text().lines().next()?.chars().take(120).collect();
            format!("[{}] {line}", row.kind_word())
        }
        EventKind::Mission(Some(text)) => format!("mission: {text}"),
        EventKind::Mission(None) => "no mission".to_string(),
        EventKind::Notice { severity, text, .. } => format!("{}: {text}", severity.as_str()),
        EventKind::Shutdown => "closing".to_string(),
        EventKind::StatusChanged(_)
        | EventKind::BudgetChanged(_)
        | EventKind::OutagesChanged(_)
        | EventKind::Learned(_) => return None,
    };
    let who = event.mysis.as_ref().map_or("-", |who| &who.name);
    Some(format!("{} {who}: {what}", event.at))
}
