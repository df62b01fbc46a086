//! The order of roles that the strictest chat templates and interfaces accept;
//! `docs/REQUEST-SHAPE.md` names them.

use serde_json::Value;

use super::RequestRefusal;

const ONE_SYSTEM: &str = "There must be one system message at most, at the beginning.";
const IN_TURN: &str = "After the optional system message, conversation roles must alternate user and assistant roles \
    except for tool calls and results.";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    System,
    User,
    /// Words only.
    Assistant,
    /// Calls, with words or without.
    Caller,
    Tool,
}

impl Role {
    fn of(message: &Value) -> Option<Self> {
        match message["role"].as_str()? {
            "system" | "developer" => Some(Self::System),
            "user" => Some(Self::User),
            "assistant" if message["tool_calls"].is_array() => Some(Self::Caller),
            "assistant" => Some(Self::Assistant),
            "tool" => Some(Self::Tool),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant | Self::Caller => "assistant",
            Self::Tool => "tool",
        }
    }

    fn may_follow(self, before: Self) -> bool {
        match before {
            Self::System => self == Self::User,
            Self::User => matches!(self, Self::Assistant | Self::Caller),
            Self::Assistant => self == Self::User,
            Self::Caller => self == Self::Tool,
            Self::Tool => matches!(self, Self::Tool | Self::Assistant | Self::Caller),
        }
    }
}

/// Checks a list of messages whose shapes are valid. A user's message may follow a result directly
/// only if the server allows it.
pub(super) fn check_roles(messages: &[Value], may_interrupt: bool) -> Result<(), RequestRefusal> {
    let mut before = Role::System;
    let mut turn = None;
    for (index, message) in messages.iter().enumerate() {
        let Some(role) = Role::of(message) else {
            continue;
        };
        let refuse =
            |reason: String| RequestRefusal::at(format!("messages.[{index}].role"), reason);
        if index > 0 && role == Role::System {
            return Err(refuse(ONE_SYSTEM.to_owned()));
        }
        let interrupts = may_interrupt && (before, role) == (Role::Tool, Role::User);
        if interrupts {
            turn = None;
        }
        if role != Role::System && !interrupts && !role.may_follow(before) {
            let (role, before) = (role.name(), before.name());
            return Err(refuse(format!(
                "Unexpected role '{role}' after role '{before}'."
            )));
        }
        if matches!(role, Role::User | Role::Assistant) && turn.replace(role) == Some(role) {
            return Err(refuse(IN_TURN.to_owned()));
        }
        before = role;
    }
    Ok(())
}
