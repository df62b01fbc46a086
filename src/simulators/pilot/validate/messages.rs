//! The shape of each message by itself: its role, its fields, its content.

use serde_json::{Map, Value};

use super::{RequestRefusal, Strictness, calls};

struct CheckedMessage<'a> {
    fields: &'a Map<String, Value>,
    index: usize,
    strictness: Strictness,
}

pub(super) fn check_messages(
    messages: &[Value],
    strictness: Strictness,
) -> Result<(), RequestRefusal> {
    if messages.is_empty() {
        return Err(RequestRefusal::at(
            "messages",
            "[] is too short: 'messages' needs at least one message.",
        ));
    }
    for (index, message) in messages.iter().enumerate() {
        let fields = message.as_object().ok_or_else(|| {
            RequestRefusal::at(
                format!("messages.[{index}]"),
                "A message must be an object.",
            )
        })?;
        let checked = CheckedMessage {
            fields,
            index,
            strictness,
        };
        checked.check_message()?;
    }
    check_order(messages)
}

fn check_order(messages: &[Value]) -> Result<(), RequestRefusal> {
    let has_role = |message: &Value, role: &str| message["role"] == role;
    if !messages.iter().any(|message| has_role(message, "user")) {
        return Err(RequestRefusal::at(
            "messages",
            "'messages' must contain at least one user message.",
        ));
    }
    let last = messages.len() - 1;
    if !(has_role(&messages[last], "user") || has_role(&messages[last], "tool")) {
        return Err(RequestRefusal::at(
            format!("messages.[{last}].role"),
            "The last message must have role 'user' or 'tool'.",
        ));
    }
    Ok(())
}

impl CheckedMessage<'_> {
    fn check_message(&self) -> Result<(), RequestRefusal> {
        let role = self
            .fields
            .get("role")
            .ok_or_else(|| self.refuse("role", "A message needs a 'role'."))?
            .as_str()
            .ok_or_else(|| self.refuse("role", "'role' must be a string."))?;
        let known: &[&str] = match role {
            "system" | "developer" | "user" => &["role", "content", "name"],
            "assistant" => &[
                "role",
                "content",
                "name",
                "tool_calls",
                "refusal",
                "audio",
                "annotations",
            ],
            "tool" => &["role", "content", "tool_call_id"],
            _ => {
                return Err(self.refuse(
                    "role",
                    format!("Invalid value: '{role}'. Supported values are: 'system', 'developer', 'user', 'assistant', and 'tool'."),
                ));
            }
        };
        self.check_name()?;
        if role == "assistant" {
            self.check_assistant()?;
        } else {
            self.check_no_calls(role)?;
            self.check_content()?;
        }
        if self.strictness != Strictness::OpenAi
            && let Some(stray) = self
                .fields
                .keys()
                .find(|key| !known.contains(&key.as_str()))
        {
            return Err(self.refuse(
                stray,
                format!("A message of role '{role}' has no field '{stray}'."),
            ));
        }
        Ok(())
    }

    fn refuse(&self, field: &str, message: impl Into<String>) -> RequestRefusal {
        RequestRefusal::at(format!("messages.[{}].{field}", self.index), message)
    }

    fn check_name(&self) -> Result<(), RequestRefusal> {
        match self.fields.get("name") {
            None | Some(Value::Null) => Ok(()),
            Some(name) => match name.as_str() {
                Some(name) if !name.is_empty() => Ok(()),
                Some(_) | None => {
                    Err(self.refuse("name", "'name' must be a string that is not empty."))
                }
            },
        }
    }

    fn check_no_calls(&self, role: &str) -> Result<(), RequestRefusal> {
        if self.fields.contains_key("tool_calls") {
            return Err(self.refuse(
                "tool_calls",
                format!(
                    "Only an assistant message can hold 'tool_calls', not one of role '{role}'."
                ),
            ));
        }
        if role != "tool" && self.fields.contains_key("tool_call_id") {
            return Err(self.refuse(
                "tool_call_id",
                "Only a tool message can hold a 'tool_call_id'.",
            ));
        }
        if role == "tool" {
            match self.fields.get("tool_call_id").and_then(Value::as_str) {
                Some(id) if !id.is_empty() => {}
                Some(_) | None => {
                    return Err(
                        self.refuse("tool_call_id", "A tool message needs a 'tool_call_id'.")
                    );
                }
            }
        }
        Ok(())
    }

    fn check_assistant(&self) -> Result<(), RequestRefusal> {
        let Some(calls) = self.fields.get("tool_calls") else {
            return self.check_content();
        };
        let calls = calls
            .as_array()
            .ok_or_else(|| self.refuse("tool_calls", "'tool_calls' must be an array."))?;
        if calls.is_empty() {
            return Err(self.refuse(
                "tool_calls",
                "[] is too short: leave 'tool_calls' out where there are none.",
            ));
        }
        match self.fields.get("content") {
            None | Some(Value::Null) => {}
            Some(text) if text.as_str() == Some("") => {}
            Some(_) => self.check_content()?,
        }
        calls::check_calls(calls, self.index)
    }

    fn is_blank(&self, text: &str) -> bool {
        match self.strictness {
            Strictness::Strict | Strictness::Strictest => text.trim().is_empty(),
            Strictness::OpenAi => text.is_empty(),
        }
    }

    /// Checks the content: a text, or a list of text parts; neither may be empty.
    fn check_content(&self) -> Result<(), RequestRefusal> {
        let content = match self.fields.get("content") {
            None | Some(Value::Null) => {
                return Err(self.refuse(
                    "content",
                    "The message has no content: a string or a list of text parts is needed.",
                ));
            }
            Some(content) => content,
        };
        if let Some(text) = content.as_str() {
            return if self.is_blank(text) {
                Err(self.refuse("content", "The content must not be empty."))
            } else {
                Ok(())
            };
        }
        let parts = content.as_array().ok_or_else(|| {
            self.refuse(
                "content",
                "The content must be a string or a list of text parts.",
            )
        })?;
        if parts.is_empty() {
            return Err(self.refuse("content", "The content must not be empty."));
        }
        for (index, part) in parts.iter().enumerate() {
            if part["type"] != "text" {
                return Err(self.refuse(
                    &format!("content.[{index}].type"),
                    "A content part must have the type 'text'.",
                ));
            }
            match part["text"].as_str() {
                Some(text) if !self.is_blank(text) => {}
                Some(_) | None => {
                    return Err(self.refuse(
                        &format!("content.[{index}].text"),
                        "A text part needs a 'text' that is not empty.",
                    ));
                }
            }
        }
        Ok(())
    }
}
