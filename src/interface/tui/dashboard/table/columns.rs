//! The columns: the one list of what is shown of each Mysis, and which of them fit into the table.
//!
//! An entry is the whole column: the table and its sorting take it from here, and the filter its words.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use actors::domain::event::MysisStatus;
use actors::domain::ids::Timestamp;
use actors::domain::outages::ServerOutages;
use zoea_text::clean::one_line;
use zoea_text::natural::compare_natural;

use super::cells::{self, CellFacts};
use super::levels::{cargo_text, fuel_text};
use super::ranks;
use super::seen_state::SeenState;
use crate::dashboard::facts::Facts;
use crate::dashboard::money::percent;
use crate::dashboard::roster::RosterMember;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::Tone;
use crate::dashboard::text::width;
use crate::dashboard::toolkit::columns::{WidthRequest, share_room};

/// A column of the table. They stand in this order, unless the operator chose another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Column {
    /// The marks for selected, marked, in need and unread.
    #[default]
    Mark,
    Name,
    State,
    Doing,
    Process,
    Place,
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
    Account,
    Role,
    Provider,
    Model,
    Nudges,
    Turns,
    Tokens,
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
    word: &'static str,
    title: &'static str,
    /// The width in a table without much room, the one that it grows to, and the width of the table from which it
    /// is shown unless the operator chose.
    widths: (u16, u16, u16),
    is_figure: bool,
    cell: CellText,
    order: ColumnOrder,
    /// The words by which a filter finds it, if it has any.
    filter: Option<FilterWords>,
}

