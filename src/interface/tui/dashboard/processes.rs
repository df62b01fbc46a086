//! The processes that share one database: what each runs, since when, and whether it is heard of.

pub mod keys;

mod view;

use std::sync::Arc;
use std::time::Duration;

use actors::domain::fleet_process::{FleetProcess, ProcessState};
use actors::domain::order::Order;
use actors::domain::screen::{ReadId, StoreAnswer, StoreQuery};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use super::Dashboard;
use super::input_event::letter;
use super::keys::{KeyTable, Keymap, MOVEMENT_KEYS, bind};
use super::layout::ScreenLayout;
use super::overlay::question::{ActionToConfirm, ConfirmDialog};
use super::toolkit::columns::lines_area;
use super::toolkit::list::{Listed, Selection};
use super::toolkit::polled::Polled;
use super::toolkit::view::{Opening, Pressed, View, ViewSpec};
use crate::painter::Painter;
use keys::{PROCESSES_KEYS, ProcessesAction};

/// How often the open list is read again.
const REFRESH: Duration = Duration::from_secs(2);

/// What is fixed of the list of processes.
pub const SPEC: ViewSpec = ViewSpec {
    opening: Some(bind(
        "processes",
        &[letter('H')],
        Opening(|board| board.open_view(|_| ProcessesView::default())),
        "",
        "show the processes, and drain one",
    )),
    keys: || KeyTable::of("The processes", PROCESSES_KEYS),
    moves: true,
};

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
    fn hints(&self, keymap: &Keymap) -> Vec<(String, &'static str)> {
        keymap.hints(PROCESSES_KEYS)
    }

    fn keys(&self) -> Option<KeyTable> {
        Some((SPEC.keys)())
    }

    fn press(&mut self, board: &mut Dashboard, press: KeyEvent) -> Pressed {
        match board.keymap().find(PROCESSES_KEYS, press) {
            Some(ProcessesAction::Back) => Pressed::Closes,
            Some(ProcessesAction::Drain) => match self.selection.line(self.all()).cloned() {
                Some(process) => Pressed::then(move |board| ask_to_drain(board, &process)),
                None => Pressed::Stays,
            },
            None => match board.keymap().find(MOVEMENT_KEYS, press) {
                Some(movement) => {
                    let all = self.processes.value().cloned().unwrap_or_default();
                    self.selection.go(movement, &all);
                    Pressed::Stays
                }
                None => Pressed::Passes,
            },
        }
    }

    fn paint(&self, board: &Dashboard, layout: &ScreenLayout, painter: &mut Painter<'_>) {
        view::paint(board, self, layout, painter);
    }

    fn poll(&mut self, board: &mut Dashboard, page: Rect) {
        let all = self.processes.value().cloned().unwrap_or_default();
        let rows = lines_area(page).height;
        self.selection.scroll_to_selection(&all, usize::from(rows));
        if self.processes.is_due(board.moment, REFRESH) {
            let id = board.read(StoreQuery::Processes);
            self.processes.ask(id, board.moment);
        }
    }

    fn awaits(&self, id: ReadId) -> bool {
        self.processes.awaits(id)
    }

    fn take(&mut self, _: &mut Dashboard, id: ReadId, read: Result<StoreAnswer, String>) {
        self.processes.take(id, read, StoreAnswer::try_as_processes);
    }

    fn forget_reads(&mut self) {
        self.processes.forget_read();
    }
}

fn ask_to_drain(board: &mut Dashboard, process: &FleetProcess) {
    let name = &process.name;
    match process.state {
        ProcessState::Ended | ProcessState::Gone => {
            board.show_notice(&format!("{name} no longer runs"));
        }
        ProcessState::Draining => drain(board, name, false),
        ProcessState::Alive | ProcessState::Frozen => {
            let running = process.running;
            board.confirm(ConfirmDialog::new(
                ActionToConfirm::Drain(name.clone()),
                vec![
                    format!("Drain {name}? It runs {running} Myses."),
                    "It gives each to another process between two turns, and takes none."
                        .to_string(),
                ],
            ));
        }
    }
}

pub(super) fn drain(board: &mut Dashboard, name: &str, is_draining: bool) {
    let what = if is_draining { "drain" } else { "undrain" };
    let process = name.to_string();
    let order = Order::Drain {
        process,
        is_draining,
    };
    board.order_once(what, name, order);
}
