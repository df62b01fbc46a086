//! The books on the screen, at every size.

use std::sync::Arc;

use actors::domain::books::{BudgetUse, Day};
use actors::domain::budget::{BudgetLimits, BudgetRules, BudgetStatus};
use actors::domain::event::{EventKind, SwarmCondition};
use actors::domain::rules::SwarmRules;
use crossterm::event::Event;
use zoea_scenes::swarm::{Swarm, rules};
use zoea_tui::dashboard::input_event::Input;

use crate::operator::Operator;
use crate::snapshots::{check_at, normal};

const SIZES: [(u16, u16); 3] = [(60, 15), (80, 24), (120, 40)];

/// Has a budget for the swarm, of which most is spent, and one for each Mysis.
fn limited(operator: &mut Operator) {
    let limits = |cost_micros, tokens| BudgetLimits {
        cost_micros: Some(cost_micros),
        tokens,
    };
    let budget = BudgetRules {
        swarm: limits(5_000_000, Some(20_000_000)),
        mysis: limits(2_000_000, None),
        ..BudgetRules::default()
    };
    let limited = SwarmRules {
        budget,
        ..SwarmRules::clone(&rules())
    };
    operator.board.take_rules(Arc::new(limited), Arc::default());
    let swarm = BudgetUse {
        calls: 9,
        input: 12_000_000,
        output: 300_000,
        cached: 0,
        cost_micros: 4_210_000,
    };
    let spending = BudgetStatus {
        day: Day::of(operator.now),
        swarm,
        unpriced_tokens: 0,
        percent: Some(84),
    };
    let spending = SwarmCondition::Budget(Arc::new(spending));
    operator.happens(EventKind::Condition(spending));
}

#[test]
fn the_books() {
    check_at("books", SIZES, normal, |operator| {
        limited(operator);
        operator.keys("$");
    });
    check_at("books-by-day", SIZES, normal, |operator| {
        operator.keys("$<tab><tab>[[[o");
    });
    check_at("books-by-provider", SIZES, normal, |operator| {
        operator.keys("$<tab>");
    });
}

/// The row that the mark of the selection stands in.
fn selected_row(operator: &Operator) -> Option<String> {
    let page = operator.board.layout().page();
    let text = operator.text();
    let rows = text.lines().skip(usize::from(page.y));
    let mut rows = rows.take(usize::from(page.height));
    rows.find(|row| row.starts_with('▌')).map(str::to_string)
}

#[test]
fn the_selected_line_is_painted_at_every_size_and_enter_opens_it() {
    for columns in [40, 60, 80, 200] {
        for rows in [10, 11, 12, 13, 15, 20, 40] {
            let mut operator = Operator::at(normal(), (columns, rows));
            limited(&mut operator);
            operator.keys("$<down><down><down><down><down>");
            let row = selected_row(&operator);
            let text = operator.text();
            let row = row.unwrap_or_else(|| panic!("{columns}x{rows}: {text}"));
            let name = row.trim_start_matches('▌').split_whitespace().next();
            let name = name.expect("a name").to_string();
            assert!(row.contains(" $"), "{columns}x{rows}: {text}");
            operator.keys("<enter>");
            let focus = operator.board.focus().expect("a conversation");
            let opened = &operator.swarm.statuses[&focus.mysis()].name;
            assert!(
                opened.starts_with(name.trim_end_matches('…')),
                "{opened} {name}"
            );
            operator.keys("<esc>");
            assert_eq!(operator.text(), text, "the books are as they were");
        }
    }
}

#[test]
fn what_has_no_conversation_opens_none() {
    let mut operator = Operator::at(normal(), (120, 40));
    operator.keys("$<tab><enter>");
    assert!(operator.board.focus().is_none());
    assert!(operator.text().contains("only a Mysis has a conversation"));
    operator.keys("<tab><tab>o<end>");
    // Of the deleted one nothing earned is known, so it comes last.
    let row = selected_row(&operator).expect("a row");
    assert!(row.contains("(deleted)"), "{row}");
    operator.keys("<enter>");
    assert!(operator.board.focus().is_none());
    assert!(
        operator
            .text()
            .contains("the Mysis was deleted with its conversation")
    );
}

#[test]
fn every_column_sorts_and_is_marked_wherever_it_sorts() {
    for columns in [40, 60, 120] {
        let mut operator = Operator::at(normal(), (columns, 30));
        operator.keys("$");
        for _ in 0..8 {
            assert_eq!(
                operator.text().matches('▾').count(),
                1,
                "{}",
                operator.text()
            );
            operator.keys("O");
            assert_eq!(
                operator.text().matches('▴').count(),
                1,
                "{}",
                operator.text()
            );
            operator.keys("o");
        }
    }
}

#[test]
fn a_swarm_without_calls_has_empty_books() {
    let mut operator = Operator::at(Swarm::new(2, 0, 1), (80, 24));
    operator.keys("$[");
    operator.input(Input::Event(Event::Resize(60, 15)));
    assert!(
        operator.text().contains("2 days since"),
        "{}",
        operator.text()
    );
    assert!(operator.text().contains("no budget"), "{}", operator.text());
}