/// The words of a column for the filter.
type FilterWords = for<'a> fn(&'a MysisStatus, SeenState) -> [Option<&'a str>; 3];
type CellText = fn(&CellFacts<'_>) -> (String, Tone);

#[derive(Clone, Copy)]
pub(super) enum ColumnOrder {
    Compare(fn(&MysisStatus, &MysisStatus) -> Ordering),
    /// By a number, the smallest first, which is made once for each.
    Rank(fn(&MysisStatus, Timestamp, &ServerOutages) -> i64),
}

use ColumnOrder::{Compare, Rank};

const TEXT: bool = false;
const FIGURE: bool = true;

const fn spec(
    (column, word, title): (Column, &'static str, &'static str),
    widths: (u16, u16, u16),
    is_figure: bool,
    cell: CellText,
    order: ColumnOrder,
    filter: Option<FilterWords>,
) -> ColumnSpec {
    ColumnSpec {
        column,
        word,
        title,
        widths,
        is_figure,
        cell,
        order,
        filter,
    }
}

/// All columns, the most important ones first. A column that does not fit is left out, and less
/// important ones may still fit. The words take the remaining space. Where they sort by what may not be known,
/// what is not comes last.
#[rustfmt::skip]
const COLUMNS: [ColumnSpec; 23] = [
    spec((Column::Mark, "need", ""), (3, 3, 0), TEXT,
        |at| cells::attention_mark(at.member), Rank(|of, _, _| ranks::need_rank(of)), None),
    spec((Column::Name, "name", "MYSIS"), (11, 18, 0), TEXT,
        |at| (width::clip_middle(&one_line(&at.status().name), at.width.into()), Tone::Strong), Compare(|a, b| compare_natural(&a.name, &b.name)),
        Some(|of, _| [Some(&of.name), None, None])),
    spec((Column::Doing, "doing", "DOING"), (15, 22, 0), TEXT,
        |at| cells::doing_within(at.status(), at.facts.now, &at.facts.outages, usize::from(at.width)),
        Compare(|a, b| ranks::activity_rank(&a.activity).cmp(&ranks::activity_rank(&b.activity))), None),
    spec((Column::State, "state", "STATE"), (9, 9, 0), TEXT,
        |at| SeenState::of(at.status(), &at.facts.outages).label(), Rank(|of, _, outages| SeenState::of(of, outages) as i64),
        Some(|_, seen| [Some(seen.as_str()), None, None])),
    spec((Column::Process, "process", "PROCESS"), (8, 14, 0), TEXT,
        |at| cells::process_text(at.status()), Compare(|a, b| ranks::process_of(a).cmp(&ranks::process_of(b))), None),
    // The rate of a minute is a line of several tones (`earning`).
    spec((Column::Trend, "trend", "A MINUTE"), (8, 22, 0), TEXT,
        cells::earned_text, Rank(|of, now, _| ranks::trend_rank(of, now)), None),
    spec((Column::Credits, "credits", "CREDITS"), (8, 9, 0), FIGURE,
        cells::credits_text, Compare(|a, b| b.figures.facts.credits.cmp(&a.figures.facts.credits)), None),
    spec((Column::Earned, "earned", "EARNED"), (7, 7, 0), FIGURE,
        cells::earned_text, Rank(|of, now, _| ranks::earned_rank(of, now)), None),
    spec((Column::Place, "place", "PLACE"), (20, 28, 0), TEXT,
        |at| cells::place_text(at.status()), Compare(|a, b| ranks::place_key(a).cmp(&ranks::place_key(b))),
        Some(|of, _| [of.figures.facts.system.as_deref(), of.figures.facts.poi.as_deref(), None])),
    spec((Column::Words, "words", "LAST WORDS"), (22, GOOD_WORDS_COLUMNS, 0), TEXT,
        |at| cells::last_words_text(at.member, at.facts.now, &at.facts.outages), Compare(newest_first),
        Some(|of, _| [of.reason.as_deref(), of.fault.as_ref().map(|fault| &*fault.text), Some(&of.last_words)])),
    // The fullest hold and the emptiest tank first.
    spec((Column::Cargo, "cargo", "CARGO"), (7, 9, 0), FIGURE,
        |at| cargo_text(&at.status().figures.facts, at.width).unwrap_or_else(cells::unknown),
        Compare(|a, b| percent(b.figures.facts.cargo).cmp(&percent(a.figures.facts.cargo))), None),
    spec((Column::Fuel, "fuel", "FUEL"), (4, 4, 0), FIGURE,
        |at| fuel_text(&at.status().figures.facts, at.width).unwrap_or_else(cells::unknown),
        Compare(|a, b| ranks::compare_known(percent(a.figures.facts.fuel), percent(b.figures.facts.fuel))), None),
    spec((Column::Cost, "cost", "COST"), (7, 7, 0), FIGURE,
        |at| (cells::cost_text(at.status(), at.facts.rules.as_deref()), Tone::Dim), Compare(|a, b| b.totals.cost_micros.cmp(&a.totals.cost_micros)), None),
    spec((Column::Account, "account", "ACCOUNT"), (9, 14, 0), TEXT,
        |at| cells::account_text(at.status()), Compare(|a, b| ranks::compare_known(a.account.as_deref(), b.account.as_deref())),
        Some(|of, _| [of.account.as_deref(), None, None])),
    spec((Column::Role, "role", "ROLE"), (7, 10, 0), TEXT,
        |at| cells::role_text(at.status()), Compare(|a, b| ranks::compare_known(a.profile.role.as_deref(), b.profile.role.as_deref())),
        Some(|of, _| [of.profile.role.as_deref(), None, None])),
    spec((Column::Provider, "provider", "PROVIDER"), (8, 10, 0), TEXT,
        |at| (one_line(&at.status().profile.provider), Tone::Dim), Compare(|a, b| a.profile.provider.cmp(&b.profile.provider)),
        Some(|of, _| [Some(&of.profile.provider), None, None])),
    spec((Column::Tokens, "tokens", "TOKENS"), (6, 6, 0), FIGURE,
        |at| (figures::amount(at.status().totals.tokens()), Tone::Dim), Compare(|a, b| b.totals.tokens().cmp(&a.totals.tokens())), None),
    spec((Column::Nudges, "nudges", "NUDGE"), (5, 5, 110), FIGURE,
        cells::nudges, Compare(|a, b| b.nudges.cmp(&a.nudges)), None),
    spec((Column::Model, "model", "MODEL"), (12, 16, 150), TEXT,
        |at| (one_line(&at.status().model), Tone::Dim), Compare(|a, b| a.model.cmp(&b.model)),
        Some(|of, _| [Some(&of.model), None, None])),
    spec((Column::Turns, "turns", "TURNS"), (5, 5, 150), FIGURE,
        |at| (figures::amount(at.status().totals.turns), Tone::Dim), Compare(|a, b| b.totals.turns.cmp(&a.totals.turns)), None),
    spec((Column::Latency, "call", "CALL"), (5, 5, 150), FIGURE,
        |at| (at.status().last_call_ms.map(figures::span).unwrap_or_default(), Tone::Dim),
        Compare(|a, b| b.last_call_ms.cmp(&a.last_call_ms)), None),
    spec((Column::Seen, "seen", "SEEN"), (4, 4, 150), FIGURE,
        |at| (figures::ago(at.facts.now.since(at.status().last_activity_at)), Tone::Dim), Compare(newest_first), None),
    spec((Column::Value, "value", "C/$"), (6, 6, 240), FIGURE, cells::value_text,
        Compare(|a, b| b.figures.value.credits_per_dollar().cmp(&a.figures.value.credits_per_dollar())), None),
];

fn newest_first(a: &MysisStatus, b: &MysisStatus) -> Ordering {
    b.last_activity_at.cmp(&a.last_activity_at)
}

impl Column {
    /// The columns that the operator can name, in the order of the table.
    pub fn all() -> impl Iterator<Item = Column> {
        let columns: BTreeSet<Column> = COLUMNS.iter().map(|spec| spec.column).collect();
        columns.into_iter()
    }

    pub fn parse(word: &str) -> Option<Column> {
        let spec = COLUMNS.iter().find(|spec| spec.word == word);
        spec.map(|spec| spec.column)
    }

    pub fn word(self) -> &'static str {
        self.spec().word
    }

    pub fn title(self) -> &'static str {
        self.spec().title
    }

    /// Whether it holds numbers, which are aligned to the right.
    pub fn is_figure(self) -> bool {
        self.spec().is_figure
    }

    /// Whether only a game tells what it shows.
    pub fn is_of_game(self) -> bool {
        use Column::{Cargo, Credits, Earned, Fuel, Place, Value};
        matches!(self, Place | Credits | Earned | Cargo | Fuel | Value)
    }

    pub(super) fn order(self) -> ColumnOrder {
        self.spec().order
    }

    fn spec(self) -> &'static ColumnSpec {
        let spec = COLUMNS.iter().find(|spec| spec.column == self);
        // A test holds that every column has one.
        spec.unwrap_or(&COLUMNS[0])
    }
}

