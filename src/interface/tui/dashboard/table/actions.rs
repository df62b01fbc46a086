//! The actions of the table: what its keys do.

use super::MysisTable;
use super::columns::Column;
use super::groups::next_grouping;
use super::keys::TableAction;
use super::sorting::Sorting;
use crate::dashboard::facts::Facts;
use crate::dashboard::orders::questions::about_trying_now;
use crate::dashboard::outbox::{Outbox, Request};
use crate::dashboard::overlay::query::QueryScope;
use actors::domain::ids::MysisId;
use actors::domain::needs::{ListedNeed, NeedRemedy};
use actors::domain::order::MysisOrder;

/// What is said where no Mysis needs the operator.
const NO_NEED: &str = "no Mysis needs attention";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableOutcome {
    Used,
    /// Opens the selected conversation, or folds the selected group.
    OpenSelected,
    Create,
    RaiseBudget,
    /// Selects this Mysis. The filter is dropped if it hides the Mysis.
    Show(MysisId),
    Back,
}

impl MysisTable {
    pub(crate) fn run(
        &mut self,
        gesture: TableAction,
        facts: &Facts,
        outbox: &mut Outbox,
    ) -> TableOutcome {
        match gesture {
            TableAction::Open => return TableOutcome::OpenSelected,
            TableAction::New => return TableOutcome::Create,
            TableAction::Filter => {
                let text = self.filter().text().to_string();
                outbox.request(Request::WriteLine(QueryScope::Table, text));
            }
            TableAction::State => self.change_filter(|filter| filter.next_state()),
            TableAction::Sort => self.sort_by_next(),
            TableAction::Turn => self.sort(self.sorting().reverse()),
            TableAction::Group => self.group_by_next(facts, outbox),
            TableAction::FoldAll => self.toggle_all_folds(),
            TableAction::Mark => self.toggle_mark(),
            TableAction::MarkRange => self.mark_range(),
            TableAction::MarkAll => self.mark_all(),
            TableAction::NextNeed => return self.next_need(facts, outbox),
            TableAction::MarkAlike => return self.mark_alike(facts, outbox),
            TableAction::TryNow => self.try_now(facts, outbox),
            TableAction::RaiseBudget => return TableOutcome::RaiseBudget,
            TableAction::Back => return TableOutcome::Back,
        }
        TableOutcome::Used
    }

    /// Groups by what comes next and tells the Myses apart.
    fn group_by_next(&mut self, facts: &Facts, outbox: &mut Outbox) {
        let present = self.grouping();
        let next = next_grouping(present, &facts.roster, &facts.outages);
        if (present, next) == (None, None) {
            return outbox.say("no groups: all Myses have the same role, model and state");
        }
        self.group_by(next);
    }

    /// Sorts by the next visible column.
    fn sort_by_next(&mut self) {
        let shown: Vec<Column> = self
            .columns()
            .into_iter()
            .map(|placed| placed.column)
            .filter(|column| *column != Column::Words)
            .collect();
        let sorting = self.sorting();
        let place = shown.iter().position(|column| *column == sorting.by);
        let next = place.map_or(0, |place| (place + 1) % shown.len().max(1));
        if let Some(by) = shown.get(next) {
            self.sort(Sorting {
                by: *by,
                ..Sorting::default()
            });
        }
    }

    /// The next Mysis with a need, in the order of the list. It wraps around at the end.
    fn next_need(&self, facts: &Facts, outbox: &mut Outbox) -> TableOutcome {
        let selected = self.selected();
        let needing: Vec<MysisId> = facts.needing_myses().collect();
        let place = needing.iter().position(|id| Some(*id) == selected);
        let next = place.map_or(0, |place| (place + 1) % needing.len().max(1));
        let Some(id) = needing.get(next).copied() else {
            outbox.say(NO_NEED);
            return TableOutcome::Used;
        };
        TableOutcome::Show(id)
    }

    /// Marks the Myses with the same need as the selected one, or with the first need if it has none.
    fn mark_alike(&mut self, facts: &Facts, outbox: &mut Outbox) -> TableOutcome {
        let of_selected = self.need_of_selected(facts);
        let mut of_myses = facts.needs.iter().filter(|need| !need.myses.is_empty());
        let Some(need) = of_selected.or_else(|| of_myses.next()) else {
            outbox.say(NO_NEED);
            return TableOutcome::Used;
        };
        self.mark_only(need.myses.iter().map(|mysis| mysis.id));
        match (of_selected, need.myses.first()) {
            (None, Some(first)) => TableOutcome::Show(first.id),
            (None, None) | (Some(_), _) => TableOutcome::Used,
        }
    }

    /// Has servers tried at once that Myses wait for: the marked ones, else those with the need of the selected
    /// one, else those of the first need that this helps.
    fn try_now(&self, facts: &Facts, outbox: &mut Outbox) {
        let is_helped = |need: &&ListedNeed| need.remedy == NeedRemedy::TryNow;
        let marked: Vec<MysisId> = self.marks().iter().copied().collect();
        let of_selected = self.need_of_selected(facts).filter(is_helped);
        let need = of_selected.or_else(|| facts.needs.iter().find(is_helped));
        let targets = match (marked.is_empty(), need) {
            (false, _) => marked,
            (true, Some(need)) => need.myses.iter().map(|mysis| mysis.id).collect(),
            (true, None) => self.selected().into_iter().collect(),
        };
        // The line of a need tells whom it is about; marks may be hidden.
        let hidden = self.hidden_among(&targets);
        match (targets.is_empty(), hidden) {
            (true, _) => outbox.say("no Mysis waits for a server"),
            (false, 1..) if !self.marks().is_empty() => {
                outbox.request(Request::Confirm(about_trying_now(facts, targets, hidden)));
            }
            (false, _) => drop(outbox.order_myses(facts, "try now", &targets, &MysisOrder::Retry)),
        }
    }

    fn need_of_selected<'a>(&self, facts: &'a Facts) -> Option<&'a ListedNeed> {
        let selected = self.selected()?;
        let mut needs = facts.needs.iter();
        needs.find(|need| need.myses.iter().any(|mysis| mysis.id == selected))
    }

    pub(crate) fn clear_filter(&mut self) {
        self.change_filter(|filter| {
            filter.set_text("");
            filter.state = None;
        });
    }
}
