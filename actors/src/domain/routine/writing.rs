//! Writing: a routine as JSON, as the reader takes it.

use serde_json::{Value as Json, json};

use super::condition::{Against, Comparison, Condition};
use super::{Routine, RoutineStep};

/// The routine as JSON, which [`read_routine`](super::read_routine) reads.
#[must_use]
pub fn to_json(routine: &Routine) -> Json {
    let mut told = json!({
        "name": *routine.name,
        "steps": routine.steps.iter().map(step_json).collect::<Vec<_>>(),
        "rounds": routine.rounds,
    });
    if !routine.guards.is_empty() {
        told["guards"] = routine.guards.iter().map(condition_json).collect();
    }
    if let Some(until) = &routine.until {
        told["until"] = condition_json(until);
    }
    if let Some(earns) = routine.earns {
        told["earns"] = earns.into();
    }
    told
}

fn step_json(step: &RoutineStep) -> Json {
    let mut told = json!({"tool": *step.tool});
    if !step.arguments.is_empty() {
        told["arguments"] = Json::Object(step.arguments.clone());
    }
    if let Some(when) = &step.when {
        told["when"] = condition_json(when);
    }
    if let Some(until) = &step.until {
        told["until"] = condition_json(until);
    }
    if step.most != 1 {
        told["most"] = step.most.into();
    }
    if step.may_fail {
        told["may_fail"] = true.into();
    }
    if let Some(each) = step.each {
        told["each"] = each.as_str().into();
    }
    told
}

fn condition_json(condition: &Condition) -> Json {
    match condition {
        Condition::One(one) => comparison_json(one),
        Condition::All(all) => json!({"all": all.iter().map(comparison_json).collect::<Vec<_>>()}),
        Condition::Any(any) => json!({"any": any.iter().map(comparison_json).collect::<Vec<_>>()}),
    }
}

fn comparison_json(comparison: &Comparison) -> Json {
    let mut told = json!({"value": comparison.value.as_str(), "op": comparison.op.as_str()});
    if let Some(item) = &comparison.item {
        told["item"] = (**item).into();
    }
    match &comparison.against {
        Against::Number(number) => told["number"] = (*number).into(),
        Against::Text(text) => told["text"] = (**text).into(),
    }
    told
}
