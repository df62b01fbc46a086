//! Missions: accept supply missions, mine the goods, deliver them.

use serde_json::json;

use crate::situation::{KnownMission, KnownShip};

use super::player_view::PlayerView;
use super::step::PlayerStep;
use super::{looking, mining, moving, repeating};

/// The game's limit of missions at once.
const MAX_ACTIVE_MISSIONS: usize = 5;

pub(super) fn choose_mission_step(view: &PlayerView<'_>, rng: &mut fastrand::Rng) -> PlayerStep {
    if let Some(step) = repeating::go_on(view) {
        return step;
    }
    if let Some(step) = looking::look_around(view, rng) {
        return step;
    }
    if let Some(step) = repeating::repeat_mission(view) {
        return step;
    }
    let Some(active) = &view.situation.board.active else {
        if view.can_ask("get_active_missions") {
            return PlayerStep::without_arguments(
                "get_active_missions",
                "I look at what I have promised to do.",
            );
        }
        return mining::choose_mining_step(view, rng, &[]);
    };
    let incomplete = &view.situation.board.incomplete;
    let open = || {
        active
            .iter()
            .filter(|mission| !incomplete.contains(&mission.id))
    };
    if let Some(mission) = open().find(|mission| is_met(mission, &view.situation.ship)) {
        return deliver_mission(view, mission, rng);
    }
    let wanted: Vec<&str> = active
        .iter()
        .filter(|mission| mission.is_for_miners())
        .flat_map(|mission| &mission.wants)
        .filter_map(|want| want.item.as_deref())
        .collect();
    if wanted.is_empty() && active.len() < MAX_ACTIVE_MISSIONS {
        return find_work(view, rng);
    }
    mining::choose_mining_step(view, rng, &wanted)
}

fn is_met(mission: &KnownMission, ship: &KnownShip) -> bool {
    let has = |item: &str| ship.cargo.get(item).copied().unwrap_or(0);
    let is_in_hold = mission.is_for_miners()
        && mission.wants.iter().all(|want| {
            want.item
                .as_deref()
                .is_some_and(|item| has(item) >= want.quantity)
        });
    mission.is_done || is_in_hold
}

fn deliver_mission(
    view: &PlayerView<'_>,
    mission: &KnownMission,
    rng: &mut fastrand::Rng,
) -> PlayerStep {
    let base = mission.wants.iter().find_map(|want| want.base.as_deref());
    let why = format!("I have what \"{}\" asks for.", mission.title);
    if view.situation.place.docked != Some(true) {
        return moving::go_to_base(view, base, &why, rng);
    }
    PlayerStep::call("complete_mission", json!({"mission_id": mission.id}), why)
}

/// Looks for a mission that a miner can fulfil; without one, mines for the market.
fn find_work(view: &PlayerView<'_>, rng: &mut fastrand::Rng) -> PlayerStep {
    let board = &view.situation.board;
    if view.situation.place.docked != Some(true) {
        let has_work = view.situation.place.can_mine_here() || view.situation.ship.is_crowded();
        return if has_work || board.offered.is_some() {
            mining::choose_mining_step(view, rng, &[])
        } else {
            moving::go_to_base(view, None, "Missions are offered at bases.", rng)
        };
    }
    let Some(offered) = &board.offered else {
        if view.can_ask("get_missions") {
            return PlayerStep::without_arguments("get_missions", "I look at the mission board.");
        }
        return mining::choose_mining_step(view, rng, &[]);
    };
    let fit = offered
        .iter()
        .find(|mission| mission.is_for_miners() && !board.refused.contains(&mission.id));
    match fit {
        Some(mission) => PlayerStep::call(
            "accept_mission",
            json!({"mission_id": mission.id}),
            format!(
                "\"{}\" is work for a mining laser, and it pays.",
                mission.title
            ),
        ),
        None => mining::choose_mining_step(view, rng, &[]),
    }
}
