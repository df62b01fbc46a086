//! The model of the map.

use actors::domain::ids::Moment;
use actors::domain::system_map::{MappedSystem, SystemMap};
use ratatui::layout::Rect;

use super::labels::place_labels;
use super::ships::{SystemShips, tone_of};
use super::viewport::Viewport;
use super::*;
use crate::dashboard::text::tone::Tone;

fn map_of(systems: &[(&str, f64, f64)]) -> SystemMap {
    let systems = systems.iter().map(|(id, x, y)| MappedSystem {
        id: (*id).into(),
        name: (*id).into(),
        position: (*x, *y),
        points: Arc::default(),
        seen_at: None,
    });
    SystemMap {
        systems: systems.collect(),
        lanes: Vec::new(),
    }
}

fn view_of(systems: &[(&str, f64, f64)], selected: &str) -> MapView {
    let mut view = MapView::default();
    read(&mut view, systems, selected);
    view
}

fn read(view: &mut MapView, systems: &[(&str, f64, f64)], preferred: &str) {
    view.map.ask(ReadId(1), Moment(0));
    let map = StoreAnswer::SystemMap(map_of(systems));
    view.take_map(ReadId(1), Ok(map), || Some(preferred.into()));
}

/// Five systems as a cross, the second value upwards, and one far to the right, a little aside.
const CROSS: [(&str, f64, f64); 6] = [
    ("east", 100.0, 0.0),
    ("far", 300.0, 10.0),
    ("middle", 0.0, 0.0),
    ("north", 0.0, 100.0),
    ("south", 0.0, -100.0),
    ("west", -100.0, 0.0),
];

fn selected(view: &MapView) -> &str {
    view.selected.as_deref().expect("one is selected")
}

#[test]
fn arrows_lead_to_the_next_system_in_their_direction() {
    for (direction, there) in [
        (MapDirection::Left, "west"),
        (MapDirection::Right, "east"),
        (MapDirection::Up, "north"),
        (MapDirection::Down, "south"),
    ] {
        let mut view = view_of(&CROSS, "middle");
        view.step(direction);
        assert_eq!(selected(&view), there);
    }
    let mut view = view_of(&CROSS, "east");
    view.step(MapDirection::Right);
    assert_eq!(selected(&view), "far");
    view.step(MapDirection::Right);
    assert_eq!(selected(&view), "far", "there is none");
}

#[test]
fn the_selected_system_stays_selected_when_the_map_is_read_again() {
    let mut view = view_of(&CROSS, "north");
    read(&mut view, &CROSS[2..], "west");
    assert_eq!(selected(&view), "north");
    read(&mut view, &CROSS[..1], "gone");
    assert_eq!(
        selected(&view),
        "east",
        "the first one, if nothing better is there"
    );
}

#[test]
fn a_map_that_lacks_a_system_or_all_is_read_again_soon() {
    let view = view_of(&CROSS, "west");
    assert_eq!(view.refresh_interval(|_| true), REFRESH_INCOMPLETE);
    assert_eq!(view.refresh_interval(|_| false), REFRESH);
    let view = view_of(&[], "none");
    assert_eq!(view.refresh_interval(|_| false), REFRESH_INCOMPLETE);
}

#[test]
fn the_whole_map_is_in_sight_and_magnified_the_selected_system_is() {
    for (width, height) in [(40, 3), (80, 15), (200, 50), (1, 1)] {
        let area = Rect::new(3, 2, width, height);
        let mut view = view_of(&CROSS, "far");
        let map = view.map().expect("a map").clone();
        let shown = Viewport::new(&view, &map, area);
        for system in &map.systems {
            assert!(shown.cell(system.position).is_some(), "{width}x{height}");
        }
        view.magnify(9);
        let shown = Viewport::new(&view, &map, area);
        let middle = ((width - 1) / 2, (height - 1) / 2);
        let (column, row) = shown.cell((300.0, 10.0)).expect("in sight");
        assert!(column.abs_diff(middle.0) <= 1 && row.abs_diff(middle.1) <= 1);
        view.magnify(-99);
        assert_eq!((view.zoom, view.centre), (0, None));
    }
}

#[test]
fn what_the_canvas_draws_at_a_point_is_in_the_cell_of_the_point() {
    let view = view_of(&CROSS, "middle");
    let map = view.map().expect("a map");
    // With an odd number of columns and rows, no system is between two cells.
    let area = Rect::new(0, 0, 61, 21);
    let shown = Viewport::new(&view, map, area);
    let (x_bounds, y_bounds) = shown.canvas_bounds();
    for system in &map.systems {
        let (x, y) = system.position;
        // As ratatui's canvas finds the dot of a point, from the left and from above: two by four of them in a cell.
        let dot = |ahead: f64, bounds: [f64; 2], dots: f64| {
            (ahead * (dots - 1.0) / (bounds[1] - bounds[0])).round()
        };
        let column = dot(x - x_bounds[0], x_bounds, 122.0) / 2.0;
        let row = dot(y_bounds[1] - y, y_bounds, 84.0) / 4.0;
        let cell = shown.cell((x, y)).expect("in sight");
        assert_eq!(
            (column.floor() as u16, row.floor() as u16),
            cell,
            "{}",
            system.id
        );
    }
}

fn ships(count: i64, earned: Option<i64>) -> SystemShips {
    SystemShips {
        myses: (0..count).map(actors::domain::ids::MysisId).collect(),
        earned,
        figure: count.to_string(),
    }
}

#[test]
fn the_colour_is_that_of_what_one_ship_earns() {
    let tones = [
        (ships(2, Some(2_000)), Tone::Success),
        (ships(4, Some(2_000)), Tone::Accent),
        (ships(9, Some(1_000)), Tone::Warning),
        (ships(2, Some(0)), Tone::Dim),
        (ships(2, None), Tone::Dim),
        (ships(1, Some(-5)), Tone::Fault),
    ];
    for (ships, tone) in tones {
        assert_eq!(tone_of(&ships, 1_000), tone, "{ships:?}");
    }
}

#[test]
fn no_label_covers_another_and_those_without_room_are_counted() {
    let near: Vec<(String, f64, f64)> = (0..500)
        .map(|number| {
            let turn = f64::from(number) * 2.4;
            let distance = f64::from(number).sqrt();
            (
                format!("s{number:03}"),
                turn.cos() * distance,
                turn.sin() * distance,
            )
        })
        .collect();
    let near: Vec<(&str, f64, f64)> = near.iter().map(|(id, x, y)| (&**id, *x, *y)).collect();
    let map = map_of(&near);
    let there = map
        .systems
        .iter()
        .map(|system| (system.id.clone(), ships(4, Some(9))));
    let there = there.collect();
    let view = MapView::default();
    for (width, height) in [(60, 8), (120, 30), (200, 50)] {
        let shown = Viewport::new(&view, &map, Rect::new(0, 0, width, height));
        let placed = place_labels(&map, &there, Some(17), &shown);
        let signs = placed
            .labels
            .iter()
            .filter(|label| label.text.starts_with('●'));
        assert_eq!(signs.count() + placed.hidden, 500);
        let [sign, name] = &placed.labels[..2] else {
            panic!("the selected system has a sign and a name");
        };
        assert!(sign.is_selected && name.is_selected && name.text.contains("s017"));
        let mut taken = std::collections::BTreeSet::new();
        for label in &placed.labels {
            for column in 0..u16::try_from(label.text.chars().count()).expect("short") {
                let column = label.column + column;
                assert!(column < width, "{label:?}");
                assert!(taken.insert((column, label.row)), "{label:?}");
            }
        }
    }
}
