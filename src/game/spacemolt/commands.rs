//! Commands: the map from a call of the second interface to a command of the first, and back.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

const GROUP_PREFIX: &str = "spacemolt";

pub const ACTION: &str = "action";

const STORAGE_TOOL: &str = "spacemolt_storage";

/// The tool without actions.
const CATALOG_TOOL: &str = "spacemolt_catalog";

/// The action that explains the others. Every tool with actions has it.
const HELP: &str = "help";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEffect {
    /// It changes nothing.
    Reads,
    /// It changes something at once, without a tick.
    Writes,
    /// It takes a tick.
    Acts,
}

#[derive(Debug)]
pub struct Action {
    pub tool: &'static str,
    /// The value of `action`; empty for the tool without actions.
    pub name: &'static str,
    pub command: &'static str,
    /// The value of that command's own `action`, if it has several.
    pub inner: Option<&'static str>,
    pub effect: CommandEffect,
    /// The parameters with another name: here and there.
    pub renamed: Vec<(&'static str, &'static str)>,
}

/// The actions, in the order of the listing, and their places by tool and name.
struct CommandTable {
    actions: Vec<Action>,
    places: BTreeMap<(&'static str, &'static str), usize>,
}

static TABLE: LazyLock<CommandTable> = LazyLock::new(|| {
    let lines = include_str!("commands.txt").lines();
    let actions: Vec<Action> = lines.filter_map(read_line).collect();
    let places = actions
        .iter()
        .enumerate()
        .map(|(place, action)| ((action.tool, action.name), place))
        .collect();
    CommandTable { actions, places }
});

fn read_line(line: &'static str) -> Option<Action> {
    let mut words = line.split_whitespace();
    let (call, command) = (words.next().filter(|word| *word != "#")?, words.next()?);
    let (tool, name) = call.split_once('/').unwrap_or((call, ""));
    let (command, inner) = match command.split_once(':') {
        Some((command, inner)) => (command, Some(inner)),
        None => (command, None),
    };
    let effect = match words.next()? {
        "reads" => CommandEffect::Reads,
        "acts" => CommandEffect::Acts,
        _ => CommandEffect::Writes,
    };
    Some(Action {
        tool,
        name,
        command,
        inner,
        effect,
        renamed: words.filter_map(|pair| pair.split_once('=')).collect(),
    })
}

pub fn actions() -> &'static [Action] {
    &TABLE.actions
}

/// The action of a tool; `None` if it is not known.
pub fn find_action(tool: &str, action: &str) -> Option<&'static Action> {
    let place = TABLE.places.get(&(tool, action))?;
    TABLE.actions.get(*place)
}

/// Whether a tool is one of the second interface.
pub fn is_grouped(tool: &str) -> bool {
    let rest = tool.strip_prefix(GROUP_PREFIX);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

/// The command that a call means. Of the first interface, and of any other server, that is the
/// tool's name. An action that is not known is a command with its own name.
pub fn command<'a>(tool: &'a str, arguments: &'a Map<String, Value>) -> &'a str {
    if !is_grouped(tool) {
        return tool;
    }
    let action = action_of(arguments);
    if tool == STORAGE_TOOL
        && let Some(command) = storage_command(action, arguments)
    {
        return command;
    }
    match find_action(tool, action) {
        Some(known) => known.command,
        None if action.is_empty() => tool,
        None => action,
    }
}

/// The command of a call whose arguments are JSON text. Text that is no object names no action.
pub fn command_of_text<'a>(tool: &'a str, arguments: &str) -> Cow<'a, str> {
    if !is_grouped(tool) {
        return Cow::Borrowed(tool);
    }
    match serde_json::from_str(arguments) {
        Ok(Value::Object(arguments)) => Cow::Owned(command(tool, &arguments).to_string()),
        Ok(_) | Err(_) => Cow::Borrowed(tool),
    }
}

/// The action that a call names; empty without one.
fn action_of(arguments: &Map<String, Value>) -> &str {
    let action = arguments.get(ACTION).and_then(Value::as_str);
    action.unwrap_or_default().trim()
}

/// Whether a call of either interface only reads; `None` if it is none of theirs. Of a command with
/// several actions the one that is given counts.
pub fn only_reads(tool: &str, arguments: &Map<String, Value>) -> Option<bool> {
    let (asked, known) = match is_grouped(tool) {
        true => {
            let action = action_of(arguments);
            (action, find_action(tool, action))
        }
        false => (tool, find_command(tool, arguments)),
    };
    match asked == HELP {
        true => Some(true),
        false => known.map(|action| action.effect == CommandEffect::Reads),
    }
}

/// The action for a command of the first interface, which may have an action of its own.
fn find_command(command: &str, arguments: &Map<String, Value>) -> Option<&'static Action> {
    let wanted = arguments.get(ACTION).and_then(Value::as_str);
    TABLE.actions.iter().find(|action| {
        action.command == command && (action.inner.is_none() || action.inner == wanted)
    })
}

