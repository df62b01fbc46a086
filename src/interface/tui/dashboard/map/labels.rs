//! Labels: which systems are drawn with what beside them, so that no two cover each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::system_map::{MappedSystem, SystemMap};

use super::ships::{SystemShips, best_earned, tone_of};
use super::viewport::Viewport;
use crate::dashboard::text::tone::Tone;
use crate::dashboard::text::width;

const SHIPS_SIGN: &str = "●";
/// The sign of a system that was looked at.
const SEEN_SIGN: &str = "○";
/// The sign of a system that was only named.
const NAMED_SIGN: &str = "·";
/// The least columns for which names of systems without ships are drawn, for each of them.
const CELLS_OF_NAME: usize = 60;

/// A piece of text on the map: the sign of a system, or its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// The column in the area.
    pub(super) column: u16,
    pub(super) row: u16,
    pub(super) text: String,
    pub(super) tone: Tone,
    pub(super) is_selected: bool,
}

/// The labels of an area, and how many systems with ships have no room in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Labels {
    pub(super) labels: Vec<Label>,
    pub(super) hidden: usize,
}

/// Places the labels: first the selected system, then the signs of those with ships, most ships first, then their names,
/// then the other systems.
pub(super) fn place_labels(
    map: &SystemMap,
    ships: &BTreeMap<Arc<str>, SystemShips>,
    selected: Option<usize>,
    viewport: &Viewport,
) -> Labels {
    let mut shown: Vec<Shown<'_>> = map
        .systems
        .iter()
        .enumerate()
        .filter_map(|(place, system)| {
            Some(Shown {
                system,
                ships: ships.get(&system.id),
                is_selected: Some(place) == selected,
                cell: viewport.cell(system.position)?,
            })
        })
        .collect();
    shown.sort_by_key(|shown| {
        let count = shown.ships.map_or(0, |ships| ships.myses.len());
        (!shown.is_selected, std::cmp::Reverse(count))
    });
    let mut page = Page::new(viewport, best_earned(ships));
    let cells = page.is_taken.len();
    let has_room = shown.len() * CELLS_OF_NAME <= cells;
    let begin = usize::from(shown.first().is_some_and(|shown| shown.is_selected));
    let with_ships = shown.partition_point(|shown| shown.is_selected || shown.ships.is_some());
    for (part, has_names) in [
        (&shown[..begin], true),
        (&shown[begin..with_ships], true),
        (&shown[with_ships..], has_room),
    ] {
        let placed: Vec<&Shown<'_>> = part.iter().filter(|shown| page.place_sign(shown)).collect();
        placed
            .into_iter()
            .filter(|_| has_names)
            .for_each(|shown| page.place_name(shown));
    }
    page.labels
}

struct Shown<'a> {
    system: &'a MappedSystem,
    ships: Option<&'a SystemShips>,
    is_selected: bool,
    cell: (u16, u16),
}

impl Shown<'_> {
    fn sign(&self) -> String {
        match (self.ships, self.system.seen_at) {
            (Some(ships), _) => format!("{SHIPS_SIGN}{}", ships.figure),
            (None, Some(_)) => SEEN_SIGN.to_string(),
            (None, None) => NAMED_SIGN.to_string(),
        }
    }
}

/// Which cells are taken, and what was placed so far.
struct Page {
    width: usize,
    is_taken: Vec<bool>,
    /// The most that one ship of a system earns.
    best: i64,
    labels: Labels,
}

impl Page {
    fn new(viewport: &Viewport, best: i64) -> Page {
        let width = usize::from(viewport.area.width);
        Page {
            width,
            is_taken: vec![false; width * usize::from(viewport.area.height)],
            best,
            labels: Labels::default(),
        }
    }

    /// Places the sign of a system. Returns whether there was room.
    fn place_sign(&mut self, shown: &Shown<'_>) -> bool {
        let (column, row) = shown.cell;
        let tone = match (shown.ships, shown.system.seen_at) {
            (Some(ships), _) => tone_of(ships, self.best),
            (None, Some(_)) => Tone::Text,
            (None, None) => Tone::Dim,
        };
        let text = shown.sign();
        let columns = columns_of(&text);
        if !self.is_free((column, row), columns) {
            self.labels.hidden += usize::from(shown.ships.is_some());
            return false;
        }
        self.add(shown, column, text, tone);
        true
    }

    /// Places the name of a system at the right of its sign or at the left, if there is room.
    fn place_name(&mut self, shown: &Shown<'_>) {
        let (column, row) = shown.cell;
        let name = &shown.system.name;
        let tone = match (shown.is_selected, shown.ships) {
            (true, _) => Tone::Strong,
            (false, Some(_)) => Tone::Text,
            (false, None) => Tone::Dim,
        };
        let columns = columns_of(name).saturating_add(1);
        let right = column.saturating_add(columns_of(&shown.sign()));
        let left = column.checked_sub(columns);
        // A blank stays between a name and what is beside it.
        let is_last = usize::from(right) + usize::from(columns) == self.width;
        let has_right = self.is_free((right, row), columns + u16::from(!is_last));
        let before = left.map(|left| (left.saturating_sub(1), columns + u16::from(left > 0)));
        let has_left = before.is_some_and(|(from, columns)| self.is_free((from, row), columns));
        let (column, text) = match (has_right, left.filter(|_| has_left)) {
            (true, _) => (right, format!(" {name}")),
            (false, Some(left)) => (left, format!("{name} ")),
            (false, None) => return,
        };
        self.add(shown, column, text, tone);
    }

    /// The cells of a row from one on; `None` if they reach beyond it.
    fn cells(&mut self, (column, row): (u16, u16), columns: u16) -> Option<&mut [bool]> {
        let (from, columns) = (usize::from(column), usize::from(columns));
        if from + columns > self.width {
            return None;
        }
        let begin = usize::from(row) * self.width + from;
        self.is_taken.get_mut(begin..begin + columns)
    }

    fn is_free(&mut self, cell: (u16, u16), columns: u16) -> bool {
        self.cells(cell, columns)
            .is_some_and(|cells| !cells.contains(&true))
    }

    fn add(&mut self, shown: &Shown<'_>, column: u16, text: String, tone: Tone) {
        let (_, row) = shown.cell;
        if let Some(cells) = self.cells((column, row), columns_of(&text)) {
            cells.fill(true);
        }
        self.labels.labels.push(Label {
            column,
            row,
            text,
            tone,
            is_selected: shown.is_selected,
        });
    }
}

fn columns_of(text: &str) -> u16 {
    u16::try_from(width::of(text)).unwrap_or(u16::MAX)
}
