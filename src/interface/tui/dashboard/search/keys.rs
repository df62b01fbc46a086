//! The keys of a search across the swarm.

use crossterm::event::KeyCode;

use crate::dashboard::input_event::{key, letter};
use crate::dashboard::keys::{Binding, bind};

/// What a key does in the list of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchAction {
    /// Open the conversation at the selected place.
    Open,
    /// Search another text.
    Again,
    /// Show results as the model got them, or in words.
    Raw,
    Back,
}

/// The keys of the list of places.
pub const SEARCH_KEYS: &[Binding<SearchAction>] = &[
    bind(
        "place_back",
        &[key(KeyCode::Esc), letter('q')],
        SearchAction::Back,
        "back",
        "back to the previous view",
    ),
    bind(
        "place_open",
        &[key(KeyCode::Enter), key(KeyCode::Right)],
        SearchAction::Open,
        "go there",
        "open the conversation at the selected place",
    ),
    bind(
        "place_raw",
        &[letter('v')],
        SearchAction::Raw,
        "raw",
        "show results as the model gets them, or in words",
    ),
    bind(
        "place_search_again",
        &[letter('/'), letter('S')],
        SearchAction::Again,
        "another text",
        "search another text",
    ),
];
