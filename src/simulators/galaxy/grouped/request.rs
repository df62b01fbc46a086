//! Calls of the second interface: checked, and translated into commands of the first.

use serde_json::{Map, Value};
use zoea_spacemolt::commands::{self, ACTION, CommandEffect};

use super::STATE_COMMAND;
use super::listing::{ActionParameters, GroupedTool, find_tool};
use super::text::is_captured;
use crate::world::GameRefusal;

/// The parameter that every call may have but the login and the catalogue.
const SESSION: &str = "session_id";
const HELP: (&str, &str) = ("help", "topic");

const STATE_QUERIES: [&str; 7] = [
    "get_cargo",
    "get_location",
    "get_player",
    "get_queue",
    "get_skills",
    "get_state",
    "get_status",
];

#[derive(Debug, PartialEq)]
pub(crate) struct GroupedCall {
    pub(crate) action: String,
    pub(crate) command: String,
    /// Whether the answer is made of the state after it, too.
    pub(crate) needs_state: bool,
    /// The command's arguments, with the session's id if there was one.
    pub(crate) arguments: Map<String, Value>,
}

#[derive(Debug, PartialEq)]
pub(crate) enum ReadCall {
    /// A call of a tool that does not exist.
    NoSuchTool,
    /// A call that is answered without the world.
    Explained(String),
    Command(GroupedCall),
}

/// Reads a call.
///
/// # Errors
/// The refusal of an action or of parameters that do not exist.
pub(crate) fn read_call(
    tool: &str,
    mut arguments: Map<String, Value>,
) -> Result<ReadCall, GameRefusal> {
    let Some(listed) = find_tool(tool) else {
        return Ok(ReadCall::NoSuchTool);
    };
    arguments.retain(|_, value| !value.is_null());
    let action = match arguments.get(ACTION) {
        Some(Value::String(action)) => action.trim().to_owned(),
        Some(_) | None => String::new(),
    };
    if action == HELP.0 {
        refuse_unknown(&arguments, |name| [ACTION, SESSION, HELP.1].contains(&name))?;
        return Ok(ReadCall::Explained(listed.description.clone()));
    }
    let known = find_parameters(listed, &action)?;
    check_parameters(listed, known, &arguments)?;
    for (name, value) in &mut arguments {
        take_digits_for_a_number(&listed.schema, name, value);
    }
    let acts = commands::find_action(tool, &action).map(|action| action.effect);
    let needs_state = match acts {
        Some(CommandEffect::Acts) => !is_captured(&action),
        Some(CommandEffect::Reads | CommandEffect::Writes) | None => action == "view_market",
    };
    let (mut command, arguments) = commands::to_first(tool, arguments);
    if tool == "spacemolt" && STATE_QUERIES.contains(&action.as_str()) {
        STATE_COMMAND.clone_into(&mut command);
    }
    Ok(ReadCall::Command(GroupedCall {
        action,
        command,
        needs_state,
        arguments,
    }))
}

fn find_parameters<'a>(
    tool: &'a GroupedTool,
    action: &str,
) -> Result<&'a ActionParameters, GameRefusal> {
    if let Some(known) = tool.actions.iter().find(|known| known.name == action) {
        return Ok(known);
    }
    let names: Vec<&str> = tool.actions.iter().map(|known| &*known.name).collect();
    let names = names.join(", ");
    let refused = if action.is_empty() {
        let message = format!("Must specify 'action'. Actions of {}: {names}", tool.name);
        GameRefusal::new("missing_action", message)
    } else {
        let message = format!(
            "Unknown action '{action}' of {}. Actions: {names}",
            tool.name
        );
        GameRefusal::new("invalid_action", message)
    };
    Err(refused)
}

