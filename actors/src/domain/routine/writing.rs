//! Writing: a routine as JSON, as the reader takes it.

use serde_json::{Value as Json, json};

use super::Routine;

/// The routine as JSON, which [`read_routine`](super::read_routine) reads.
pub fn to_json(routine: &Routine) -> Json {
    let mut form = json!({
        "name": *routine.name,
        "steps": routine.steps,
        "rounds": routine.rounds,
    });
    if !routine.guards.is_empty() {
        form["guards"] = json!(routine.guards);
    }
    if let Some(until) = &routine.until {
        form["until"] = json!(until);
    }
    if let Some(earns) = routine.earns {
        form["earns"] = earns.into();
    }
    form
}
