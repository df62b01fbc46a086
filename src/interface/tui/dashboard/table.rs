//! The table of Myses: which are shown, in which order, which are selected and marked.

pub mod cells;
pub mod columns;
pub mod filter;
pub mod folding;
pub mod groups;
pub mod keys;
pub mod levels;
mod ranks;
pub mod seen_state;
pub mod sorting;

pub(crate) mod detail_pane;
pub(crate) mod view;

mod actions;

pub(super) use actions::TableOutcome;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::{Moment, MysisId, Now, Timestamp};
use actors::domain::outages::ServerOutages;
use zoea_text::clean::one_line;

use super::keys::Movement;
use super::roster::Roster;
use super::text::width;
use super::toolkit::list::Selection;
use columns::{Column, PlacedColumn};
use filter::Filter;
use groups::{Group, GroupKey, Grouping, TableLine};
use sorting::Sorting;

/// The least time between two changes of the order. A table that reorders more often cannot be
/// read.
const REORDER_INTERVAL: Duration = Duration::from_secs(1);

/// The most columns for a name before others get wide.
const MOST_NAME_COLUMNS: u16 = 32;

/// Groups of more Myses begin folded.
const MOST_UNFOLDED: usize = 100;

#[derive(Clone, Debug, Default)]
pub struct MysisTable {
    /// The shown Myses, those of folded groups included.
    order: Arc<Vec<MysisId>>,
    lines: Arc<Vec<TableLine>>,
    selection: Selection<TableLine>,
    grouping: Option<Grouping>,
    groups: Arc<Vec<Group>>,
    /// The groups whose Myses are not shown.
    closed: Arc<BTreeSet<GroupKey>>,
    filter: Filter,
    sorting: Sorting,
    /// The columns that the operator chose; `None`: those that fit.
    chosen: Option<Arc<[Column]>>,
    /// The columns that are left out because they say the same of every Mysis of the swarm, shown or not.
    folded: Arc<BTreeSet<Column>>,
    /// The columns of its area.
    width: u16,
    /// The columns of the longest name that is shown.
    names: u16,
    marks: Arc<BTreeSet<MysisId>>,
    /// The Mysis where a range of marks begins.
    anchor: Option<MysisId>,
    staleness: Staleness,
    ordered_at: Moment,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Staleness {
    #[default]
    None,
    /// A status changed.
    Figures,
    /// Myses came or went.
    Members,
    /// The operator changed the filter, the sorting or the grouping.
    Order,
}

impl MysisTable {
    pub fn order(&self) -> &[MysisId] {
        &self.order
    }

    /// The lines of the table: the shown Myses, behind those of their groups.
    pub fn lines(&self) -> &[TableLine] {
        &self.lines
    }

    /// The Mysis that keys act upon; `None` while a group is selected.
    pub fn selected(&self) -> Option<MysisId> {
        match self.selection.line(&self.lines)? {
            TableLine::Mysis(id) => Some(*id),
            TableLine::Group(_) => None,
        }
    }

    /// How many of these Myses the filter hides.
    pub fn hidden_among(&self, ids: &[MysisId]) -> usize {
        let shown: BTreeSet<MysisId> = self.order.iter().copied().collect();
        ids.iter().filter(|id| !shown.contains(id)).count()
    }

    pub fn selected_myses(&self) -> &[MysisId] {
        self.order.get(self.selected_range()).unwrap_or_default()
    }

    fn selected_range(&self) -> Range<usize> {
        match (self.selected_group(), self.selected()) {
            (Some(group), _) => group.myses.clone(),
            (None, Some(id)) => self.range_of(id),
            (None, None) => 0..0,
        }
    }

    fn range_of(&self, id: MysisId) -> Range<usize> {
        let place = self.order.iter().position(|other| *other == id);
        place.map_or(0..0, |place| place..place + 1)
    }

    /// The number of lines above those in sight, and these.
    pub fn visible(&self) -> (usize, &[TableLine]) {
        self.selection.visible(&self.lines)
    }

    pub fn is_selected(&self, line: &TableLine) -> bool {
        self.selection.line(&self.lines) == Some(line)
    }

    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    pub fn sorting(&self) -> Sorting {
        self.sorting
    }

    /// The columns that the operator chose; `None`: those that fit.
    pub fn chosen_columns(&self) -> Option<&[Column]> {
        self.chosen.as_deref()
    }

    /// Shows these columns, or those that fit.
    pub fn choose_columns(&mut self, chosen: Option<Vec<Column>>) {
        self.chosen = chosen.map(Into::into);
    }

    /// The columns that fit. A table with more rows than fit leaves a column of the screen to its scrollbar.
    pub fn columns(&self) -> Vec<PlacedColumn> {
        let (_, visible) = self.visible();
        let overflows = self.lines.len() > visible.len();
        let width = self.width.saturating_sub(u16::from(overflows));
        match &self.chosen {
            Some(chosen) => columns::chosen_columns((width, self.names), chosen),
            None => columns::fitting_columns((width, self.names), &self.folded),
        }
    }

    pub fn marks(&self) -> &Arc<BTreeSet<MysisId>> {
        &self.marks
    }

    pub fn invalidate_figures(&mut self) {
        self.staleness = self.staleness.max(Staleness::Figures);
    }

    /// Notes that Myses came or went.
    pub fn invalidate(&mut self) {
        self.staleness = self.staleness.max(Staleness::Members);
    }

    /// Notes that the operator wants something else.
    fn arrange_anew(&mut self) {
        self.staleness = Staleness::Order;
    }

