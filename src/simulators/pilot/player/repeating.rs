//! Repeating: a round that works is left to the caller's routines, if it offers them and the orders say so.

use serde_json::{Value, json};

use crate::orders::StandingOrder;
use crate::situation::{KnownMission, ROUTINE_TOOL};

use super::looking;
use super::player_view::PlayerView;
use super::step::PlayerStep;
use super::talking::describe_facts;

const ROUNDS: u32 = 10;
/// The most missions that a round takes.
const MISSIONS: usize = 2;
const MINING: &str = "mining";
const DELIVERING: &str = "delivering";

/// Starts a routine of the miner's round from a base.
pub(super) fn repeat_mining(view: &PlayerView<'_>) -> Option<PlayerStep> {
    let (belt, base) = known_way(view)?;
    repeat(view, || mining_round(belt, base))
}

/// Starts a routine of a supply mission that can be taken again and again: it takes the mission, mines, and
/// delivers what is complete.
pub(super) fn repeat_mission(view: &PlayerView<'_>) -> Option<PlayerStep> {
    let place = &view.situation.place;
    if !may_repeat(view) || place.docked != Some(true) {
        return None;
    }
    if place.chart.is_none() && !view.has_asked("get_system") {
        return Some(looking::ask_for_chart(view));
    }
    let (belt, base) = known_way(view)?;
    let Some(offered) = &view.situation.board.offered else {
        return view.can_ask("get_missions").then(|| {
            PlayerStep::without_arguments("get_missions", "I look at the mission board.")
        });
    };
    let missions = offered.iter().filter(|mission| mission.is_for_miners());
    let missions: Vec<&KnownMission> = missions.take(MISSIONS).collect();
    if missions.is_empty() {
        return None;
    }
    let capacity = view.situation.ship.capacity?;
    repeat(view, || mission_round(&missions, belt, base, capacity))
}

/// A belt of this system and the base where the ship is.
fn known_way<'a>(view: &'a PlayerView<'_>) -> Option<(&'a str, &'a str)> {
    let place = &view.situation.place;
    let mut bases = place.bases();
    let base = bases.find(|poi| Some(&poi.id) == place.poi.as_ref())?;
    Some((&place.belts().next()?.id, &base.id))
}

fn may_repeat(view: &PlayerView<'_>) -> bool {
    view.orders.uses_routines && view.offers(ROUTINE_TOOL)
}

/// Starts a routine of this round, once in a turn. The turn of one that made all its rounds is over, and
/// the next turn starts it again.
fn repeat(view: &PlayerView<'_>, round: impl FnOnce() -> Value) -> Option<PlayerStep> {
    if !may_repeat(view) {
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
        true => json!({ "name": routine_name(view) }),
        false => round(),
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
            json!({ "name": routine_name(view) }),
            "The message is answered: the routine goes on where it stopped.",
        )
    })
}

fn routine_name(view: &PlayerView<'_>) -> &'static str {
    match view.orders.standing {
        StandingOrder::Missions => DELIVERING,
        StandingOrder::Mine
        | StandingOrder::Trade
        | StandingOrder::Explore
        | StandingOrder::Chat
        | StandingOrder::Wait => MINING,
    }
}

fn mining_round(belt: &str, base: &str) -> Value {
    let mut steps = digging(belt, base);
    steps.extend([
        json!({"tool": "get_cargo"}),
        sale(),
        json!({"tool": "get_status"}),
        refuelling(),
    ]);
    round(MINING, &steps)
}

/// What a round does not complete stays in the hold for the next one, unless that fills too much of it.
fn mission_round(missions: &[&KnownMission], belt: &str, base: &str, capacity: i64) -> Value {
    let is_crowded = json!({"value": "cargo_free", "op": "<", "number": capacity / 4});
    let accept = missions.iter().map(|mission| {
        json!({"tool": "accept_mission", "may_fail": true, "arguments": {"mission_id": mission.id}})
    });
    let mut steps: Vec<Value> = accept.collect();
    steps.extend(digging(belt, base));
    let mut sale = sale();
    sale["when"] = is_crowded.clone();
    steps.extend([
        json!({"tool": "get_active_missions"}),
        json!({
            "tool": "complete_mission",
            "each": "missions",
            "may_fail": true,
            "arguments": {"mission_id": "{mission}"}
        }),
        json!({"tool": "get_cargo", "when": is_crowded}),
        sale,
        refuelling(),
    ]);
    round(DELIVERING, &steps)
}

/// From the base to the belt and back with a full hold, so that no call has to fail to tell that it is full.
fn digging(belt: &str, base: &str) -> Vec<Value> {
    let is_full = json!({"value": "cargo_free", "op": "<", "number": 1});
    vec![
        json!({"tool": "travel", "arguments": {"target_poi": belt}}),
        json!({"tool": "mine", "until": is_full, "most": 60, "may_fail": true}),
        json!({"tool": "travel", "arguments": {"target_poi": base}}),
        json!({"tool": "dock"}),
    ]
}

fn sale() -> Value {
    json!({
        "tool": "sell",
        "each": "cargo",
        "may_fail": true,
        "arguments": {"item_id": "{item}", "quantity": "{quantity}"}
    })
}

/// Refuels where the tank takes enough to be worth a call.
fn refuelling() -> Value {
    let has_burnt = json!({"value": "fuel_percent", "op": "<", "number": 80});
    json!({"tool": "refuel", "when": has_burnt, "may_fail": true})
}

fn round(name: &str, steps: &[Value]) -> Value {
    json!({
        "name": name,
        "steps": steps,
        "guards": [{"value": "hull", "op": ">", "number": 0}],
        "rounds": ROUNDS
    })
}
