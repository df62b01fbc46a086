//! Groups of the table: sums, folding, orders, and what stands where while keys are pressed.

use std::sync::Arc;
use std::time::Duration;

use actors::domain::event::{EventKind, SwarmCondition};
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::standing::{StandingConditions, StandingKind};
use actors::domain::state::LifeState;
use zoea_scenes::swarm::{START, Swarm};

use crate::glance::does_no_harm;
use crate::operator::Operator;

const NOW: Timestamp = Timestamp(START.0 + 3_600_000);

/// Five that run: alpha and bravo at sol, ceres and drift at krynn, of echo no place is known.
fn swarm() -> Swarm {
    let mut swarm = Swarm::new(5, 1, 1);
    for (place, id) in swarm.ids().into_iter().enumerate() {
        let name = swarm.statuses[&id].name.to_string();
        drop(swarm.change(&name, LifeState::Running, NOW));
        let minutes: Vec<(i64, i64)> = (0..20).map(|it| (it, 10 << place)).collect();
        swarm.has_earned(id, 1_000, &minutes, NOW);
        let system = ["sol", "sol", "krynn", "krynn"].get(place);
        let status = swarm.statuses.get_mut(&id).unwrap();
        Arc::make_mut(&mut status.figures).facts.system = system.map(|it| Arc::from(*it));
    }
    swarm
}

/// The rows of the table without their blanks at the end.
fn rows(operator: &Operator) -> Vec<String> {
    let body = operator.board.layout().body;
    let text = operator.text();
    let rows = text
        .lines()
        .skip(body.y.into())
        .take(operator.board.table().lines().len());
    rows.map(|row| row.trim_end().to_string()).collect()
}

/// The first words of each row: its group or its name.
fn firsts(operator: &Operator) -> Vec<String> {
    let first = |row: &String| {
        let row = row.replace(['▌', '◆', '!', '●'], " ");
        let words: Vec<&str> = row.split_whitespace().collect();
        match words.first() {
            Some(sign @ (&"▾" | &"▸")) => format!("{sign}{}", words[1]),
            Some(word) => (*word).to_string(),
            None => String::new(),
        }
    };
    rows(operator).iter().map(first).collect()
}

fn state_of(operator: &Operator, place: usize) -> LifeState {
    let id = operator.swarm.ids()[place];
    operator.swarm.statuses[&id].state
}

#[test]
fn groups_have_sums_and_fold() {
    let mut operator = Operator::at(swarm(), (120, 40));
    operator.keys("G");
    let all = [
        "▾krynn", "ceres", "drift", "▾sol", "alpha", "bravo", "▾place", "echo",
    ];
    assert_eq!(firsts(&operator), all);
    assert!(operator.text().contains("by place"));
    // Of a place the group has the system.
    assert!(
        !rows(&operator)[1].contains("krynn"),
        "{:?}",
        rows(&operator)
    );
    operator.keys("<end>");
    assert!(rows(&operator)[7].starts_with('▌'));
    operator.keys("<up>");
    assert!(rows(&operator)[6].starts_with('▌'), "a group, too");
    operator.keys("<down>");
    let krynn = rows(&operator)[0].clone();
    assert!(krynn.contains("krynn  2"), "{krynn}");
    let rate = |row: usize| {
        let row = rows(&operator)[row].clone();
        let figure = row.split('+').nth(1).unwrap().split(' ').next().unwrap();
        let figure = figure.trim_matches(|it: char| !it.is_ascii_digit());
        figure.parse::<i64>().unwrap()
    };
    assert!((rate(0) - rate(1) - rate(2)).abs() <= 1 && rate(1) > 0);
    assert!(krynn.contains("2,000"), "{krynn}");
    assert!(
        rows(&operator)[6].contains("place unknown  1"),
        "{:?}",
        rows(&operator)
    );
    operator.keys("<<enter>");
    let folded = ["▸krynn", "▾sol", "alpha", "bravo", "▾place", "echo"];
    assert_eq!(firsts(&operator), folded);
    operator.keys("z");
    assert_eq!(firsts(&operator), ["▸krynn", "▸sol", "▸place"]);
    operator.keys("z");
    assert_eq!(firsts(&operator), all);
    operator.keys(":group off<enter>");
    assert_eq!(
        firsts(&operator),
        ["alpha", "bravo", "ceres", "drift", "echo"]
    );
}

