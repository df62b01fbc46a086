//! Terminals: the program's own and those that are attached, the Ui that draws for each, and what
//! becomes of one that died.

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

/// A Ui that dies again within this time may have died of its view.
const SOON_AFTER_START: Duration = Duration::from_secs(10);
/// So many deaths in a row, and there is no terminal any more.
const MAX_DEATHS_IN_A_ROW: u32 = 5;

/// A terminal and its Ui.
pub(super) struct TerminalUi {
    link: TerminalLink,
    ui: ActorRef<UiMsg>,
    since: Moment,
    /// Deaths in a row, each soon after the one before.
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

    /// Another process shows the swarm, too. One that cannot be drawn for is told to leave.
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
            // One that is dead already is replaced, and goes without.
            let _ = terminal.ui.cast(UiMsg::Event(Arc::new(trouble.clone())));
        }
    }

    /// Whose Ui this is, by place.
    pub(super) fn terminal_of(&self, actor: ActorId) -> Option<usize> {
        let mut terminals = self.terminals.iter();
        terminals.position(|terminal| terminal.ui.get_id() == actor)
    }

    /// A Ui died: another one takes up its view. One that keeps dying gets a new view, and in the
    /// end its terminal is given up: an operator who sees nothing must not be left with it. Whoever
    /// was attached and has left needs no other one.
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
            // One that is dead gets them with its next life.
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
            // One that is dead gets it with its next life.
            let _ = ui.cast(UiMsg::Event(Arc::new(event)));
        }
        Ok(ui)
    }
}
