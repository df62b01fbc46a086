//! Exploring: from system to system, while watching the fuel.

use serde_json::json;

use super::player_view::PlayerView;
use super::step::PlayerStep;
use super::{looking, mining, moving, stationing};

pub(super) fn choose_exploring_step(view: &PlayerView<'_>, rng: &mut fastrand::Rng) -> PlayerStep {
    if let Some(step) = looking::look_around(view, rng) {
        return step;
    }
    if mining::must_earn(view) {
        return mining::choose_mining_step(view, rng, &[]);
    }
    let situation = &view.situation;
    let place = &situation.place;
    let is_low = situation.ship.has_less_fuel_than(50);
    if place.docked == Some(true) {
        if let Some(step) = stationing::refuel_ship(view) {
            return step;
        }
    } else if is_low && place.bases().next().is_some() {
        return moving::go_to_base(view, None, "The tank is low and a base is near.", rng);
    }
    let Some(chart) = &place.chart else {
        return looking::ask_for_chart(view);
    };
    let is_known_here = place
        .poi
        .as_ref()
        .is_none_or(|poi| place.looked_at.contains(poi));
    if !is_known_here && view.can_ask("get_poi") && rng.bool() {
        return PlayerStep::without_arguments("get_poi", "I have not looked at this place yet.");
    }
    if view.offers("captains_log_add") && !view.has_called("captains_log_add") && rng.u8(..6) == 0 {
        return log_system(view, &chart.system);
    }
    let unseen = chart.pois.iter().filter(|poi| {
        poi.kind != "sun"
            && Some(&poi.id) != place.poi.as_ref()
            && !place.looked_at.contains(&poi.id)
    });
    match rng.choice(unseen.collect::<Vec<_>>()) {
        Some(poi) if rng.u8(..4) == 0 => {
            moving::travel_to(view, &poi.id, &format!("{} is not explored yet.", poi.id))
        }
        Some(_) | None => moving::jump_to_neighbour(view, "This system is on my chart now.", rng),
    }
}

fn log_system(view: &PlayerView<'_>, system: &str) -> PlayerStep {
    let place = &view.situation.place;
    let chart = place.chart.iter();
    let pois: Vec<&str> = chart
        .clone()
        .flat_map(|chart| &chart.pois)
        .map(|poi| poi.id.as_str())
        .collect();
    let lanes: Vec<&str> = chart
        .flat_map(|chart| &chart.lanes)
        .map(String::as_str)
        .collect();
    PlayerStep::call(
        "captains_log_add",
        json!({"entry": format!("{system}: {}. Lanes to {}.", pois.join(", "), lanes.join(", "))}),
        "My memory is short; what I found belongs in the log.",
    )
}
