//! The processes that share one database: what each runs, since when, and whether it is heard of.

mod view;

use std::sync::Arc;
use std::time::Duration;

use actors::domain::fleet_process::{FleetProcess, ProcessState};
use actors::domain::order::Order;
use actors::domain::screen::{ReadId, StoreAnswer, StoreQuery};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;

use super::facts::Facts;
use super::input_event::{key, letter};
use super::keys::{Binding, KeyTable, Movement, bind};
use super::layout::ScreenLayout;
use super::outbox::{Outbox, Request};
use super::overlay::question::{ActionToConfirm, ConfirmDialog};
use super::toolkit::columns::lines_area;
use super::toolkit::list::{Listed, Selection};
use super::toolkit::polled::Polled;
use super::toolkit::view::{Opening, Pressed, View, ViewContext, ViewSpec};
use crate::painter::Painter;

/// How often the open list is read again.
const REFRESH: Duration = Duration::from_secs(2);

pub const SPEC: ViewSpec = ViewSpec {
    opening: Some(bind(
        "processes",
        &[letter('H')],
        Opening::View(|_, _| Box::new(ProcessesView::default())),
        "",
        "show the processes, and drain one",
    )),
    keys: || KeyTable::of("The processes", PROCESSES_KEYS),
    moves: true,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessesAction {
    Back,
    Drain,
}

#[rustfmt::skip]
pub const PROCESSES_KEYS: &[Binding<ProcessesAction>] = &[
    bind("processes_back", &[key(KeyCode::Esc), letter('q'), letter('H')], ProcessesAction::Back, "back", "back to the previous view"),
    bind("processes_drain", &[letter('d')], ProcessesAction::Drain, "drain", "drain the process, or end that; asks first"),
];

#[derive(Clone, Debug, Default)]
pub struct ProcessesView {
    processes: Polled<Vec<FleetProcess>>,
    selection: Selection<Arc<str>>,
}

impl Listed for FleetProcess {
    type Key = Arc<str>;

    fn key(&self) -> &Arc<str> {
        &self.name
    }
}

impl ProcessesView {
    fn all(&self) -> &[FleetProcess] {
        self.processes.value().map_or(&[], |all| all.as_slice())
    }
}

impl View for ProcessesView {
    fn spec(&self) -> &'static ViewSpec {
        &SPEC
    }

    fn press(&mut self, context: &mut ViewContext<'_>, press: KeyEvent) -> Pressed {
        match context.facts.keymap.find(PROCESSES_KEYS, press) {
            Some(ProcessesAction::Back) => return Pressed::Closes,
            Some(ProcessesAction::Drain) => {
                if let Some(process) = self.selection.line(self.all()) {
                    ask_to_drain(context, process);
                }
            }
            None => return Pressed::Passes,
        }
        Pressed::Stays
    }

    fn go(&mut self, _: &mut ViewContext<'_>, movement: Movement) {
        let all = self.processes.value().cloned().unwrap_or_default();
        self.selection.go(movement, &all);
    }

    fn paint(&self, facts: &Facts, layout: &ScreenLayout, painter: &mut Painter<'_>) {
        view::paint(facts, self, layout, painter);
    }

    fn poll(&mut self, context: &mut ViewContext<'_>, page: Rect) {
        let all = self.processes.value().cloned().unwrap_or_default();
        let rows = lines_area(page).height;
        self.selection.scroll_to_selection(&all, usize::from(rows));
        if self.processes.is_due(context.facts.moment, REFRESH) {
            let id = context.outbox.read(StoreQuery::Processes);
            self.processes.ask(id, context.facts.moment);
        }
    }

    fn awaits(&self, id: ReadId) -> bool {
        self.processes.awaits(id)
    }

    fn take(&mut self, _: &mut ViewContext<'_>, id: ReadId, read: Result<StoreAnswer, String>) {
        self.processes.take(id, read, StoreAnswer::try_as_processes);
    }

    fn forget_reads(&mut self) {
        self.processes.forget_read();
    }
}

fn ask_to_drain(context: &mut ViewContext<'_>, process: &FleetProcess) {
    let name = &process.name;
    match process.state {
        ProcessState::Ended | ProcessState::Gone => {
            context.outbox.say(&format!("{name} no longer runs"));
        }
        ProcessState::Draining => drain(context.facts, context.outbox, name, false),
        ProcessState::Alive | ProcessState::Frozen => {
            let running = process.running;
            let dialog = ConfirmDialog::new(
                ActionToConfirm::Drain(name.clone()),
                vec![
                    format!("Drain {name}? Myses that it runs: {running}."),
                    "It gives each to another process between two turns, and takes none."
                        .to_string(),
                ],
            );
            context.outbox.request(Request::Confirm(dialog));
        }
    }
}

pub(super) fn drain(facts: &Facts, outbox: &mut Outbox, name: &str, is_draining: bool) {
    let what = if is_draining { "drain" } else { "undrain" };
    let process = name.to_string();
    let order = Order::Drain {
        process,
        is_draining,
    };
    outbox.order(facts, what, order);
}
