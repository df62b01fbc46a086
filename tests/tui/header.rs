//! What the header and the table tell of money, budgets and servers.

use std::sync::Arc;

use actors::domain::books::{BudgetUse, Day};
use actors::domain::budget::{BudgetLimits, BudgetRules, BudgetStatus, DefaultCap};
use actors::domain::event::{EventKind, SwarmCondition};
use actors::domain::ids::Timestamp;
use actors::domain::order::Order;
use actors::domain::rules::SwarmRules;
use zoea_scenes::swarm::{START, Swarm, rules};

use crate::operator::Operator;

const NOW: Timestamp = Timestamp(START.0 + 3_600_000);

fn row_of<'a>(screen: &'a str, name: &str) -> &'a str {
    let row = screen.lines().find(|line| line.contains(name));
    row.unwrap_or_else(|| panic!("no {name}: {screen}"))
}

#[test]
fn what_was_earned_is_the_sum_of_the_last_hour_and_no_guess() {
    let mut swarm = Swarm::new(3, 0, 1);
    let ids = swarm.ids();
    swarm.has_earned(ids[0], 900, &[(1, 400)], NOW);
    swarm.has_earned(ids[1], 900, &[(40, -500), (20, 190), (90, 7_000)], NOW);
    let screen = Operator::at(swarm, (120, 40)).text();
    assert!(row_of(&screen, "alpha").contains(" 400 "), "{screen}");
    assert!(row_of(&screen, "bravo").contains(" -310 "), "{screen}");
    assert!(screen.contains("EARNED"), "{screen}");
    assert!(screen.contains("credits 1,800"), "{screen}");
    assert!(screen.contains("+90 since 00:04"), "{screen}");
}

#[test]
fn the_budget_of_the_header_says_whose_it_is() {
    let capped = |budget: BudgetRules| {
        let mut operator = Operator::at(Swarm::new(3, 0, 1), (120, 40));
        let rules = SwarmRules {
            budget,
            ..SwarmRules::clone(&rules())
        };
        operator.board.take_rules(Arc::new(rules), Arc::default());
        let spent = BudgetStatus {
            day: Day::of(NOW),
            percent: Some(42),
            ..BudgetStatus::default()
        };
        let spent = SwarmCondition::Budget(Arc::new(spent));
        operator.happens(EventKind::Condition(spent)).text()
    };
    let limits = BudgetLimits {
        tokens: Some(1_000),
        cost_micros: None,
    };
    let of_each = BudgetRules {
        mysis: limits,
        ..BudgetRules::default()
    };
    let by_default = BudgetRules {
        default_cap: DefaultCap::WHOLE,
        ..of_each
    };
    let by_operator = BudgetRules {
        swarm: limits,
        ..of_each
    };
    assert!(capped(of_each).contains("highest budget 42 %"));
    for budget in [by_default, by_operator] {
        let screen = capped(budget);
        assert!(screen.contains(" budget 42 %"), "{screen}");
        assert!(!screen.contains("highest"), "{screen}");
    }
}

#[test]
fn the_cost_of_today_is_that_of_the_books_and_says_that_a_part_is_unknown() {
    let mut operator = Operator::at(Swarm::new(3, 0, 1), (120, 40));
    let spends = |operator: &mut Operator, unpriced_tokens| {
        let spent = BudgetStatus {
            day: Day::of(NOW),
            swarm: BudgetUse {
                cost_micros: 1_230_000,
                ..BudgetUse::default()
            },
            unpriced_tokens,
            percent: None,
        };
        let spent = SwarmCondition::Budget(Arc::new(spent));
        operator.happens(EventKind::Condition(spent)).text()
    };
    let screen = spends(&mut operator, 0);
    assert!(screen.contains("cost $1.23 today"), "{screen}");
    let order = Order::Delete {
        name: "alpha".to_string(),
        now: false,
    };
    let (_, deleted) = operator.swarm.order(order, NOW);
    operator.receives(&deleted);
    let screen = operator.text();
    assert!(screen.contains("cost $1.23 today"), "{screen}");
    let screen = spends(&mut operator, 900);
    assert!(screen.contains("cost $1.23+? today"), "{screen}");
    // Where nothing limits them, the books do not know what other processes spent; their statuses do.
    let id = operator.swarm.ids()[0];
    let mut status = operator.swarm.statuses[&id].clone();
    Arc::make_mut(&mut status.figures).cost = (Day::of(NOW), 9_000_000);
    let changed = EventKind::StatusChanged(Arc::new(status));
    let screen = operator.happens(changed).text();
    assert!(screen.contains("cost $9.00+? today"), "{screen}");
    operator.now = Day::of(NOW).end_time();
    operator.keys("<esc>");
    let screen = operator.text();
    assert!(!screen.contains("cost $"), "{screen}");
}
