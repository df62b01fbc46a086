//! The keys of the list of processes.

use crossterm::event::KeyCode;

use crate::dashboard::input_event::{key, letter};
use crate::dashboard::keys::{Binding, bind};

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
