//! The types of the arguments of commands.

use crate::dashboard::table::columns::Column;
use crate::dashboard::table::seen_state::SeenState;

/// The argument of `:state` that shows all Myses.
pub const ALL_STATES: &str = "all";

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Names of Myses and words for several, separated by commas.
    Myses,
    Mysis,
    /// A name that nobody has yet.
    NewName,
    Provider,
    /// The name of a role, `none` or `default`.
    Role,
    Word(&'static [&'static str]),
    State,
    /// A column of the table.
    Column,
    /// Columns of the table, separated by commas or blanks, or `auto`.
    Columns,
    Model,
    Number,
    /// US dollars or tokens.
    Amount,
    /// The rest of the line.
    Text,
}

impl Takes {
    /// The placeholder in the help text.
    #[must_use]
    pub fn placeholder(self) -> String {
        match self {
            Takes::Myses => "NAMES".to_string(),
            Takes::Mysis | Takes::NewName => "NAME".to_string(),
            Takes::Provider => "PROVIDER".to_string(),
            Takes::Role => "ROLE".to_string(),
            Takes::Word(words) => words.join("|"),
            Takes::State => state_words().join("|"),
            Takes::Column => "COLUMN".to_string(),
            Takes::Columns => "COLUMNS|auto".to_string(),
            Takes::Model => "MODEL".to_string(),
            Takes::Number => "NUMBER".to_string(),
            Takes::Amount => "DOLLARS|TOKENS tokens".to_string(),
            Takes::Text => "TEXT".to_string(),
        }
    }

    /// That a word is not an argument of this type.
    #[must_use]
    pub fn refuse(self, word: &str) -> String {
        let words = match self {
            Takes::Word(words) => words.join(", "),
            Takes::State => state_words().join(", "),
            Takes::Column | Takes::Columns => Column::all()
                .map(Column::word)
                .collect::<Vec<_>>()
                .join(", "),
            Takes::Myses
            | Takes::Mysis
            | Takes::NewName
            | Takes::Provider
            | Takes::Role
            | Takes::Model
            | Takes::Number
            | Takes::Amount
            | Takes::Text => self.placeholder(),
        };
        format!("`{word}` is not one of {words}")
    }
}

/// The arguments of `:state`.
#[must_use]
pub fn state_words() -> Vec<&'static str> {
    let states = SeenState::ALL.into_iter().map(SeenState::as_str);
    [ALL_STATES].into_iter().chain(states).collect()
}
