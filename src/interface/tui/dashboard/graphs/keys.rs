//! The keys of the graphs.

use crossterm::event::KeyCode;

use crate::dashboard::input_event::{key, letter};
use crate::dashboard::keys::{Binding, bind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphAction {
    Next,
    Previous,
    Longer,
    Shorter,
    Scope,
    Back,
}

#[rustfmt::skip]
pub const GRAPH_KEYS: &[Binding<GraphAction>] = &[
    bind("graph_back", &[key(KeyCode::Esc), letter('q'), letter('g')], GraphAction::Back, "back", "back to the previous view"),
    bind("graph_next", &[key(KeyCode::Right), letter('l'), key(KeyCode::Tab)], GraphAction::Next, "next value", "show the next value"),
    bind("graph_previous", &[key(KeyCode::Left), letter('h')], GraphAction::Previous, "", "show the previous value"),
    bind("graph_longer", &[key(KeyCode::Down), letter('j'), letter('-')], GraphAction::Longer, "longer", "show a longer time"),
    bind("graph_shorter", &[key(KeyCode::Up), letter('k'), letter('+')], GraphAction::Shorter, "shorter", "show a shorter time"),
    bind("graph_scope", &[letter(' ')], GraphAction::Scope, "swarm or each", "show the swarm, or each of the marked Myses"),
];
