//! The state of a Mysis: the table's cell, order and filter, the detail pane and the title of the conversation say the
//! same of it.

use std::sync::Arc;
use std::time::Duration;

use actors::domain::event::{Activity, EventKind, LinkState, SwarmCondition};
use actors::domain::ids::{Lane, MysisId, Timestamp};
use actors::domain::outages::{OutageStage, ServerOutage, ServerOutages};
use actors::domain::state::LifeState;
use zoea_scenes::swarm::{START, Swarm};

use crate::operator::Operator;

/// Alpha plays, bravo is paused, ceres waits for a server, drift has no session, echo cools down.
fn held_up() -> Operator {
    let mut swarm = Swarm::new(5, 1, 3);
    let ids = swarm.ids();
    for (id, status) in &mut swarm.statuses {
        status.state = LifeState::Running;
        status.link_since = START;
        status.activity = match ids.iter().position(|other| other == id) {
            Some(1) => Activity::Paused("budget spent".into()),
            Some(2) => Activity::Queueing(Lane::Provider("local".into())),
            Some(4) => Activity::CoolingDown(Lane::Provider("local".into()), "HTTP 503".into()),
            Some(_) | None => Activity::CallingModel,
        };
    }
    swarm.statuses.get_mut(&ids[3]).unwrap().link = LinkState::Down;
    let mut operator = Operator::at(swarm, (120, 30));
    let away = ServerOutages(vec![ServerOutage {
        lane: Lane::Provider("local".into()),
        text: "HTTP 503".into(),
        since: START,
        next_try: Timestamp(START.0 + 3_700_000),
        needs_operator: false,
        stage: OutageStage::Away,
    }]);
    operator.waits(Duration::from_secs(2));
    let away = SwarmCondition::Outages(Arc::new(away));
    operator.happens(EventKind::Condition(away));
    operator
}

fn shown(operator: &Operator) -> Vec<String> {
    let name = |id: &MysisId| operator.swarm.statuses[id].name.to_string();
    operator.board.table().order().iter().map(name).collect()
}

#[test]
fn all_parts_of_the_screen_agree_about_a_state() {
    for (name, state) in [
        ("alpha", "⬢ running"),
        ("bravo", "‖ paused"),
        ("ceres", "◌ waiting"),
        ("drift", "◌ waiting"),
        ("echo", "◌ waiting"),
    ] {
        let mut operator = held_up();
        operator.keys(&format!("/{name}<enter>"));
        let text = operator.text();
        let lines = text.lines().filter(|line| line.contains(name));
        let shown = lines.filter(|line| line.contains(state)).count();
        assert_eq!(shown, 2, "the row and the detail pane say it: {text}");
        operator.keys("<enter>");
        let title = operator.board.layout().title;
        let text = operator.text();
        let title = text.lines().nth(usize::from(title.y)).unwrap();
        assert!(title.contains(state), "{title}");
    }
    let header = held_up().text();
    assert!(
        header.contains("⬢ 5 running (3 waiting, 1 paused)"),
        "{header}"
    );
}

#[test]
fn filters_and_the_order_go_by_the_state_that_is_seen() {
    let names = |keys: &str| {
        let mut names = shown(held_up().keys(keys));
        names.sort();
        names
    };
    assert_eq!(names("/waiting<enter>"), ["ceres", "drift", "echo"]);
    assert_eq!(names("/running<enter>"), ["alpha"]);
    assert_eq!(names(":state paused<enter>"), ["bravo"]);
    assert_eq!(names("f"), ["alpha"]);
    assert_eq!(names("ff"), ["ceres", "drift", "echo"]);
    let sorted = shown(held_up().keys(":sort state<enter>"));
    assert_eq!(sorted, ["bravo", "ceres", "drift", "echo", "alpha"]);
}

#[test]
fn a_column_comes_back_when_it_says_something_whatever_the_table_is_sorted_by() {
    for sorting in ["name", "seen", "need"] {
        let mut swarm = Swarm::new(3, 0, 1);
        let ids = swarm.ids();
        swarm.has_earned(ids[0], 900, &[(1, 5)], START);
        let figures = swarm.statuses[&ids[0]].figures.clone();
        swarm.statuses.get_mut(&ids[0]).unwrap().figures = Arc::default();
        let mut operator = Operator::at(swarm, (120, 30));
        operator.keys(&format!(":sort {sorting}<enter>"));
        assert!(!operator.text().contains("CREDITS"), "{sorting}");
        let mut status = operator.swarm.statuses[&ids[0]].clone();
        status.figures = figures;
        let status = Arc::new(status);
        operator.waits(Duration::from_secs(4));
        operator.happens(EventKind::StatusChanged(status.clone()));
        let is_still = !operator.text().contains("CREDITS");
        assert!(
            is_still,
            "{sorting}: for five seconds after a key nothing moves"
        );
        operator.waits(Duration::from_secs(2));
        operator.happens(EventKind::StatusChanged(status));
        assert!(operator.text().contains("CREDITS"), "{sorting}");
    }
}

#[test]
fn columns_stay_while_a_filter_is_typed() {
    let mut operator = Operator::at(crate::snapshots::troubled(), (120, 30));
    let titles = |operator: &Operator| {
        let columns = operator.text();
        let row = usize::from(operator.board.layout().title.y);
        columns
            .lines()
            .nth(row)
            .unwrap()
            .split_whitespace()
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    let before = titles(&operator);
    assert!(before.contains(&"PROVIDER".to_string()), "{before:?}");
    operator.keys("/alpha");
    assert_eq!(titles(&operator), before);
}
