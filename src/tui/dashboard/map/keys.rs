//! The keys of the map.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::MapDirection;
use crate::dashboard::input_event::{key, letter};
use crate::dashboard::keys::{Binding, bind};

/// What a key does on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapAction {
    /// Select the next system in a direction.
    Step(MapDirection),
    /// Show another part of the map.
    Pan(MapDirection),
    /// Magnify.
    Nearer,
    /// Show more of the map.
    Farther,
    /// Select the next system with ships.
    NextShips,
    /// Select the previous system with ships.
    PreviousShips,
    /// Show the Myses of the system in the table.
    Filter,
    /// Write to the Myses of the system.
    Message,
    /// Go back.
    Back,
}

const fn shift(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::SHIFT)
}

/// The keys of the map.
pub const MAP_KEYS: &[Binding<MapAction>] = &[
    bind(
        &[key(KeyCode::Esc), letter('q'), letter('M')],
        MapAction::Back,
        "back",
        "back to the view before",
    ),
    bind(
        &[key(KeyCode::Enter)],
        MapAction::Filter,
        "who is there",
        "show the Myses of the system in the table",
    ),
    bind(
        &[letter('m')],
        MapAction::Message,
        "message",
        "write to all Myses of the system",
    ),
    bind(
        &[key(KeyCode::Tab)],
        MapAction::NextShips,
        "next ships",
        "to the next system with ships",
    ),
    bind(
        &[key(KeyCode::BackTab)],
        MapAction::PreviousShips,
        "",
        "to the previous system with ships",
    ),
    bind(
        &[letter('+'), letter('=')],
        MapAction::Nearer,
        "nearer",
        "magnify",
    ),
    bind(
        &[letter('-')],
        MapAction::Farther,
        "farther",
        "show more of the map",
    ),
    bind(
        &[key(KeyCode::Left), letter('h')],
        MapAction::Step(MapDirection::Left),
        "",
        "to the next system to the left",
    ),
    bind(
        &[key(KeyCode::Down), letter('j')],
        MapAction::Step(MapDirection::Down),
        "",
        "to the next system below",
    ),
    bind(
        &[key(KeyCode::Up), letter('k')],
        MapAction::Step(MapDirection::Up),
        "",
        "to the next system above",
    ),
    bind(
        &[key(KeyCode::Right), letter('l')],
        MapAction::Step(MapDirection::Right),
        "",
        "to the next system to the right",
    ),
    bind(
        &[shift(KeyCode::Left)],
        MapAction::Pan(MapDirection::Left),
        "",
        "show the part to the left",
    ),
    bind(
        &[shift(KeyCode::Down)],
        MapAction::Pan(MapDirection::Down),
        "",
        "show the part below",
    ),
    bind(
        &[shift(KeyCode::Up)],
        MapAction::Pan(MapDirection::Up),
        "",
        "show the part above",
    ),
    bind(
        &[shift(KeyCode::Right)],
        MapAction::Pan(MapDirection::Right),
        "",
        "show the part to the right",
    ),
];
