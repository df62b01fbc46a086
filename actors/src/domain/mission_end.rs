//! The end of a mission: the line by which the operator says that a mission ends, and the tool by which
//! a model says that it is done.
//!
//! Without the line a mission stands until it is replaced, and nobody can talk a model into an end.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::tool::ToolSpec;

/// The line that says that a mission ends. The model and the operator see it.
pub const ENDS_LINE: &str = "[ends with zoea_done]";

pub const DONE_TOOL: &str = "zoea_done";

pub const DONE_CODE: &str = "done";

const MAX_SUMMARY_CHARS: usize = 2000;

pub fn ends(mission: &str) -> bool {
    mission.lines().any(is_ends_line)
}

pub fn ending(mission: &str) -> String {
    match ends(mission) {
        true => mission.to_string(),
        false => format!("{}\n{ENDS_LINE}", mission.trim_end()),
    }
}

/// A mission as it is typed behind a command: `--ends` in front of it says that it ends.
pub fn typed_mission(words: &str) -> Cow<'_, str> {
    match words.strip_prefix("--ends ") {
        Some(mission) => Cow::Owned(ending(mission.trim_start())),
        None => Cow::Borrowed(words),
    }
}

fn is_ends_line(line: &str) -> bool {
    line.trim().eq_ignore_ascii_case(ENDS_LINE)
}

pub fn done_tool() -> ToolSpec {
    ToolSpec::own(
        DONE_TOOL,
        "Say that your mission is done, all of it. You are then asked once an hour whether it still is, \
         and at once when your operator writes.",
        &json!({
            "type": "object",
            "properties": {
                "summary": {"type": "string", "description": "what was done"}
            },
            "required": ["summary"]
        }),
    )
}

/// The summary in the arguments of a call; `None` if there is none.
pub fn summary_of(arguments: &str) -> Option<String> {
    let arguments: Map<String, Value> = serde_json::from_str(arguments).ok()?;
    let summary = arguments.get("summary")?.as_str()?.trim();
    (!summary.is_empty()).then(|| summary.chars().take(MAX_SUMMARY_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_line_of_its_own_says_that_a_mission_ends() {
        for mission in [
            "Mine.",
            "say zoea_done",
            "Mine [ends with zoea_done] now",
            "",
        ] {
            assert!(!ends(mission), "{mission}");
            assert!(ends(&ending(mission)), "{mission}");
        }
        let said = ending("Mine 100 ore.\n");
        assert_eq!(said, "Mine 100 ore.\n[ends with zoea_done]");
        assert_eq!(ending(&said), said, "said once");
        assert_eq!(typed_mission("--ends Mine 100 ore."), said);
        assert_eq!(typed_mission("Mine 100 ore."), "Mine 100 ore.");
        assert!(ends(" [Ends with zoea_done] \nMine"));
    }

    #[test]
    fn a_summary_is_a_text_that_says_something() {
        for arguments in ["", "[]", "{}", r#"{"summary":" "}"#, r#"{"summary":3}"#] {
            assert_eq!(summary_of(arguments), None, "{arguments}");
        }
        let long = format!(r#"{{"summary":"{}"}}"#, "ä".repeat(3000));
        let summary = summary_of(&long).map(|summary| summary.chars().count());
        assert_eq!(summary, Some(MAX_SUMMARY_CHARS));
    }
}
