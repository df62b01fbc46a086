//! What keys do everywhere, and with the Myses in hand.

use crate::dashboard::input_event::{ctrl, key, letter};
use crossterm::event::KeyCode;

use super::{Binding, bind};

/// What keys do everywhere, unless a field or a question has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalAction {
    /// Write a mission.
    Broadcast,
    /// Write a command.
    Palette,
    /// Start those that ran when the program ended.
    Resume,
    /// Show what flew past.
    Log,
    /// Take the last order back.
    Undo,
    /// Write the screen to files.
    Dump,
    /// Give the mouse to the terminal, or take it back.
    Mouse,
    /// Show what keys do.
    Help,
    /// Close the program.
    Quit,
    /// Go to the background.
    Suspend,
    /// Draw everything anew.
    Redraw,
}

/// What keys do with the Myses in hand: those that are marked, else the one selected or open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetAction {
    /// Write to them.
    Message,
    /// Give them something to keep in mind.
    Note,
    /// Start or relaunch them.
    Start,
    /// Stop them.
    Stop,
    /// Delete them.
    Delete,
    /// Change the settings of one.
    Configure,
    /// Show the request that was last sent.
    Request,
}

/// Keys that work everywhere.
pub const GLOBAL_KEYS: &[Binding<GlobalAction>] = &[
    bind(
        &[letter('b')],
        GlobalAction::Broadcast,
        "broadcast",
        "broadcast a mission to the whole swarm",
    ),
    bind(
        &[letter(':')],
        GlobalAction::Palette,
        "command",
        "write a command, with completion",
    ),
    bind(
        &[letter('R')],
        GlobalAction::Resume,
        "",
        "resume those that ran when the program ended",
    ),
    bind(
        &[letter('L')],
        GlobalAction::Log,
        "log",
        "show what flew past",
    ),
    bind(
        &[letter('U')],
        GlobalAction::Undo,
        "",
        "take the last order back, where that can be done",
    ),
    bind(
        &[letter('P')],
        GlobalAction::Dump,
        "",
        "write the screen to files, as text and as a picture",
    ),
    bind(
        &[letter('M')],
        GlobalAction::Mouse,
        "",
        "lend the mouse to the terminal, to select text",
    ),
    bind(
        &[letter('?'), key(KeyCode::F(1))],
        GlobalAction::Help,
        "",
        "show this help",
    ),
    bind(
        &[letter('q'), ctrl('c')],
        GlobalAction::Quit,
        "quit",
        "quit; asks while Myses run",
    ),
    bind(
        &[ctrl('z')],
        GlobalAction::Suspend,
        "",
        "go to the background; `fg` comes back",
    ),
    bind(
        &[ctrl('l')],
        GlobalAction::Redraw,
        "",
        "draw the screen anew",
    ),
];

/// Keys for the Myses in hand.
pub const TARGET_KEYS: &[Binding<TargetAction>] = &[
    bind(
        &[letter('m')],
        TargetAction::Message,
        "message",
        "write a direct message",
    ),
    bind(
        &[letter('r')],
        TargetAction::Start,
        "start",
        "start or relaunch",
    ),
    bind(&[letter('s')], TargetAction::Stop, "stop", "stop at once"),
    bind(
        &[letter('d'), key(KeyCode::Delete)],
        TargetAction::Delete,
        "delete",
        "delete with the conversation; asks first",
    ),
    bind(
        &[letter('c')],
        TargetAction::Configure,
        "configure",
        "change provider, model and temperature",
    ),
    bind(
        &[letter('a')],
        TargetAction::Note,
        "note",
        "add something to keep in mind",
    ),
    bind(
        &[letter('x')],
        TargetAction::Request,
        "",
        "show the exact request that was last sent",
    ),
];
