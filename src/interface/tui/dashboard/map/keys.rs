//! The keys of the map.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::MapDirection;
use crate::dashboard::input_event::{key, letter};
use crate::dashboard::keys::{Binding, bind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapAction {
    Step(MapDirection),
    Pan(MapDirection),
    Nearer,
    Farther,
    NextShips,
    PreviousShips,
    Filter,
    Message,
    Back,
}

const fn shift(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::SHIFT)
}

#[rustfmt::skip]
pub const MAP_KEYS: &[Binding<MapAction>] = &[
    bind("map_back", &[key(KeyCode::Esc), letter('q'), letter('M')], MapAction::Back, "back", "back to the previous view"),
    bind("map_filter", &[key(KeyCode::Enter)], MapAction::Filter, "Myses here", "show the Myses of the system in the table"),
    bind("map_message", &[letter('m')], MapAction::Message, "message", "write to all Myses of the system"),
    bind("map_next_ships", &[key(KeyCode::Tab)], MapAction::NextShips, "next Myses", "to the next system with Myses"),
    bind("map_previous_ships", &[key(KeyCode::BackTab)], MapAction::PreviousShips, "", "to the previous system with Myses"),
    bind("map_zoom_in", &[letter('+'), letter('=')], MapAction::Nearer, "nearer", "magnify"),
    bind("map_zoom_out", &[letter('-')], MapAction::Farther, "farther", "show more of the map"),
    bind("map_left", &[key(KeyCode::Left), letter('h')], MapAction::Step(MapDirection::Left), "", "to the next system to the left"),
    bind("map_down", &[key(KeyCode::Down), letter('j')], MapAction::Step(MapDirection::Down), "", "to the next system below"),
    bind("map_up", &[key(KeyCode::Up), letter('k')], MapAction::Step(MapDirection::Up), "", "to the next system above"),
    bind("map_right", &[key(KeyCode::Right), letter('l')], MapAction::Step(MapDirection::Right), "", "to the next system to the right"),
    bind("map_pan_left", &[shift(KeyCode::Left)], MapAction::Pan(MapDirection::Left), "", "show the part to the left"),
    bind("map_pan_down", &[shift(KeyCode::Down)], MapAction::Pan(MapDirection::Down), "", "show the part below"),
    bind("map_pan_up", &[shift(KeyCode::Up)], MapAction::Pan(MapDirection::Up), "", "show the part above"),
    bind("map_pan_right", &[shift(KeyCode::Right)], MapAction::Pan(MapDirection::Right), "", "show the part to the right"),
];
