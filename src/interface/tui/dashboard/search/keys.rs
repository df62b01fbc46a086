//! The keys of a search across the swarm.

use crossterm::event::KeyCode;

use crate::dashboard::input_event::{key, letter};
use crate::dashboard::keys::{Binding, bind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchAction {
    Open,
    Again,
    Raw,
    Back,
}

#[rustfmt::skip]
pub const SEARCH_KEYS: &[Binding<SearchAction>] = &[
    bind("place_back", &[key(KeyCode::Esc), letter('q')], SearchAction::Back, "back", "back to the previous view"),
    bind("place_open", &[key(KeyCode::Enter), key(KeyCode::Right)], SearchAction::Open, "open", "open the conversation at the selected match"),
    bind("place_raw", &[letter('v')], SearchAction::Raw, "raw", "show results as the model gets them, or in words"),
    bind("place_search_again", &[letter('/'), letter('S')], SearchAction::Again, "another text", "search another text"),
];
