//! The reader against results of both interfaces.

use serde_json::json;

use super::*;
use crate::captured::captured;
use crate::results::read_facts;

fn read_text(command: &str, text: &str) -> Vec<SystemFacts> {
    read(command, &read_facts(text).expect("a known form"))
}

/// What the example of a tool of the first interface tells.
fn of_example(tool: &str) -> Vec<SystemFacts> {
    let all: Value = serde_json::from_str(crate::EXAMPLE_RESULTS).expect("JSON");
    read_text(tool, &all["tools"][tool]["result"].to_string())
}

fn find<'a>(systems: &'a [SystemFacts], id: &str) -> &'a SystemFacts {
    let found = systems.iter().find(|system| system.id == id);
    found.unwrap_or_else(|| panic!("{id} in {systems:?}"))
}

fn ids_of(lanes: &[LaneFacts]) -> Vec<&str> {
    lanes.iter().map(|lane| lane.to.as_str()).collect()
}

#[test]
fn the_map_tells_where_systems_are_and_how_they_hang_together() {
    let systems = of_example("get_map");
    assert_eq!(systems.len(), 3);
    let sirius = find(&systems, "sirius");
    assert_eq!(sirius.name.as_deref(), Some("Sirius"));
    assert_eq!(sirius.position, Some((-180.4, 370.9)));
    assert_eq!(ids_of(&sirius.lanes), ["sol", "nova_terra"]);
    assert!(sirius.is_whole);
    let found = of_example("search_systems");
    assert_eq!(found[0].position, Some((-402.3, 655.1)));
    assert_eq!(ids_of(&found[0].lanes), ["sirius", "furud"]);
}

#[test]
fn the_map_of_one_system_is_the_bare_system() {
    let one = json!({"system_id": "sol", "name": "Sol", "position": {"x": 0, "y": 0}, "connections": ["sirius"]});
    let systems = read_text("get_map", &one.to_string());
    assert_eq!(systems.len(), 1);
    assert_eq!(systems[0].position, Some((0.0, 0.0)));
}

#[test]
fn a_look_at_the_system_tells_lanes_with_their_length_and_points_and_names_the_neighbours() {
    let systems = of_example("get_system");
    let sol = find(&systems, "sol");
    assert_eq!(sol.name.as_deref(), Some("Sol"));
    assert_eq!(sol.position, None, "its points have positions, it has none");
    assert_eq!(ids_of(&sol.lanes), ["alpha_centauri", "sirius"]);
    assert_eq!(sol.lanes[0].length, Some(388.0));
    let points = sol.points.as_ref().expect("points");
    assert_eq!(points.len(), 8);
    let base = points.iter().find(|point| point.has_base).expect("a base");
    assert_eq!(base.name, "Sol Central");
    assert_eq!(base.kind.as_deref(), Some("station"));
    let neighbour = find(&systems, "alpha_centauri");
    assert_eq!(neighbour.name.as_deref(), Some("Alpha Centauri"));
    assert!(!neighbour.is_whole && neighbour.lanes.is_empty());
}

#[test]
fn the_same_is_read_from_the_text_of_the_second_interface() {
    let texts = captured("get_system");
    let systems = read_text("get_system", &texts[0]);
    let here = find(&systems, "market_prime");
    assert_eq!(here.name.as_deref(), Some("Market Prime"));
    assert_eq!(ids_of(&here.lanes), ["cargo_lanes", "gold_run", "haven"]);
    let lengths: Vec<_> = here.lanes.iter().map(|lane| lane.length).collect();
    assert_eq!(lengths, [Some(326.0), Some(357.0), Some(407.0)]);
    assert_eq!(here.points.as_ref().map(Vec::len), Some(5));
    assert_eq!(find(&systems, "gold_run").name.as_deref(), Some("Gold Run"));
}

#[test]
fn a_status_and_a_place_in_text_tell_the_lanes_of_the_system() {
    for (command, text, id, lanes) in [
        (
            "get_status",
            &captured("get_status")[1],
            "gold_run",
            vec![
                "cargo_lanes",
                "market_prime",
                "bunda",
                "copernicus",
                "wealth_lane",
            ],
        ),
        (
            "get_location",
            &captured("get_location")[0],
            "market_prime",
            vec!["cargo_lanes", "gold_run", "haven"],
        ),
    ] {
        let systems = read_text(command, text);
        assert_eq!(systems.len(), 1, "{command}");
        assert_eq!(systems[0].id, id);
        assert_eq!(ids_of(&systems[0].lanes), lanes);
        assert!(systems[0].is_whole);
    }
    let state: Value = serde_json::from_str(crate::CAPTURED_RESULTS).expect("JSON");
    let states = state["examples"].as_array().expect("examples").iter();
    let state = states
        .map(|example| &example["structuredContent"])
        .find(|state| state["location"]["connections"].is_array());
    let systems = read_text("get_state", &state.expect("a state").to_string());
    assert_eq!(systems.len(), 1);
    assert!(!systems[0].lanes.is_empty());
}

#[test]
fn a_route_tells_the_lanes_between_its_systems() {
    let systems = of_example("find_route");
    let lanes: Vec<_> = systems
        .iter()
        .map(|system| (system.id.as_str(), ids_of(&system.lanes)))
        .collect();
    assert_eq!(
        lanes,
        [
            ("sol", vec!["sirius"]),
            ("sirius", vec!["nova_terra"]),
            ("nova_terra", vec![]),
        ]
    );
    assert!(systems.iter().all(|system| !system.is_whole));
}

#[test]
fn no_other_example_is_taken_for_a_look_at_systems() {
    let all: Value = serde_json::from_str(crate::EXAMPLE_RESULTS).expect("JSON");
    let mut read_any = 0;
    for (tool, example) in all["tools"].as_object().expect("tools") {
        let text = example["result"].to_string();
        let systems = read_facts(&text).map(|facts| read(tool, &facts));
        let count = systems.map_or(0, |systems| systems.len());
        let is_look = matches!(
            tool.as_str(),
            "get_map" | "get_system" | "search_systems" | "find_route"
        );
        assert_eq!(count > 0, is_look, "{tool}");
        read_any += count;
    }
    assert!(read_any > 6);
}

#[test]
fn what_is_no_system_is_left_out_and_nothing_is_unbounded() {
    let odd = json!({"systems": [
        {"system_id": "Sol", "name": "no id"},
        {"name": "none"},
        7,
        {"system_id": "far", "name": "\u{1b}[31mred", "position": {"x": 1e300, "y": 0}, "connections": "sol"},
        {"system_id": "near", "name": "  ", "position": {"x": 1}, "connections": [7, "sol", null, {"system_id": "b", "distance": -4}]},
    ]});
    let systems = read_text("get_map", &odd.to_string());
    assert_eq!(systems.len(), 2);
    let far = find(&systems, "far");
    assert_eq!(far.position, None);
    assert!(!far.is_whole);
    assert!(
        far.name
            .as_deref()
            .is_some_and(|name| !name.contains('\u{1b}'))
    );
    let near = find(&systems, "near");
    assert_eq!((&near.name, near.position), (&None, None));
    assert_eq!(ids_of(&near.lanes), ["sol", "b"]);
    assert_eq!(near.lanes[1].length, None);
    let many: Vec<Value> = (0..3_000)
        .map(|number| json!({"system_id": format!("s{number}"), "connections": vec!["x"; 500]}))
        .collect();
    let systems = read_text("get_map", &json!({"systems": many}).to_string());
    assert_eq!(systems.len(), MAX_SYSTEMS);
    assert!(systems.iter().all(|system| system.lanes.len() == MAX_LANES));
}
