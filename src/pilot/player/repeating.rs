//! Repeating: a round that works is left to the caller's routines, if it offers them and the orders say so.

use serde_json::{Value, json};

use crate::situation::ROUTINE_TOOL;

use super::player_view::PlayerView;
use super::step::PlayerStep;

/// The rounds between two looks.
const ROUNDS: u32 = 2;

/// Starts a routine of the miner's round from a base, once in a turn.
pub(super) fn repeat_mining(view: &PlayerView<'_>) -> Option<PlayerStep> {
    let place = &view.situation.place;
    let base = place
        .bases()
        .find(|poi| Some(&poi.id) == place.poi.as_ref())?;
    let belt = place.belts().next()?;
    let can_start =
        view.orders.uses_routines && view.offers(ROUTINE_TOOL) && !view.has_called(ROUTINE_TOOL);
    can_start.then(|| {
        PlayerStep::call(
            ROUTINE_TOOL,
            mining_round(&belt.id, &base.id),
            "The way between this base and the belt is known: the same round can be repeated.",
        )
    })
}

fn mining_round(belt: &str, base: &str) -> Value {
    json!({
        "name": "mining",
        "steps": [
            {"tool": "travel", "arguments": {"target_poi": belt}},
            {"tool": "mine", "most": 60, "may_fail": true},
            {"tool": "travel", "arguments": {"target_poi": base}},
            {"tool": "dock"},
            {"tool": "get_cargo"},
            {
                "tool": "sell",
                "each": "cargo",
                "may_fail": true,
                "arguments": {"item_id": "{item}", "quantity": "{quantity}"}
            },
            {"tool": "refuel", "may_fail": true},
            {"tool": "get_status"}
        ],
        "guards": [{"value": "hull", "op": ">", "number": 0}],
        "rounds": ROUNDS
    })
}
