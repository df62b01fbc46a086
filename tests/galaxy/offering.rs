//! The tools that requests offer, of the lists that the game's two interfaces have.

use std::sync::Arc;

use actors::domain::tool::{ToolSpec, Toolset, is_rare_own};
use actors::domain::tool_filter::ToolPermit;
use actors::domain::tool_offer::{ToolOffer, ToolSelection};
use actors::domain::tool_search;
use actors::session::own_tools;
use serde_json::Value;
use zoea_spacemolt::basics::BASICS;

fn spec(name: &str, description: &str, schema: String) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: description.into(),
        schema: schema.into(),
        read_only_hint: None,
    }
}

fn with_own(tools: Vec<ToolSpec>) -> Arc<Toolset> {
    let own = own_tools();
    Arc::new(Toolset::new(
        tools.into_iter().chain(own.tools().iter().cloned()),
    ))
}

fn first() -> Arc<Toolset> {
    let listed = zoea_galaxy::tool_table();
    with_own(
        listed
            .map(|(name, about, schema, _)| spec(name, about, schema))
            .collect(),
    )
}

fn second() -> Arc<Toolset> {
    let all: Value = serde_json::from_str(zoea_spacemolt::GROUPED_TOOLS).unwrap();
    let tools = all["tools"].as_array().unwrap().iter().map(|tool| {
        let text = |key: &str| tool[key].as_str().unwrap();
        spec(
            text("name"),
            text("description"),
            tool["inputSchema"].to_string(),
        )
    });
    with_own(tools.collect())
}

fn offer(tools: &Arc<Toolset>) -> Arc<Toolset> {
    let selection = ToolSelection::default();
    let offer = ToolOffer::choose(tools, &ToolPermit::default(), selection);
    offer.tools().clone()
}

#[test]
fn a_mysis_that_mines_gets_a_short_list() {
    for (interface, tools) in [("first", first()), ("second", second())] {
        let offered = offer(&tools);
        println!(
            "{interface}: {} bytes of {} tools, of {} bytes of {}",
            offered.bytes(),
            offered.tools().len(),
            tools.bytes(),
            tools.tools().len()
        );
        assert!(
            offered.bytes() <= 8 << 10,
            "{interface}: {}",
            offered.bytes()
        );
        assert!(tools.bytes() > 40 << 10);
        for own in own_tools().tools() {
            let is_offered = offered.get(&own.name).is_some();
            // A mission that does not end has no tool that ends it.
            let is_always = !is_rare_own(&own.name) && own.name.as_ref() != "zoea_done";
            assert_eq!(is_offered, is_always, "{}", own.name);
        }
    }
    let first = first();
    assert!(BASICS.iter().all(|basic| first.get(basic).is_some()));
    let offered = offer(&first);
    assert!(BASICS.iter().all(|basic| offered.get(basic).is_some()));
}

/// The names of all properties, with their types, choices and what is required.
fn skeleton(schema: &Value, path: &str, found: &mut Vec<String>) {
    if let Some(properties) = schema["properties"].as_object() {
        for (name, of) in properties.iter().filter(|(name, _)| *name != "session_id") {
            found.push(format!("{path}/{name} {} {}", of["type"], of["enum"]));
            skeleton(of, &format!("{path}/{name}"), found);
        }
    }
    if schema["items"].is_object() {
        skeleton(&schema["items"], &format!("{path}/[]"), found);
    }
    found.push(format!("{path} {}", schema["required"]));
}

#[test]
fn tools_in_brief_keep_their_parameters_and_are_shorter() {
    for tools in [first(), second()] {
        for tool in tools.tools() {
            let brief = tool.in_brief();
            let of = |tool: &ToolSpec| {
                let mut found = Vec::new();
                let schema: Value = serde_json::from_str(&tool.schema).unwrap();
                skeleton(&schema, "", &mut found);
                found
            };
            assert_eq!(of(&brief), of(tool), "{}", tool.name);
            assert!(brief.bytes() <= tool.bytes(), "{}", tool.name);
            assert_eq!(brief.in_brief(), brief, "{}", tool.name);
        }
    }
}

#[test]
fn every_command_is_found_by_its_name() {
    for tools in [first(), second()] {
        let actions = zoea_spacemolt::commands::actions().iter();
        let names = actions.map(|action| action.command);
        let mut in_vain = Vec::new();
        for name in names.filter(|name| tools.tool_of_command(name).is_some()) {
            let found = tool_search::find_tools(&tools, name);
            if !found.commands.iter().any(|command| **command == *name) {
                in_vain.push(name);
            }
        }
        assert_eq!(in_vain, [""; 0]);
    }
}
