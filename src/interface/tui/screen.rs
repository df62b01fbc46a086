//! The screen of a terminal: connects the Ui actor's `Screen` port with the dashboard and with the
//! display that shows it.

use std::sync::Arc;

use actors::domain::event::SwarmEvent;
use actors::domain::event_record::EventRecord;
use actors::domain::ids::{Now, Timestamp};
use actors::domain::order::OrderResult;
use actors::domain::rules::SwarmRules;
use actors::domain::screen::{
    AwaySummary, OrderId, ReadId, StoreAnswer, SwarmSnapshot, TerminalKind, UiEffect,
};
use actors::domain::swarm_setup::SwarmSetup;
use actors::ports::{Screen, Terminal, TerminalInput, View};
use actors::ui::UiHandle;
use zoea_text::redact::Redactor;

use crate::dashboard::Dashboard;
use crate::dashboard::action::TerminalAction;
use crate::dashboard::input_event::Input;

/// Shows dashboards. No method blocks, so a terminal that does not read delays nobody.
pub trait Display: Send + Sync + 'static {
    /// Shows this dashboard in place of any that waits to be shown.
    fn show(&self, dashboard: Arc<Dashboard>);

    fn last_shown(&self) -> Arc<Dashboard>;

    /// Performs what only a terminal can do. The result comes back as an input.
    fn perform_action(&self, action: TerminalAction);
}

/// A display behind the actors' `Terminal` port.
pub struct DashboardTerminal(Arc<dyn Display>);

impl DashboardTerminal {
    pub fn new(display: Arc<dyn Display>) -> Arc<DashboardTerminal> {
        Arc::new(DashboardTerminal(display))
    }
}

impl Terminal for DashboardTerminal {
    fn open(&self, view: View) -> Box<dyn Screen> {
        let last = self.0.last_shown();
        let dashboard = match view {
            View::Last => last,
            View::Fresh => Arc::new(last.with_new_view()),
        };
        Box::new(DashboardScreen {
            dashboard,
            display: self.0.clone(),
        })
    }

    fn kind(&self) -> TerminalKind {
        self.0.last_shown().facts().kind
    }
}

pub fn send_input(ui: &UiHandle, input: Input) {
    ui.send_input(TerminalInput::new(input));
}

struct DashboardScreen {
    dashboard: Arc<Dashboard>,
    display: Arc<dyn Display>,
}

impl DashboardScreen {
    /// The dashboard for changes. The copy that is being shown stays as it is.
    fn dashboard(&mut self) -> &mut Dashboard {
        Arc::make_mut(&mut self.dashboard)
    }
}

impl Screen for DashboardScreen {
    fn restore(&mut self, snapshot: SwarmSnapshot) {
        self.dashboard().restore(snapshot);
    }

    fn set_rules(&mut self, rules: Arc<SwarmRules>, redactor: Arc<Redactor>) {
        self.dashboard().take_rules(rules, redactor);
    }

    fn on_event(&mut self, event: &SwarmEvent) {
        self.dashboard().on_event(event);
    }

    fn on_recorded(&mut self, record: &EventRecord) {
        self.dashboard().on_recorded(record);
    }

    fn on_past_events(&mut self, read: Result<Vec<EventRecord>, String>) {
        self.dashboard().on_past_events(read);
    }

    fn on_input(&mut self, input: TerminalInput) {
        if let Some(input) = input.into_inner::<Input>() {
            self.dashboard().on_input(input);
        }
    }

    fn on_answer(&mut self, id: OrderId, answer: OrderResult) {
        self.dashboard().on_answer(id, answer);
    }

    fn on_read(&mut self, id: ReadId, read: Result<StoreAnswer, String>) {
        self.dashboard().on_read(id, read);
    }

    fn on_setup(&mut self, setup: SwarmSetup) {
        self.dashboard().on_setup(setup);
    }

    fn on_export(&mut self, written: Result<String, String>) {
        self.dashboard().on_input(Input::Performed(written));
    }

    fn on_summed_up(&mut self, since: Timestamp, summary: AwaySummary) {
        self.dashboard().on_summed_up(since, summary);
    }

    fn tick(&mut self, now: Now) {
        self.dashboard().tick(now);
    }

    fn prepare_frame(&mut self) {
        self.dashboard().prepare_frame();
    }

    fn take_effects(&mut self) -> Vec<UiEffect> {
        if !self.dashboard.has_effects() {
            return Vec::new();
        }
        let dashboard = Arc::make_mut(&mut self.dashboard);
        for action in dashboard.take_actions() {
            self.display.perform_action(action);
        }
        dashboard.take_effects()
    }

    fn show(&mut self) {
        self.display.show(self.dashboard.clone());
    }

    fn next_change(&self) -> Option<Timestamp> {
        self.dashboard.next_change()
    }
}
