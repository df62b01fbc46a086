//! Getting from place to place: to a base, to another system, and out of trouble with an empty tank.

use serde_json::json;

use super::looking;
use super::player_view::PlayerView;
use super::step::PlayerStep;

/// What a player says that has no fuel and no way to get any.
pub const STRANDED: &str = "I am stranded: no fuel and no way to get any. I need help.";

/// Goes to a base of this system and docks; `wanted` is preferred where it is on the chart.
pub(super) fn go_to_base(
    cockpit: &PlayerView<'_>,
    wanted: Option<&str>,
    why: &str,
    rng: &mut fastrand::Rng,
) -> PlayerStep {
    let place = &cockpit.situation.place;
    if place.chart.is_none() {
        return looking::ask_for_chart(cockpit);
    }
    let is_wanted = |base: Option<&str>| base.is_some() && base == wanted;
    let base = place
        .bases()
        .find(|poi| is_wanted(poi.base.as_deref()))
        .or_else(|| {
            place
                .bases()
                .find(|poi| Some(&poi.id) == place.poi.as_ref())
        })
        .or_else(|| place.bases().next());
    match base {
        None => jump_to_neighbour(
            cockpit,
            &format!("{why} There is no base in this system."),
            rng,
        ),
        Some(base) if Some(&base.id) == place.poi.as_ref() => PlayerStep::call(
            "dock",
            json!({}),
            format!("{why} There is a base here: I dock."),
        ),
        Some(base) => travel_to(
            cockpit,
            &base.id,
            &format!("{why} The base is at {}.", base.id),
        ),
    }
}

/// Travels within the system.
pub(super) fn travel_to(cockpit: &PlayerView<'_>, poi: &str, why: &str) -> PlayerStep {
    if cockpit.situation.ship.is_dry() {
        return escape_empty_tank(cockpit);
    }
    PlayerStep::call("travel", json!({"target_poi": poi}), why)
}

/// Jumps to a neighbouring system, to one not seen yet if there is one.
pub(super) fn jump_to_neighbour(
    cockpit: &PlayerView<'_>,
    why: &str,
    rng: &mut fastrand::Rng,
) -> PlayerStep {
    let place = &cockpit.situation.place;
    let Some(chart) = &place.chart else {
        return looking::ask_for_chart(cockpit);
    };
    if cockpit.situation.ship.is_dry() {
        return escape_empty_tank(cockpit);
    }
    let unseen: Vec<&String> = chart
        .lanes
        .iter()
        .filter(|lane| !place.visited.contains(*lane))
        .collect();
    let lanes = if unseen.is_empty() {
        chart.lanes.iter().collect()
    } else {
        unseen
    };
    match rng.choice(lanes) {
        Some(lane) => PlayerStep::call(
            "jump",
            json!({"target_system": lane}),
            format!("{why} I jump to {lane}."),
        ),
        None => PlayerStep::say(
            format!(
                "No lane leads out of {}, and there is nothing for me here.",
                chart.system
            ),
            why,
        ),
    }
}

/// Undocks where the server wants that done before anything else.
pub(super) fn undock_where_told(cockpit: &PlayerView<'_>) -> Option<PlayerStep> {
    let trouble = cockpit.situation.trouble.as_ref()?;
    (trouble.code == "docked")
        .then(|| PlayerStep::call("undock", json!({}), "I must undock before I can do that."))
}

/// What remains with an empty tank in space.
fn escape_empty_tank(cockpit: &PlayerView<'_>) -> PlayerStep {
    let situation = &cockpit.situation;
    if situation.place.docked == Some(true) && !situation.trades.refuel_refused {
        return PlayerStep::call(
            "refuel",
            json!({}),
            "The tank is empty and the station sells fuel.",
        );
    }
    let is_at_base = situation
        .place
        .bases()
        .any(|base| Some(&base.id) == situation.place.poi.as_ref());
    if situation.place.docked == Some(false) && is_at_base {
        return PlayerStep::call(
            "dock",
            json!({}),
            "The tank is empty, but there is a base right here.",
        );
    }
    if situation.ship.has_fuel_cells() && !cockpit.has_called("refuel") {
        return PlayerStep::call(
            "refuel",
            json!({}),
            "The tank is empty; I burn fuel cells from the hold.",
        );
    }
    if situation.place.docked != Some(true)
        && cockpit.offers("distress_signal")
        && !cockpit.has_called("distress_signal")
    {
        return PlayerStep::call(
            "distress_signal",
            json!({}),
            "The tank is empty; I call for help.",
        );
    }
    PlayerStep::say(STRANDED, "Without fuel I can go nowhere.")
}
