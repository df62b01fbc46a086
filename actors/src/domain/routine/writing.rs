//! Writing: a routine as JSON, as the reader takes it.

use serde_json::{Value as Json, json};

use super::condition::{Against, Comparison, Condition};
use super::{Routine, RoutineStep};

/// The routine as JSON, which [`read_routine`](super::read_routine) reads.
#[must_use]
pub fn to_json(routine: &Routine) -> Json {
    let mut form = json!({
        "name": *routine.name,
        "steps": routine.steps.iter().map(step_json).collect::<Vec<_>>(),
        "rounds": routine.rounds,
    });
    if !routine.guards.is_empty() {
        form["guards"] = routine.guards.iter().map(condition_json).collect();
    }
    if let Some(until) = &routine.until {
        form["until"] = condition_json(until);
    }
    if let Some(earns) = routine.earns {
        form["earns"] = earns.into();
    }
    form
}

fn step_json(step: &RoutineStep) -> Json {
    let mut form = json!({"tool": *step.tool});
    if !step.arguments.is_empty() {
        form["arguments"] = Json::Object(step.arguments.clone());
    }
    if let Some(when) = &step.when {
        form["when"] = condition_json(when);
    }
    if let Some(until) = &step.until {
        form["until"] = condition_json(until);
    }
    // Without the number, one with an `until` would be made as often as the reader allows.
    if step.most != 1 || step.until.is_some() {
        form["most"] = step.most.into();
    }
    if step.may_fail {
        form["may_fail"] = true.into();
    }
    if let Some(each) = step.each {
        form["each"] = each.as_str().into();
    }
    form
}

fn condition_json(condition: &Condition) -> Json {
    match condition {
        Condition::One(one) => comparison_json(one),
        Condition::All(all) => json!({"all": all.iter().map(comparison_json).collect::<Vec<_>>()}),
        Condition::Any(any) => json!({"any": any.iter().map(comparison_json).collect::<Vec<_>>()}),
    }
}

fn comparison_json(comparison: &Comparison) -> Json {
    let mut form = json!({"value": comparison.value.as_str(), "op": comparison.op.as_str()});
    if let Some(item) = &comparison.item {
        form["item"] = (**item).into();
    }
    match &comparison.against {
        Against::Number(number) => form["number"] = (*number).into(),
        Against::Text(text) => form["text"] = (**text).into(),
    }
    form
}
