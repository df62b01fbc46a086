//! Repeating: a round that works is left to the caller's routines, if it offers them and the orders say so.

use serde_json::{Value, json};

use crate::situation::ROUTINE_TOOL;

use super::player_view::PlayerView;
use super::step::PlayerStep;
use super::talking::describe_facts;

/// The rounds between two looks.
const ROUNDS: u32 = 10;
/// The routine's name.
const NAME: &str = "mining";

/// Starts a routine of the miner's round from a base, once in a turn. The turn of one that made all
/// its rounds is over, and the next turn starts it again.
pub(super) fn repeat_mining(view: &PlayerView<'_>) -> Option<PlayerStep> {
    let place = &view.situation.place;
    let base = place
        .bases()
        .find(|poi| Some(&poi.id) == place.poi.as_ref())?;
    let belt = place.belts().next()?;
    if !view.orders.uses_routines || !view.offers(ROUTINE_TOOL) {
        return None;
    }
    if view.has_called(ROUTINE_TOOL) {
        return view.situation.routine_is_over.then(|| {
            PlayerStep::say(
                format!("The rounds are done. {}", describe_facts(&view.situation)),
                "The routine has made all its rounds; I start it again in the next turn.",
            )
        });
    }
    let arguments = match view.situation.routine_is_over {
        true => json!({ "name": NAME }),
        false => mining_round(&belt.id, &base.id),
    };
    Some(PlayerStep::call(
        ROUTINE_TOOL,
        arguments,
        "The way between this base and the belt is known: the same round can be repeated.",
    ))
}

/// Lets a routine that a message ended go on, before anything else is done.
pub(super) fn go_on(view: &PlayerView<'_>) -> Option<PlayerStep> {
    let can_go_on = view.situation.routine_can_go_on && view.offers(ROUTINE_TOOL);
    can_go_on.then(|| {
        PlayerStep::call(
            ROUTINE_TOOL,
            json!({ "name": NAME }),
            "The message is answered: the routine goes on where it stopped.",
        )
    })
}

fn mining_round(belt: &str, base: &str) -> Value {
    json!({
        "name": NAME,
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
