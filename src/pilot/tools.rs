//! A cache of tool lists. Callers send the same long list with every request.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::grouped::offered_commands;
use super::validate::{RequestRefusal, tool_names};

/// The number of cached lists.
const MAX_TOOLS: usize = 32;

/// A tool list that was read.
#[derive(Debug)]
pub(super) struct ToolList {
    text: String,
    /// The names of the tools, or the refusal of the list. None where the request has no list.
    pub(super) names: Result<Option<Vec<String>>, RequestRefusal>,
    /// The commands that the tools offer.
    pub(super) commands: Vec<String>,
}

/// The lists in order of use, the newest last.
#[derive(Debug, Default)]
pub(super) struct ToolListCache {
    lists: Mutex<Vec<Arc<ToolList>>>,
}

impl ToolListCache {
    /// Reads the text of a list, which must be JSON, or finds it in the cache.
    pub(super) fn look_up(&self, text: &str) -> Arc<ToolList> {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
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
        let tools = serde_json::from_str::<Value>(text);
        let commands = tools.as_ref().map_or_else(|_| Vec::new(), offered);
        let names = tools
            .map_err(|error| {
                RequestRefusal::at("tools", format!("'tools' cannot be read: {error}."))
            })
            .and_then(|tools| {
                let names = tool_names(Some(&tools))?;
                Ok(names.map(|names| names.into_iter().map(str::to_owned).collect()))
            });
        Self {
            text: text.to_owned(),
            names,
            commands,
        }
    }
}

fn offered(tools: &Value) -> Vec<String> {
    let functions = tools.as_array().into_iter().flatten();
    let functions = functions.map(|tool| &tool["function"]);
    let described = functions.filter_map(|function| {
        let about = function["description"].as_str().unwrap_or_default();
        Some((function["name"].as_str()?, about))
    });
    offered_commands(described)
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
}
