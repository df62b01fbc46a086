//! The report of a run: what the model and the operator are told when it ends.

use zoea_text::figures::{group_digits, group_signed};
use zoea_text::names::plural;

use crate::samples::{GameFacts, Gauge};

use super::circle::CircleOffer;
use super::ends::{RoutineEnd, RunSource};
use super::gain::MAX_POOR_ROUNDS;
use super::run::RoutineRun;
use super::{ROUTINE_START, RoutineStatus};

impl RoutineEnd {
    pub fn describe(&self) -> String {
        match self {
            RoutineEnd::RoundsOver => "its rounds are over".to_string(),
            RoutineEnd::Reached(reason) => format!("its end is reached: {reason}"),
            RoutineEnd::Guard(reason) => format!("a guard failed: {reason}"),
            RoutineEnd::Failed(reason) => format!("a step did not succeed: {reason}"),
            RoutineEnd::ResultMismatch(reason) => {
                format!("a result was unlike those before: {reason}")
            }
            RoutineEnd::Lost(reason) => format!("something was lost: {reason}"),
            RoutineEnd::GainFell(reason) => format!("its gain fell: {reason}"),
            RoutineEnd::NoProgress => "the watch on progress found no progress".to_string(),
            RoutineEnd::Order => "an order came".to_string(),
            RoutineEnd::Stopped => "the operator stopped it".to_string(),
            RoutineEnd::Interrupted(reason) => reason.clone(),
        }
    }
}

impl RoutineRun {
    /// What its last rounds earned, beside a good one.
    pub(super) fn describe_fall(&self) -> String {
        let newest: Vec<String> = self.gain.newest.iter().map(i64::to_string).collect();
        let newest = newest.join(", ");
        match self.gain.mean() {
            Some(mean) => format!(
                "the last {MAX_POOR_ROUNDS} rounds earned {newest}, a good one {mean} credits"
            ),
            None => format!("the first {MAX_POOR_ROUNDS} rounds earned {newest} credits"),
        }
    }

    pub(super) fn describe_step(&self) -> String {
        let steps = &self.routine.steps;
        let Some(step) = steps.get(self.at.step) else {
            return "a round is over".to_string();
        };
        let repeated = match (step.each, step.most) {
            (None, Some(most @ 2..)) => format!(", call {} of at most {most}", self.at.made + 1),
            (Some(_), _) | (None, _) => String::new(),
        };
        let number = self.at.step + 1;
        format!("step {number} of {}: {}{repeated}", steps.len(), step.tool)
    }

    fn rounds_over(&self) -> u32 {
        self.at.round.saturating_sub(1)
    }

    fn reason(&self) -> String {
        let end = self.end.as_ref().unwrap_or(&RoutineEnd::Stopped);
        end.describe()
    }

    pub fn short_report(&self) -> String {
        format!(
            "routine {} ended after {} rounds and {} calls, {} credits earned: {}",
            self.routine.name,
            self.rounds_over(),
            group_digits(u64::from(self.calls)),
            self.earned.all,
            self.reason()
        )
    }

    pub fn report(&self, facts: &GameFacts) -> String {
        let newest: Vec<String> = self.gain.newest.iter().map(i64::to_string).collect();
        let begun = match self.source {
            RunSource::Runtime => "The runtime repeated what you did three times. ",
            RunSource::Model(_) | RunSource::Operator => "",
        };
        let mut text = format!(
            "{begun}The routine {} made {} of {} rounds with {} calls, which are all over and not shown. \
             Credits earned: {}",
            self.routine.name,
            self.rounds_over(),
            self.routine.rounds,
            self.calls,
            self.earned.all
        );
        if !newest.is_empty() {
            text.push_str(&format!(" (newest rounds: {})", newest.join(", ")));
        }
        if let Some(an_hour) = self.earned_an_hour() {
            text.push_str(&format!(", {an_hour} an hour"));
        }
        text.push_str(&format!(".\nIt ended because {}.\n", self.reason()));
        if let Some(lost_call) = &self.lost_call {
            let command = lost_call.command();
            text.push_str(&format!(
                "The outcome of its last call, {command}, is unknown: look at the game before you \
                 repeat it.\n"
            ));
        }
        text.push_str(&format!("Now: {}.\n", describe_facts(facts)));
        let name = format!("{{\"name\":\"{}\"}}", self.routine.name);
        text.push_str(&match self.can_resume() {
            true => format!(
                "It goes on where it stopped, in round {}, with {name}, as long as you do nothing in the game \
                 before; after that it starts from its first step.",
                self.at.round
            ),
            false => format!("It starts again, from its first step, with {name}."),
        });
        text
    }
}

impl CircleOffer {
    pub fn describe(&self) -> String {
        format!(
            "paying loop, {} credits in {} rounds: {}",
            group_signed(self.earned),
            self.rounds,
            self.steps
        )
    }

    pub fn for_model(&self) -> String {
        format!(
            "{}. Let the runtime repeat it: {ROUTINE_START} {{\"name\":\"{}\"}}",
            self.describe(),
            self.name
        )
    }

    /// The line for the operator. `is_begun`: whether the runtime begins it by itself.
    pub fn for_operator(&self, is_begun: bool) -> String {
        let how = match is_begun {
            true => "it begins with the next turn".to_string(),
            false => format!("start it as the routine {}", self.name),
        };
        format!("{}; {how}", self.describe())
    }
}

impl RoutineStatus {
    pub fn describe(&self) -> String {
        let rate = self.earned_an_hour.map_or_else(String::new, |rate| {
            format!(", {} an hour", group_signed(rate))
        });
        // A process of an older version does not tell the step.
        let step = match self.step.is_empty() {
            true => String::new(),
            false => format!(", {}", self.step),
        };
        format!(
            "routine {} of the {}: round {} of {}{step}; {} {} without the model, {} credits earned{rate}",
            self.name,
            self.source.as_str(),
            self.round,
            self.rounds,
            group_digits(u64::from(self.calls)),
            plural(u64::from(self.calls), "call"),
            group_signed(self.earned)
        )
    }
}

fn describe_facts(facts: &GameFacts) -> String {
    let gauge = |name: &str, gauge: Gauge, is_old: bool| {
        let now = gauge.now?;
        let seen = if is_old { " when last seen" } else { "" };
        Some(match gauge.most {
            Some(most) => format!("{name} {now}/{most}{seen}"),
            None => format!("{name} {now}{seen}"),
        })
    };
    let place = facts.poi.as_ref().or(facts.system.as_ref());
    let docked = match facts.docked {
        Some(true) => " (docked)",
        Some(false) | None => "",
    };
    let parts = [
        place.map(|place| format!("at {place}{docked}")),
        gauge("fuel", facts.fuel, facts.is_fuel_old),
        gauge("cargo", facts.cargo, facts.is_cargo_old),
        gauge("hull", facts.hull, false),
        facts.credits.map(|credits| format!("credits {credits}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.is_empty() {
        true => "nothing is known of the ship".to_string(),
        false => parts.join(", "),
    }
}
