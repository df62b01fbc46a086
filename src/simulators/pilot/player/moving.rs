//! Moving: to a base, to another system, and out of an emergency with an empty tank.

use serde_json::json;

use super::looking;
use super::player_view::PlayerView;
use super::step::PlayerStep;

/// The words of a player without fuel and without a way to get any.
pub const STRANDED: &str = "I am stranded: no fuel and no way to get any. I need help.";

/// Goes to a base of this system and docks. `wanted` is preferred if the chart has it.
pub(super) fn go_to_base(
    view: &PlayerView<'_>,
    wanted: Option<&str>,
    why: &str,
    rng: &mut fastrand::Rng,
) -> PlayerStep {
    let place = &view.situation.place;
    if place.chart.is_none() {
        return looking::ask_for_chart(view);
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
            view,
            &format!("{why} There is no base in this system."),
            rng,
        ),
        Some(base) if Some(&base.id) == place.poi.as_ref() => {
            PlayerStep::without_arguments("dock", format!("{why} There is a base here: I dock."))
        }
        Some(base) => travel_to(
            view,
            &base.id,
            &format!("{why} The base is at {}.", base.id),
        ),
    }
}

pub(super) fn travel_to(view: &PlayerView<'_>, poi: &str, why: &str) -> PlayerStep {
    if view.situation.ship.is_dry() {
        return escape_empty_tank(view);
    }
    PlayerStep::call("travel", json!({"target_poi": poi}), why)
}

/// Jumps to a neighbouring system, preferably to one not visited yet.
pub(super) fn jump_to_neighbour(
    view: &PlayerView<'_>,
    why: &str,
    rng: &mut fastrand::Rng,
) -> PlayerStep {
    let place = &view.situation.place;
    let Some(chart) = &place.chart else {
        return looking::ask_for_chart(view);
    };
    if view.situation.ship.is_dry() {
        return escape_empty_tank(view);
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

/// Undocks if the server has just refused a call because the ship is docked.
pub(super) fn undock_where_refused(view: &PlayerView<'_>) -> Option<PlayerStep> {
    let failure = view.situation.last_failure.as_ref()?;
    (failure.code == "docked")
        .then(|| PlayerStep::without_arguments("undock", "I must undock before I can do that."))
}

fn escape_empty_tank(view: &PlayerView<'_>) -> PlayerStep {
    let situation = &view.situation;
    if situation.place.docked == Some(true) && !situation.trades.refuel_refused {
        return PlayerStep::without_arguments(
            "refuel",
            "The tank is empty and the station sells fuel.",
        );
    }
    let is_at_base = situation
        .place
        .bases()
        .any(|base| Some(&base.id) == situation.place.poi.as_ref());
    if situation.place.docked == Some(false) && is_at_base {
        return PlayerStep::without_arguments(
            "dock",
            "The tank is empty, but there is a base right here.",
        );
    }
    if situation.ship.has_fuel_cells() && !view.has_called("refuel") {
        return PlayerStep::without_arguments(
            "refuel",
            "The tank is empty; I burn fuel cells from the hold.",
        );
    }
    if situation.place.docked != Some(true)
        && view.offers("distress_signal")
        && !view.has_called("distress_signal")
    {
        return PlayerStep::without_arguments(
            "distress_signal",
            "The tank is empty; I call for help.",
        );
    }
    PlayerStep::say(STRANDED, "Without fuel I can go nowhere.")
}
