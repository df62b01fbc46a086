//! Faults of the server: the answer has a shape that OpenAI never sends and other servers do.

use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr};

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ShapeFault {
    EmptyChoices,
    #[strum(serialize = "error-200")]
    Error200,
    NoUsage,
    NullUsage,
    OddUsage,
    /// `reasoning` in place of `reasoning_content`.
    ReasoningField,
    /// The reasoning is inside the content.
    ThinkTags,
    ArgsObject,
    PartsContent,
}

impl ShapeFault {
    /// Reshapes the completion. Returns whether it had anything to reshape.
    pub(crate) fn apply(self, completion: &mut Value, rng: &mut fastrand::Rng) -> bool {
        match self {
            Self::EmptyChoices => completion["choices"] = json!([]),
            Self::Error200 => {
                *completion = json!({"error": {"message": "Provider returned error", "type": "server_error", "code": 502}});
            }
            Self::NoUsage => {
                return completion
                    .as_object_mut()
                    .is_some_and(|fields| fields.remove("usage").is_some());
            }
            Self::NullUsage => completion["usage"] = Value::Null,
            Self::OddUsage => completion["usage"] = odd_usage(&completion["usage"], rng),
            Self::ReasoningField => return change_message(completion, move_reasoning),
            Self::ThinkTags => return change_message(completion, wrap_reasoning),
            Self::ArgsObject => return change_message(completion, parse_arguments),
            Self::PartsContent => return change_message(completion, split_content),
        }
        true
    }
}

fn odd_usage(usage: &Value, rng: &mut fastrand::Rng) -> Value {
    let prompt = usage["prompt_tokens"].as_u64().unwrap_or(0);
    let completion = &usage["completion_tokens"];
    match rng.u8(..4) {
        0 => {
            json!({"prompt_tokens": prompt.to_string(), "completion_tokens": completion.to_string()})
        }
        1 => json!({"prompt_tokens": 0.5, "completion_tokens": -1, "total_tokens": null}),
        2 => json!({"total_tokens": prompt}),
        _ => json!([prompt, completion]),
    }
}

fn change_message(completion: &mut Value, change: fn(&mut Value) -> bool) -> bool {
    completion
        .pointer_mut("/choices/0/message")
        .is_some_and(change)
}

fn move_reasoning(message: &mut Value) -> bool {
    let Some(reasoning) = take_field(message, "reasoning_content") else {
        return false;
    };
    message["reasoning"] = reasoning;
    true
}

fn wrap_reasoning(message: &mut Value) -> bool {
    let Some(reasoning) = take_field(message, "reasoning_content") else {
        return false;
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let content = text(&message["content"]);
    message["content"] = Value::from(format!("<think>{}</think>\n\n{content}", text(&reasoning)));
    true
}

fn parse_arguments(message: &mut Value) -> bool {
    let mut is_changed = false;
    for call in message["tool_calls"].as_array_mut().into_iter().flatten() {
        let arguments = &mut call["function"]["arguments"];
        let object = arguments
            .as_str()
            .and_then(|text| serde_json::from_str::<Value>(text).ok());
        if let Some(object) = object.filter(Value::is_object) {
            *arguments = object;
            is_changed = true;
        }
    }
    is_changed
}

fn split_content(message: &mut Value) -> bool {
    let Some(text) = message["content"].as_str() else {
        return false;
    };
    message["content"] = json!([{"type": "text", "text": text}]);
    true
}

fn take_field(message: &mut Value, field: &str) -> Option<Value> {
    message
        .as_object_mut()?
        .remove(field)
        .filter(|value| !value.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completion() -> Value {
        json!({
            "choices": [{"index": 0, "message": {
                "role": "assistant", "content": "on my way", "reasoning_content": "ore",
                "tool_calls": [{"id": "1", "type": "function", "function": {"name": "mine", "arguments": "{\"a\":1}"}}],
            }}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
        })
    }

    #[test]
    fn each_shape_differs_where_it_says() {
        for (shape, pointer, expected) in [
            (ShapeFault::EmptyChoices, "/choices", Some(json!([]))),
            (ShapeFault::Error200, "/error/code", Some(json!(502))),
            (ShapeFault::NoUsage, "/usage", None),
            (ShapeFault::NullUsage, "/usage", Some(json!(null))),
            (
                ShapeFault::ReasoningField,
                "/choices/0/message/reasoning",
                Some(json!("ore")),
            ),
            (
                ShapeFault::ThinkTags,
                "/choices/0/message/content",
                Some(json!("<think>ore</think>\n\non my way")),
            ),
            (
                ShapeFault::ArgsObject,
                "/choices/0/message/tool_calls/0/function/arguments",
                Some(json!({"a": 1})),
            ),
            (
                ShapeFault::PartsContent,
                "/choices/0/message/content",
                Some(json!([{"type": "text", "text": "on my way"}])),
            ),
        ] {
            let mut reshaped = completion();
            assert!(shape.apply(&mut reshaped, &mut fastrand::Rng::with_seed(1)));
            assert_eq!(reshaped.pointer(pointer), expected.as_ref(), "{shape:?}");
        }
    }

    #[test]
    fn odd_usage_never_adds_up() {
        for seed in 0..50 {
            let mut reshaped = completion();
            ShapeFault::OddUsage.apply(&mut reshaped, &mut fastrand::Rng::with_seed(seed));
            let usage = &reshaped["usage"];
            assert!(
                usage["prompt_tokens"].as_u64().is_none()
                    && usage["completion_tokens"].as_u64().is_none()
            );
        }
    }

    #[test]
    fn what_is_not_there_is_not_reshaped() {
        let mut plain = json!({"choices": [{"message": {"content": null}}]});
        for shape in [
            ShapeFault::NoUsage,
            ShapeFault::ReasoningField,
            ShapeFault::ThinkTags,
            ShapeFault::ArgsObject,
            ShapeFault::PartsContent,
        ] {
            assert!(
                !shape.apply(&mut plain, &mut fastrand::Rng::with_seed(1)),
                "{shape:?}"
            );
        }
    }
}