impl ColumnSpec {
    /// The columns of the screen that it wants in a table of this width with names of at most so many columns, as the
    /// one at this place by importance.
    fn request(&self, (table, names): (u16, u16), place: u16) -> WidthRequest {
        let (width, wide, _) = self.widths;
        let is_short = self.column == Column::Doing && table < MIN_COLUMNS_FOR_WORDS;
        let width = match (is_short, self.column == Column::Name) {
            (true, _) => SHORT_DOING_COLUMNS,
            // Names may differ at their ends only: less important columns give way to them.
            (false, true) => names.clamp(width, wide),
            (false, false) => width,
        };
        let good = [
            (Column::Name, names.max(width)),
            (Column::Words, GOOD_WORDS_COLUMNS),
            (Column::Trend, GOOD_TREND_COLUMNS),
        ];
        let good = good.into_iter().find(|(column, _)| *column == self.column);
        WidthRequest {
            // No gap stands before the mark, and none separates it from the name.
            gap: u16::from(place > 1),
            least: width,
            good: good.map_or(width, |(_, good)| good),
            wide,
        }
    }
}

pub(super) fn filter_words(status: &MysisStatus, seen: SeenState) -> impl Iterator<Item = &str> {
    let words = COLUMNS.iter().filter_map(|spec| spec.filter);
    words.flat_map(move |words| words(status, seen)).flatten()
}

/// These columns, each where it stands first.
pub fn distinct(columns: impl Iterator<Item = Column>) -> Vec<Column> {
    let mut known = Vec::new();
    for column in columns {
        if !known.contains(&column) {
            known.push(column);
        }
    }
    known
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedColumn {
    pub column: Column,
    /// The first column of the screen.
    pub x: u16,
    pub width: u16,
}

impl PlacedColumn {
    pub fn cell(self, facts: &Facts, member: &RosterMember) -> (String, Tone) {
        (self.column.spec().cell)(&CellFacts {
            facts,
            member,
            width: self.width,
        })
    }
}

/// The columns that fit a table of this width with names of at most so many columns, the most important ones, without
/// those that are folded.
pub fn fitting_columns((width, names): (u16, u16), folded: &BTreeSet<Column>) -> Vec<PlacedColumn> {
    let wanted = COLUMNS
        .iter()
        .filter(|spec| width >= spec.widths.2 && !folded.contains(&spec.column));
    let (mut specs, left) = choose((width, names), wanted);
    specs.sort_by_key(|(spec, _)| spec.column);
    place(specs, left)
}

/// The columns that the operator chose, in that order, as far as they fit.
pub fn chosen_columns((width, names): (u16, u16), chosen: &[Column]) -> Vec<PlacedColumn> {
    let mark = [Column::Mark];
    let others = chosen.iter().filter(|column| **column != Column::Mark);
    let wanted = mark.iter().chain(others).map(|column| column.spec());
    let (specs, left) = choose((width, names), wanted);
    place(specs, left)
}

/// The columns of the last words before others get wider than they need.
const GOOD_WORDS_COLUMNS: u16 = 40;
/// A rate with the bars of the last quarter of an hour.
const GOOD_TREND_COLUMNS: u16 = 14;

/// From this width of the table on, every word of DOING is whole; the state needs the room in a smaller one.
const MIN_COLUMNS_FOR_WORDS: u16 = 44;
const SHORT_DOING_COLUMNS: u16 = 13;

type Chosen = Vec<(&'static ColumnSpec, u16)>;

/// Takes the columns that fit, in this order, and shares the room out. Returns them and the columns of
/// the screen that are left. In a very narrow table the first two are cut.
fn choose(
    (width, names): (u16, u16),
    wanted: impl Iterator<Item = &'static ColumnSpec>,
) -> (Chosen, u16) {
    let specs: Vec<&ColumnSpec> = wanted.collect();
    let requests: Vec<WidthRequest> = specs
        .iter()
        .zip(0..)
        .map(|(spec, place)| spec.request((width, names), place))
        .collect();
    let (widths, left) = share_room(width, 2, &requests);
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
mod tests;