fn check_parameters(
    tool: &GroupedTool,
    known: &ActionParameters,
    arguments: &Map<String, Value>,
) -> Result<(), GameRefusal> {
    let has_session = tool
        .schema
        .get("properties")
        .is_some_and(|all| all[SESSION].is_object());
    let takes_session = has_session && known.name != "login";
    refuse_unknown(arguments, |name| {
        known.known.contains(name)
            || (name == ACTION && !known.name.is_empty())
            || (name == SESSION && takes_session)
    })?;
    // The world itself says which code is missing.
    let missing = known
        .required
        .iter()
        .find(|name| !arguments.contains_key(*name) && *name != "registration_code");
    match missing {
        Some(name) => {
            let message = format!("Must specify '{name}' for action '{}'.", known.name);
            Err(GameRefusal::new("invalid_payload", message))
        }
        None => Ok(()),
    }
}

fn refuse_unknown(
    arguments: &Map<String, Value>,
    is_known: impl Fn(&str) -> bool,
) -> Result<(), GameRefusal> {
    let names = arguments.keys().map(String::as_str);
    let unknown: Vec<&str> = names.filter(|name| !is_known(name)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let message = format!("Unknown parameter(s): {}", unknown.join(", "));
    Err(GameRefusal::new("invalid_payload", message))
}

/// The live server accepts "5" for 5.
fn take_digits_for_a_number(schema: &Map<String, Value>, name: &str, value: &mut Value) {
    let kind = schema
        .get("properties")
        .map(|properties| &properties[name]["type"]);
    if kind.and_then(Value::as_str) == Some("integer")
        && let Some(number) = value
            .as_str()
            .and_then(|text| text.trim().parse::<i64>().ok())
    {
        *value = number.into();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(tool: &str, arguments: Value) -> Result<ReadCall, String> {
        let arguments = arguments.as_object().cloned().unwrap();
        read_call(tool, arguments).map_err(|refusal| refusal.to_string())
    }

    fn command(command: &str, action: &str, arguments: Value) -> Result<ReadCall, String> {
        Ok(ReadCall::Command(GroupedCall {
            action: action.to_owned(),
            command: command.to_owned(),
            needs_state: command == "travel",
            arguments: arguments.as_object().cloned().unwrap(),
        }))
    }

    #[test]
    fn a_call_becomes_a_command_of_the_first_interface() {
        assert_eq!(
            read(
                "spacemolt",
                json!({"action": "travel", "id": "belt", "session_id": "1"})
            ),
            command(
                "travel",
                "travel",
                json!({"target_poi": "belt", "session_id": "1"})
            )
        );
        assert_eq!(
            read(
                "spacemolt",
                json!({"action": "sell", "id": "iron_ore", "quantity": "5"})
            ),
            command(
                "sell",
                "sell",
                json!({"item_id": "iron_ore", "quantity": 5})
            )
        );
        assert_eq!(
            read("spacemolt", json!({"action": "get_location"})),
            command(STATE_COMMAND, "get_location", json!({}))
        );
        assert_eq!(
            read("spacemolt_catalog", json!({"type": "items"})),
            command("catalog", "", json!({"type": "items"}))
        );
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        for (tool, arguments, refusal) in [
            (
                "spacemolt_auth",
                json!({"action": "login", "username": "a", "password": "b", "session_id": "1"}),
                "invalid_payload: Unknown parameter(s): session_id",
            ),
            (
                "spacemolt",
                json!({"action": "mine", "id": "belt", "quantity": 3}),
                "invalid_payload: Unknown parameter(s): id, quantity",
            ),
            (
                "spacemolt_catalog",
                json!({"type": "items", "session_id": "1"}),
                "invalid_payload: Unknown parameter(s): session_id",
            ),
            (
                "spacemolt",
                json!({"action": "travel"}),
                "invalid_payload: Must specify 'id' for action 'travel'.",
            ),
        ] {
            assert_eq!(read(tool, arguments), Err(refusal.to_owned()));
        }
        let refused = |arguments| read("spacemolt_fleet", arguments).unwrap_err();
        assert!(refused(json!({"action": "mine"})).starts_with("invalid_action: "));
        assert!(refused(json!({})).starts_with("missing_action: "));
        assert_eq!(read("mine", json!({})), Ok(ReadCall::NoSuchTool));
        let help = read("spacemolt", json!({"action": "help", "topic": "mine"}));
        assert!(matches!(help, Ok(ReadCall::Explained(text)) if text.contains("jump(id)")));
    }
}
