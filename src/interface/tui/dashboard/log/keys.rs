//! The keys of the log, and of an event that is shown whole.

use crossterm::event::KeyCode;

use crate::dashboard::input_event::{key, letter};
use crate::dashboard::keys::{Binding, bind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogAction {
    Back,
    Whole,
    Turn,
    TurnAll,
    Filter,
    Only,
    Wrap,
    Find,
    NextMatch,
    MatchBefore,
    Copy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeAction {
    Back,
    Open,
    Copy,
}

#[rustfmt::skip]
pub const LOG_KEYS: &[Binding<LogAction>] = &[
    bind("log_back", &[key(KeyCode::Esc), letter('q'), letter('L')], LogAction::Back, "close", "end the search, or close the log"),
    bind("log_open", &[key(KeyCode::Enter), letter('i')], LogAction::Whole, "whole", "show the whole text, its Mysis and the outcome"),
    bind("log_unfold", &[letter(' ')], LogAction::Turn, "unfold", "unfold a group, or fold it"),
    bind("log_filter", &[letter('f')], LogAction::Filter, "only", "show only warnings, errors, orders, notices, states"),
    bind("log_find", &[letter('/')], LogAction::Find, "find", "search for a text"),
    bind("log_only_this", &[letter('o')], LogAction::Only, "only this one", "show the events of this Mysis only, or of all"),
    bind("log_wrap", &[letter('w')], LogAction::Wrap, "wrap", "wrap long lines, or cut them"),
    bind("log_unfold_all", &[letter('z')], LogAction::TurnAll, "", "unfold everything, or fold it"),
    bind("log_next_match", &[letter('n')], LogAction::NextMatch, "", "to the next match"),
    bind("log_previous_match", &[letter('N')], LogAction::MatchBefore, "", "to the previous match, also in older events"),
    bind("log_copy", &[letter('y')], LogAction::Copy, "", "copy the text"),
];

#[rustfmt::skip]
pub const WHOLE_KEYS: &[Binding<WholeAction>] = &[
    bind("event_back", &[key(KeyCode::Esc), letter('q')], WholeAction::Back, "back", "back to the log"),
    bind("event_open", &[key(KeyCode::Enter)], WholeAction::Open, "conversation", "open the conversation, at the row if there is one"),
    bind("event_copy", &[letter('y')], WholeAction::Copy, "copy", "copy the text"),
];
