//! The columns of the table, and which of them fit.

use std::collections::BTreeSet;

use crate::dashboard::toolkit::columns::{Wish, share_room};

/// A column of the table. They stand in this order, unless the operator chose another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Column {
    /// The marks for selected, marked, in need and unread.
    Mark,
    /// Its name.
    Name,
    /// Its state.
    State,
    /// What it is doing.
    Doing,
    /// The process of the fleet that runs it.
    Process,
    /// Where it is in the game.
    Place,
    /// The credits that it has.
    Credits,
    /// The credits that it earned in its last hour.
    Earned,
    /// What it earns a minute, and the last minutes as bars.
    Trend,
    /// Its hold: used and in all.
    Cargo,
    /// Its fuel in percent.
    Fuel,
    /// Its last words, or what went wrong.
    Words,
    /// Its game account.
    Account,
    /// Its role.
    Role,
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
    /// The credits that it earned for a US dollar, since its actor began.
    Value,
    /// How long its last model call took.
    Latency,
    /// The time of its last activity.
    Seen,
}

/// The fixed facts of a column.
struct ColumnSpec {
    column: Column,
    /// The operator's word for it.
    word: &'static str,
    title: &'static str,
    /// The width in a table without much room.
    width: u16,
    /// The width that it grows to.
    wide: u16,
    /// The width of the table from which it is shown unless the operator chose.
    from: u16,
    is_figure: bool,
}

const fn spec(
    column: Column,
    word: &'static str,
    title: &'static str,
    (width, wide, from): (u16, u16, u16),
    is_figure: bool,
) -> ColumnSpec {
    ColumnSpec {
        column,
        word,
        title,
        width,
        wide,
        from,
        is_figure,
    }
}

/// All columns, the most important ones first. A column that does not fit is left out, and less
/// important ones may still fit. The words take the remaining space.
const COLUMNS: [ColumnSpec; 23] = [
    spec(Column::Mark, "need", "", (3, 3, 0), false),
    spec(Column::Name, "name", "MYSIS", (11, 18, 0), false),
    spec(Column::Doing, "doing", "DOING", (13, 22, 0), false),
    spec(Column::State, "state", "STATE", (9, 9, 0), false),
    spec(Column::Process, "process", "PROCESS", (8, 14, 0), false),
    spec(Column::Trend, "trend", "A MINUTE", (8, 22, 0), false),
    spec(Column::Credits, "credits", "CREDITS", (8, 9, 0), true),
    spec(Column::Earned, "earned", "EARNED", (7, 7, 0), true),
    spec(Column::Place, "place", "PLACE", (20, 28, 0), false),
    spec(Column::Words, "words", "LAST WORDS", (22, 400, 0), false),
    spec(Column::Cargo, "cargo", "CARGO", (7, 9, 0), true),
    spec(Column::Fuel, "fuel", "FUEL", (4, 4, 0), true),
    spec(Column::Cost, "cost", "COST", (7, 7, 0), true),
    spec(Column::Account, "account", "ACCOUNT", (9, 14, 0), false),
    spec(Column::Role, "role", "ROLE", (7, 10, 0), false),
    spec(Column::Provider, "provider", "PROVIDER", (8, 10, 0), false),
    spec(Column::Tokens, "tokens", "TOKENS", (6, 6, 0), true),
    spec(Column::Nudges, "nudges", "NUDGE", (5, 5, 110), true),
    spec(Column::Model, "model", "MODEL", (12, 16, 150), false),
    spec(Column::Turns, "turns", "TURNS", (5, 5, 150), true),
    spec(Column::Latency, "call", "CALL", (5, 5, 150), true),
    spec(Column::Seen, "seen", "SEEN", (4, 4, 150), true),
    spec(Column::Value, "value", "C/$", (6, 6, 240), true),
];

impl Column {
    /// The columns that the operator can name, in the order of the table.
    pub fn all() -> impl Iterator<Item = Column> {
        let columns: BTreeSet<Column> = COLUMNS.iter().map(|spec| spec.column).collect();
        columns.into_iter()
    }

    /// The column of the operator's word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Column> {
        let spec = COLUMNS.iter().find(|spec| spec.word == word);
        spec.map(|spec| spec.column)
    }

    /// The operator's word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.spec().word
    }

    /// The title of the column.
    #[must_use]
    pub fn title(self) -> &'static str {
        self.spec().title
    }

    /// Whether it holds numbers, which are aligned to the right.
    #[must_use]
    pub fn is_figure(self) -> bool {
        self.spec().is_figure
    }

    fn spec(self) -> &'static ColumnSpec {
        let spec = COLUMNS.iter().find(|spec| spec.column == self);
        // A test holds that every column has one.
        spec.unwrap_or(&COLUMNS[0])
    }
}

