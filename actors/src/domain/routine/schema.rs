//! The tool with which a model starts a routine.

use serde_json::{Value as Json, json};

use crate::tool::ToolSpec;

use super::condition::{Op, Value};
use super::{MAX_REPETITIONS, MAX_ROUNDS, MAX_STEPS};

pub const ROUTINE_START: &str = "zoea_routine_start";

/// The tool that starts a routine. It may be called again after a crash: a run that is stored goes on.
pub fn start_tool() -> ToolSpec {
    ToolSpec::own(
        ROUTINE_START,
        "Repeat steps that you have proven to work, without being asked: each step is a \
         call of a game tool. The result is a report. It comes when a guard or a step \
         fails, something new or an order comes, hull, credits or gain fall, `until` holds \
         after a round, or the rounds are over. A routine that ran before starts by its \
         name alone. Text arguments {poi}, {system} and \
         {fuel}, {cargo} and so on stand for what is known then. `each` cargo makes a \
         step for all goods of the last get_cargo, with {item} and {quantity}, `each` missions for \
         those done of the last get_active_missions, with {mission}.",
        &schema(),
    )
}

pub fn speaks_of_routines(text: &str) -> bool {
    text.to_lowercase().contains("routine")
}

fn schema() -> Json {
    let values: Vec<&str> = Value::ALL.into_iter().map(Value::as_str).collect();
    let ops: Vec<&str> = Op::ALL.into_iter().map(Op::as_str).collect();
    let guard = json!({
        "type": "object",
        "description": "one comparison, or all or any",
        "properties": {
            "value": {"type": "string", "enum": values},
            "item": {"type": "string", "description": "of price (sold) or cost (bought)"},
            "op": {"type": "string", "enum": ops},
            "number": {"type": "number", "description": "docked: 1 or 0"},
            "text": {"type": "string", "description": "a place's id"},
            "all": {"type": "array", "items": {"type": "object"}},
            "any": {"type": "array", "items": {"type": "object"}}
        }
    });
    let like_a_guard = json!({"type": "object", "description": "as a guard"});
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "steps": {
                "type": "array",
                "maxItems": MAX_STEPS,
                "items": {
                    "type": "object",
                    "properties": {
                        "tool": {"type": "string"},
                        "arguments": {"type": "object"},
                        "when": like_a_guard,
                        "until": {"type": "object", "description": "repeat until"},
                        "most": {"type": "integer", "description": "most repeats", "maximum": MAX_REPETITIONS},
                        "may_fail": {"type": "boolean", "description": "a failure only ends repeating"},
                        "each": {"type": "string", "enum": ["cargo", "missions"]}
                    },
                    "required": ["tool"]
                }
            },
            "guards": {"type": "array", "items": guard, "description": "hold before each step"},
            "until": like_a_guard,
            "rounds": {"type": "integer", "minimum": 1, "maximum": MAX_ROUNDS}
        },
        "required": ["name"]
    })
}
