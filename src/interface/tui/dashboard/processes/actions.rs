//! What opens, feeds and steers the list of processes.

use actors::domain::fleet_process::{FleetProcess, ProcessState};
use actors::domain::order::Order;
use actors::domain::screen::{ReadId, UiEffect};
use crossterm::event::KeyEvent;

use super::keys::{PROCESSES_KEYS, ProcessesAction};
use super::{ProcessesView, view};
use crate::dashboard::Dashboard;
use crate::dashboard::keys::MOVEMENT_KEYS;
use crate::dashboard::overlay::Overlay;
use crate::dashboard::overlay::question::{ActionToConfirm, ConfirmDialog};

impl Dashboard {
    /// Opens the list of processes. One that is open already, behind a list, comes to the front.
    pub(in crate::dashboard) fn open_processes(&mut self) {
        let mut layers = self.overlays.iter();
        if let Some(place) = layers.position(|layer| matches!(layer, Overlay::Processes(_))) {
            return self.overlays.truncate(place + 1);
        }
        self.overlays.push(Overlay::Processes(Box::default()));
        self.refresh_processes();
    }

    pub(in crate::dashboard) fn press_in_processes(
        &mut self,
        mut view: Box<ProcessesView>,
        press: KeyEvent,
    ) {
        let Some(action) = self.keymap.find(PROCESSES_KEYS, press) else {
            if let Some(going) = self.keymap.find(MOVEMENT_KEYS, press) {
                view.go(going);
            }
            self.overlays.push(Overlay::Processes(view));
            return self.press_over_layer(press);
        };
        match action {
            ProcessesAction::Back => {}
            ProcessesAction::Drain => {
                let selected = view.selected().cloned();
                self.overlays.push(Overlay::Processes(view));
                if let Some(process) = selected {
                    self.ask_to_drain(&process);
                }
            }
        }
    }

    fn ask_to_drain(&mut self, process: &FleetProcess) {
        let name = &process.name;
        match process.state {
            ProcessState::Ended | ProcessState::Gone => {
                self.show_notice(&format!("{name} does not run any more"));
            }
            ProcessState::Draining => self.drain(name, false),
            ProcessState::Alive | ProcessState::Frozen => {
                let running = process.running;
                self.overlays.push(Overlay::Confirm(ConfirmDialog::new(
                    ActionToConfirm::Drain(name.clone()),
                    vec![
                        format!("Drain {name}? It runs {running} Myses."),
                        "It gives each to another process between two turns, and takes none."
                            .to_string(),
                    ],
                )));
            }
        }
    }

    /// Drains a process, or ends that.
    pub(in crate::dashboard) fn drain(&mut self, name: &str, is_draining: bool) {
        let what = if is_draining { "drain" } else { "undrain" };
        let process = name.to_string();
        let order = Order::Drain {
            process,
            is_draining,
        };
        self.order_once(what, name, order);
    }

    /// Reads the open list if it is time.
    pub(in crate::dashboard) fn refresh_processes(&mut self) {
        let (moment, page) = (self.moment, self.layout().page());
        let is_open = |layer: &Overlay| matches!(layer, Overlay::Processes(_));
        if !self.overlays.iter().any(is_open) {
            return;
        }
        let id = self.next_read_id();
        for layer in &mut self.overlays {
            if let Overlay::Processes(open) = layer {
                open.settle(view::rows_in(page));
                if open.is_due(moment) {
                    open.ask(id, moment);
                    self.effects.push(UiEffect::ReadProcesses { id });
                }
            }
        }
    }

    /// Takes the processes, or the error of the store.
    pub fn on_processes(&mut self, id: ReadId, read: Result<Vec<FleetProcess>, String>) {
        if let Some(view) = self.overlays.iter_mut().find_map(Overlay::processes) {
            view.take(id, read);
        }
    }
}
