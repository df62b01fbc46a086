//! Terminals: starts a Ui actor for the program's own terminal and for each attached one, and
//! replaces those that die.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use ractor::{ActorId, ActorProcessingErr, ActorRef};
use tokio::runtime::Handle;

use crate::domain::event::SwarmEvent;
use crate::domain::event_record::EventRecord;
use crate::domain::ids::Moment;
use crate::domain::message::Severity;
use crate::domain::screen::SwarmSnapshot;
use crate::ports::View;
use crate::ui::{TerminalLink, UiArgs, UiMsg, UiRuntime};

use super::rules::RulesInForce;
use super::{CommanderMsg, CommanderState, tell_commander};

/// A Ui that dies within this time after its start may have died because of its view.
const SOON_AFTER_START: Duration = Duration::from_secs(10);
/// The most recent records that are kept for a new terminal. Older ones are stored, unless the store is away.
const MAX_RECENT_RECORDS: usize = 200;
/// After this many deaths in a row, the terminal is given up.
const MAX_DEATHS_IN_A_ROW: u32 = 5;

pub(super) struct TerminalUi {
    link: TerminalLink,
    ui: ActorRef<UiMsg>,
    since: Moment,
    /// The number of deaths in a row, each soon after the start.
    deaths: u32,
}

pub(super) struct OpenTerminals {
    open: Vec<TerminalUi>,
    /// What was recorded last, oldest first. A new terminal gets it, since the store may not have it yet.
    recent: VecDeque<Arc<EventRecord>>,
    runtime: UiRuntime,
}

impl OpenTerminals {
    /// None yet. Their Uis will run there.
    pub(super) fn new(runtime: UiRuntime) -> OpenTerminals {
        OpenTerminals {
            open: Vec::new(),
            recent: VecDeque::new(),
            runtime,
        }
    }

    pub(super) fn take(&mut self, actor: ActorId) -> Option<TerminalUi> {
        let mut terminals = self.open.iter();
        let place = terminals.position(|terminal| terminal.ui.get_id() == actor)?;
        Some(self.open.remove(place))
    }

    fn tell_all(&self, message: impl Fn() -> UiMsg) {
        for terminal in &self.open {
            // A dead actor's successor is told everything as it starts.
            let _ = terminal.ui.cast(message());
        }
    }

    pub(super) fn show_event(&self, event: &Arc<SwarmEvent>) {
        self.tell_all(|| UiMsg::Event(event.clone()));
    }

    pub(super) fn show_rules(&self, rules: &RulesInForce) {
        self.tell_all(|| UiMsg::RulesChanged {
            rules: rules.current.clone(),
            redactor: rules.redactor(),
        });
    }

    pub(super) fn show_record(&mut self, record: Arc<EventRecord>) {
        self.tell_all(|| UiMsg::Recorded(record.clone()));
        if self.recent.len() == MAX_RECENT_RECORDS {
            self.recent.pop_front();
        }
        self.recent.push_back(record);
    }
}

impl TerminalUi {
    /// Counts a death of its Ui and says what the next one shows. `None`: it gets no other one.
    fn count_death(&mut self, now: Moment) -> Option<View> {
        let is_soon = now.since(self.since) < SOON_AFTER_START;
        self.deaths = if is_soon { self.deaths + 1 } else { 1 };
        match self.deaths {
            1 => Some(View::Last),
            2..=MAX_DEATHS_IN_A_ROW => Some(View::Fresh),
            _ => None,
        }
    }
}

impl CommanderState {
    pub(super) async fn open_terminal(
        &mut self,
        link: TerminalLink,
    ) -> Result<ActorRef<UiMsg>, ActorProcessingErr> {
        let ui = self.spawn_ui(&link, View::Last).await?;
        self.terminals.open.push(TerminalUi {
            link,
            ui: ui.clone(),
            since: self.clock().moment(),
            deaths: 0,
        });
        Ok(ui)
    }

    /// Attaches the terminal of another process. If no Ui can be started, the terminal is told to
    /// leave.
    pub(super) async fn attach_terminal(&mut self, link: TerminalLink) {
        let quit = link.quit.clone();
        if let Err(error) = self.open_terminal(link).await {
            tracing::error!(%error, "failed to attach a terminal");
            quit.cancel();
        }
    }

    /// Replaces a dead Ui by one with the same view. After repeated deaths the next one gets a new
    /// view, and finally the terminal is given up, because an operator must not be left with a dead
    /// screen. A terminal that was attached and has left gets no new Ui.
    pub(super) async fn replace_terminal(
        &mut self,
        mut terminal: TerminalUi,
        cause: &str,
    ) -> Result<(), ActorProcessingErr> {
        if terminal.link.has_left() {
            return Ok(());
        }
        tracing::error!(%cause, "the ui died");
        let Some(view) = terminal.count_death(self.clock().moment()) else {
            terminal.link.quit.cancel();
            return Ok(());
        };
        match self.spawn_ui(&terminal.link, view).await {
            Ok(ui) => terminal.ui = ui,
            Err(error) => {
                tracing::error!(%error, "failed to replace the ui");
                terminal.link.quit.cancel();
                return Ok(());
            }
        }
        terminal.since = self.clock().moment();
        self.terminals.open.push(terminal);
        let text = format!("the screen crashed and was replaced: {cause}");
        self.emit_notice(Severity::Warn, "ui_restarted", &text);
        Ok(())
    }

    async fn spawn_ui(
        &mut self,
        link: &TerminalLink,
        view: View,
    ) -> Result<ActorRef<UiMsg>, ActorProcessingErr> {
        let args = UiArgs {
            link: link.clone(),
            archive: self.deps.session.archive.clone(),
            clock: self.clock().clone(),
            commander: tell_commander(&self.myself, CommanderMsg::Order),
            snapshot: SwarmSnapshot {
                statuses: self.all_statuses(),
                mission: self.mission.text(),
                rules: self.rules.current.clone(),
                redactor: self.rules.redactor(),
            },
            view,
            readers: Handle::current(),
        };
        let ui = self
            .terminals
            .runtime
            .spawn_ui(args, self.myself.get_cell())
            .await?;
        for what in self.current_state() {
            let event = SwarmEvent::of_swarm(self.now(), what);
            // A dead Ui gets it when it is replaced.
            let _ = ui.cast(UiMsg::Event(Arc::new(event)));
        }
        for record in &self.terminals.recent {
            let _ = ui.cast(UiMsg::Recorded(record.clone()));
        }
        Ok(ui)
    }
}
