//! The attached terminals of a running program, and the control tools that serve them.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::ports::{Archivist, SetupInspector};
use actors::ui::{self, TerminalLink};
use futures::future::BoxFuture;
use rmcp::model::{Tool, ToolAnnotations};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use zoea_tui::dashboard::appearance::Appearance;
use zoea_tui::dashboard::history::InputHistory;
use zoea_tui::dashboard::input_event::Input;
use zoea_tui::dashboard::keys::Keymap;
use zoea_tui::dashboard::view_choices::ViewChoices;
use zoea_tui::dashboard::{self, Dashboard};
use zoea_tui::{DashboardTerminal, Display};

use zoea_tui::theme::Depth;

use super::remote_screen::RemoteScreen;
use super::terminal::AttachedTerminal;
use crate::host::home::Home;
use crate::interface::control::AddedTools;
use crate::interface::input_history::keep_unsent;
use crate::interface::swarm::Swarm;

/// A terminal is detached when its client has not asked for a frame for this long.
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// The refusal of a terminal that is not known, or not any more.
pub(super) const NOT_ATTACHED: &str = "no terminal of that name is attached (any more)";
/// How often idle terminals are looked for.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);
/// The most terminals at a time. Each costs a Ui actor and a picture.
const MAX_TERMINALS: usize = 64;
/// How long closing waits until every terminal has received its last frame. The swarm shuts down
/// meanwhile, and both together stay within the two seconds that closing may take.
const CLOSE_NOTICE_TIMEOUT: Duration = Duration::from_secs(1);

/// The properties of a terminal that asks to be attached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttachRequest {
    /// The size in columns and rows.
    pub size: (u16, u16),
    /// Theme, symbols and other looks.
    pub appearance: Appearance,
    /// The number of colours.
    pub depth: Depth,
    /// The keys that the operator chose.
    #[serde(default)]
    pub keymap: Keymap,
    /// What the operator chose about the views before.
    #[serde(default)]
    pub choices: ViewChoices,
}

pub struct AttachedTerminals {
    swarm: Swarm,
    archivist: Arc<dyn Archivist>,
    inspector: Arc<dyn SetupInspector>,
    home: Home,
    terminals: Mutex<BTreeMap<String, Arc<AttachedTerminal>>>,
    closing: CancellationToken,
    left: Notify,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FrameAsked {
    pub(super) terminal: String,
    /// The last frame that the terminal shows; 0 for none.
    #[serde(default)]
    pub(super) seen: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InputBatch {
    pub(super) terminal: String,
    pub(super) first: u64,
    pub(super) inputs: Vec<Input>,
}

/// The parameters of a request to detach.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Leaving {
    pub(super) terminal: String,
}

impl AttachedTerminals {
    pub fn new(
        swarm: Swarm,
        (archivist, inspector): (Arc<dyn Archivist>, Arc<dyn SetupInspector>),
        home: Home,
    ) -> AttachedTerminals {
        AttachedTerminals {
            swarm,
            archivist,
            inspector,
            home,
            terminals: Mutex::default(),
            closing: CancellationToken::new(),
            left: Notify::new(),
        }
    }

    async fn attach(&self, arguments: &Map<String, Value>) -> Result<Value, String> {
        let opening: AttachRequest = parse_arguments(arguments)?;
        if self.closing.is_cancelled() {
            return Err("the program is closing".to_string());
        }
        let lines = tokio::fs::read_to_string(self.home.history()).await;
        let dashboard = Dashboard::new(dashboard::DashboardOptions {
            size: opening.size,
            appearance: opening.appearance,
            keymap: opening.keymap,
            // A history that cannot be read counts as empty.
            history: InputHistory::from_lines(&lines.unwrap_or_default()),
            choices: opening.choices,
        });
        let pane = Arc::new(RemoteScreen::new(dashboard.into_attached()));
        let (address, ui) = ui::new_address();
        let quit = CancellationToken::new();
        let attached = AttachedTerminal::new(pane.clone(), ui, quit.clone(), opening.depth);
        let name = uuid::Uuid::new_v4().to_string();
        {
            let mut terminals = self.terminals.lock();
            if terminals.len() >= MAX_TERMINALS {
                return Err(format!(
                    "{MAX_TERMINALS} terminals are attached already; quit one"
                ));
            }
            terminals.insert(name.clone(), Arc::new(attached));
        }
        self.swarm.attach_terminal(TerminalLink {
            terminal: DashboardTerminal::new(pane),
            address: Arc::new(address),
            quit,
            successor: Arc::default(),
            archivist: Some(self.archivist.clone()),
            inspector: Some(self.inspector.clone()),
        });
        tracing::info!(terminal = %name, "a terminal was attached");
        Ok(json!({"terminal": name, "version": env!("CARGO_PKG_VERSION")}))
    }

