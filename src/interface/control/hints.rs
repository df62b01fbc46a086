//! What clients are told of each tool beside its parameters: a title, whether it reads, destroys or may
//! be repeated, and whether the world outside of the swarm notices. It stands at the tool's variant.

use rmcp::model::{Tool, ToolAnnotations};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Copy, Deserialize, PartialEq, Eq, Serialize)]
pub(super) enum ToolEffect {
    Reads,
    Adds,
    /// The second of two equal calls changes nothing.
    Sets,
    /// It takes something away. The second of two equal calls changes nothing.
    Removes,
}

/// A tool with the title and the hints of its variant's schema. One without them may do anything.
pub(super) fn described(tool: Tool, variant: &Value) -> Tool {
    let (Some(title), Ok(effect)) = (
        variant["title"].as_str(),
        ToolEffect::deserialize(&variant["effect"]),
    ) else {
        return tool;
    };
    let annotations = ToolAnnotations::with_title(title)
        .read_only(effect == ToolEffect::Reads)
        .destructive(effect == ToolEffect::Removes)
        .idempotent(effect != ToolEffect::Adds)
        .open_world(variant["acts"] == true);
    tool.with_title(title).with_annotations(annotations)
}

#[cfg(test)]
mod tests {
    use super::super::call::ControlCall;

    #[test]
    fn every_tool_has_a_title_and_hints() {
        for tool in ControlCall::list_tools() {
            assert!(
                tool.title.is_some() && tool.annotations.is_some(),
                "{}",
                tool.name
            );
        }
    }
}
