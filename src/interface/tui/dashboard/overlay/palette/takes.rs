//! The types of the arguments of commands.

use crate::dashboard::table::columns::Column;
use crate::dashboard::table::groups::Grouping;
use crate::dashboard::table::seen_state::SeenState;

/// The argument of `:state` that shows all Myses.
pub const ALL_STATES: &str = "all";
/// The argument of `:group` that ends the groups.
pub const NO_GROUPING: &str = "off";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Names of Myses and words for several, separated by commas.
    Myses,
    Mysis,
    Provider,
    /// The name of a role, `none` or `default`.
    Role,
    Word(&'static [&'static str]),
    State,
    /// By what the table is grouped, or `off`.
    Grouping,
    Column,
    /// Columns of the table, separated by commas or blanks, or `auto`.
    Columns,
    /// What nothing completes, by what stands for it.
    Free(&'static str),
    /// The rest of the line.
    Text,
}

impl Takes {
    pub fn placeholder(self, may_be_game: bool) -> String {
        match self {
            Takes::Myses => "NAMES".to_string(),
            Takes::Mysis => "NAME".to_string(),
            Takes::Provider => "PROVIDER".to_string(),
            Takes::Role => "ROLE".to_string(),
            Takes::Word(_) | Takes::State | Takes::Grouping => self.words(may_be_game).join("|"),
            Takes::Column => "COLUMN".to_string(),
            Takes::Columns => "COLUMNS|auto".to_string(),
            Takes::Free(placeholder) => placeholder.to_string(),
            Takes::Text => "TEXT".to_string(),
        }
    }

    /// That a word is not an argument of this type.
    pub fn refuse(self, word: &str, may_be_game: bool) -> String {
        let words = self.words(may_be_game);
        let words = match words.is_empty() {
            true => self.placeholder(may_be_game),
            false => words.join(", "),
        };
        format!("`{word}` is not one of {words}")
    }

    /// The words of which it is one, without those of a game unless the tools may be a game's; empty if it is free.
    pub fn words(self, may_be_game: bool) -> Vec<&'static str> {
        match self {
            Takes::Word(words) => words.to_vec(),
            Takes::State => {
                let states = SeenState::ALL.into_iter().map(SeenState::as_str);
                [ALL_STATES].into_iter().chain(states).collect()
            }
            Takes::Grouping => {
                let known = Grouping::ALL.into_iter();
                let known = known.filter(|it| may_be_game || !it.is_of_game());
                known.map(Grouping::as_str).chain([NO_GROUPING]).collect()
            }
            Takes::Column | Takes::Columns => {
                let known = Column::all().filter(|it| may_be_game || !it.is_of_game());
                known.map(Column::word).collect()
            }
            Takes::Myses
            | Takes::Mysis
            | Takes::Provider
            | Takes::Role
            | Takes::Free(_)
            | Takes::Text => Vec::new(),
        }
    }
}
