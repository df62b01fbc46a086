//! The map against the listing of the second interface, action by action.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// The listing's notes on each action, with its tool.
fn noted() -> Vec<(String, Value)> {
    let listing: Value = serde_json::from_str(crate::GROUPED_TOOLS).unwrap();
    let tools = listing["tools"].as_array().unwrap();
    let of_tool = |tool: &Value| {
        let name = tool["name"].as_str().unwrap().to_string();
        let notes = tool["x_actions"].as_array().unwrap().clone();
        notes
            .into_iter()
            .map(move |note| (name.clone(), note))
            .collect::<Vec<_>>()
    };
    tools.iter().flat_map(of_tool).collect()
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

/// The command in the listing's words, such as `facility(action=types)`.
fn spelled(action: &Action) -> String {
    match action.inner {
        Some(inner) => format!("{}(action={inner})", action.command),
        None => action.command.to_string(),
    }
}

#[test]
fn the_table_has_exactly_the_actions_of_the_listing() {
    let listed: BTreeSet<(String, String)> = noted()
        .into_iter()
        .map(|(tool, note)| {
            let action = note["action"].as_str().unwrap_or_default();
            (tool, action.to_string())
        })
        .collect();
    let known = actions()
        .iter()
        .map(|action| (action.tool.to_string(), action.name.to_string()));
    let known: Vec<_> = known.collect();
    assert_eq!(known.len(), 281);
    assert_eq!(known.into_iter().collect::<BTreeSet<_>>(), listed);
}

#[test]
fn every_action_means_the_command_that_the_listing_says() {
    for (tool, note) in noted() {
        let name = note["action"].as_str().unwrap_or_default();
        let action = find_action(&tool, name).unwrap();
        let shown = note["v1"].as_str().unwrap_or_default();
        let meant = if shown.starts_with("(v2 only") {
            name
        } else {
            shown.split([' ', ';']).next().unwrap_or_default()
        };
        assert_eq!(spelled(action), meant, "{tool}/{name}");
        let acts = action.effect == CommandEffect::Acts;
        assert_eq!(Some(acts), note["mutation"].as_bool(), "{tool}/{name}");
        let renamed: BTreeSet<(&str, &str)> = action.renamed.iter().copied().collect();
        let shown = note["v1_param"].as_object().into_iter().flatten();
        let shown = shown.map(|(here, there)| (here.as_str(), there.as_str().unwrap()));
        assert_eq!(renamed, shown.collect(), "{tool}/{name}");
    }
}

#[test]
fn every_call_comes_back_as_it_went() {
    for action in actions() {
        let mut arguments = object(json!({"untouched": 1}));
        for (here, _) in &action.renamed {
            arguments.insert((*here).to_string(), (*here).into());
        }
        if !action.name.is_empty() {
            arguments.insert(ACTION.to_string(), action.name.into());
        }
        let (command, first) = to_first(action.tool, arguments.clone());
        assert_eq!(command, action.command);
        let (tool, second) = to_second(&command, first.clone()).unwrap();
        // A few commands can be reached in two ways, or under two names.
        if (tool, second.get(ACTION)) == (action.tool, arguments.get(ACTION)) {
            assert_eq!(second, arguments, "{}/{}", action.tool, action.name);
        } else {
            let twice = to_first(tool, second);
            assert_eq!(twice.0, command, "{}/{}", action.tool, action.name);
        }
    }
}

#[test]
fn the_storage_stands_for_nine_commands() {
    for (arguments, command, first) in [
        (json!({"action": "view"}), "view_storage", json!({})),
        (
            json!({"action": "view", "target": "faction:TAG"}),
            "view_faction_storage",
            json!({}),
        ),
        (
            json!({"action": "deposit", "target": "self", "item_id": "iron_ore", "quantity": 3}),
            "deposit_items",
            json!({"item_id": "iron_ore", "quantity": 3}),
        ),
        (
            json!({"action": "deposit", "item_id": "credits", "quantity": 3}),
            "deposit_credits",
            json!({"amount": 3}),
        ),
        (
            json!({"action": "deposit", "target": "Quill", "item_id": "credits", "quantity": 3}),
            "send_gift",
            json!({"recipient": "Quill", "credits": 3}),
        ),
        (
            json!({"action": "withdraw", "target": "faction", "item_id": "credits", "quantity": 3}),
            "faction_withdraw_credits",
            json!({"amount": 3}),
        ),
    ] {
        let shown = to_first("spacemolt_storage", object(arguments.clone()));
        assert_eq!(shown, (command.to_string(), object(first)), "{arguments}");
        let (tool, back) = to_second(command, shown.1).unwrap();
        assert_eq!(tool, "spacemolt_storage");
        assert_eq!(to_first(tool, back).0, command);
    }
}

#[test]
fn what_is_not_of_the_second_interface_means_itself() {
    let arguments = object(json!({"action": "get_status"}));
    for tool in ["mine", "spacemolting", "facility", "zoea_search_messages"] {
        assert_eq!(command(tool, &arguments), tool);
        let known = (tool == "mine").then_some(false);
        assert_eq!(only_reads(tool, &arguments), known, "{tool}");
    }
    assert_eq!(
        command("spacemolt", &object(json!({"action": 7}))),
        "spacemolt"
    );
    assert_eq!(
        command("spacemolt", &object(json!({"action": "of_tomorrow"}))),
        "of_tomorrow"
    );
    assert_eq!(command_of_text("spacemolt", "no json"), "spacemolt");
    assert_eq!(
        command_of_text("spacemolt", r#"{"action":"get_state"}"#),
        "get_status"
    );
    assert_eq!(to_second("a_tool_of_tomorrow", Map::new()), None);
}

proptest! {
    /// Whatever a model writes, the map has an answer, and nothing that the model did not write gets
    /// into the arguments but the command's own action.
    #[test]
    fn any_call_can_be_read(tool in "spacemolt(_[a-z]{0,8})?", action in ".{0,12}", key in "[a-z_]{1,8}") {
        let arguments = object(json!({ACTION: action, key: 1}));
        let (_, first) = to_first(&tool, arguments.clone());
        prop_assert!(first.len() <= arguments.len());
        let _ = command_of_text(&tool, &Value::Object(arguments).to_string());
    }
}