#[test]
fn what_tells_the_myses_apart_is_offered_one_after_the_other() {
    let mut operator = Operator::at(swarm(), (120, 40));
    let mut seen = Vec::new();
    for _ in 0..4 {
        operator.keys("G");
        let by = operator.board.table().grouping();
        seen.push(by.map(|by| by.as_str()));
    }
    // All have no role, and all run.
    assert_eq!(seen, [Some("place"), Some("model"), None, Some("place")]);
    let mut of_no_game = Swarm::new(3, 0, 1);
    for id in of_no_game.ids() {
        of_no_game.statuses.get_mut(&id).unwrap().model = "one".into();
    }
    let mut operator = Operator::at(of_no_game, (120, 40));
    operator.keys("G");
    assert_eq!(operator.board.table().grouping(), None);
    assert!(operator.text().contains("no groups"), "{}", operator.text());
    drop(operator.swarm.change("alpha", LifeState::Running, NOW));
    let snapshot = operator.snapshot();
    operator.restore(snapshot);
    operator.keys("G");
    assert_eq!(
        operator.board.table().grouping().map(|by| by.as_str()),
        Some("state")
    );
}

#[test]
fn an_order_to_a_group_is_one_to_all_of_it() {
    let mut operator = Operator::at(swarm(), (120, 40));
    operator.keys("G<up><up><up><up><up><up><up><up>");
    assert!(operator.board.table().selected_group().is_some());
    operator.keys("s");
    let asked = operator.text();
    assert!(
        asked.contains("ceres") && asked.contains("drift"),
        "{asked}"
    );
    operator.keys("y");
    let stopped: Vec<bool> = (0..5)
        .map(|place| state_of(&operator, place) == LifeState::Stopped)
        .collect();
    assert_eq!(stopped, [false, false, true, true, false]);
    // A mark on a group marks all of it, and takes the marks away again.
    operator.keys(" ");
    assert_eq!(operator.board.table().marks().len(), 2);
    operator.keys("<up> ");
    let marks = operator.board.table().marks().len();
    assert!(marks != 2, "the selected line went on: {marks}");
}

#[test]
fn filter_and_sorting_hold_within_groups_and_for_them() {
    let mut operator = Operator::at(swarm(), (120, 40));
    operator.keys(":sort earned<enter>G");
    // By their sums: 160, 40 and 80, and 10 and 20.
    assert_eq!(
        firsts(&operator),
        [
            "▾place", "echo", "▾krynn", "drift", "ceres", "▾sol", "bravo", "alpha"
        ]
    );
    operator.keys("O");
    assert_eq!(firsts(&operator)[0], "▾sol");
    operator.keys("/!krynn<enter>");
    assert_eq!(
        firsts(&operator),
        ["▾sol", "alpha", "bravo", "▾place", "echo"]
    );
    let header = operator.text();
    assert!(header.contains("3 of 5 Myses"), "{header}");
}

#[test]
fn the_next_one_in_need_is_shown_also_out_of_a_folded_group() {
    let mut swarm = swarm();
    let ids = swarm.ids();
    drop(swarm.fail(ids[3], "model server: 401 Unauthorized", NOW));
    let mut operator = Operator::at(swarm, (120, 40));
    operator.keys("Gz");
    assert_eq!(firsts(&operator), ["▸krynn", "▸sol", "▸place"]);
    let krynn = rows(&operator)[0].clone();
    assert!(krynn.contains("!1"), "{krynn}");
    operator.keys("!");
    assert_eq!(operator.board.table().selected(), Some(ids[3]));
    assert_eq!(firsts(&operator)[..2], ["▾krynn", "drift"]);
}

