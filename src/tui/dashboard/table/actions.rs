//! The actions of the table: what its keys do.

use super::columns::{Column, PlacedColumn};
use super::keys::TableAction;
use super::sorting::Sorting;
use crate::dashboard::Dashboard;
use crate::dashboard::conversation::Focus;
use crate::dashboard::keys::Movement;
use crate::dashboard::overlay::Overlay;
use crate::dashboard::overlay::form::MysisForm;
use crate::dashboard::overlay::query::{Query, QueryScope};
use actors::domain::ids::MysisId;

impl Dashboard {
    pub(in crate::dashboard) fn run_in_table(&mut self, gesture: TableAction) {
        match gesture {
            TableAction::Open => {
                if let Some(id) = self.table.selected() {
                    self.open(id);
                }
            }
            TableAction::New => self.create(),
            TableAction::Filter => {
                let query = Query::new(QueryScope::Table, self.table.filter().text());
                self.overlays.push(Overlay::Query(query));
            }
            TableAction::State => self.table.change_filter(|filter| filter.next_state()),
            TableAction::Sort => self.sort_by_next(),
            TableAction::Turn => self.table.sort(self.table.sorting().reverse()),
            TableAction::Mark => self.table.toggle_mark(),
            TableAction::MarkRange => self.table.mark_range(),
            TableAction::MarkAll => self.table.mark_all(),
            TableAction::NextNeed => self.go_to_next_need(),
            TableAction::MarkAlike => self.mark_alike(),
            TableAction::Back => self.back_in_table(),
        }
    }

    pub(in crate::dashboard) fn go_in_table(&mut self, going: Movement) {
        let page = self.table.rows().max(1).cast_signed();
        match going {
            Movement::Up => self.table.step(-1),
            Movement::Down => self.table.step(1),
            Movement::PageUp => self.table.step(-page),
            Movement::PageDown => self.table.step(page),
            Movement::First => self.table.go_to(0),
            Movement::Last => self.table.go_to(usize::MAX),
        }
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
        let overflows = self.table.order().len() > self.table.rows();
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

    /// Selects the next Mysis with a need, newest first. It wraps around at the end.
    fn go_to_next_need(&mut self) {
        let selected = self.table.selected();
        let place = self
            .needs
            .iter()
            .position(|need| Some(need.mysis) == selected);
        let next = place.map_or(0, |place| (place + 1) % self.needs.len().max(1));
        let Some(id) = self.needs.get(next).map(|need| need.mysis) else {
            return self.show_notice("nobody needs you");
        };
        self.show_in_table(id);
    }

    /// Marks the Myses with the same need as the selected one, or with the newest need if it has
    /// none.
    fn mark_alike(&mut self) {
        let groups = self.need_groups.clone();
        let selected = self.table.selected();
        let of_selected = groups
            .iter()
            .find(|group| selected.is_some_and(|id| group.myses.contains(&id)));
        let Some(group) = of_selected.or(groups.first()) else {
            return self.show_notice("nobody needs you");
        };
        self.table.mark_only(group.myses.iter().copied());
        if let (None, Some(newest)) = (of_selected, group.myses.first()) {
            self.show_in_table(*newest);
        }
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
        if self.dismiss() {
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

    /// Opens the conversation of a Mysis.
    pub(in crate::dashboard) fn open(&mut self, id: MysisId) {
        let name = self.name_of(id);
        self.table.select(id);
        self.focus = Some(Focus::new(id, name, self.appearance.offset));
        self.read_facts();
    }
}
