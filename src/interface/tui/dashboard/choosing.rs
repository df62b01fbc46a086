//! Reads what the operator chose about the views, and takes up what an earlier run kept of it.

use std::sync::Arc;

use actors::domain::ids::Timestamp;

use super::appearance::Panel;
use super::facts::Facts;
use super::log::looking::LookedAt;
use super::table::MysisTable;
use super::table::columns::{Column, distinct};
use super::table::groups::Grouping;
use super::table::seen_state::SeenState;
use super::table::sorting::Sorting;
use super::view_choices::ViewChoices;

/// The longest text of a filter that is kept, in bytes.
const MAX_FILTER_BYTES: usize = 1_000;

pub(super) fn choices_of(table: &MysisTable, facts: &Facts) -> ViewChoices {
    let sorting = table.sorting();
    let filter = table.filter();
    let text = filter.text();
    let columns = table.chosen_columns();
    let panel = facts.appearance.panel;
    ViewChoices {
        columns: columns.map(|chosen| chosen.iter().map(|one| one.word().into()).collect()),
        sort: (sorting.by != Column::default()).then(|| sorting.by.word().into()),
        reversed: sorting.is_reversed,
        group: table.grouping().map(|by| by.as_str().into()),
        filter: if text.len() <= MAX_FILTER_BYTES {
            text.into()
        } else {
            Arc::default()
        },
        state: filter.state.map(|state| state.as_str().into()),
        panel: (panel != Panel::default()).then(|| panel.as_str().into()),
        looked: facts.looked.kept().map(|at| at.0),
    }
}

/// Takes up what the operator chose in an earlier run. Words that nobody knows are left out.
pub(super) fn apply_choices(choices: &ViewChoices, table: &mut MysisTable, facts: &mut Facts) {
    let columns = choices
        .columns
        .as_ref()
        .map(|words| distinct(words.iter().filter_map(|word| Column::parse(word))));
    table.choose_columns(columns.filter(|known| !known.is_empty()));
    let by = choices.sort.as_ref().and_then(|word| Column::parse(word));
    table.sort(Sorting {
        by: by.unwrap_or_default(),
        is_reversed: choices.reversed,
    });
    let grouping = choices.group.as_ref();
    table.group_by(grouping.and_then(|word| Grouping::parse(word)));
    table.change_filter(|filter| {
        if choices.filter.len() <= MAX_FILTER_BYTES {
            filter.set_text(&choices.filter);
        }
        let state = choices.state.as_ref();
        filter.state = state.and_then(|word| SeenState::parse(word));
    });
    let panel = choices.panel.as_ref();
    facts.appearance.panel = panel.and_then(|word| word.parse().ok()).unwrap_or_default();
    facts.looked = LookedAt::since(choices.looked.map(Timestamp));
}

#[cfg(test)]
mod tests {
    use crate::dashboard::action::TerminalAction;
    use crate::dashboard::tests::Desk;
    use crate::dashboard::{Dashboard, DashboardOptions};
    use crossterm::event::KeyCode;

    use super::*;

    fn kept(desk: &mut Desk) -> Vec<ViewChoices> {
        let kept = desk.board.take_actions().into_iter().filter_map(|action| {
            if let TerminalAction::KeepChoices(choices) = action {
                return Some(choices);
            }
            None
        });
        kept.collect()
    }

    fn taken_up(file: &str) -> ViewChoices {
        let board = Dashboard::new(DashboardOptions {
            choices: serde_json::from_str(file).unwrap(),
            ..DashboardOptions::default()
        });
        choices_of(&board.table, &board.facts)
    }

    #[test]
    fn a_filter_is_kept_when_it_is_written_and_not_before() {
        let mut desk = Desk::new();
        desk.types("/alp");
        assert_eq!(kept(&mut desk), []);
        desk.key(KeyCode::Enter);
        let choices = kept(&mut desk);
        assert_eq!(choices.len(), 1);
        assert_eq!(&*choices[0].filter, "alp");
        desk.types("/x");
        desk.key(KeyCode::Esc);
        assert_eq!(kept(&mut desk).pop().unwrap().filter, Arc::from(""));
        desk.types("jk");
        assert_eq!(kept(&mut desk), []);
    }

    #[test]
    fn what_is_kept_is_read_back_as_words() {
        let mut desk = Desk::new();
        for line in [
            ":columns tokens,name",
            ":sort cost",
            ":state waiting",
            ":filter alpha",
            ":group state",
        ] {
            desk.types(line);
            desk.key(KeyCode::Enter);
        }
        desk.types("O");
        let choices = kept(&mut desk).pop().unwrap();
        let file = serde_json::to_string(&choices).unwrap();
        let expected = r#"{"columns":["tokens","name"],"sort":"cost","reversed":true,"group":"state","filter":"alpha","state":"waiting","panel":null,"looked":1000000}"#;
        assert_eq!(file, expected);
        let columns: Vec<&str> = Column::all().map(Column::word).collect();
        let states =
            zoea_golden::every!(SeenState: Errored, Paused, Waiting, Running, Idle, Stopped);
        let panels = zoea_golden::every!(Panel: WithRoom, Shown, Hidden);
        let groupings = zoea_golden::every!(Grouping: Place, Role, Model, State);
        let words = serde_json::json!({
            "file": choices,
            "columns": columns,
            "states": states.map(SeenState::as_str),
            "panels": panels.map(Panel::as_str),
            "groupings": groupings.map(Grouping::as_str),
        });
        zoea_golden::hold_json("views.json", &words);
        assert_eq!(taken_up(&file), choices);
        let hidden = r#"{"panel":"hidden"}"#;
        assert_eq!(taken_up(hidden).panel.as_deref(), Some("hidden"));
    }

    #[test]
    fn words_of_another_version_are_left_out_and_the_rest_is_read() {
        let file = r#"{"columns":["name","hourly","name","cost"],"sort":"shoe","state":"asleep",
                       "panel":"floating","filter":"alpha","sounds":"on"}"#;
        let expected = ViewChoices {
            columns: Some(vec!["name".into(), "cost".into()]),
            filter: "alpha".into(),
            ..ViewChoices::default()
        };
        assert_eq!(taken_up(file), expected);
        let long = format!(r#"{{"filter":"{}"}}"#, "x".repeat(MAX_FILTER_BYTES + 1));
        assert_eq!(taken_up(&long), ViewChoices::default());
    }
}
