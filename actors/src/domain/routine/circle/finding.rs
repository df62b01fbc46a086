//! Finding: whether the newest legs repeat, and the routine that repeats them.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::super::reading::read_routine;
use super::super::{Each, MAX_NAME_BYTES, MAX_REPETITIONS};
use super::candidate::Candidate;
use super::{CIRCLE_ROUNDS, Circle, CircleOffer, MAX_LEGS_OF_A_ROUND};

/// What a ship needs now and then: not in each round, but where it was done in one of them.
const CARE: [&str; 2] = ["refuel", "repair"];
/// Commands that tell nothing of what a circle is for.
const WAYS: [&str; 6] = ["travel", "jump", "dock", "undock", "refuel", "repair"];

/// A leg of a circle, with the care that followed it.
struct Stage {
    candidate: Candidate,
    care: Vec<Candidate>,
}

/// The circle that the newest legs make; `None` if they make none.
pub(super) fn find_circle(candidates: &[Candidate]) -> Option<Circle> {
    // What always fails is left out if a circle is found without it.
    let is_good = |candidate: &Candidate| candidate.done > 0;
    [stages(candidates, is_good), stages(candidates, |_| true)]
        .iter()
        .find_map(|stages| circle_of(stages))
}

fn stages(candidates: &[Candidate], is_taken: impl Fn(&Candidate) -> bool) -> Vec<Stage> {
    let mut stages: Vec<Stage> = Vec::new();
    for candidate in candidates.iter().filter(|candidate| is_taken(candidate)) {
        let is_care = CARE.contains(&&*candidate.command);
        match stages.last_mut() {
            Some(last) if is_care => {
                last.candidate
                    .add_figures(candidate.earned, candidate.levels);
                if last.care.iter().all(|known| !known.is_like(candidate)) {
                    last.care.push(candidate.clone());
                }
            }
            Some(last) if last.candidate.is_like(candidate) => last.candidate.add(candidate),
            None if is_care => {}
            Some(_) | None => stages.push(Stage {
                candidate: candidate.clone(),
                care: Vec::new(),
            }),
        }
    }
    stages
}

fn circle_of(stages: &[Stage]) -> Option<Circle> {
    let length = (2..=MAX_LEGS_OF_A_ROUND).find(|length| repeats(stages, *length))?;
    let newest = &stages[stages.len() - length * CIRCLE_ROUNDS..];
    let rounds: Vec<&[Stage]> = newest.chunks(length).collect();
    let has_earned = |round: &&[Stage]| sum_of(round) > 0;
    if !rounds.iter().all(has_earned) {
        return None;
    }
    // What may go on is begun again, or the next step would come too early.
    let begins_with_last = is_under_way(&rounds, length - 1);
    let is_known = |place: usize| {
        let seen = rounds.len() - usize::from(begins_with_last && place == length - 1);
        rounds[..seen]
            .iter()
            .all(|round| round[place].candidate.outcome.is_all)
    };
    if !(0..length).all(is_known) {
        return None;
    }
    let first = if begins_with_last { length - 1 } else { 0 };
    let order = (first..length).chain(0..first);
    let steps = order.flat_map(|place| steps_at(&rounds, place)).collect();
    build(&rounds, steps)
}

fn repeats(stages: &[Stage], length: usize) -> bool {
    let Some(first) = stages.len().checked_sub(length * CIRCLE_ROUNDS) else {
        return false;
    };
    (first + length..stages.len())
        .all(|at| stages[at].candidate.is_like(&stages[at - length].candidate))
}

fn sum_of(round: &[Stage]) -> i64 {
    let earned = round.iter().map(|stage| stage.candidate.earned);
    earned.fold(0, i64::saturating_add)
}

/// Whether the newest leg at a place may be less than it was in the rounds before.
fn is_under_way(rounds: &[&[Stage]], place: usize) -> bool {
    let mut counts = rounds.iter().map(|round| &round[place].candidate);
    let Some(newest) = counts.next_back() else {
        return false;
    };
    newest.each.is_some() || counts.any(|candidate| candidate.done > newest.done)
}

fn steps_at(rounds: &[&[Stage]], place: usize) -> Vec<Json> {
    let at = |round: &&[Stage]| round[place].candidate.clone();
    let candidates: Vec<Candidate> = rounds.iter().map(at).collect();
    let mut steps = Vec::new();
    match candidates.iter().find_map(|candidate| candidate.each) {
        Some(Each::Cargo) => steps.push(json!({"tool": "get_cargo"})),
        Some(Each::Missions) => steps.push(json!({"tool": "get_active_missions"})),
        None => {}
    }
    steps.push(step_of(&candidates));
    let mut care: Vec<&Candidate> = Vec::new();
    for candidate in rounds.iter().flat_map(|round| &round[place].care) {
        if care.iter().all(|known| !known.is_like(candidate)) {
            care.push(candidate);
        }
    }
    // A tank that is full may be refused.
    steps.extend(
        care.iter()
            .map(|candidate| json!({"tool": &*candidate.tool, "arguments": candidate.arguments, "may_fail": true})),
    );
    steps
}

