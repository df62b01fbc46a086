//! The screen of a terminal: the dashboard as the Ui actor sees it, and the display that it is shown
//! on.

use std::sync::Arc;

use actors::domain::event::SwarmEvent;
use actors::domain::event_record::EventRecord;
use actors::domain::ids::{MysisId, Now, Timestamp};
use actors::domain::message::Row;
use actors::domain::order::OrderResult;
use actors::domain::redact::Redactor;
use actors::domain::rules::SwarmRules;
use actors::domain::screen::{OrderId, ReadId, SwarmSnapshot, TerminalKind, UiEffect};
use actors::ports::{Screen, Terminal, TerminalInput, View};
use actors::ui::UiHandle;

use crate::dashboard::Dashboard;
use crate::dashboard::action::TerminalAction;
use crate::dashboard::input_event::Input;

/// Shows dashboards. None of this waits: a terminal that stands still holds nobody up.
pub trait Display: Send + Sync + 'static {
    /// Shows this, in place of whatever was to be shown before.
    fn show(&self, dashboard: Arc<Dashboard>);

    /// What was given to be shown last; before anything was, how the dashboard begins.
    fn last_shown(&self) -> Arc<Dashboard>;

    /// Does what only a terminal can do. What came of it comes back as an input.
    fn perform_action(&self, action: TerminalAction);
}

/// A display as a terminal of the actors.
pub struct DashboardTerminal(Arc<dyn Display>);

impl DashboardTerminal {
    /// The terminal that shows on this display.
    #[must_use]
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
        self.0.last_shown().kind()
    }
}

/// Passes on to a Ui what the operator did.
pub fn send_input(ui: &UiHandle, input: Input) {
    ui.send_input(TerminalInput::new(input));
}

/// The dashboard and where it is shown.
struct DashboardScreen {
    dashboard: Arc<Dashboard>,
    display: Arc<dyn Display>,
}

impl DashboardScreen {
    /// To be changed: what is shown now is another copy.
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

    fn on_past_events(&mut self, records: &[EventRecord]) {
        self.dashboard().take_past_events(records);
    }

    fn on_input(&mut self, input: TerminalInput) {
        if let Some(input) = input.into_inner::<Input>() {
            self.dashboard().on_input(input);
        }
    }

    fn on_answer(&mut self, id: OrderId, answer: OrderResult) {
        self.dashboard().on_answer(id, answer);
    }

    fn on_page(&mut self, id: ReadId, page: Result<Vec<Arc<Row>>, String>) {
        self.dashboard().on_page(id, page);
    }

    fn on_search(&mut self, id: ReadId, rows: Result<Vec<(MysisId, Arc<Row>)>, String>) {
        self.dashboard().on_search_result(id, rows);
    }

    fn on_export(&mut self, written: Result<String, String>) {
        self.dashboard().on_input(Input::Performed(written));
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
