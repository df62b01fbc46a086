//! The captured results, for the tests of their readers.

use serde_json::Value;

/// The texts of the captured results of an action of the second interface, in their order.
pub(crate) fn captured(action: &str) -> Vec<String> {
    let all: Value = serde_json::from_str(crate::CAPTURED_RESULTS).unwrap();
    let examples = all["examples"].as_array().unwrap().iter();
    let of_it = examples.filter(|example| example["arguments"]["action"] == action);
    of_it
        .flat_map(|example| {
            let whole = example["result"]["content"][0]["text"].as_str();
            let short = example["texts"].as_array().into_iter().flatten();
            whole.into_iter().chain(short.filter_map(Value::as_str))
        })
        .map(str::to_string)
        .collect()
}