/// Gives parameters other names. Two may swap theirs, so all are taken out first.
fn rename<'a>(arguments: &mut Map<String, Value>, names: impl Iterator<Item = (&'a str, &'a str)>) {
    let moved: Vec<(String, Value)> = names
        .filter_map(|(from, to)| Some((to.to_string(), arguments.remove(from)?)))
        .collect();
    arguments.extend(moved);
}

/// One tool of the second interface stands for nine of the first. Which one is meant depends on the
/// owner and on what is moved.
fn storage_command(action: &str, arguments: &Map<String, Value>) -> Option<&'static str> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let target = text("target").unwrap_or_default();
    let is_own = matches!(target, "" | "self");
    let is_faction = target == "faction" || target.starts_with("faction:");
    let is_money = text("item_id") == Some("credits");
    Some(match (action, is_money) {
        ("view", _) if is_faction => "view_faction_storage",
        ("deposit", _) if !is_own && !is_faction => "send_gift",
        ("deposit", true) if is_faction => "faction_deposit_credits",
        ("deposit", true) => "deposit_credits",
        ("deposit", false) if is_faction => "faction_deposit_items",
        ("withdraw", true) if is_faction => "faction_withdraw_credits",
        ("withdraw", true) => "withdraw_credits",
        ("withdraw", false) if is_faction => "faction_withdraw_items",
        _ => return None,
    })
}

/// A call of the second interface as a call of the first: the command, and the arguments with the
/// names that they have there. Any other call is returned as it is.
#[must_use]
pub fn to_first(tool: &str, mut arguments: Map<String, Value>) -> (String, Map<String, Value>) {
    let command = command(tool, &arguments).to_string();
    if !is_grouped(tool) {
        return (command, arguments);
    }
    let known = find_action(tool, action_of(&arguments));
    arguments.remove(ACTION);
    if tool == STORAGE_TOOL {
        rename_storage(&command, &mut arguments);
    }
    let Some(known) = known else {
        return (command, arguments);
    };
    rename(&mut arguments, known.renamed.iter().copied());
    if let Some(inner) = known.inner {
        arguments.insert(ACTION.to_string(), inner.into());
    }
    (command, arguments)
}

fn rename_storage(command: &str, arguments: &mut Map<String, Value>) {
    let target = arguments.remove("target");
    let quantity_as = |name: &'static str| [("quantity", name)].into_iter();
    match command {
        "send_gift" => {
            if arguments.get("item_id").and_then(Value::as_str) == Some("credits") {
                arguments.remove("item_id");
                rename(arguments, quantity_as("credits"));
            }
            arguments.extend(target.map(|target| ("recipient".to_string(), target)));
        }
        "deposit_credits"
        | "withdraw_credits"
        | "faction_deposit_credits"
        | "faction_withdraw_credits" => {
            rename(arguments, quantity_as("amount"));
            arguments.remove("item_id");
        }
        _ => {}
    }
}

/// A call of the first interface as a call of the second: the tool and its arguments. `None` if the
/// second has no such command.
pub fn to_second(
    command: &str,
    mut arguments: Map<String, Value>,
) -> Option<(&'static str, Map<String, Value>)> {
    if let Some(found) = storage_call(command, &mut arguments) {
        arguments.insert(ACTION.to_string(), found.into());
        return Some((STORAGE_TOOL, arguments));
    }
    if command == HELP {
        arguments.insert(ACTION.to_string(), HELP.into());
        return Some((GROUP_PREFIX, arguments));
    }
    let known = find_command(command, &arguments)?;
    if known.inner.is_some() {
        arguments.remove(ACTION);
    }
    let back = known.renamed.iter().map(|(here, there)| (*there, *here));
    rename(&mut arguments, back);
    if known.tool != CATALOG_TOOL {
        arguments.insert(ACTION.to_string(), known.name.into());
    }
    Some((known.tool, arguments))
}

/// The action of the storage for one of the first interface's commands. It gives the arguments
/// their names.
fn storage_call(command: &str, arguments: &mut Map<String, Value>) -> Option<&'static str> {
    let (owner, rest) = match command.strip_prefix("faction_") {
        Some(rest) => (Some("faction"), rest),
        None => (None, command),
    };
    let action = match rest {
        "deposit_items" | "deposit_credits" => "deposit",
        "withdraw_items" | "withdraw_credits" => "withdraw",
        "view_faction_storage" => {
            arguments.insert("target".to_string(), "faction".into());
            return Some("view");
        }
        "send_gift" => {
            let to = arguments.remove("recipient");
            arguments.extend(to.map(|to| ("target".to_string(), to)));
            if let Some(credits) = arguments.remove("credits") {
                arguments.insert("item_id".to_string(), "credits".into());
                arguments.insert("quantity".to_string(), credits);
            }
            return Some("deposit");
        }
        _ => return None,
    };
    if rest.ends_with("_credits") {
        arguments.insert("item_id".to_string(), "credits".into());
        if let Some(amount) = arguments.remove("amount") {
            arguments.insert("quantity".to_string(), amount);
        }
    }
    arguments.extend(owner.map(|owner| ("target".to_string(), owner.into())));
    Some(action)
}

#[cfg(test)]
mod tests;
