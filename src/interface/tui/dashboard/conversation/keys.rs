//! The keys of a conversation.

use crate::dashboard::input_event::{key, letter};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::dashboard::keys::{Binding, bind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FocusAction {
    EntryUp,
    EntryDown,
    Turn,
    TurnAll,
    Reasoning,
    Results,
    Inspect,
    Copy,
    Find,
    NextMatch,
    MatchBefore,
    ErrorBefore,
    NextError,
    OrderBefore,
    NextOrder,
    MinuteBefore,
    NextMinute,
    Panel,
    Previous,
    Next,
    Back,
}

#[rustfmt::skip]
pub const FOCUS_KEYS: &[Binding<FocusAction>] = &[
    bind("conversation_back", &[key(KeyCode::Esc)], FocusAction::Back, "back", "end the search, deselect, dismiss the error, go back"),
    bind("entry_up", &[letter('K'), KeyEvent::new(KeyCode::Up, KeyModifiers::SHIFT)], FocusAction::EntryUp, "entry", "select the previous entry"),
    bind("entry_down", &[letter('J'), KeyEvent::new(KeyCode::Down, KeyModifiers::SHIFT)], FocusAction::EntryDown, "", "select the next entry"),
    bind("inspect", &[key(KeyCode::Enter), letter('i')], FocusAction::Inspect, "inspect", "inspect the selected entry"),
    bind("fold", &[letter(' ')], FocusAction::Turn, "unfold", "show the selected entry whole, or fold it"),
    bind("fold_all", &[letter('z')], FocusAction::TurnAll, "", "show all entries whole, or fold them"),
    bind("thoughts", &[letter('t')], FocusAction::Reasoning, "thoughts", "show all reasoning whole, or fold it"),
    bind("find", &[letter('/')], FocusAction::Find, "find", "search for a text"),
    bind("raw", &[letter('v')], FocusAction::Results, "raw", "show results as the model gets them, or in words"),
    bind("next_match", &[letter('n')], FocusAction::NextMatch, "", "to the next match"),
    bind("previous_match", &[letter('N')], FocusAction::MatchBefore, "", "to the previous match"),
    bind("previous_error", &[letter('e')], FocusAction::ErrorBefore, "error", "to the previous error"),
    bind("next_error", &[letter('E')], FocusAction::NextError, "", "to the next error"),
    bind("previous_order", &[letter('o')], FocusAction::OrderBefore, "", "to the previous order"),
    bind("next_order", &[letter('O')], FocusAction::NextOrder, "", "to the next order"),
    bind("copy", &[letter('y')], FocusAction::Copy, "", "copy the selected entry"),
    bind("minute_before", &[letter('[')], FocusAction::MinuteBefore, "", "to the previous minute in the timeline"),
    bind("next_minute", &[letter(']')], FocusAction::NextMinute, "", "to the next minute in the timeline"),
    bind("panel", &[letter('p')], FocusAction::Panel, "panel", "show or hide the panel at the side"),
    bind("previous_mysis", &[key(KeyCode::Left)], FocusAction::Previous, "", "the previous Mysis"),
    bind("next_mysis", &[key(KeyCode::Right)], FocusAction::Next, "next", "the next Mysis"),
];
