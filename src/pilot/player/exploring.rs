//! Exploring: from system to system, with an eye on the tank.

use serde_json::json;

use super::player_view::PlayerView;
use super::step::Step;
use super::{looking, mining, moving, stationing};

/// One step of the explorer.
pub(super) fn explore(cockpit: &PlayerView<'_>, rng: &mut fastrand::Rng) -> Step {
    if let Some(step) = looking::look(cockpit, rng) {
        return step;
    }
    if mining::must_earn(cockpit) {
        return mining::mine(cockpit, rng, &[]);
    }
    let situation = &cockpit.situation;
    let place = &situation.place;
    let is_low = situation.ship.has_less_fuel_than(50);
    if place.docked == Some(true) {
        if let Some(step) = stationing::refuel(cockpit) {
            return step;
        }
    } else if is_low && place.bases().next().is_some() {
        return moving::to_base(cockpit, None, "The tank is low and a base is near.", rng);
    }
    let Some(chart) = &place.chart else {
        return looking::chart(cockpit);
    };
    let is_known_here = place
        .poi
        .as_ref()
        .is_none_or(|poi| place.looked_at.contains(poi));
    if !is_known_here && cockpit.can_ask("get_poi") && rng.bool() {
        return Step::call("get_poi", json!({}), "I have not looked at this place yet.");
    }
    if cockpit.offers("captains_log_add")
        && !cockpit.has_called("captains_log_add")
        && rng.u8(..6) == 0
    {
        return write_down(cockpit, &chart.system);
    }
    let unseen = chart.pois.iter().filter(|poi| {
        poi.kind != "sun"
            && Some(&poi.id) != place.poi.as_ref()
            && !place.looked_at.contains(&poi.id)
    });
    match rng.choice(unseen.collect::<Vec<_>>()) {
        Some(poi) if rng.u8(..4) == 0 => moving::travel(
            cockpit,
            &poi.id,
            &format!("{} is not explored yet.", poi.id),
        ),
        Some(_) | None => moving::jump(cockpit, "This system is on my chart now.", rng),
    }
}

fn write_down(cockpit: &PlayerView<'_>, system: &str) -> Step {
    let place = &cockpit.situation.place;
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
    Step::call(
        "captains_log_add",
        json!({"entry": format!("{system}: {}. Lanes to {}.", pois.join(", "), lanes.join(", "))}),
        "My memory is short; what I found belongs in the log.",
    )
}
