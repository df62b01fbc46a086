//! The player: decides from the request alone what to answer.
//!
//! Everything here is pure. Chance follows from the seed and the conversation, so the same request gets the same answer.

mod exploring;
mod joining;
mod looking;
mod mining;
mod missions;
mod moving;
mod nonsense;
mod personas;
mod player_view;
mod stationing;
mod step;
mod talking;
mod trading;

pub use moving::STRANDED;
pub(super) use nonsense::{Nonsense, garble_as};

use serde_json::json;

use super::answer::PilotAnswer;
use super::chance::{self, Mix};
use super::orders::{PilotOrders, StandingOrder};
use super::persona::Persona;
use super::request::{PilotRequest, ToolChoice};
use super::situation::Situation;
use player_view::PlayerView;
use step::PlayerStep;

/// How a pilot plays, apart from what it is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Habits {
    /// Where its chance comes from.
    pub seed: u64,
    /// How often, from 0 to 1, a call is nonsense of the kind that models produce. Calls right after a mistake, and calls
    /// where a mistake could repeat itself for ever, are spared: that is about every third.
    pub nonsense: f64,
    /// How it behaves where the conversation asks for no other persona.
    pub persona: Persona,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            seed: 0,
            nonsense: 0.03,
            persona: Persona::Steady,
        }
    }
}

/// Answers a request.
#[must_use]
pub fn answer_request(request: &PilotRequest<'_>, habits: &Habits) -> PilotAnswer {
    let fingerprint = chance::fingerprint(habits.seed, &request.entries);
    answer_with_fingerprint(fingerprint, request, habits)
}

/// The same, where the fingerprint of the conversation is known already.
pub(super) fn answer_with_fingerprint(
    fingerprint: Mix,
    request: &PilotRequest<'_>,
    habits: &Habits,
) -> PilotAnswer {
    let mut rng = fingerprint.rng();
    let cockpit = PlayerView {
        request,
        orders: PilotOrders::read(request),
        situation: Situation::read(request),
        seed: habits.seed,
    };
    let persona = cockpit.orders.persona.unwrap_or(habits.persona);
    let step = personas::choose_persona_step(persona, &cockpit, &mut rng).unwrap_or_else(|| {
        let step = give_up_failing(&cockpit, choose_step(&cockpit, &mut rng));
        looking::add_interlude(&cockpit, step, &mut rng)
    });
    let step = apply_tool_choice(&cockpit, drop_missing_tools(&cockpit, step));
    let mut answer = step.into_answer(&mut rng);
    if persona == Persona::Steady && rng.f64() < habits.nonsense {
        nonsense::garble_answer(&mut answer, &cockpit, &mut rng);
    }
    if let Some(most) = request.max_tokens {
        answer.truncate_tokens(most);
    }
    answer.assign_ids(fingerprint);
    answer
}

/// What a player does that is not stuck.
fn choose_step(cockpit: &PlayerView<'_>, rng: &mut fastrand::Rng) -> PlayerStep {
    if cockpit.has_no_tools() {
        return talking::chat_without_tools(cockpit, rng);
    }
    if cockpit.orders.wants_words {
        return talking::answer_question(cockpit);
    }
    if cockpit.is_turn_over() {
        return talking::end_turn(cockpit, rng);
    }
    if let Some(step) = joining::join_game(cockpit, rng) {
        return step;
    }
    if cockpit.situation.must_wait() {
        return looking::wait_for_ship(cockpit);
    }
    if let Some(step) = moving::undock_where_told(cockpit) {
        return step;
    }
    match cockpit.orders.standing {
        StandingOrder::Mine => mining::choose_mining_step(cockpit, rng, &[]),
        StandingOrder::Trade => trading::choose_trading_step(cockpit, rng),
        StandingOrder::Explore => exploring::choose_exploring_step(cockpit, rng),
        StandingOrder::Missions => missions::choose_mission_step(cockpit, rng),
        StandingOrder::Wait => talking::stand_by(cockpit),
    }
}

/// Gives up, for this turn, what has failed often enough.
fn give_up_failing(cockpit: &PlayerView<'_>, step: PlayerStep) -> PlayerStep {
    let PlayerStep::Act { calls, .. } = &step else {
        return step;
    };
    match calls.iter().find(|call| cockpit.has_failed_enough(call)) {
        Some(call) => PlayerStep::say(
            format!(
                "`{}` keeps failing. {}",
                call.tool,
                talking::describe_facts(&cockpit.situation)
            ),
            "The same call has failed more than once; once more would not help.",
        ),
        None => step,
    }
}

/// Takes away what is not on offer.
fn drop_missing_tools(cockpit: &PlayerView<'_>, step: PlayerStep) -> PlayerStep {
    let PlayerStep::Act { mut calls, why } = step else {
        return step;
    };
    let missing = calls
        .iter()
        .find(|call| !cockpit.request.offers(&call.tool))
        .map(|call| call.tool.clone());
    calls.retain(|call| cockpit.request.offers(&call.tool));
    if !calls.is_empty() {
        return PlayerStep::Act { calls, why };
    }
    let tool = missing.unwrap_or_else(|| "it".to_owned());
    PlayerStep::say(
        format!("I would use `{tool}` now, but it is not among my tools."),
        format!("{why} The tool for it is missing."),
    )
}

/// Does what `tool_choice` demands.
fn apply_tool_choice(cockpit: &PlayerView<'_>, step: PlayerStep) -> PlayerStep {
    let PlayerStep::Say { why, .. } = &step else {
        return step;
    };
    let tools = &cockpit.request.tools;
    let forced = match cockpit.request.choice {
        ToolChoice::Auto | ToolChoice::Never => return step,
        ToolChoice::Named(name) => Some(name),
        ToolChoice::Required => ["get_status", "get_notifications"]
            .into_iter()
            .find(|tool| tools.contains(tool))
            .or(tools.first().copied()),
    };
    match forced {
        Some(tool) => PlayerStep::call(tool, json!({}), why.clone()),
        None => step,
    }
}

#[cfg(test)]
mod tests;
