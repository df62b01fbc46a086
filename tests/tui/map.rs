//! The map: where the ships are, what is earned there, and what its keys act upon.

use std::sync::Arc;

use actors::domain::event::EventKind;
use actors::domain::ids::Timestamp;
use crossterm::event::Event;
use zoea_scenes::swarm::{START, Swarm};
use zoea_tui::dashboard::input_event::Input;
use zoea_tui::dashboard::map::MapView;

use crate::operator::Operator;
use crate::snapshots::{check_at, normal};

const SIZES: [(u16, u16); 4] = [(60, 15), (80, 24), (120, 40), (200, 60)];

fn now() -> Timestamp {
    Timestamp(START.0 + 3_600_000)
}

/// Twelve Myses in four systems.
fn spread() -> Swarm {
    let mut swarm = normal();
    swarm.spread_over_systems(4, now());
    swarm
}

fn at(swarm: Swarm, size: (u16, u16), systems: usize) -> Operator {
    let mut operator = Operator::at(swarm, size);
    operator.systems = systems;
    operator
}

fn check(name: &str, swarm: impl Fn() -> Swarm, systems: usize, keys: &str) {
    check_at(name, SIZES, swarm, |operator| {
        operator.systems = systems;
        operator.keys(keys);
    });
}

#[test]
fn the_map_at_every_size() {
    check("map", spread, 24, "M");
    check("map-magnified", spread, 24, "M++<right>");
}

#[test]
fn a_thousand_myses_in_five_hundred_systems() {
    let crowd = || {
        let mut swarm = Swarm::new(1_000, 0, 3);
        swarm.spread_over_systems(40, now());
        swarm
    };
    check("map-crowd", crowd, 500, "M");
}

#[test]
fn an_empty_map_says_what_brings_one() {
    let mut swarm = normal();
    for id in swarm.ids() {
        let status = swarm.statuses.get_mut(&id).expect("it stands");
        Arc::make_mut(&mut status.figures).facts.system = None;
    }
    let mut operator = at(swarm, (80, 24), 0);
    operator.keys("M");
    let text = operator.text();
    assert!(text.contains("no Mysis has seen a system yet"), "{text}");
    assert!(
        text.contains("get_system and get_map bring systems"),
        "{text}"
    );
    operator.keys("<enter><tab><left>+m<shift-left>");
    assert!(operator.text().contains("no Mysis has seen a system yet"));
}

/// The name in the first line of what is told of the selected system.
fn name_on_map(operator: &Operator, name: &str) -> bool {
    let text = operator.text();
    let lines = text.lines().filter(|line| line.contains(name));
    lines.count() > 0
}

#[test]
fn the_selected_system_is_named_at_every_size_and_so_is_what_enter_shows() {
    for columns in [40, 59, 60, 80, 99, 100, 120] {
        for rows in [10, 11, 12, 15, 20, 24] {
            let mut operator = at(spread(), (columns, rows), 24);
            operator.keys("M");
            for keys in [
                "",
                "<tab>",
                "<tab>",
                "<backtab>",
                "+++",
                "<left>",
                "<shift-up>",
                "<shift-left>",
            ] {
                operator.keys(keys);
                let view = operator.board.view::<MapView>().expect("the map is open");
                let place = view.selected().expect("one is selected");
                let name = view.map().expect("a map").systems[place].name.to_string();
                let name: String = name.chars().take(14).collect();
                let at = format!("{columns}x{rows} after {keys:?}: {}", operator.text());
                assert!(name_on_map(&operator, &name), "{name} at {at}");
            }
        }
    }
}

#[test]
fn enter_shows_those_who_are_there_in_the_table() {
    let mut operator = at(spread(), (120, 40), 24);
    operator.keys("M");
    let there = |operator: &Operator, system: &str| {
        let statuses = operator.swarm.statuses.values();
        let there = statuses.filter(|it| it.figures.facts.system.as_deref() == Some(system));
        there.map(|it| it.id).collect::<Vec<_>>()
    };
    let in_sol = there(&operator, "sol");
    assert!(in_sol.len() > 1);
    operator.keys("<enter>");
    assert!(operator.board.overlays().is_empty());
    let mut shown = operator.board.table().order().to_vec();
    shown.sort_unstable();
    assert_eq!(shown, in_sol);
    // Where nobody is, Enter says so and leaves the table alone.
    operator.keys("<esc>M");
    for _ in 0..4 {
        operator.keys("<left>");
    }
    operator.keys("<enter>");
    assert!(
        operator.text().contains("no Mysis is in"),
        "{}",
        operator.text()
    );
    assert_eq!(operator.board.overlays().len(), 1);
}

#[test]
fn m_writes_to_all_who_are_there_and_the_map_stays_behind() {
    let mut operator = at(spread(), (120, 40), 24);
    operator.keys("Mm");
    let text = operator.text();
    assert!(
        text.contains(" MAP ") && text.contains(" MESSAGE to "),
        "{text}"
    );
    operator.keys("Come home<enter>");
    let receipt = operator
        .board
        .facts()
        .orders
        .receipts()
        .back()
        .cloned()
        .expect("an order");
    let in_sol = operator.swarm.statuses.values();
    let in_sol = in_sol.filter(|it| it.figures.facts.system.as_deref() == Some("sol"));
    let answered = receipt.done + receipt.awaited + receipt.refused.len();
    assert_eq!(answered, in_sol.count(), "{receipt:?}");
    assert_eq!(operator.board.overlays().len(), 1);
    assert!(operator.board.view::<MapView>().is_some());
}

#[test]
fn a_map_of_letters_alone_has_its_signs_and_its_lanes() {
    let mut operator = at(spread(), (120, 40), 24);
    operator.keys(":letters ascii<enter>M");
    let text = operator.text();
    assert!(text.is_ascii(), "{text}");
    assert!(text.contains("....") && text.contains("* best"), "{text}");
    assert!(!text.contains("??"), "{text}");
}

#[test]
fn the_palette_opens_the_map_and_a_new_size_keeps_it() {
    let mut operator = at(spread(), (120, 40), 24);
    operator.keys(":map<enter>");
    let before = operator.text();
    assert!(before.contains(" MAP "));
    operator.input(Input::Event(Event::Resize(39, 9)));
    operator.input(Input::Event(Event::Resize(120, 40)));
    assert_eq!(operator.text(), before);
    operator.keys("M");
    assert!(operator.board.overlays().is_empty());
}

#[test]
fn ships_that_move_are_counted_where_they_are_now() {
    let mut operator = at(spread(), (120, 40), 24);
    let id = operator.swarm.ids()[0];
    operator.keys("M");
    let before = operator.text();
    let status = operator.swarm.statuses.get_mut(&id).expect("it stands");
    Arc::make_mut(&mut status.figures).facts.system = Some("frontier".into());
    let changed = EventKind::StatusChanged(Arc::new(status.clone()));
    assert_ne!(operator.happens(changed).text(), before);
}
