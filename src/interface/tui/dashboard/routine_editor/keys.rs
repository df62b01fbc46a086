//! The keys of the editor of a routine, beside those with which any text is written.

use crossterm::event::KeyCode;

use crate::dashboard::input_event::{ctrl, key};
use crate::dashboard::keys::{Binding, bind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoutineAction {
    Save,
    Start,
    NextMistake,
    Back,
}

#[rustfmt::skip]
pub(super) const ROUTINE_KEYS: &[Binding<RoutineAction>] = &[
    bind("routine_save", &[ctrl('s')], RoutineAction::Save, "save", "save it; it holds from the next step on"),
    bind("routine_start", &[ctrl('r')], RoutineAction::Start, "start", "start it, with the Myses that you name"),
    bind("routine_next_mistake", &[ctrl('n')], RoutineAction::NextMistake, "next mistake", "to the next line with a mistake"),
    bind("routine_back", &[key(KeyCode::Esc)], RoutineAction::Back, "back", "back to the previous view; asks if it is changed"),
];
