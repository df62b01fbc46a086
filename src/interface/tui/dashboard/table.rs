//! The table of Myses: which are shown, in which order, which are selected and marked.

pub mod cells;
pub mod columns;
pub mod filter;
pub mod folding;
pub mod keys;
pub mod levels;
pub mod seen_state;
pub mod sorting;

pub(crate) mod detail_pane;
pub(crate) mod view;

mod actions;
mod lanes;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::{Moment, MysisId, Now, Timestamp};
use actors::domain::outages::ServerOutages;

use super::roster::Roster;
use columns::{Column, PlacedColumn};
use filter::Filter;
use sorting::Sorting;

/// The least time between two changes of the order. A table that reorders more often cannot be
/// read.
const REORDER_INTERVAL: Duration = Duration::from_secs(1);
/// For how long after a key nothing changes its place by itself: a row must not slip away from under the key.
const STILL_AFTER_KEY: Duration = Duration::from_secs(5);

/// The table.
#[derive(Clone, Debug, Default)]
pub struct MysisTable {
    order: Arc<Vec<MysisId>>,
    selected: Option<MysisId>,
    /// The index of the selected Mysis. When it disappears, its neighbour there is selected.
    place: usize,
    top: usize,
    rows: usize,
    filter: Filter,
    sorting: Sorting,
    /// The columns that the operator chose; `None`: those that fit.
    chosen: Option<Arc<[Column]>>,
    /// The columns that are left out because they say the same of every Mysis of the swarm, shown or not.
    folded: Arc<BTreeSet<Column>>,
    marks: Arc<BTreeSet<MysisId>>,
    /// The Mysis where a range of marks begins.
    anchor: Option<MysisId>,
    staleness: Staleness,
    ordered_at: Moment,
    /// When a key was pressed last.
    pressed_at: Option<Moment>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Staleness {
    #[default]
    None,
    /// A status changed.
    Figures,
    /// Myses came or went, or the filter or the sorting changed.
    Order,
}

impl MysisTable {
    /// The shown Myses, in order.
    #[must_use]
    pub fn order(&self) -> &[MysisId] {
        &self.order
    }

    /// The Mysis that keys act upon.
    #[must_use]
    pub fn selected(&self) -> Option<MysisId> {
        self.selected
    }

    /// The index of the first visible Mysis, and the visible Myses.
    #[must_use]
    pub fn visible_rows(&self) -> (usize, &[MysisId]) {
        let end = (self.top + self.rows).min(self.order.len());
        (self.top, &self.order[self.top.min(end)..end])
    }

    /// The number of rows on screen.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    #[must_use]
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    #[must_use]
    pub fn sorting(&self) -> Sorting {
        self.sorting
    }

    /// The columns that the operator chose; `None`: those that fit.
    #[must_use]
    pub fn chosen_columns(&self) -> Option<&[Column]> {
        self.chosen.as_deref()
    }

    /// Shows these columns, or those that fit.
    pub fn choose_columns(&mut self, chosen: Option<Vec<Column>>) {
        self.chosen = chosen.map(Into::into);
    }

    /// The columns in a table of this width.
    #[must_use]
    pub fn columns(&self, width: u16) -> Vec<PlacedColumn> {
        match &self.chosen {
            Some(chosen) => columns::chosen_columns(width, chosen),
            None => columns::fitting_columns(width, &self.folded),
        }
    }

    /// The marked Myses.
    #[must_use]
    pub fn marks(&self) -> &BTreeSet<MysisId> {
        &self.marks
    }

    /// Notes that a status changed.
    pub fn invalidate_figures(&mut self) {
        self.staleness = self.staleness.max(Staleness::Figures);
    }

    /// Notes that Myses came or went.
    pub fn invalidate(&mut self) {
        self.staleness = Staleness::Order;
    }

    /// Changes the filter.
    pub fn change_filter(&mut self, change: impl FnOnce(&mut Filter)) {
        change(&mut self.filter);
        self.invalidate();
    }

    /// Changes the sorting.
    pub fn sort(&mut self, sorting: Sorting) {
        self.sorting = sorting;
        self.invalidate();
    }

    /// Notes that a key was pressed: for a while nothing changes its place by itself.
    pub fn hold_still(&mut self, now: Moment) {
        self.pressed_at = Some(now);
    }

    /// Sets the number of rows on screen.
    pub fn resize(&mut self, rows: usize) {
        self.rows = rows;
    }

