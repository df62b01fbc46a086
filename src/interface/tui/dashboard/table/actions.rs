//! The actions of the table: what its keys do.

use super::columns::{Column, PlacedColumn};
use super::groups::next_grouping;
use super::keys::TableAction;
use super::sorting::Sorting;
use crate::dashboard::Dashboard;
use crate::dashboard::conversation::Focus;
use crate::dashboard::overlay::Overlay;
use crate::dashboard::overlay::form::MysisForm;
use crate::dashboard::overlay::query::{Query, QueryScope};
use actors::domain::ids::MysisId;
use actors::domain::needs::{ListedNeed, NeedRemedy};
use actors::domain::order::MysisOrder;

/// What is said where no Mysis needs the operator.
const NO_NEED: &str = "no Mysis needs attention";

impl Dashboard {
    pub(in crate::dashboard) fn run_in_table(&mut self, gesture: TableAction) {
        match gesture {
            TableAction::Open => self.open_selected(),
            TableAction::New => self.create(),
            TableAction::Filter => {
                let query = Query::new(QueryScope::Table, self.table.filter().text());
                self.overlays.push(Overlay::Query(query));
            }
            TableAction::State => self.table.change_filter(|filter| filter.next_state()),
            TableAction::Sort => self.sort_by_next(),
            TableAction::Turn => self.table.sort(self.table.sorting().reverse()),
            TableAction::Group => self.group_by_next(),
            TableAction::FoldAll => self.table.toggle_all_folds(),
            TableAction::Mark => self.table.toggle_mark(),
            TableAction::MarkRange => self.table.mark_range(),
            TableAction::MarkAll => self.table.mark_all(),
            TableAction::NextNeed => self.go_to_next_need(),
            TableAction::MarkAlike => self.mark_alike(),
            TableAction::TryNow => self.try_now(),
            TableAction::RaiseBudget => self.ask_for_budget(),
            TableAction::Back => self.back_in_table(),
        }
    }

    /// Opens the selected conversation, or folds the selected group.
    pub(in crate::dashboard) fn open_selected(&mut self) {
        match self.table.selected() {
            Some(id) => self.open(id),
            None => self.table.toggle_fold(),
        }
    }

    /// Groups by what comes next and tells the Myses apart.
    fn group_by_next(&mut self) {
        let present = self.table.grouping();
        let next = next_grouping(present, &self.roster, &self.outages);
        if (present, next) == (None, None) {
            return self.show_notice("all are of one place, role, model and state: no groups");
        }
        self.table.group_by(next);
    }

    fn create(&mut self) {
        if let Some(rules) = &self.rules {
            let form = MysisForm::create(rules);
            self.overlays.push(Overlay::Form(Box::new(form)));
        }
    }

    /// The columns of the table as it is shown. A table with more rows than fit leaves a column of the screen
    /// to its scrollbar.
    pub(in crate::dashboard) fn table_columns(&self) -> Vec<PlacedColumn> {
        let (_, visible) = self.table.visible();
        let overflows = self.table.lines().len() > visible.len();
        let width = self.layout().body.width;
        self.table
            .columns(width.saturating_sub(u16::from(overflows)))
    }

    /// Sorts by the next visible column.
    fn sort_by_next(&mut self) {
        let columns = self.table_columns();
        let shown: Vec<Column> = columns
            .into_iter()
            .map(|placed| placed.column)
            .filter(|column| *column != Column::Words)
            .collect();
        let sorting = self.table.sorting();
        let place = shown.iter().position(|column| *column == sorting.by);
        let next = place.map_or(0, |place| (place + 1) % shown.len().max(1));
        if let Some(by) = shown.get(next) {
            self.table.sort(Sorting {
                by: *by,
                ..Sorting::default()
            });
        }
    }

    /// Selects the next Mysis with a need, in the order of the list. It wraps around at the end.
    fn go_to_next_need(&mut self) {
        let selected = self.table.selected();
        let needing: Vec<MysisId> = self.needing_myses().collect();
        let place = needing.iter().position(|id| Some(*id) == selected);
        let next = place.map_or(0, |place| (place + 1) % needing.len().max(1));
        let Some(id) = needing.get(next).copied() else {
            return self.show_notice(NO_NEED);
        };
        self.show_in_table(id);
    }

    /// Marks the Myses with the same need as the selected one, or with the first need if it has none.
    fn mark_alike(&mut self) {
        let needs = self.needs.clone();
        let of_selected = self.need_of_selected();
        let mut of_myses = needs.iter().filter(|need| !need.myses.is_empty());
        let Some(need) = of_selected.as_ref().or_else(|| of_myses.next()) else {
            return self.show_notice(NO_NEED);
        };
        self.table
            .mark_only(need.myses.iter().map(|mysis| mysis.id));
        if let (None, Some(first)) = (&of_selected, need.myses.first()) {
            self.show_in_table(first.id);
        }
    }

    /// Has servers tried at once that Myses wait for: the marked ones, else those with the need of the selected
    /// one, else those of the first need that this helps.
    fn try_now(&mut self) {
        let is_helped = |need: &ListedNeed| need.remedy == NeedRemedy::TryNow;
        let marked: Vec<MysisId> = self.table.marks().iter().copied().collect();
        let of_selected = self.need_of_selected().filter(is_helped);
        let need = of_selected.or_else(|| self.needs.iter().find(|need| is_helped(need)).cloned());
        let targets = match (marked.is_empty(), need) {
            (false, _) => marked,
            (true, Some(need)) => need.myses.iter().map(|mysis| mysis.id).collect(),
            (true, None) => self.table.selected().into_iter().collect(),
        };
        match targets.is_empty() {
            true => self.show_notice("no Mysis waits for a server"),
            false => drop(self.order_myses("try now", &targets, &MysisOrder::Retry)),
        }
    }

    pub(in crate::dashboard) fn filter_by(&mut self, text: &str) {
        self.table.change_filter(|filter| filter.set_text(text));
    }

    fn need_of_selected(&self) -> Option<ListedNeed> {
        let selected = self.table.selected()?;
        let mut needs = self.needs.iter();
        let has = |need: &&ListedNeed| need.myses.iter().any(|mysis| mysis.id == selected);
        needs.find(has).cloned()
    }

    /// Selects a Mysis. The filter is dropped if it hides the Mysis.
    pub(in crate::dashboard) fn show_in_table(&mut self, id: MysisId) {
        if !self.table.order().contains(&id) {
            self.table.change_filter(|filter| {
                filter.set_text("");
                filter.state = None;
            });
            self.update_table();
        }
        self.table.select(id);
    }

    fn back_in_table(&mut self) {
        if self.dismiss() || self.hide_banner() {
            return;
        }
        if !self.table.marks().is_empty() {
            return self.table.mark_only([]);
        }
        self.table.change_filter(|filter| {
            filter.set_text("");
            filter.state = None;
        });
    }

    pub(in crate::dashboard) fn open(&mut self, id: MysisId) {
        let name = self.name_of(id);
        self.table.select(id);
        self.focus = Some(Focus::new(id, name, self.appearance.offset));
        self.read_facts();
    }
}
