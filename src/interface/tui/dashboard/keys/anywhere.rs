//! The keys that work everywhere, and those that act upon the target Myses.

use crate::dashboard::input_event::{ctrl, key, letter};
use crossterm::event::KeyCode;

use super::{Binding, bind};

/// What a key does everywhere, unless a text field or a question takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalAction {
    /// Write a mission.
    Broadcast,
    Palette,
    /// Freeze the swarm, or thaw it.
    Freeze,
    /// Start the Myses that ran when the program ended.
    Resume,
    /// Take the paying loops of all Myses.
    TakeLoops,
    /// Undo the last order.
    Undo,
    /// Write the screen to files.
    Dump,
    /// Switch the mouse between program and terminal.
    Mouse,
    Help,
    /// Close the program.
    Quit,
    /// Suspend the program suspend to the shell.
    Suspend,
    /// Draw the whole screen again.
    Redraw,
}

/// What a key does with the target Myses: the marked ones, else the one that is selected or open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetAction {
    /// Write them a direct message.
    Message,
    Note,
    /// Start or relaunch them.
    Start,
    Stop,
    Delete,
    /// Change the profile of one.
    Configure,
    /// Take the paying loop that they repeat; else show, change and start the routine of one.
    Routine,
    /// Answer the question of a server.
    Answer,
    /// Inspect the last request.
    Request,
}

/// The name of the action that closes the program.
pub(super) const QUIT: &str = "quit";

/// So many of them come before the keys that open views, in the help and in the hints.
pub const BEFORE_VIEWS: usize = 4;

/// The keys that work everywhere, but for those that open views.
pub const GLOBAL_KEYS: &[Binding<GlobalAction>] = &[
    bind(
        "broadcast",
        &[letter('b')],
        GlobalAction::Broadcast,
        "broadcast",
        "broadcast a mission to the whole swarm",
    ),
    bind(
        "palette",
        &[letter(':')],
        GlobalAction::Palette,
        "command",
        "write a command, with completion",
    ),
    bind(
        "resume",
        &[letter('R')],
        GlobalAction::Resume,
        "",
        "start the Myses that ran when the program ended",
    ),
    bind(
        "freeze",
        &[letter('F')],
        GlobalAction::Freeze,
        "",
        "freeze the swarm: pause all calls; again thaws it",
    ),
    bind(
        "take_offer",
        &[letter('W')],
        GlobalAction::TakeLoops,
        "",
        "take the paying loops of all as routines; asks first",
    ),
    bind(
        "undo",
        &[letter('U')],
        GlobalAction::Undo,
        "",
        "undo the last order, if that is possible",
    ),
    bind(
        "dump",
        &[letter('P')],
        GlobalAction::Dump,
        "",
        "write the screen to files, as text and as a picture",
    ),
    bind(
        "mouse",
        &[letter('T')],
        GlobalAction::Mouse,
        "",
        "give the mouse to the terminal, to select text",
    ),
    bind(
        "help",
        &[letter('?'), key(KeyCode::F(1))],
        GlobalAction::Help,
        "",
        "show this help",
    ),
    bind(
        QUIT,
        &[letter('q'), ctrl('c')],
        GlobalAction::Quit,
        "quit",
        "quit; asks while Myses run",
    ),
    bind(
        "suspend",
        &[ctrl('z')],
        GlobalAction::Suspend,
        "",
        "put zoea in the background; `fg` returns",
    ),
    bind(
        "redraw",
        &[ctrl('l')],
        GlobalAction::Redraw,
        "",
        "redraw the screen",
    ),
];

pub const TARGET_KEYS: &[Binding<TargetAction>] = &[
    bind(
        "message",
        &[letter('m')],
        TargetAction::Message,
        "message",
        "write a direct message",
    ),
    bind(
        "start",
        &[letter('r')],
        TargetAction::Start,
        "start",
        "start or relaunch",
    ),
    bind(
        "stop",
        &[letter('s')],
        TargetAction::Stop,
        "stop",
        "stop at once",
    ),
    bind(
        "delete",
        &[letter('d'), key(KeyCode::Delete)],
        TargetAction::Delete,
        "delete",
        "delete with the conversation; asks first",
    ),
    bind(
        "configure",
        &[letter('c')],
        TargetAction::Configure,
        "configure",
        "change provider, model and temperature",
    ),
    bind(
        "note",
        &[letter('a')],
        TargetAction::Note,
        "note",
        "add a lasting note",
    ),
    bind(
        "routine",
        &[letter('w')],
        TargetAction::Routine,
        "",
        "take the loop it repeats; else write its routine",
    ),
    bind(
        "answer",
        &[letter('A')],
        TargetAction::Answer,
        "",
        "answer its server's question",
    ),
    bind(
        "request",
        &[letter('x')],
        TargetAction::Request,
        "",
        "show the exact request that was last sent",
    ),
];
