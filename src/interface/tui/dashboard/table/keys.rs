//! The keys of the table.

use crate::dashboard::input_event::{ctrl, key, letter};
use crossterm::event::KeyCode;

use super::filter::FILTER_KEY_HELP;
use crate::dashboard::keys::{Binding, bind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableAction {
    Open,
    New,
    Filter,
    State,
    Sort,
    Turn,
    Group,
    FoldAll,
    Mark,
    MarkRange,
    MarkAll,
    NextNeed,
    MarkAlike,
    TryNow,
    /// Type how much the swarm may spend today.
    RaiseBudget,
    Back,
}

#[rustfmt::skip]
pub const TABLE_KEYS: &[Binding<TableAction>] = &[
    bind("open", &[key(KeyCode::Enter), key(KeyCode::Right)], TableAction::Open, "open", "open the conversation; of a group: fold it"),
    bind("new", &[letter('n')], TableAction::New, "new", "create a Mysis"),
    bind("filter", &[letter('/')], TableAction::Filter, "filter", FILTER_KEY_HELP),
    bind("next_state", &[letter('f')], TableAction::State, "", "show only the next state"),
    bind("mark", &[letter(' ')], TableAction::Mark, "mark", "mark for an order to several"),
    bind("mark_range", &[letter('V')], TableAction::MarkRange, "", "mark from the last mark to here"),
    bind("mark_all", &[letter('*'), ctrl('a')], TableAction::MarkAll, "", "mark all shown, or none"),
    bind("sort", &[letter('o')], TableAction::Sort, "sort", "sort by the next column"),
    bind("sort_reversed", &[letter('O')], TableAction::Turn, "", "reverse the order"),
    bind("group", &[letter('G')], TableAction::Group, "", "group by place, role, model, state; with sums")
        .without_game("group by role, model, state; with sums"),
    bind("fold_groups", &[letter('z')], TableAction::FoldAll, "", "fold all groups, or unfold them"),
    bind("next_need", &[letter('!')], TableAction::NextNeed, "", "to the next Mysis that needs you"),
    bind("mark_alike", &[letter('=')], TableAction::MarkAlike, "", "mark all with the same trouble"),
    bind("try_now", &[letter('t')], TableAction::TryNow, "", "try the server it waits for now"),
    bind("raise_budget", &[letter('+')], TableAction::RaiseBudget, "", "raise today's spending cap"),
    bind("table_back", &[key(KeyCode::Esc)], TableAction::Back, "", "dismiss the error, drop marks, show all"),
];
