//! The player: decides from the request alone what to answer.
//!
//! Everything here is pure. Chance follows from the seed and the conversation, so the same request gets the same answer.

mod drilling;
mod exploring;
mod joining;
mod looking;
mod mining;
mod missions;
mod moving;
mod nonsense;
mod personas;
mod player_view;
mod repeating;
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
use super::request::{FIND_TOOLS, PilotRequest, ToolChoice};
use super::situation::Situation;
use player_view::PlayerView;
use step::{PlayerStep, WantedCall};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Habits {
    pub seed: u64,
    /// The probability, 0 to 1, that a call is nonsense of the kind that models produce. About
    /// every third call is exempt: the calls right after a mistake, and those where a mistake could
    /// repeat itself for ever.
    pub nonsense: f64,
    /// The persona where the conversation asks for no other one.
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

pub fn answer_request(request: &PilotRequest<'_>, habits: &Habits) -> PilotAnswer {
    let fingerprint = chance::fingerprint(habits.seed, &request.entries);
    answer_with_fingerprint(fingerprint, request, habits)
}

/// Answers a request whose fingerprint is already known.
pub(super) fn answer_with_fingerprint(
    fingerprint: Mix,
    request: &PilotRequest<'_>,
    habits: &Habits,
) -> PilotAnswer {
    let mut rng = fingerprint.rng();
    let view = PlayerView {
        request,
        orders: PilotOrders::read(request),
        situation: Situation::read(request),
        seed: habits.seed,
    };
    let persona = view.orders.persona.unwrap_or(habits.persona);
    let step = personas::choose_persona_step(persona, &view, &mut rng).unwrap_or_else(|| {
        let step = give_up_failing(&view, choose_step(&view, &mut rng));
        looking::add_interlude(&view, step, &mut rng)
    });
    let step = apply_tool_choice(&view, drop_missing_tools(&view, step));
    let step = drop_unread_arguments(&view, step);
    let mut answer = step.into_answer(&mut rng);
    if persona == Persona::Steady && rng.f64() < habits.nonsense {
        nonsense::garble_answer(&mut answer, &view, &mut rng);
    }
    if let Some(most) = request.max_tokens {
        answer.truncate_tokens(most);
    }
    answer.assign_ids(fingerprint);
    answer
}

/// The next step of a player who is not stuck.
fn choose_step(view: &PlayerView<'_>, rng: &mut fastrand::Rng) -> PlayerStep {
    if view.has_no_tools() {
        return talking::chat_without_tools(view, rng);
    }
    if let Some(step) = drilling::choose_drill_step(view) {
        return step;
    }
    if view.orders.wants_words {
        return talking::answer_question(view);
    }
    if view.is_turn_over() {
        return talking::end_turn(view, rng);
    }
    if let Some(step) = joining::join_game(view, rng) {
        return step;
    }
    if view.situation.must_wait() {
        return looking::wait_for_ship(view);
    }
    if let Some(step) = moving::undock_where_refused(view) {
        return step;
    }
    match view.orders.standing {
        StandingOrder::Mine => mining::choose_mining_step(view, rng, &[]),
        StandingOrder::Trade => trading::choose_trading_step(view, rng),
        StandingOrder::Explore => exploring::choose_exploring_step(view, rng),
        StandingOrder::Missions => missions::choose_mission_step(view, rng),
        StandingOrder::Chat => talking::chat_with_others(view),
        StandingOrder::Wait => talking::stand_by(view),
    }
}

/// Gives up, for this turn, a call that has failed often enough.
fn give_up_failing(view: &PlayerView<'_>, step: PlayerStep) -> PlayerStep {
    let PlayerStep::Act { calls, .. } = &step else {
        return step;
    };
    match calls.iter().find(|call| view.has_failed_enough(call)) {
        Some(call) => PlayerStep::say(
            format!(
                "`{}` keeps failing. {}",
                call.tool,
                talking::describe_facts(&view.situation)
            ),
            "The same call has failed more than once; once more would not help.",
        ),
        None => step,
    }
}

/// Removes calls of tools that the request does not offer. If none is left, the missing tool is
/// searched for, where that is possible.
fn drop_missing_tools(view: &PlayerView<'_>, step: PlayerStep) -> PlayerStep {
    let PlayerStep::Act { mut calls, why } = step else {
        return step;
    };
    let missing = calls
        .iter()
        .find(|call| !view.request.offers(&call.tool))
        .map(|call| call.tool.clone());
    calls.retain(|call| view.request.offers(&call.tool));
    if !calls.is_empty() {
        return PlayerStep::Act { calls, why };
    }
    let tool = missing.unwrap_or_else(|| "it".to_owned());
    if view.can_ask(FIND_TOOLS) {
        return PlayerStep::call(FIND_TOOLS, json!({"query": tool}), why);
    }
    PlayerStep::say(
        format!("I would use `{tool}` now, but it is not among my tools."),
        format!("{why} The tool for it is missing."),
    )
}

/// Removes arguments whose names stand nowhere in the request. The refusal of such a call names
/// them.
fn drop_unread_arguments(view: &PlayerView<'_>, mut step: PlayerStep) -> PlayerStep {
    if let PlayerStep::Act { calls, .. } = &mut step {
        for WantedCall { tool, arguments } in calls {
            if let Some(arguments) = arguments.as_object_mut() {
                arguments.retain(|name, _| view.request.names_argument(tool, name));
            }
        }
    }
    step
}

fn apply_tool_choice(view: &PlayerView<'_>, step: PlayerStep) -> PlayerStep {
    let PlayerStep::Say { why, .. } = &step else {
        return step;
    };
    let tools = &view.request.tools;
    let forced = match view.request.choice {
        ToolChoice::Auto | ToolChoice::Never => return step,
        ToolChoice::Named(name) => Some(name),
        ToolChoice::Required => ["get_status", "get_notifications"]
            .into_iter()
            .find(|tool| tools.contains(tool))
            .or(tools.first().copied()),
    };
    match forced {
        Some(tool) => PlayerStep::without_arguments(tool, why.clone()),
        None => step,
    }
}

#[cfg(test)]
mod tests;
