//! Snapshot queries: which of several results of the same query still matters (docs/design/requests.md).

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;
use zoea_spacemolt::commands;

use super::game::GameRef;
use super::tool::command_of_call;

/// A call of a snapshot tool: the tool with its arguments. Of a tool with actions it is the command
/// that the call means, so that the same question in two forms is one query.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SnapshotQuery {
    pub tool: Arc<str>,
    /// The arguments with sorted keys, so that equal ones compare equal.
    pub arguments: Arc<str>,
}

impl SnapshotQuery {
    /// The snapshot query of a call of this game; `None` if it does not only look.
    pub fn of(game: GameRef, tool: &Arc<str>, arguments: &Arc<str>) -> Option<SnapshotQuery> {
        let command = command_of_call(tool, arguments);
        game.is_look(&command).then(|| SnapshotQuery {
            tool: command,
            arguments: if commands::is_grouped(tool) {
                arguments_of_command(tool, arguments)
            } else {
                normalise_arguments(arguments)
            },
        })
    }
}

/// The arguments that the command has, without the action and the session.
fn arguments_of_command(tool: &str, arguments: &Arc<str>) -> Arc<str> {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(arguments)) => {
            let (_, mut arguments) = commands::to_first(tool, arguments);
            arguments.remove("session_id");
            Value::Object(arguments).to_string().into()
        }
        Ok(_) | Err(_) => arguments.clone(),
    }
}

fn normalise_arguments(arguments: &Arc<str>) -> Arc<str> {
    if &**arguments == "{}" {
        return arguments.clone();
    }
    match serde_json::from_str::<Value>(arguments) {
        Ok(value) => value.to_string().into(),
        Err(_) => arguments.clone(),
    }
}

/// Whether one of the results seen so far supersedes this one. It is called from the newest result
/// to the oldest. A result that is not superseded is added to those seen.
#[must_use]
pub fn is_superseded(
    seen: &mut BTreeSet<(SnapshotQuery, bool)>,
    look: SnapshotQuery,
    is_error: bool,
) -> bool {
    let has_better = is_error && seen.contains(&(look.clone(), false));
    has_better || !seen.insert((look, is_error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_never_replaces_a_good_result_and_equal_arguments_are_one_look() {
        let of = |tool: &str, arguments: &str| {
            SnapshotQuery::of(GameRef::SpaceMolt, &tool.into(), &arguments.into())
        };
        let look = |arguments: &str| of("get_poi", arguments);
        let first = look(r#"{"a":1,"b":2}"#).unwrap();
        assert_eq!(look(r#"{ "b": 2, "a": 1 }"#), Some(first.clone()));
        assert_eq!(of("mine", "{}"), None);
        let of_action = |arguments: &str| of("spacemolt", arguments);
        let of_any = SnapshotQuery::of(GameRef::AnyTools, &"get_next_job".into(), &"{}".into());
        assert_eq!(of_any, None, "of no game every result stays");
        let status = of_action(r#"{"action":"get_status","session_id":"1"}"#);
        assert_eq!(status, of("get_status", "{}"));
        assert_eq!(status, of_action(r#"{"action":"get_state"}"#));
        assert_eq!(of_action(r#"{"action":"mine"}"#), None);
        assert_eq!(of_action(r#"{"action":"get_notifications"}"#), None);
        let mut seen = BTreeSet::new();
        assert!(
            !is_superseded(&mut seen, first.clone(), true),
            "the newest, an error"
        );
        assert!(
            !is_superseded(&mut seen, first.clone(), false),
            "good, behind an error"
        );
        assert!(
            is_superseded(&mut seen, first.clone(), false),
            "an older good one"
        );
        assert!(is_superseded(&mut seen, first, true), "an older error");
    }
}
