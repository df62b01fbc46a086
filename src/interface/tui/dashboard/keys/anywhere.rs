//! The keys that work everywhere, and those that act upon the target Myses.

use crate::dashboard::input_event::{ctrl, key, letter};
use crossterm::event::KeyCode;

use super::{Binding, bind};

/// What a key does everywhere, unless a text field or a question takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalAction {
    Broadcast,
    Palette,
    Freeze,
    /// Start the Myses that ran when the program ended.
    Resume,
    TakeLoops,
    Undo,
    Dump,
    Mouse,
    Help,
    Quit,
    Suspend,
    Redraw,
}

/// What a key does with the target Myses: the marked ones, else the one that is selected or open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetAction {
    Message,
    Note,
    Start,
    Stop,
    Delete,
    Configure,
    Routine,
    Answer,
    Request,
}

pub(super) const QUIT: &str = "quit";

/// So many of them come before the keys that open views, in the help and in the hints.
pub const BEFORE_VIEWS: usize = 4;

/// The keys that work everywhere, but for those that open views.
#[rustfmt::skip]
pub const GLOBAL_KEYS: &[Binding<GlobalAction>] = &[
    bind("broadcast", &[letter('b')], GlobalAction::Broadcast, "broadcast", "broadcast a mission to the whole swarm"),
    bind("palette", &[letter(':')], GlobalAction::Palette, "command", "write a command, with completion"),
    bind("resume", &[letter('R')], GlobalAction::Resume, "", "start the Myses that ran when the program ended"),
    bind("freeze", &[letter('F')], GlobalAction::Freeze, "", "freeze the swarm: pause all calls; again thaws it"),
    bind("take_offer", &[letter('W')], GlobalAction::TakeLoops, "", "take the paying loops of all as routines; asks first").without_game(""),
    bind("undo", &[letter('U')], GlobalAction::Undo, "", "undo the last order, if that is possible"),
    bind("dump", &[letter('P')], GlobalAction::Dump, "", "write the screen to files, as text and as a picture"),
    bind("mouse", &[letter('T')], GlobalAction::Mouse, "", "give the mouse to the terminal, to select text"),
    bind("help", &[letter('?'), key(KeyCode::F(1))], GlobalAction::Help, "", "show this help"),
    bind(QUIT, &[letter('q'), ctrl('c')], GlobalAction::Quit, "quit", "quit; asks while Myses run"),
    bind("suspend", &[ctrl('z')], GlobalAction::Suspend, "", "put zoea in the background; `fg` returns"),
    bind("redraw", &[ctrl('l')], GlobalAction::Redraw, "", "redraw the screen"),
];

#[rustfmt::skip]
pub const TARGET_KEYS: &[Binding<TargetAction>] = &[
    bind("message", &[letter('m')], TargetAction::Message, "message", "write a direct message"),
    bind("start", &[letter('r')], TargetAction::Start, "start", "start or relaunch"),
    bind("stop", &[letter('s')], TargetAction::Stop, "stop", "stop at once"),
    bind("delete", &[letter('d'), key(KeyCode::Delete)], TargetAction::Delete, "delete", "delete with the conversation; asks first"),
    bind("configure", &[letter('c')], TargetAction::Configure, "configure", "change provider, model and temperature"),
    bind("note", &[letter('a')], TargetAction::Note, "note", "add a lasting note"),
    bind("routine", &[letter('w')], TargetAction::Routine, "", "take the loop it repeats; else write its routine")
        .without_game("write its routine"),
    bind("answer", &[letter('A')], TargetAction::Answer, "", "answer its server's question"),
    bind("request", &[letter('x')], TargetAction::Request, "", "show the exact request that was last sent"),
];
