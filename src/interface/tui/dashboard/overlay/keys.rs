//! The keys of the inspector.

use crate::dashboard::input_event::{key, letter};
use crossterm::event::KeyCode;

use crate::dashboard::keys::{Binding, bind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InspectorAction {
    Turn,
    Open,
    Close,
    TurnAll,
    Raw,
    Find,
    NextMatch,
    MatchBefore,
    Copy,
    CopyAll,
    Write,
    Back,
}

#[rustfmt::skip]
pub const INSPECTOR_KEYS: &[Binding<InspectorAction>] = &[
    bind("node_back", &[key(KeyCode::Esc), letter('q')], InspectorAction::Back, "back", "back to the conversation"),
    bind("node_fold", &[key(KeyCode::Enter), letter(' ')], InspectorAction::Turn, "fold", "open or close"),
    bind("node_open", &[key(KeyCode::Right), letter('l')], InspectorAction::Open, "", "open, or go inside"),
    bind("node_close", &[key(KeyCode::Left), letter('h')], InspectorAction::Close, "", "close, or go outside"),
    bind("node_fold_all", &[letter('z')], InspectorAction::TurnAll, "fold all", "open or close everything"),
    bind("node_raw", &[letter('v')], InspectorAction::Raw, "raw", "show it as it was sent or received, or in words"),
    bind("node_find", &[letter('/')], InspectorAction::Find, "find", "search for a text"),
    bind("node_next_match", &[letter('n')], InspectorAction::NextMatch, "next", "to the next match"),
    bind("node_previous_match", &[letter('N')], InspectorAction::MatchBefore, "", "to the previous match"),
    bind("node_copy", &[letter('y')], InspectorAction::Copy, "copy", "copy what is selected"),
    bind("node_copy_all", &[letter('Y')], InspectorAction::CopyAll, "copy all", "copy everything"),
    bind("node_write", &[letter('w')], InspectorAction::Write, "write", "write everything to a file"),
];
