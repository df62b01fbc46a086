//! The keys that help with a need, and the one that takes a deletion back.

use actors::domain::event::Activity;
use actors::domain::state::LifeState;
use zoea_scenes::swarm::{START, Swarm};

use crate::operator::Operator;
use crate::snapshots::normal;

/// All pause, since the swarm's budget is spent.
fn all_spent() -> Operator {
    let mut swarm = Swarm::new(5, 1, 3);
    for status in swarm.statuses.values_mut() {
        status.state = LifeState::Running;
        status.activity = Activity::Paused("the swarm's budget spent, resumes 00:00 UTC".into());
        status.activity_since = START;
    }
    Operator::at(swarm, (120, 40))
}

/// The codes and the words of the orders that were given.
fn given(operator: &Operator) -> Vec<(String, String)> {
    let records = operator.records.iter();
    let orders = records.filter(|record| record.source.is_some());
    orders
        .map(|record| (record.code.to_string(), record.text.to_string()))
        .collect()
}

#[test]
fn the_cap_is_raised_by_typing_the_amount_and_by_no_key_alone() {
    let mut operator = all_spent();
    let text = operator.text();
    assert!(
        text.contains("5 Myses") && text.contains("+ allow more"),
        "{text}"
    );
    operator.keys("+");
    assert!(operator.text().contains("budget"), "{}", operator.text());
    operator.keys("<enter>");
    assert_eq!(given(&operator), [], "no amount was typed");
    operator.keys("much<enter>");
    assert_eq!(given(&operator), []);
    let text = operator.text();
    assert!(
        text.contains("`much` is not an amount: US dollars"),
        "{text}"
    );
    operator.keys("<esc>+20<enter>");
    let raised = (
        "raise_budget".to_string(),
        "today's cap is raised to 20 US dollars".to_string(),
    );
    assert_eq!(given(&operator), [raised]);
    // Other keys of needs change no budget.
    operator.keys("trR<esc>");
    let given = given(&operator);
    let raises = given.iter().filter(|(code, _)| code == "raise_budget");
    assert_eq!(raises.count(), 1, "{given:?}");
}

#[test]
fn a_deletion_is_taken_back_by_a_key() {
    let mut operator = Operator::at(normal(), (120, 40));
    let names = |operator: &Operator| {
        let statuses = operator.swarm.statuses.values();
        let mut names: Vec<String> = statuses.map(|status| status.name.to_string()).collect();
        names.sort();
        names
    };
    let before = names(&operator);
    operator.keys("d1<enter>");
    assert_eq!(names(&operator).len(), before.len() - 1);
    let text = operator.text();
    assert!(text.contains("U "), "the key is offered: {text}");
    operator.keys("U");
    assert_eq!(names(&operator), before);
    let codes: Vec<String> = given(&operator).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["delete", "undelete"]);
    assert!(operator.text().contains("alpha"), "{}", operator.text());
}
