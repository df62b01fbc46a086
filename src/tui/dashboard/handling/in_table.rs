//! In the table: what keys do there.

use crate::dashboard::Dashboard;
use crate::dashboard::columns::{Column, columns};
use crate::dashboard::focus::Focus;
use crate::dashboard::form::Form;
use crate::dashboard::keys::{Going, InTable};
use crate::dashboard::overlay::Overlay;
use crate::dashboard::query::{Query, Within};
use crate::dashboard::sorting::Sorting;
use actors::domain::ids::MysisId;
use actors::domain::screen::UiEffect;

impl Dashboard {
    pub(super) fn in_table(&mut self, gesture: InTable) {
        match gesture {
            InTable::Open => {
                if let Some(id) = self.table.selected() {
                    self.open(id);
                }
            }
            InTable::New => self.create(),
            InTable::Filter => {
                let query = Query::new(Within::Table, self.table.filter().text());
                self.layers.push(Overlay::Query(query));
            }
            InTable::State => self.table.change_filter(|filter| filter.next_state()),
            InTable::Sort => self.sort_by_next(),
            InTable::Turn => self.table.sort(self.table.sorting().turned()),
            InTable::Mark => self.table.mark(),
            InTable::MarkRange => self.table.mark_range(),
            InTable::MarkAll => self.table.mark_all(),
            InTable::NextNeed => self.go_to_next_need(),
            InTable::MarkAlike => self.mark_alike(),
            InTable::Back => self.back_in_table(),
        }
    }

    pub(super) fn go_in_table(&mut self, going: Going) {
        let page = self.table.rows().max(1).cast_signed();
        match going {
            Going::Up => self.table.step(-1),
            Going::Down => self.table.step(1),
            Going::PageUp => self.table.step(-page),
            Going::PageDown => self.table.step(page),
            Going::First => self.table.go_to(0),
            Going::Last => self.table.go_to(usize::MAX),
        }
    }

    fn create(&mut self) {
        if let Some(rules) = &self.rules {
            let form = Form::create(rules);
            self.layers.push(Overlay::Form(Box::new(form)));
        }
    }

    /// The next column in sight that says more than another one.
    fn sort_by_next(&mut self) {
        let shown: Vec<Column> = columns(self.layout().body.width)
            .into_iter()
            .map(|placed| placed.column)
            .filter(|column| !matches!(column, Column::Mark | Column::Words))
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

    /// The one after the selected one, by what is newest; round at the end.
    fn go_to_next_need(&mut self) {
        let selected = self.table.selected();
        let place = self
            .needs
            .iter()
            .position(|need| Some(need.mysis) == selected);
        let next = place.map_or(0, |place| (place + 1) % self.needs.len().max(1));
        let Some(id) = self.needs.get(next).map(|need| need.mysis) else {
            return self.say("nobody needs you");
        };
        self.show_in_table(id);
    }

    /// Those with the need of the selected one; where that has none, with the newest need.
    fn mark_alike(&mut self) {
        let groups = self.need_groups.clone();
        let selected = self.table.selected();
        let of_selected = groups
            .iter()
            .find(|group| selected.is_some_and(|id| group.myses.contains(&id)));
        let Some(group) = of_selected.or(groups.first()) else {
            return self.say("nobody needs you");
        };
        self.table.mark_only(group.myses.iter().copied());
        if let (None, Some(newest)) = (of_selected, group.myses.first()) {
            self.show_in_table(*newest);
        }
    }

    /// Selects one, also where the filter hides it.
    pub(super) fn show_in_table(&mut self, id: MysisId) {
        if !self.table.order().contains(&id) {
            self.table.change_filter(|filter| {
                filter.write("");
                filter.state = None;
            });
            self.settle_table();
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
            filter.write("");
            filter.state = None;
        });
    }

    /// Opens the conversation of a Mysis.
    pub(super) fn open(&mut self, id: MysisId) {
        let name = self.name_of(id);
        self.table.select(id);
        let mut focus = Focus::on(id, name, self.appearance.offset);
        let stamp = self.next_stamp();
        let page = focus.ask_for_game(stamp);
        self.effects.push(UiEffect::Load { id: stamp, page });
        self.focus = Some(focus);
    }
}
