//! The keys of the books.

use crossterm::event::KeyCode;

use crate::dashboard::input_event::{key, letter};
use crate::dashboard::keys::{Binding, bind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BooksAction {
    Back,
    Open,
    Grouping,
    GroupingBefore,
    MoreDays,
    FewerDays,
    Sort,
    Turn,
}

#[rustfmt::skip]
pub const BOOKS_KEYS: &[Binding<BooksAction>] = &[
    bind("books_back", &[key(KeyCode::Esc), letter('q'), letter('$')], BooksAction::Back, "back", "back to the previous view"),
    bind("books_grouping", &[key(KeyCode::Tab), letter(' ')], BooksAction::Grouping, "group", "add up by Mysis, by provider or by day"),
    bind("books_previous_grouping", &[key(KeyCode::BackTab)], BooksAction::GroupingBefore, "", "the same in reverse order"),
    bind("books_more_days", &[key(KeyCode::Left), letter('['), letter('h')], BooksAction::MoreDays, "more days", "go further back: more days"),
    bind("books_fewer_days", &[key(KeyCode::Right), letter(']'), letter('l')], BooksAction::FewerDays, "fewer", "fewer days"),
    bind("books_sort", &[letter('o')], BooksAction::Sort, "sort", "sort by the next column"),
    bind("books_reverse", &[letter('O')], BooksAction::Turn, "", "reverse the order"),
    bind("books_open", &[key(KeyCode::Enter)], BooksAction::Open, "open", "open the conversation of the selected Mysis"),
];