impl ColumnSpec {
    /// The columns of the screen that it wants as the one at this place by importance.
    fn wish(&self, place: u16) -> Wish {
        let good = [
            (Column::Words, GOOD_WORDS_COLUMNS),
            (Column::Trend, GOOD_TREND_COLUMNS),
        ];
        let good = good.into_iter().find(|(column, _)| *column == self.column);
        let good = good.map_or(self.width, |(_, good)| good);
        Wish {
            // No gap stands before the mark, and none separates it from the name.
            gap: u16::from(place > 1),
            least: self.width,
            good,
            wide: match self.column == Column::Words {
                true => GOOD_WORDS_COLUMNS,
                false => self.wide,
            },
        }
    }
}

/// These columns, each where it stands first.
#[must_use]
pub fn distinct(columns: impl Iterator<Item = Column>) -> Vec<Column> {
    let mut known = Vec::new();
    for column in columns {
        if !known.contains(&column) {
            known.push(column);
        }
    }
    known
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

/// The columns that fit this width, the most important ones, without those that are folded.
#[must_use]
pub fn fitting_columns(width: u16, folded: &BTreeSet<Column>) -> Vec<PlacedColumn> {
    let wanted = COLUMNS
        .iter()
        .filter(|spec| width >= spec.from && !folded.contains(&spec.column));
    let (mut specs, left) = choose(width, wanted);
    specs.sort_by_key(|(spec, _)| spec.column);
    place(specs, left)
}

/// The columns that the operator chose, in that order, as far as they fit.
#[must_use]
pub fn chosen_columns(width: u16, chosen: &[Column]) -> Vec<PlacedColumn> {
    let mark = [Column::Mark];
    let others = chosen.iter().filter(|column| **column != Column::Mark);
    let wanted = mark.iter().chain(others).map(|column| column.spec());
    let (specs, left) = choose(width, wanted);
    place(specs, left)
}

/// The columns of the last words before others get wider: a sentence is of more use than the end of a
/// name.
const GOOD_WORDS_COLUMNS: u16 = 40;
/// A rate with the bars of the last quarter of an hour.
const GOOD_TREND_COLUMNS: u16 = 14;

type Chosen = Vec<(&'static ColumnSpec, u16)>;

/// Takes the columns that fit, in this order, and shares the room out. Returns them and the columns of
/// the screen that are left. In a very narrow table the first two are cut.
fn choose(width: u16, wanted: impl Iterator<Item = &'static ColumnSpec>) -> (Chosen, u16) {
    let specs: Vec<&ColumnSpec> = wanted.collect();
    let wishes: Vec<Wish> = specs
        .iter()
        .zip(0..)
        .map(|(spec, place)| spec.wish(place))
        .collect();
    let (widths, left) = share_room(width, 2, &wishes);
    let chosen = specs.into_iter().zip(widths);
    let chosen = chosen.filter_map(|(spec, width)| Some((spec, width?)));
    (chosen.collect(), left)
}

/// Places columns side by side. The rest of the room goes to the words, else to the last text.
fn place(mut specs: Chosen, left: u16) -> Vec<PlacedColumn> {
    let words = specs
        .iter()
        .position(|(spec, _)| spec.column == Column::Words);
    let last_text = specs.iter().rposition(|(spec, _)| !spec.is_figure);
    if let Some(flexible) = words.or(last_text) {
        specs[flexible].1 += left;
    }
    let mut x = 0;
    let mut placed = Vec::with_capacity(specs.len());
    for (spec, width) in specs {
        let column = spec.column;
        placed.push(PlacedColumn { column, x, width });
        x += width + u16::from(column != Column::Mark);
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_one_word_and_one_place() {
        let all: Vec<Column> = Column::all().collect();
        assert_eq!(all.len(), COLUMNS.len());
        for column in all {
            assert_eq!(Column::parse(column.word()), Some(column));
            assert_eq!(column.spec().column, column);
        }
    }

    #[test]
    fn columns_fill_every_width_and_never_more() {
        let all: Vec<Column> = Column::all().collect();
        let folded = BTreeSet::from([Column::Words, Column::Provider]);
        for width in 0..400 {
            for placed in [
                fitting_columns(width, &BTreeSet::new()),
                fitting_columns(width, &folded),
                chosen_columns(width, &all),
                chosen_columns(width, &[Column::Tokens, Column::Name]),
            ] {
                let end = placed.iter().map(|column| column.x + column.width).max();
                let end = end.unwrap_or(0);
                assert!(end <= width, "{width}: {placed:?}");
                let has_text = placed.iter().any(|one| one.column > Column::Mark);
                if width >= 40 && has_text {
                    assert_eq!(end, width, "{placed:?}");
                }
                let overlaps = placed
                    .windows(2)
                    .any(|two| two[0].x + two[0].width > two[1].x);
                assert!(!overlaps, "{width}: {placed:?}");
            }
        }
    }

    #[test]
    fn columns_that_the_operator_chose_stand_in_that_order() {
        let chosen = [Column::Tokens, Column::Name, Column::State];
        let placed = chosen_columns(60, &chosen);
        let shown: Vec<Column> = placed.iter().map(|placed| placed.column).collect();
        assert_eq!(
            shown,
            [Column::Mark, Column::Tokens, Column::Name, Column::State]
        );
    }
}
