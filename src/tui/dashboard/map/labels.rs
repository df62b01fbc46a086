//! Labels: which systems are drawn with what beside them, so that no two cover each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::system_map::{MappedSystem, SystemMap};

use super::ships::{SystemShips, best_earned, tone_of};
use super::viewport::Viewport;
use crate::dashboard::text::tone::Tone;
use crate::dashboard::text::width;

/// The sign of a system with ships.
const SHIPS_SIGN: &str = "●";
/// The sign of a system that was looked at.
const SEEN_SIGN: &str = "○";
/// The sign of a system that was only named.
const NAMED_SIGN: &str = "·";
/// The least columns for which names of systems without ships are drawn, for each of them.
const CELLS_OF_NAME: usize = 60;

/// A system as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// The column in the area.
    pub(super) column: u16,
    /// The row in the area.
    pub(super) row: u16,
    /// The texts, from left to right.
    pub(super) parts: Vec<(String, Tone)>,
    pub(super) is_selected: bool,
}

/// The labels of an area, and how many systems with ships have no room in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Labels {
    pub(super) labels: Vec<Label>,
    pub(super) hidden: usize,
}

/// Places the labels: the selected system first, then those with most ships, then the others.
pub(super) fn place_labels(
    map: &SystemMap,
    ships: &BTreeMap<Arc<str>, SystemShips>,
    selected: Option<usize>,
    viewport: &Viewport,
) -> Labels {
    let best = best_earned(ships);
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
    let cells = usize::from(viewport.area.width) * usize::from(viewport.area.height);
    let has_room = shown.len() * CELLS_OF_NAME <= cells;
    let mut page = Page::new(viewport);
    let mut labels = Labels::default();
    for shown in &shown {
        match shown.place(&mut page, best, has_room) {
            Some(label) => labels.labels.push(label),
            None => labels.hidden += usize::from(shown.ships.is_some()),
        }
    }
    labels
}

/// A system in sight.
struct Shown<'a> {
    system: &'a MappedSystem,
    ships: Option<&'a SystemShips>,
    is_selected: bool,
    cell: (u16, u16),
}

impl Shown<'_> {
    /// The longest form that has room: with the name at the right or the left, or without it.
    fn place(&self, page: &mut Page, best: i64, has_room: bool) -> Option<Label> {
        let (column, row) = self.cell;
        let tone = match (self.ships, self.system.seen_at) {
            (Some(ships), _) => tone_of(ships, best),
            (None, Some(_)) => Tone::Text,
            (None, None) => Tone::Dim,
        };
        let sign = match (self.ships, self.system.seen_at) {
            (Some(_), _) => SHIPS_SIGN,
            (None, Some(_)) => SEEN_SIGN,
            (None, None) => NAMED_SIGN,
        };
        let figure = self.ships.map(SystemShips::figure).unwrap_or_default();
        let name_tone = match (self.is_selected, self.ships) {
            (true, _) => Tone::Strong,
            (false, Some(_)) => Tone::Text,
            (false, None) => Tone::Dim,
        };
        let node = (format!("{sign}{figure}"), tone);
        let name = &self.system.name;
        let at_right = vec![node.clone(), (format!(" {name}"), name_tone)];
        let at_left = vec![(format!("{name} "), name_tone), node.clone()];
        let wants_name = has_room || self.is_selected || self.ships.is_some();
        let left = column.checked_sub(columns_of(&at_left[..1]));
        let forms = [
            wants_name.then_some((column, at_right)),
            left.filter(|_| wants_name).map(|left| (left, at_left)),
            Some((column, vec![node])),
        ];
        let mut forms = forms.into_iter().flatten();
        let free = forms.find(|(from, parts)| page.take(*from, row, columns_of(parts)));
        let (column, parts) = free?;
        Some(Label {
            column,
            row,
            parts,
            is_selected: self.is_selected,
        })
    }
}

fn columns_of(parts: &[(String, Tone)]) -> u16 {
    let columns = parts.iter().map(|(text, _)| width::of(text)).sum::<usize>();
    u16::try_from(columns).unwrap_or(u16::MAX)
}

/// Which cells are taken.
struct Page {
    width: usize,
    is_taken: Vec<bool>,
}

impl Page {
    fn new(viewport: &Viewport) -> Page {
        let width = usize::from(viewport.area.width);
        Page {
            width,
            is_taken: vec![false; width * usize::from(viewport.area.height)],
        }
    }

    /// Takes cells of a row, with one blank behind them, if they are all free.
    fn take(&mut self, column: u16, row: u16, columns: u16) -> bool {
        let (from, columns) = (usize::from(column), usize::from(columns));
        if from + columns > self.width {
            return false;
        }
        let begin = usize::from(row) * self.width + from;
        let Some(cells) = self.is_taken.get_mut(begin..begin + columns) else {
            return false;
        };
        if cells.contains(&true) {
            return false;
        }
        cells.fill(true);
        if from + columns < self.width {
            self.is_taken[begin + columns] = true;
        }
        true
    }
}
