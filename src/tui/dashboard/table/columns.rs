//! The columns of the table, and which of them fit.

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The marks for selected, marked and unread.
    Mark,
    /// Its name.
    Name,
    /// Its state.
    State,
    /// What it is doing.
    Doing,
    /// Its last words, or what went wrong.
    Words,
    /// Its game account.
    Account,
    /// Its provider.
    Provider,
    /// Its model.
    Model,
    /// Nudges that it was given.
    Nudges,
    Turns,
    /// Tokens used.
    Tokens,
    /// The cost of the tokens.
    Cost,
    /// How long its last model call took.
    Latency,
    /// The time of its last activity.
    Seen,
}

impl Column {
    /// The title of the column.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Column::Mark => "",
            Column::Name => "MYSIS",
            Column::State => "STATE",
            Column::Doing => "DOING",
            Column::Words => "LAST WORDS",
            Column::Account => "ACCOUNT",
            Column::Provider => "PROVIDER",
            Column::Model => "MODEL",
            Column::Nudges => "NUDGE",
            Column::Turns => "TURNS",
            Column::Tokens => "TOKENS",
            Column::Cost => "COST",
            Column::Latency => "CALL",
            Column::Seen => "SEEN",
        }
    }

    /// Whether it holds numbers, which are aligned to the right.
    #[must_use]
    pub fn is_figure(self) -> bool {
        match self {
            Column::Nudges
            | Column::Turns
            | Column::Tokens
            | Column::Cost
            | Column::Latency
            | Column::Seen => true,
            Column::Mark
            | Column::Name
            | Column::State
            | Column::Doing
            | Column::Words
            | Column::Account
            | Column::Provider
            | Column::Model => false,
        }
    }
}

/// A column with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedColumn {
    pub column: Column,
    /// The first column of the screen.
    pub x: u16,
    /// The width in columns.
    pub width: u16,
}

const COLUMNS_AT_80: &[(Column, u16)] = &[
    (Column::Mark, 3),
    (Column::Name, 11),
    (Column::State, 9),
    (Column::Doing, 13),
    (Column::Words, 0),
    (Column::Account, 9),
    (Column::Provider, 8),
];

const COLUMNS_AT_110: &[(Column, u16)] = &[
    (Column::Mark, 3),
    (Column::Name, 14),
    (Column::State, 9),
    (Column::Doing, 17),
    (Column::Words, 0),
    (Column::Account, 12),
    (Column::Provider, 10),
    (Column::Nudges, 5),
    (Column::Tokens, 6),
];

const COLUMNS_AT_150: &[(Column, u16)] = &[
    (Column::Mark, 3),
    (Column::Name, 18),
    (Column::State, 9),
    (Column::Doing, 22),
    (Column::Words, 0),
    (Column::Account, 14),
    (Column::Provider, 10),
    (Column::Model, 16),
    (Column::Nudges, 5),
    (Column::Turns, 5),
    (Column::Tokens, 6),
    (Column::Cost, 7),
    (Column::Latency, 5),
    (Column::Seen, 4),
];

/// The columns that fit this width. The words take the remaining space.
#[must_use]
pub fn columns(width: u16) -> Vec<PlacedColumn> {
    let chosen = match width {
        150.. => COLUMNS_AT_150,
        110..150 => COLUMNS_AT_110,
        _ => COLUMNS_AT_80,
    };
    let gaps = u16::try_from(chosen.len().saturating_sub(2)).unwrap_or(0);
    let fixed: u16 = chosen.iter().map(|(_, width)| width).sum();
    let words = width.saturating_sub(fixed + gaps);
    let mut x = 0;
    let mut placed = Vec::with_capacity(chosen.len());
    for (column, fixed) in chosen {
        let wide = if *fixed == 0 { words } else { *fixed };
        let wide = wide.min(width.saturating_sub(x));
        placed.push(PlacedColumn {
            column: *column,
            x: x.min(width),
            width: wide,
        });
        // No gap separates the mark from the name.
        x += wide + u16::from(*column != Column::Mark);
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fill_every_width_and_never_more() {
        for width in 0..400 {
            let placed = columns(width);
            let end = placed.iter().map(|column| column.x + column.width).max();
            assert!(end <= Some(width.max(1)), "{width}: {placed:?}");
            if width >= 80 {
                assert_eq!(end, Some(width));
            }
        }
    }
}
