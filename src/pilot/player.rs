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
mod player_view;
mod stationing;
mod step;
mod stuck;
mod talking;
mod trading;

pub use moving::STRANDED;
pub(super) use nonsense::{Nonsense, garble_as};

use serde_json::json;

use super::answer::Answer;
use super::chance::{self, Mix};
use super::orders::{Order, Orders};
use super::persona::Persona;
use super::request::{Choice, Request};
use super::situation::Situation;
use player_view::PlayerView;
use step::Step;

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
pub fn fly(request: &Request<'_>, habits: &Habits) -> Answer {
    let fingerprint = chance::fingerprint(habits.seed, &request.entries);
    fly_by(fingerprint, request, habits)
}

/// The same, where the fingerprint of the conversation is known already.
pub(super) fn fly_by(fingerprint: Mix, request: &Request<'_>, habits: &Habits) -> Answer {
    let mut rng = fingerprint.rng();
    let cockpit = PlayerView {
        request,
        orders: Orders::read(request),
        situation: Situation::read(request),
        seed: habits.seed,
    };
    let persona = cockpit.orders.persona.unwrap_or(habits.persona);
    let step = stuck::act(persona, &cockpit, &mut rng).unwrap_or_else(|| {
        let step = not_again(&cockpit, steady(&cockpit, &mut rng));
        looking::add_interlude(&cockpit, step, &mut rng)
    });
    let step = within_the_choice(&cockpit, only_offered(&cockpit, step));
    let mut answer = step.into_answer(&mut rng);
    if persona == Persona::Steady && rng.f64() < habits.nonsense {
        nonsense::garble(&mut answer, &cockpit, &mut rng);
    }
    if let Some(most) = request.max_tokens {
        answer.limit(most);
    }
    answer.number(fingerprint);
    answer
}

/// What a player does that is not stuck.
fn steady(cockpit: &PlayerView<'_>, rng: &mut fastrand::Rng) -> Step {
    if cockpit.has_no_tools() {
        return talking::chat(cockpit, rng);
    }
    if cockpit.orders.wants_words {
        return talking::tell(cockpit);
    }
    if cockpit.is_turn_over() {
        return talking::close(cockpit, rng);
    }
    if let Some(step) = joining::join(cockpit, rng) {
        return step;
    }
    if cockpit.situation.must_wait() {
        return looking::wait(cockpit);
    }
    if let Some(step) = moving::undock_where_told(cockpit) {
        return step;
    }
    match cockpit.orders.standing {
        Order::Mine => mining::mine(cockpit, rng, &[]),
        Order::Trade => trading::trade(cockpit, rng),
        Order::Explore => exploring::explore(cockpit, rng),
        Order::Missions => missions::serve(cockpit, rng),
        Order::Wait => talking::stand_by(cockpit),
    }
}

/// Gives up, for this turn, what has failed often enough.
fn not_again(cockpit: &PlayerView<'_>, step: Step) -> Step {
    let Step::Act { calls, .. } = &step else {
        return step;
    };
    match calls.iter().find(|call| cockpit.has_failed_enough(call)) {
        Some(call) => Step::say(
            format!(
                "`{}` keeps failing. {}",
                call.tool,
                talking::facts(&cockpit.situation)
            ),
            "The same call has failed more than once; once more would not help.",
        ),
        None => step,
    }
}

/// Takes away what is not on offer.
fn only_offered(cockpit: &PlayerView<'_>, step: Step) -> Step {
    let Step::Act { mut calls, why } = step else {
        return step;
    };
    let missing = calls
        .iter()
        .find(|call| !cockpit.request.offers(&call.tool))
        .map(|call| call.tool.clone());
    calls.retain(|call| cockpit.request.offers(&call.tool));
    if !calls.is_empty() {
        return Step::Act { calls, why };
    }
    let tool = missing.unwrap_or_else(|| "it".to_owned());
    Step::say(
        format!("I would use `{tool}` now, but it is not among my tools."),
        format!("{why} The tool for it is missing."),
    )
}

/// Does what `tool_choice` demands.
fn within_the_choice(cockpit: &PlayerView<'_>, step: Step) -> Step {
    let Step::Say { why, .. } = &step else {
        return step;
    };
    let tools = &cockpit.request.tools;
    let forced = match cockpit.request.choice {
        Choice::Auto | Choice::Never => return step,
        Choice::Named(name) => Some(name),
        Choice::Required => ["get_status", "get_notifications"]
            .into_iter()
            .find(|tool| tools.contains(tool))
            .or(tools.first().copied()),
    };
    match forced {
        Some(tool) => Step::call(tool, json!({}), why.clone()),
        None => step,
    }
}

#[cfg(test)]
mod tests;
