//! Lays the text of a routine out: a line for each member, and for each step and guard.

use serde_json::Value;

/// The order of members. Others follow by name.
const ORDER: [&str; 19] = [
    "name",
    "rounds",
    "steps",
    "tool",
    "arguments",
    "value",
    "item",
    "op",
    "number",
    "text",
    "all",
    "any",
    "when",
    "until",
    "most",
    "may_fail",
    "each",
    "guards",
    "earns",
];

pub(super) fn laid_out(routine: &Value) -> String {
    let Value::Object(_) = routine else {
        return in_one_line(routine);
    };
    let members = sorted_members(routine).into_iter().map(|(member, value)| {
        let elements = value.as_array().filter(|elements| !elements.is_empty());
        let value = elements.map_or_else(|| in_one_line(value), |elements| in_lines(elements));
        format!("  {}: {value}", Value::from(member))
    });
    let members: Vec<String> = members.collect();
    format!("{{\n{}\n}}", members.join(",\n"))
}

/// The elements of a list, each in a line of its own.
fn in_lines(elements: &[Value]) -> String {
    let lines: Vec<String> = elements
        .iter()
        .map(|element| format!("    {}", in_one_line(element)))
        .collect();
    format!("[\n{}\n  ]", lines.join(",\n"))
}

fn sorted_members(object: &Value) -> Vec<(&str, &Value)> {
    let place = |member: &str| ORDER.iter().position(|known| *known == member);
    let members = object.as_object().into_iter().flatten();
    let mut members: Vec<(&str, &Value)> = members.map(|(name, value)| (&**name, value)).collect();
    members.sort_by_key(|(member, _)| (place(member).unwrap_or(ORDER.len()), *member));
    members
}

/// A value with a space behind each colon and comma.
fn in_one_line(value: &Value) -> String {
    match value {
        Value::Object(_) => {
            let members = sorted_members(value).into_iter();
            let members = members
                .map(|(member, value)| format!("{}: {}", Value::from(member), in_one_line(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(in_one_line).collect();
            format!("[{}]", elements.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_step_and_a_guard_have_a_line_each_and_nothing_is_lost() {
        let routine = json!({
            "until": {"any": [{"value": "credits", "op": ">=", "number": 1000}]},
            "guards": [{"number": 20, "op": ">", "value": "fuel"}],
            "steps": [{"most": 3, "arguments": {"quantity": "{cargo}", "item_id": "a \"b\""}, "tool": "sell"}, {"tool": "dock"}],
            "rounds": 9,
            "name": "ore",
        });
        let text = laid_out(&routine);
        let expected = r#"{
  "name": "ore",
  "rounds": 9,
  "steps": [
    {"tool": "sell", "arguments": {"item_id": "a \"b\"", "quantity": "{cargo}"}, "most": 3},
    {"tool": "dock"}
  ],
  "until": {"any": [{"value": "credits", "op": ">=", "number": 1000}]},
  "guards": [
    {"value": "fuel", "op": ">", "number": 20}
  ]
}"#;
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), routine);
    }
}
