//! The routine that each Mysis of a made-up swarm knows.

use actors::domain::order::{CompletedOrder, OrderRefusal, OrderResult};
use actors::domain::routine::{read_routine, with_changes};
use serde_json::{Map, Value, json};

const ROUTINE: &str = r#"{
    "name": "main-belt-iron",
    "rounds": 20,
    "steps": [
        {"tool": "travel", "arguments": {"target_poi": "main_belt"}},
        {"tool": "mine", "most": 30, "until": {"value": "cargo_free", "op": "<", "number": 2}, "may_fail": true},
        {"tool": "travel", "arguments": {"target_poi": "sol_central"}},
        {"tool": "dock"},
        {"tool": "get_cargo"},
        {"tool": "sell", "each": "cargo", "arguments": {"item_id": "{item}", "quantity": "{quantity}"}},
        {"tool": "refuel", "when": {"value": "fuel_percent", "op": "<", "number": 60}, "may_fail": true}
    ],
    "guards": [
        {"value": "hull_percent", "op": ">", "number": 50},
        {"any": [{"value": "fuel", "op": ">", "number": 12}, {"value": "docked", "op": "=", "number": 1}]}
    ],
    "until": {"value": "credits", "op": ">=", "number": 25000}
}"#;

/// The answer to an order that asks for the routine or changes it. Nothing is kept.
pub(super) fn edited(changes: &str) -> OrderResult {
    let object = |text: &str| serde_json::from_str::<Map<String, Value>>(text);
    let known = read_routine(&object(ROUTINE).expect("an object")).expect("a routine");
    let edited = with_changes(&known, &object(changes).unwrap_or_default());
    edited
        .map(|routine| CompletedOrder::Routine(json!(routine).to_string().into()))
        .map_err(OrderRefusal::BadEdit)
}