fn step_of(candidates: &[Candidate]) -> Json {
    let mut step = Map::new();
    step.insert("tool".into(), json!(&*candidates[0].tool));
    if !candidates[0].arguments.is_empty() {
        step.insert("arguments".into(), candidates[0].arguments.clone().into());
    }
    let done = candidates.iter().map(|candidate| candidate.done);
    let most = done.clone().max().unwrap_or(1).max(1);
    let least = done.min().unwrap_or(1);
    let has_failed = candidates
        .iter()
        .any(|candidate| candidate.outcome.has_failed);
    if let Some(each) = candidates[0].each {
        step.insert("each".into(), each.as_str().into());
    } else if most > 1 {
        step.insert("most".into(), most.min(MAX_REPETITIONS).into());
    }
    // How often it goes depends on what is not told, so it may end earlier.
    if candidates[0].each.is_some() || has_failed || least < most {
        step.insert("may_fail".into(), true.into());
    }
    step.into()
}

fn build(rounds: &[&[Stage]], mut steps: Vec<Json>) -> Option<Circle> {
    let candidates: Vec<&Candidate> = rounds
        .iter()
        .flat_map(|round| round.iter().map(|stage| &stage.candidate))
        .collect();
    let earned = rounds.iter().map(|round| sum_of(round)).sum::<i64>();
    // What no guard can stop is not repeated.
    let guards = [fuel_guard(rounds, &candidates)?, hull_guard(&candidates)?];
    let calls = candidates
        .iter()
        .fold(0, |sum: u32, candidate| sum.saturating_add(candidate.done));
    let name = name_of(&candidates);
    let described = describe(&steps);
    steps.push(json!({"tool": "get_status"}));
    let given = json!({
        "name": name,
        "steps": steps,
        "guards": guards,
        "earns": (earned / i64::try_from(rounds.len()).ok()?).max(1),
    });
    let routine = read_routine(given.as_object()?).ok()?;
    Some(Circle {
        offer: Arc::new(CircleOffer {
            name: routine.name.clone(),
            earned,
            rounds: u32::try_from(rounds.len()).ok()?,
            calls,
            steps: described.into(),
        }),
        routine: Arc::new(routine),
    })
}

/// Fuel that it never came near: half of the lowest, or what two rounds take, if that is less.
fn fuel_guard(rounds: &[&[Stage]], candidates: &[&Candidate]) -> Option<Json> {
    let levels = candidates.iter().map(|candidate| candidate.levels);
    let lowest = levels.filter_map(|levels| levels.lowest_fuel).min()?;
    let by_round: Vec<u32> = rounds
        .iter()
        .filter_map(|round| {
            round
                .iter()
                .rev()
                .find_map(|stage| stage.candidate.levels.fuel)
        })
        .collect();
    let used = by_round.windows(2).map(|two| two[0].saturating_sub(two[1]));
    let used = used.max().unwrap_or(0);
    let most = if used > 0 {
        used.saturating_mul(2)
    } else {
        lowest
    };
    let needed = most.min(lowest.max(2) / 2).max(1);
    Some(json!({"value": "fuel", "op": ">=", "number": needed}))
}

fn hull_guard(candidates: &[&Candidate]) -> Option<Json> {
    let levels = candidates.iter().map(|candidate| candidate.levels);
    let lowest = levels.filter_map(|levels| levels.lowest_hull).min()?;
    Some(json!({"value": "hull", "op": ">=", "number": lowest.max(1)}))
}

/// A name that tells what the circle is for: its commands, but for ways and care.
fn name_of(candidates: &[&Candidate]) -> String {
    let mut commands: Vec<&str> = candidates
        .iter()
        .map(|candidate| &*candidate.command)
        .collect();
    commands.retain(|command| !WAYS.contains(command));
    commands.sort_unstable();
    commands.dedup();
    let mut name: String = commands
        .join("-")
        .chars()
        .filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-'))
        .collect();
    name.truncate(MAX_NAME_BYTES);
    match name.is_empty() {
        true => "circle".to_string(),
        false => name,
    }
}

fn describe(steps: &[Json]) -> String {
    let words = steps.iter().map(|step| {
        let tool = step["tool"].as_str().unwrap_or_default();
        let given = step["arguments"].as_object().into_iter().flatten();
        let given = given.filter_map(|(_, argument)| argument.as_str());
        let mut words = tool.to_string();
        if step.get("each").is_some() {
            words.push_str(" all");
        } else {
            given.for_each(|argument| words.push_str(&format!(" {argument}")));
        }
        if let Some(most) = step["most"].as_u64() {
            words.push_str(&format!(" ×{most}"));
        }
        words
    });
    words.collect::<Vec<_>>().join(", ")
}