    async fn next_frame(&self, arguments: &Map<String, Value>) -> Result<Value, String> {
        let asked: FrameAsked = parse_arguments(arguments)?;
        let attached = self.terminal(&asked.terminal)?;
        let frame = attached.next_frame(asked.seen, &self.closing).await;
        if frame.over.is_some() {
            self.detach(&asked.terminal);
        }
        serde_json::to_value(frame).map_err(|error| error.to_string())
    }

    async fn accept_inputs(&self, arguments: &Map<String, Value>) -> Result<Value, String> {
        let batch: InputBatch = parse_arguments(arguments)?;
        let attached = self.terminal(&batch.terminal)?;
        let received = attached.accept_inputs(batch.first, batch.inputs).await?;
        Ok(json!({"heard": received}))
    }

    fn terminal(&self, name: &str) -> Result<Arc<AttachedTerminal>, String> {
        let attached = self.terminals.lock().get(name).cloned();
        attached.ok_or_else(|| NOT_ATTACHED.to_string())
    }

    /// Detaches a terminal. Its Ui actor ends. What was written there and not sent is in the history then.
    fn detach(&self, name: &str) {
        let attached = self.terminals.lock().remove(name);
        if let Some(attached) = attached {
            keep_unsent(&self.home, &attached.pane.last_shown().unsent());
            attached.quit.cancel();
            attached.ui.notify_left();
            self.left.notify_one();
            tracing::info!(terminal = %name, "a terminal was detached");
        }
    }
}

fn tool(name: &'static str, about: &'static str, properties: Value, required: &[&str]) -> Tool {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, about, Arc::new(schema))
        .with_annotations(ToolAnnotations::new().open_world(false))
}

impl AddedTools for AttachedTerminals {
    fn list(&self) -> Vec<Tool> {
        let terminal = json!({"type": "string"});
        vec![
            tool(
                "attach_terminal",
                "Attach a terminal: a screen of its own on the swarm.",
                json!({
                    "size": {"type": "array", "items": {"type": "integer"}},
                    "appearance": {"type": "object"},
                    "choices": {"type": "object"},
                    "depth": {"type": "string"},
                    "keymap": {"type": "object"},
                }),
                &["size", "appearance", "depth"],
            ),
            tool(
                "read_terminal",
                "What has changed on an attached terminal's screen since the frame seen last.",
                json!({"terminal": terminal, "seen": {"type": "integer"}}),
                &["terminal"],
            ),
            tool(
                "use_terminal",
                "What the operator did at an attached terminal, counted from the first.",
                json!({
                    "terminal": terminal,
                    "first": {"type": "integer"},
                    "inputs": {
                        "type": "array",
                        "items": {"anyOf": [{"type": "object"}, {"type": "string"}]},
                    },
                }),
                &["terminal", "first", "inputs"],
            ),
            tool(
                "detach_terminal",
                "An attached terminal leaves; the swarm goes on.",
                json!({"terminal": terminal}),
                &["terminal"],
            ),
        ]
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a Map<String, Value>,
    ) -> BoxFuture<'a, Option<Result<Value, String>>> {
        Box::pin(async move {
            Some(match name {
                "attach_terminal" => self.attach(arguments).await,
                "read_terminal" => self.next_frame(arguments).await,
                "use_terminal" => self.accept_inputs(arguments).await,
                "detach_terminal" => parse_arguments(arguments).map(|leaving: Leaving| {
                    self.detach(&leaving.terminal);
                    json!({})
                }),
                _ => return None,
            })
        })
    }

    fn sweep(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut pause = tokio::time::interval(SWEEP_INTERVAL);
            pause.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                pause.tick().await;
                let gone: Vec<String> = self
                    .terminals
                    .lock()
                    .iter()
                    .filter(|(_, attached)| attached.idle_time() > IDLE_TIMEOUT)
                    .map(|(name, _)| name.clone())
                    .collect();
                for name in gone {
                    self.detach(&name);
                }
            }
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.closing.cancel();
            let notices = async {
                while !self.terminals.lock().is_empty() {
                    // A notification that comes before this wait is not lost.
                    self.left.notified().await;
                }
            };
            // Clients that do not ask in time notice the closed connection.
            let _ = tokio::time::timeout(CLOSE_NOTICE_TIMEOUT, notices).await;
            let silent: Vec<String> = self.terminals.lock().keys().cloned().collect();
            for name in silent {
                self.detach(&name);
            }
        })
    }

    fn is_closing(&self) -> bool {
        self.closing.is_cancelled()
    }
}

fn parse_arguments<T: DeserializeOwned>(arguments: &Map<String, Value>) -> Result<T, String> {
    let read = T::deserialize(Value::Object(arguments.clone()));
    read.map_err(|error| format!("these arguments cannot be read: {error}"))
}
