//! Tool lists: what they say of each tool, and a cache of them. Callers send the same long list
//! with every request.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::offered::offered_commands;
use super::validate::{RequestRefusal, tool_names};

const MAX_TOOLS: usize = 128;

#[derive(Debug)]
pub struct ToolList {
    text: String,
    /// The names of the tools, or the refusal of the list. None where the request has no list.
    pub(super) names: Result<Option<Vec<String>>, RequestRefusal>,
    pub(super) commands: Vec<String>,
    pub(super) arguments: Arc<ToolArguments>,
}

/// The arguments that tools describe, by tool and name, each with the values that it may have, where
/// these are listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolArguments(BTreeMap<String, BTreeMap<String, Vec<String>>>);

#[derive(Debug, Default)]
pub struct ToolListCache {
    lists: Mutex<Vec<Arc<ToolList>>>,
}

impl ToolListCache {
    /// Reads the text of a list, which must be JSON, or finds it in the cache.
    pub fn look_up(&self, text: &str) -> Arc<ToolList> {
        let mut lists = self.lists.lock();
        if let Some(place) = lists.iter().rposition(|list| list.text == text) {
            let list = lists.remove(place);
            lists.push(Arc::clone(&list));
            return list;
        }
        let list = Arc::new(ToolList::read(text));
        if lists.len() == MAX_TOOLS {
            lists.remove(0);
        }
        lists.push(Arc::clone(&list));
        list
    }
}

impl ToolList {
    fn read(text: &str) -> Self {
        let tools: Result<Value, RequestRefusal> = serde_json::from_str(text).map_err(|error| {
            RequestRefusal::at("tools", format!("'tools' cannot be read: {error}."))
        });
        let arguments = tools.as_ref().map(ToolArguments::read);
        let commands = tools.as_ref().map(described_commands);
        Self {
            text: text.to_owned(),
            commands: commands.unwrap_or_default(),
            arguments: Arc::new(arguments.unwrap_or_default()),
            names: tools.and_then(|tools| {
                let names = tool_names(Some(&tools))?;
                Ok(names.map(|names| names.into_iter().map(str::to_owned).collect()))
            }),
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of the tools; none where the list was refused.
    pub(super) fn offered_names(&self) -> impl Iterator<Item = &str> {
        let names = self.names.as_ref().ok().and_then(Option::as_ref);
        names.into_iter().flatten().map(String::as_str)
    }
}

fn described_commands(tools: &Value) -> Vec<String> {
    let functions = tools.as_array().into_iter().flatten();
    let functions = functions.map(|tool| &tool["function"]);
    offered_commands(functions.filter_map(|function| {
        let about = function["description"].as_str().unwrap_or_default();
        Some((function["name"].as_str()?, about))
    }))
}

impl ToolArguments {
    /// Reads the schemas of tools. What makes no sense is left out.
    pub(super) fn read(tools: &Value) -> Self {
        let tools = tools.as_array().into_iter().flatten();
        let described = tools.filter_map(|tool| {
            let function = &tool["function"];
            let properties = function["parameters"]["properties"].as_object()?;
            let arguments = properties
                .iter()
                .map(|(name, schema)| (name.clone(), listed_values(schema)));
            Some((function["name"].as_str()?.to_owned(), arguments.collect()))
        });
        Self(described.collect())
    }

    pub(super) fn describe(&self, tool: &str, argument: &str) -> bool {
        let arguments = self.0.get(tool);
        arguments.is_some_and(|arguments| arguments.contains_key(argument))
    }

    pub(super) fn values_of(&self, tool: &str, argument: &str) -> &[String] {
        let arguments = self.0.get(tool);
        let values = arguments.and_then(|arguments| arguments.get(argument));
        values.map_or(&[], Vec::as_slice)
    }
}

fn listed_values(schema: &Value) -> Vec<String> {
    let values = schema["enum"].as_array().into_iter().flatten();
    values
        .filter_map(|value| value.as_str().map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_once_and_forgotten_when_many_others_came() {
        let shed = ToolListCache::default();
        let list = |n: usize| format!(r#"[{{"type":"function","function":{{"name":"t{n}"}}}}]"#);
        let first = shed.look_up(&list(0));
        assert_eq!(first.names, Ok(Some(vec!["t0".to_owned()])));
        for n in 0..MAX_TOOLS {
            shed.look_up(&list(n));
        }
        assert!(Arc::ptr_eq(&first, &shed.look_up(&list(0))));
        for n in 1..=MAX_TOOLS {
            shed.look_up(&list(n));
        }
        assert!(!Arc::ptr_eq(&first, &shed.look_up(&list(0))));
    }

    #[test]
    fn what_is_wrong_with_a_list_is_remembered_too() {
        let shed = ToolListCache::default();
        assert_eq!(shed.look_up("null").names, Ok(None));
        for _ in 0..2 {
            let refusal = shed.look_up("[]").names.clone().unwrap_err();
            assert_eq!(refusal.param.as_deref(), Some("tools"));
        }
    }

    #[test]
    fn a_list_tells_arguments_and_their_values() {
        let text = r#"[{"type":"function","function":{"name":"chat","parameters":{"properties":{
            "channel":{"enum":["local",7,"system"]},"content":{"type":"string"}}}}},
            {"type":"function","function":{"name":"mine"}}]"#;
        let list = ToolListCache::default().look_up(text);
        assert_eq!(list.text(), text);
        assert_eq!(list.offered_names().collect::<Vec<_>>(), ["chat", "mine"]);
        let described = &list.arguments;
        assert!(described.describe("chat", "content") && described.describe("chat", "channel"));
        assert!(!described.describe("chat", "target_id") && !described.describe("mine", "content"));
        assert_eq!(described.values_of("chat", "channel"), ["local", "system"]);
        assert!(described.values_of("chat", "content").is_empty());
        assert!(ToolArguments::read(&Value::Null).0.is_empty());
    }
}