    pub fn change_filter(&mut self, change: impl FnOnce(&mut Filter)) {
        change(&mut self.filter);
        self.arrange_anew();
    }

    pub fn sort(&mut self, sorting: Sorting) {
        self.sorting = sorting;
        self.arrange_anew();
    }

    pub fn resize(&mut self, width: u16, rows: u16) {
        self.width = width;
        let rows = usize::from(rows);
        self.selection.scroll_to_selection(&self.lines, rows);
    }

    /// Brings the order up to date and keeps the selection. While it stands still, lines go with their Myses and come
    /// at the end, and else nothing changes its place.
    pub fn update_order(
        &mut self,
        (roster, outages): (&Roster, &ServerOutages),
        now: Now,
        still: bool,
    ) {
        let is_old = now.moment.since(self.ordered_at) >= REORDER_INTERVAL;
        let is_due = match self.staleness {
            Staleness::None => false,
            Staleness::Figures => is_old && !still,
            Staleness::Members | Staleness::Order => true,
        };
        if is_due {
            let stays = still && self.staleness == Staleness::Members;
            self.put_in_order((roster, outages), now.wall, stays);
            self.ordered_at = now.moment;
            // What stayed where it was goes to its place later.
            self.staleness = match stays {
                true => Staleness::Figures,
                false => Staleness::None,
            };
        }
        self.go_to(self.selection.place(&self.lines));
    }

    fn put_in_order(
        &mut self,
        (roster, outages): (&Roster, &ServerOutages),
        now: Timestamp,
        stays: bool,
    ) {
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
        if !stays {
            let names = ranked
                .iter()
                .map(|(_, status)| width::of(&one_line(&status.name)));
            let longest = u16::try_from(names.max().unwrap_or(0));
            self.names =
                longest.map_or(MOST_NAME_COLUMNS, |longest| longest.min(MOST_NAME_COLUMNS));
        }
        let mut sorted: Vec<MysisId> = ranked.into_iter().map(|(_, status)| status.id).collect();
        if stays {
            let before = self.order.iter().copied();
            let known: BTreeSet<MysisId> = before.clone().collect();
            let new = sorted.into_iter().filter(|id| !known.contains(id));
            let stay = before.filter(|id| roster.get(*id).is_some());
            sorted = stay.chain(new).collect();
        }
        let mut folded = folding::folded_columns(all.map(|status| &**status), outages);
        folded.extend(self.grouping.and_then(Grouping::column));
        if *self.folded != folded && !stays {
            self.folded = Arc::new(folded);
        }
        let are_new = self.groups.is_empty() && self.grouping.is_some();
        self.order = match self.grouping {
            Some(by) => self.put_in_groups(by, &sorted, (roster, outages), now, stays),
            None => Arc::new(sorted),
        };
        self.lay_out_lines();
        if are_new && self.order.len() > MOST_UNFOLDED {
            self.toggle_all_folds();
        }
        if self.marks.iter().any(|id| roster.get(*id).is_none()) {
            Arc::make_mut(&mut self.marks).retain(|id| roster.get(*id).is_some());
        }
    }

    pub fn go(&mut self, movement: Movement) {
        self.selection.go(movement, &self.lines);
    }

    /// Selects the line at an index, or the last one.
    pub fn go_to(&mut self, place: usize) {
        self.selection.go_to(place, &self.lines);
    }

    /// Selects a Mysis. Its group is unfolded.
    pub fn select(&mut self, id: MysisId) {
        let place = self.range_of(id).start;
        self.unfold_around(place);
        let line = TableLine::Mysis(id);
        self.selection.select(Some(line.clone()));
        if let Some(place) = self.lines.iter().position(|other| *other == line) {
            self.go_to(place);
        }
    }

    /// The Mysis before or after this one in the order of the table.
    pub fn beside(&self, id: MysisId, by: isize) -> Option<MysisId> {
        let place = self.range_of(id).start.checked_add_signed(by)?;
        self.order.get(place).copied()
    }

    /// Marks or unmarks the Myses of the selected line and selects the next one.
    pub fn toggle_mark(&mut self) {
        let myses = self.order.get(self.selected_range()).unwrap_or_default();
        let Some(last) = myses.last() else {
            return;
        };
        self.anchor = Some(*last);
        let marks = Arc::make_mut(&mut self.marks);
        match myses.iter().all(|id| marks.contains(id)) {
            true => myses.iter().for_each(|id| {
                marks.remove(id);
            }),
            false => marks.extend(myses),
        }
        self.go(Movement::Down);
    }

    /// Marks all Myses from the last marked one to the selected line.
    pub fn mark_range(&mut self) {
        let selected = self.selected_range();
        let anchor = self.anchor.map(|id| self.range_of(id));
        let anchor = anchor
            .filter(|range| !range.is_empty())
            .unwrap_or_else(|| selected.clone());
        let range = anchor.start.min(selected.start)..anchor.end.max(selected.end);
        let range = self.order.get(range).unwrap_or_default();
        Arc::make_mut(&mut self.marks).extend(range);
        self.anchor = self.selected_myses().last().copied();
    }

    /// Marks all shown Myses, or unmarks them if all are marked.
    pub fn mark_all(&mut self) {
        let marks = Arc::make_mut(&mut self.marks);
        match self.order.iter().all(|id| marks.contains(id)) {
            true => marks.clear(),
            false => marks.extend(self.order.iter()),
        }
    }

    pub fn mark_only(&mut self, ids: impl IntoIterator<Item = MysisId>) {
        self.marks = Arc::new(ids.into_iter().collect());
    }
}
