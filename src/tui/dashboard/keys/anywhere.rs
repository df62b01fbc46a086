//! What keys do everywhere, and with the Myses in hand.

use crate::dashboard::input_event::{Key, Press};

use super::{Binding, bind, key, letter};

/// What keys do everywhere, unless a field or a question has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anywhere {
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
pub enum InHand {
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
pub const ANYWHERE: &[Binding<Anywhere>] = &[
    bind(
        &[letter('b')],
        Anywhere::Broadcast,
        "broadcast",
        "broadcast a mission to the whole swarm",
    ),
    bind(
        &[letter(':')],
        Anywhere::Palette,
        "command",
        "write a command, with completion",
    ),
    bind(
        &[letter('R')],
        Anywhere::Resume,
        "",
        "resume those that ran when the program ended",
    ),
    bind(&[letter('L')], Anywhere::Log, "log", "show what flew past"),
    bind(
        &[letter('U')],
        Anywhere::Undo,
        "",
        "take the last order back, where that can be done",
    ),
    bind(
        &[letter('P')],
        Anywhere::Dump,
        "",
        "write the screen to files, as text and as a picture",
    ),
    bind(
        &[letter('M')],
        Anywhere::Mouse,
        "",
        "lend the mouse to the terminal, to select text",
    ),
    bind(
        &[letter('?'), key(Key::Function(1))],
        Anywhere::Help,
        "",
        "show this help",
    ),
    bind(
        &[letter('q'), Press::ctrl('c')],
        Anywhere::Quit,
        "quit",
        "quit; asks while Myses run",
    ),
    bind(
        &[Press::ctrl('z')],
        Anywhere::Suspend,
        "",
        "go to the background; `fg` comes back",
    ),
    bind(
        &[Press::ctrl('l')],
        Anywhere::Redraw,
        "",
        "draw the screen anew",
    ),
];

/// Keys for the Myses in hand.
pub const IN_HAND: &[Binding<InHand>] = &[
    bind(
        &[letter('m')],
        InHand::Message,
        "message",
        "write a direct message",
    ),
    bind(&[letter('r')], InHand::Start, "start", "start or relaunch"),
    bind(&[letter('s')], InHand::Stop, "stop", "stop at once"),
    bind(
        &[letter('d'), key(Key::Delete)],
        InHand::Delete,
        "delete",
        "delete with the conversation; asks first",
    ),
    bind(
        &[letter('c')],
        InHand::Configure,
        "configure",
        "change provider, model and temperature",
    ),
    bind(
        &[letter('a')],
        InHand::Note,
        "note",
        "add something to keep in mind",
    ),
    bind(
        &[letter('x')],
        InHand::Request,
        "",
        "show the exact request that was last sent",
    ),
];