    /// Brings the order up to date and keeps the selection.
    pub fn settle(&mut self, roster: &Roster, outages: &ServerOutages, now: Now) {
        let is_due = match self.staleness {
            Staleness::None => false,
            Staleness::Figures => {
                let is_still = |at| now.moment.since(at) < STILL_AFTER_KEY;
                let is_old = now.moment.since(self.ordered_at) >= REORDER_INTERVAL;
                is_old && !self.pressed_at.is_some_and(is_still)
            }
            Staleness::Order => true,
        };
        if is_due {
            self.put_in_order(roster, outages, now.wall);
            self.ordered_at = now.moment;
            self.staleness = Staleness::None;
        }
        let known = self
            .selected
            .and_then(|id| self.order.iter().position(|other| *other == id));
        self.place = known
            .unwrap_or(self.place)
            .min(self.order.len().saturating_sub(1));
        self.selected = self.order.get(self.place).copied();
        self.scroll_to_selected();
    }

    fn put_in_order(&mut self, roster: &Roster, outages: &ServerOutages, now: Timestamp) {
        let all = roster.members().values().map(|member| &member.status);
        let shown = all
            .clone()
            .filter(|status| self.filter.shows(status, outages));
        let mut ranked: Vec<_> = shown
            .map(|status| (self.sorting.rank(status, now, outages), status))
            .collect();
        ranked.sort_by(|(a_rank, a), (b_rank, b)| {
            self.sorting.compare_ranked((*a_rank, a), (*b_rank, b))
        });
        let shown: Vec<_> = ranked.into_iter().map(|(_, status)| status).collect();
        let folded = folding::folded_columns(all.map(|status| &**status), outages);
        if *self.folded != folded {
            self.folded = Arc::new(folded);
        }
        self.order = Arc::new(shown.into_iter().map(|status| status.id).collect());
        if self.marks.iter().any(|id| roster.get(*id).is_none()) {
            Arc::make_mut(&mut self.marks).retain(|id| roster.get(*id).is_some());
        }
    }

    /// Moves the selection by this many rows.
    pub fn step(&mut self, by: isize) {
        self.go_to(self.place.saturating_add_signed(by));
    }

    /// Selects the Mysis at an index, or the last one.
    pub fn go_to(&mut self, place: usize) {
        self.place = place.min(self.order.len().saturating_sub(1));
        self.selected = self.order.get(self.place).copied();
        self.scroll_to_selected();
    }

    /// Selects a Mysis.
    pub fn select(&mut self, id: MysisId) {
        self.selected = Some(id);
        if let Some(place) = self.order.iter().position(|other| *other == id) {
            self.go_to(place);
        }
    }

    /// Marks or unmarks the selected Mysis and selects the next one.
    pub fn toggle_mark(&mut self) {
        let Some(id) = self.selected else {
            return;
        };
        let marks = Arc::make_mut(&mut self.marks);
        if !marks.remove(&id) {
            marks.insert(id);
        }
        self.anchor = Some(id);
        self.step(1);
    }

    /// Marks all Myses from the last marked one to the selected one.
    pub fn mark_range(&mut self) {
        let anchor = self
            .anchor
            .and_then(|id| self.order.iter().position(|other| *other == id))
            .unwrap_or(self.place);
        let (from, to) = (anchor.min(self.place), anchor.max(self.place));
        let range = self.order.get(from..=to).unwrap_or_default();
        Arc::make_mut(&mut self.marks).extend(range);
        self.anchor = self.selected;
    }

    /// Marks all shown Myses, or unmarks them if all are marked.
    pub fn mark_all(&mut self) {
        let all_marked = self.order.iter().all(|id| self.marks.contains(id));
        let marks = Arc::make_mut(&mut self.marks);
        if all_marked {
            marks.clear();
        } else {
            marks.extend(self.order.iter());
        }
    }

    /// Marks exactly these Myses.
    pub fn mark_only(&mut self, ids: impl IntoIterator<Item = MysisId>) {
        self.marks = Arc::new(ids.into_iter().collect());
    }

    fn scroll_to_selected(&mut self) {
        let rows = self.rows.max(1);
        let last_top = self.order.len().saturating_sub(rows);
        let least = (self.place + 1).saturating_sub(rows);
        self.top = self.top.clamp(least, self.place.max(least)).min(last_top);
    }
}
