//! Queries for unknown facts, and the small questions in between.

use serde_json::json;

use super::player_view::PlayerView;
use super::step::{PlayerStep, WantedCall};
use crate::situation::is_query;

/// Queries place, dock and hold, as far as they are unknown and a query can tell them.
pub(super) fn look_around(view: &PlayerView<'_>, rng: &mut fastrand::Rng) -> Option<PlayerStep> {
    let situation = &view.situation;
    if situation.is_clear() {
        return None;
    }
    let mut calls = Vec::new();
    if view.can_ask("get_status") {
        calls.push(WantedCall::without_arguments("get_status"));
        if situation.place.chart.is_none() && view.can_ask("get_system") && rng.u8(..3) == 0 {
            calls.push(WantedCall::without_arguments("get_system"));
        }
    } else if situation.ship.capacity.is_none() && view.can_ask("get_cargo") {
        calls.push(WantedCall::without_arguments("get_cargo"));
    } else if situation.place.poi.is_none() && view.can_ask("get_system") {
        calls.push(WantedCall::without_arguments("get_system"));
    } else if situation.place.poi.is_none() && view.can_ask("get_poi") {
        // The second interface's texts tell the place's id here alone.
        calls.push(WantedCall::without_arguments("get_poi"));
    } else {
        return None;
    }
    Some(PlayerStep::calls(
        calls,
        "I do not know for certain where I am and what I carry, so I look first.",
    ))
}

pub(super) fn ask_for_chart(view: &PlayerView<'_>) -> PlayerStep {
    if view.has_asked("get_system") {
        return PlayerStep::say(
            "I cannot find out what is in this system. I will look again later.",
            "The chart was asked for already and did not come.",
        );
    }
    PlayerStep::without_arguments(
        "get_system",
        "I need the points of interest and the lanes of this system.",
    )
}

/// Lets time pass while the server asks to wait.
pub(super) fn wait_for_ship(view: &PlayerView<'_>) -> PlayerStep {
    let is_first = view.situation.failures.len() <= 1;
    if is_first && view.can_ask("get_status") {
        return PlayerStep::without_arguments(
            "get_status",
            "The ship is busy. I look where I am before I try again.",
        );
    }
    PlayerStep::say(
        "The ship is still busy with the last action. I wait for it to end.",
        "Trying again at once would only be refused again.",
    )
}

/// Adds a side question to some of the first queries of a turn.
pub(super) fn add_interlude(
    view: &PlayerView<'_>,
    step: PlayerStep,
    rng: &mut fastrand::Rng,
) -> PlayerStep {
    let PlayerStep::Act { mut calls, why } = step else {
        return step;
    };
    let is_opening = view.rounds() == 0 && calls.iter().all(|call| is_query(&call.tool));
    let eagerness = if view.orders.is_nudged { 60 } else { 20 };
    if is_opening && rng.u8(..100) < eagerness {
        let interludes = [
            WantedCall::without_arguments("get_notifications"),
            WantedCall::without_arguments("captains_log_list"),
            WantedCall::new("zoea_search_messages", json!({"query": "base", "limit": 5})),
        ];
        let chosen = if view.orders.is_nudged {
            0
        } else {
            rng.usize(..interludes.len())
        };
        calls.extend(
            interludes
                .into_iter()
                .skip(chosen)
                .find(|call| view.can_ask(&call.tool)),
        );
    }
    PlayerStep::Act { calls, why }
}