#[test]
fn no_mysis_changes_its_place_or_its_group_for_five_seconds_after_a_key() {
    let mut operator = Operator::at(swarm(), (120, 40));
    operator.keys("G");
    let before = firsts(&operator);
    let ids = operator.swarm.ids();
    let moved = |operator: &mut Operator, id: MysisId| {
        let mut status = operator.swarm.statuses[&id].clone();
        Arc::make_mut(&mut status.figures).facts.system = Some("sol".into());
        operator.happens(EventKind::StatusChanged(Arc::new(status)));
    };
    operator.waits(Duration::from_secs(3));
    moved(&mut operator, ids[2]);
    assert_eq!(firsts(&operator), before);
    // One that is new comes at the end of its group.
    let new = operator.swarm.add("aaron", NOW);
    moved(&mut operator, new);
    let mut with_new = before.clone();
    with_new.insert(6, "aaron".to_string());
    assert_eq!(firsts(&operator), with_new);
    operator.waits(Duration::from_secs(3));
    assert_eq!(
        firsts(&operator),
        [
            "▾krynn", "drift", "▾sol", "aaron", "alpha", "bravo", "ceres", "▾place", "echo"
        ]
    );
}

#[test]
fn what_is_new_is_told_at_once_and_moves_the_rows_later() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        let mut operator = Operator::at(swarm(), size);
        operator.keys("<down>");
        let before = operator.board.layout();
        let ids = operator.swarm.ids();
        let shown = operator
            .swarm
            .fail(ids[1], "model server: 401 Unauthorized", NOW);
        operator.receives(&shown);
        let mut standing = StandingConditions::default();
        let full = "the disk has 3 MB left: nothing new is kept";
        standing.set(StandingKind::LittleRoom, NOW, Some(full.into()));
        let standing = SwarmCondition::Standing(Arc::new(standing));
        operator.happens(EventKind::Condition(standing));
        let after = operator.board.layout();
        assert_eq!(
            (after.body.y, after.needs),
            (before.body.y, before.needs),
            "{size:?}"
        );
        let text = operator.text();
        assert!(text.contains("the disk has 3 MB left"), "{text}");
        assert!(text.contains("need you"), "{text}");
        operator.waits(Duration::from_secs(6));
        let text = operator.text();
        assert!(text.contains("WHO NEEDS YOU"), "{text}");
        assert!(text.contains("401"), "{text}");
    }
}

#[test]
fn hostile_names_do_no_harm_as_groups() {
    let evil = format!(
        "\u{1b}[31m\u{202e}{}漢字\u{200d}👩\u{200d}🚀",
        "x".repeat(10_000)
    );
    for size in [(20, 5), (60, 15), (80, 24), (120, 40), (200, 60), (300, 80)] {
        let mut swarm = swarm();
        let ids = swarm.ids();
        for (id, system) in ids.iter().zip([
            &*evil,
            "漢字漢字漢字漢字漢字漢字漢字漢字",
            "",
            "👩\u{200d}🚀",
        ]) {
            let status = swarm.statuses.get_mut(id).unwrap();
            Arc::make_mut(&mut status.figures).facts.system = Some(system.into());
            Arc::make_mut(&mut status.profile).role = Some(system.into());
            status.model = system.into();
        }
        let mut operator = Operator::at(swarm, size);
        for keys in ["G", "z", "z", "G", "G", "G", ":group role<enter><enter> "] {
            operator.keys(keys);
            does_no_harm(&operator);
        }
    }
}

#[test]
fn groups_of_a_large_swarm_begin_folded() {
    let mut swarm = Swarm::new(120, 0, 1);
    for (place, status) in swarm.statuses.values_mut().enumerate() {
        let system = ["sol", "krynn"][place % 2];
        Arc::make_mut(&mut status.figures).facts.system = Some(Arc::from(system));
    }
    let mut operator = Operator::at(swarm, (120, 40));
    operator.keys("G");
    assert_eq!(firsts(&operator), ["▸krynn", "▸sol"]);
    operator.keys("z");
    assert_eq!(operator.board.table().lines().len(), 122);
}
