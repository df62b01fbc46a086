//! The drill: the tools and orders of a proof, and what a correct answer is.

use std::sync::Arc;

use actors::domain::model::{ModelAnswer, RequestedCall};
use actors::domain::tool::{ToolSpec, Toolset};
use actors::domain::written_call;
use serde_json::{Map, Value, json};

/// The arguments in the first order. It is given twice, with other arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BeaconOrder {
    pub(super) sector: &'static str,
    pub(super) depth: u64,
}

pub(super) const FIRST_BEACON: BeaconOrder = BeaconOrder {
    sector: "K7-4",
    depth: 3,
};
/// The arguments when it is given again.
pub(super) const SECOND_BEACON: BeaconOrder = BeaconOrder {
    sector: "B2-9",
    depth: 6,
};
pub(super) const READ_BEACON: &str = "read_beacon";
pub(super) const OPEN_GATE: &str = "open_gate";
pub(super) const SET_LAMP: &str = "set_lamp";
pub(super) const REPORT_WORDS: &str = "report_words";

/// The code words, which are followed by a number.
const WORDS: [&str; 16] = [
    "amber", "basalt", "cobalt", "dune", "ember", "fjord", "garnet", "harbor", "indigo", "juniper",
    "kelp", "lagoon", "marble", "nectar", "onyx", "pewter",
];

/// Draws a code word that cannot be guessed.
pub(super) fn draw_code_word() -> String {
    let word = WORDS[fastrand::usize(..WORDS.len())];
    format!("{word}-{}", fastrand::u32(100..1000))
}

pub(super) fn tools() -> Arc<Toolset> {
    let tool = |name: &str, description: &str, properties: Value| {
        let required: Vec<&String> = properties
            .as_object()
            .map(Map::keys)
            .into_iter()
            .flatten()
            .collect();
        let schema = json!({"type": "object", "properties": properties, "required": required});
        ToolSpec {
            name: name.into(),
            description: description.into(),
            schema: schema.to_string().into(),
            read_only_hint: None,
        }
    };
    Arc::new(Toolset::new([
        tool(
            READ_BEACON,
            "Read the beacon of a sector. Answers with its code word.",
            json!({"sector": {"type": "string"}, "depth": {"type": "integer", "minimum": 1}}),
        ),
        tool(
            OPEN_GATE,
            "Open the gate with a code word.",
            json!({"code": {"type": "string"}}),
        ),
        tool(
            SET_LAMP,
            "Set the lamp to a level.",
            json!({"level": {"type": "integer", "minimum": 0}}),
        ),
        tool(
            REPORT_WORDS,
            "Report three code words.",
            json!({
                "first": {"type": "string"},
                "second": {"type": "string"},
                "third": {"type": "string"}
            }),
        ),
    ]))
}

/// The first order: one call with arguments.
pub(super) fn first_order(beacon: BeaconOrder) -> String {
    let BeaconOrder { sector, depth } = beacon;
    format!(
        "Drill, part one. Call `{READ_BEACON}` with sector \"{sector}\" and depth {depth}. When its \
         answer is there, tell its code word in one sentence."
    )
}

/// The second order: two calls, one of which needs the result of the first order.
pub(super) fn second_order() -> String {
    format!(
        "Drill, part two: make two calls in one answer. Call `{OPEN_GATE}` with code set to the \
         `code_word` that the beacon answered. Call `{SET_LAMP}` with level 5."
    )
}

pub(super) fn last_order() -> String {
    format!(
        "Drill, part three. Call `{REPORT_WORDS}` with first, second and third set to the three code \
         words that were told above as the first, the second and the third code word."
    )
}

pub(super) fn beacon_result(word: &str) -> String {
    let BeaconOrder { sector, depth } = FIRST_BEACON;
    json!({"sector": sector, "depth": depth, "code_word": word}).to_string()
}

/// What is wrong with the arguments of the first order's call; `None` if they are right.
pub(super) fn fault_of_arguments(call: &RequestedCall, asked: BeaconOrder) -> Option<String> {
    let Ok(Value::Object(arguments)) = serde_json::from_str(&call.arguments) else {
        return Some(format!(
            "its arguments are not a JSON object: {}",
            call.arguments
        ));
    };
    let (sector, depth) = (arguments.get("sector"), arguments.get("depth"));
    let is_right =
        sector == Some(&Value::from(asked.sector)) && depth == Some(&Value::from(asked.depth));
    (!is_right).then(|| {
        format!(
            "its arguments are not what the schema and the order ask for: {}",
            call.arguments
        )
    })
}

pub(super) fn holds_word(answer: &ModelAnswer, tool: &str, word: &str) -> bool {
    let mut calls = answer.calls.iter();
    calls.any(|call| call.name.contains(tool) && call.arguments.contains(word))
}

/// Whether a text contains a call of one of the tools in any notation.
pub(super) fn reads_like_a_call(text: &str) -> bool {
    let tools = [READ_BEACON, OPEN_GATE, SET_LAMP, REPORT_WORDS];
    written_call::reads_like_a_call(text, tools)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: &str) -> RequestedCall {
        RequestedCall {
            id: String::new(),
            name: READ_BEACON.to_string(),
            arguments: arguments.to_string(),
        }
    }

    #[test]
    fn arguments_are_right_where_they_keep_to_schema_and_order() {
        let fault = |arguments: &str| fault_of_arguments(&call(arguments), FIRST_BEACON);
        assert_eq!(fault("{\"sector\":\"K7-4\",\"depth\":3}"), None);
        for wrong in [
            "{\"sector\":\"K7-4\",\"depth\":\"3\"}",
            "{\"sector\":\"K7-4\"}",
            "{\"sector\":\"B2-9\",\"depth\":6}",
            "{\"sector\":\"K7\",\"depth\":3}",
            "sector K7-4",
            "[3]",
        ] {
            assert!(fault(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn calls_that_are_written_are_told_from_words_about_tools() {
        for text in [
            "<tool_call>\n{\"name\": \"read_beacon\", \"arguments\": {}}\n</tool_call>",
            "[TOOL_CALLS]read_beacon{\"sector\":\"K7-4\"}",
            "```json\n{\"tool\": \"read_beacon\"}\n```",
            "I do: read_beacon(sector=\"K7-4\", depth=3)",
            "<function=read_beacon>{\"depth\": 3}</function>",
        ] {
            assert!(reads_like_a_call(text), "{text}");
        }
        for text in [
            "I would use `read_beacon` now.",
            "Sure! Here is some JSON: {\"name\": \"K7-4\"}",
            "",
        ] {
            assert!(!reads_like_a_call(text), "{text}");
        }
    }
}
