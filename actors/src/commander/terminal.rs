//! Terminals: starts a Ui actor for the program's own terminal and for each attached one, and
//! replaces those that die.

use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef};

use crate::domain::event::{EventKind, SwarmEvent};
use crate::domain::ids::Moment;
use crate::domain::message::Severity;
use crate::domain::screen::SwarmSnapshot;
use crate::ports::View;
use crate::ui::{TerminalLink, UiActor, UiArgs, UiMsg};

use super::{CommanderMsg, CommanderState};

/// A Ui that dies within this time after its start may have died because of its view.
const SOON_AFTER_START: Duration = Duration::from_secs(10);
/// After this many deaths in a row, the terminal is given up.
const MAX_DEATHS_IN_A_ROW: u32 = 5;

/// A terminal and its Ui.
pub(super) struct TerminalUi {
    link: TerminalLink,
    ui: ActorRef<UiMsg>,
    since: Moment,
    /// The number of deaths in a row, each soon after the start.
    deaths: u32,
}

impl CommanderState {
    pub(super) async fn open_terminal(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
        link: TerminalLink,
    ) -> Result<(), ActorProcessingErr> {
        let ui = self.spawn_ui(myself, &link, View::Last).await?;
        self.terminals.push(TerminalUi {
            link,
            ui,
            since: self.outside.clock.moment(),
            deaths: 0,
        });
        Ok(())
    }

    /// Attaches the terminal of another process. If no Ui can be started, the terminal is told to
    /// leave.
    pub(super) async fn attach_terminal(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
        link: TerminalLink,
    ) {
        let quit = link.quit.clone();
        if let Err(error) = self.open_terminal(myself, link).await {
            tracing::error!(%error, "failed to attach a terminal");
            return quit.cancel();
        }
        if let (Some(trouble), Some(terminal)) = (&self.store_trouble, self.terminals.last()) {
            // A dead Ui is being replaced. Its successor does not get this event.
            let _ = terminal.ui.cast(UiMsg::Event(Arc::new(trouble.clone())));
        }
    }

    /// The index of the terminal whose Ui this is.
    pub(super) fn terminal_of(&self, actor: ActorId) -> Option<usize> {
        let mut terminals = self.terminals.iter();
        terminals.position(|terminal| terminal.ui.get_id() == actor)
    }

    /// Replaces a dead Ui by one with the same view. After repeated deaths the next one gets a new
    /// view, and finally the terminal is given up, because an operator must not be left with a dead
    /// screen. A terminal that was attached and has left gets no new Ui.
    pub(super) async fn replace_terminal(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
        place: usize,
        cause: Option<String>,
    ) -> Result<(), ActorProcessingErr> {
        let mut terminal = self.terminals.remove(place);
        if terminal.link.has_left() {
            return Ok(());
        }
        let cause = cause.unwrap_or_else(|| "it stopped by itself".to_string());
        tracing::error!(%cause, "the ui died");
        let is_soon = self.outside.clock.moment().since(terminal.since) < SOON_AFTER_START;
        terminal.deaths = if is_soon { terminal.deaths + 1 } else { 1 };
        if terminal.deaths > MAX_DEATHS_IN_A_ROW {
            terminal.link.quit.cancel();
            return Ok(());
        }
        let view = match terminal.deaths {
            1 => View::Last,
            _ => View::Fresh,
        };
        match self.spawn_ui(myself, &terminal.link, view).await {
            Ok(ui) => terminal.ui = ui,
            Err(error) => {
                tracing::error!(%error, "failed to replace the ui");
                terminal.link.quit.cancel();
                return Ok(());
            }
        }
        terminal.since = self.outside.clock.moment();
        self.terminals.push(terminal);
        let text = format!("the screen died and was replaced: {cause}");
        self.tell_notice(Severity::Warn, "ui_restarted", &text);
        Ok(())
    }

    pub(super) fn show_rules(&self) {
        for terminal in &self.terminals {
            // A dead Ui gets them when it is replaced.
            let _ = terminal.ui.cast(UiMsg::RulesChanged {
                rules: self.rules.clone(),
                redactor: self.secrets.redactor(),
            });
        }
    }

    async fn spawn_ui(
        &mut self,
        myself: &ActorRef<CommanderMsg>,
        link: &TerminalLink,
        view: View,
    ) -> Result<ActorRef<UiMsg>, ActorProcessingErr> {
        let args = UiArgs {
            link: link.clone(),
            archive: self.outside.archive.clone(),
            clock: self.outside.clock.clone(),
            commander: myself.get_derived(),
            snapshot: SwarmSnapshot {
                statuses: self.statuses(),
                mission: self.mission.as_ref().map(|mission| mission.text.clone()),
                rules: self.rules.clone(),
                redactor: self.secrets.redactor(),
            },
            view,
        };
        let (ui, _) = Actor::spawn_linked(None, UiActor, args, myself.get_cell()).await?;
        self.watchers.push(ui.get_derived());
        let about_all = [
            EventKind::BudgetChanged(self.spending.clone()),
            EventKind::OutagesChanged(self.weather.clone()),
        ];
        for what in about_all {
            let event = SwarmEvent {
                at: self.now(),
                mysis: None,
                what,
            };
            // A dead Ui gets it when it is replaced.
            let _ = ui.cast(UiMsg::Event(Arc::new(event)));
        }
        Ok(ui)
    }
}
