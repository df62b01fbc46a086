//! The search for tools: the game has many more than a request offers.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use zoea_spacemolt::commands;

use super::brief::{ACTIONS_LINE, first_sentence};
use super::routine::ROUTINE_START;
use super::tool::{ToolSpec, Toolset, is_own, is_rare_own};
use super::tool_filter::{listed_action, listed_parameters};

pub const FIND_TOOLS: &str = "zoea_find_tools";

const MAX_FOUND: usize = 8;
/// The most bytes of the words about a tool, of its parameters, and of the names of all.
const WORDS_BYTES: usize = 100;
const PARAMETERS_BYTES: usize = 160;
const NAMES_BYTES: usize = 4 << 10;
/// The most words of a query that count.
const MAX_WORDS: usize = 12;

/// What a word of the query counts: as a part of a name between two `_`, inside of a name, and in
/// a description. A query that is a whole name counts more than anything else.
const WHOLE_PART: u32 = 6;
const NAME_PART: u32 = 4;
const SAID: u32 = 2;
const WHOLE_NAME: u32 = 12;

/// Words that say nothing about what is looked for.
const EMPTY_WORDS: [&str; 16] = [
    "a", "an", "the", "to", "of", "for", "in", "on", "at", "my", "how", "do", "is", "with", "tool",
    "tools",
];

pub fn spec() -> ToolSpec {
    ToolSpec::own(
        FIND_TOOLS,
        "Find further tools: the game has many more than you are shown. What is found you can call, though \
         you are not shown it.",
        &json!({
            "type": "object",
            "properties": {"query": {"type": "string", "description": "what you want to do, in a few words"}},
            "required": ["query"]
        }),
    )
}

struct Findable<'a> {
    command: Arc<str>,
    call: String,
    about: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFindings {
    /// The commands that were found, the best first.
    pub commands: Vec<Arc<str>>,
    pub text: String,
}

/// Searches the tools that a Mysis may call. Words are compared with names and descriptions.
pub fn find_tools(tools: &Toolset, query: &str) -> ToolFindings {
    let all: Vec<Findable<'_>> = tools
        .tools()
        .iter()
        .filter(|tool| !is_own(&tool.name) || is_rare_own(&tool.name))
        .flat_map(|tool| findable(tool, &tools.names().offered(&tool.name)))
        .collect();
    let words = query_words(query);
    let mut found: Vec<(u32, &Findable<'_>)> = all
        .iter()
        .map(|tool| (score(tool, &words), tool))
        .filter(|(score, _)| *score > 0)
        .collect();
    // The sort is stable, so that of equal ones the server's order decides.
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let best = found.first().map_or(0, |(score, _)| *score);
    found.retain(|(score, _)| score * 2 >= best);
    found.truncate(MAX_FOUND);
    if found.is_empty() {
        let text = nothing_found(&all, query);
        let commands = Vec::new();
        return ToolFindings { commands, text };
    }
    let mut text = "You can call these from now on:".to_string();
    for (_, tool) in &found {
        text.push('\n');
        text.push_str(&tool.call);
        if !tool.about.is_empty() {
            text.push_str(" — ");
            text.push_str(&first_sentence(tool.about, WORDS_BYTES));
        }
    }
    if let Some(start) = tools.get(ROUTINE_START)
        && found
            .iter()
            .any(|(_, tool)| *tool.command == *ROUTINE_START)
    {
        text.push_str(&format!("\n{ROUTINE_START} takes {}", start.schema));
    }
    if best < NAME_PART {
        text.push_str("\nIf none of them fits, search with another name: ");
        text.push_str(&list_names(&all));
    }
    let commands = found.iter().map(|(_, tool)| tool.command.clone());
    ToolFindings {
        commands: commands.collect(),
        text,
    }
}

fn nothing_found(all: &[Findable<'_>], query: &str) -> String {
    if all.is_empty() {
        return "no tools of the server are known at the moment: try again later".to_string();
    }
    let query = first_sentence(query, WORDS_BYTES);
    let names = list_names(all);
    format!("no tool matches '{query}'. Search with one of these names: {names}")
}

fn list_names(all: &[Findable<'_>]) -> String {
    let mut names = String::new();
    let mut listed = 0;
    for tool in all {
        if names.len() + tool.command.len() > NAMES_BYTES {
            break;
        }
        if listed > 0 {
            names.push_str(", ");
        }
        names.push_str(&tool.command);
        listed += 1;
    }
    match all.len() - listed {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

/// What can be found of a tool that requests offer under this name: itself, or its actions.
fn findable<'a>(tool: &'a ToolSpec, offered: &str) -> Vec<Findable<'a>> {
    let name = &tool.name;
    let listed = tool.description.split_once(&format!("\n{ACTIONS_LINE}\n"));
    let Some((_, listed)) = listed.filter(|_| commands::is_grouped(name)) else {
        let command = commands::command_of_text(name, "{}");
        return vec![Findable {
            command: command.as_ref().into(),
            call: format!("{offered}{}", in_brackets(&schema_parameters(&tool.schema))),
            about: &tool.description,
        }];
    };
    let findable = |line: &'a str| {
        let action = listed_action(line).filter(|action| !action.is_empty())?;
        let known = commands::find_action(name, action);
        let names: Vec<String> = listed_parameters(line).map(str::to_string).collect();
        let names = in_brackets(&names);
        Some(Findable {
            command: known.map_or(action, |known| known.command).into(),
            call: format!(r#"{name} {{"action":"{action}"}}{names}"#),
            about: line.split_once(" — ").map_or("", |(_, words)| words),
        })
    };
    listed.lines().filter_map(findable).collect()
}

/// The parameters of a schema, with a question mark where they may be left out.
fn schema_parameters(schema: &str) -> Vec<String> {
    let schema = serde_json::from_str::<Map<String, Value>>(schema).unwrap_or_default();
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &String| required.is_some_and(|names| names.iter().any(|of| of == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    let names = properties.into_iter().flat_map(Map::keys);
    names
        .map(|name| match is_required(name) {
            true => name.clone(),
            false => format!("{name}?"),
        })
        .collect()
}

fn in_brackets(names: &[String]) -> String {
    let all = names.join(", ");
    match all.is_empty() {
        true => String::new(),
        false => format!("({})", first_sentence(&all, PARAMETERS_BYTES)),
    }
}

/// The words of a query in lower case, without endings of the plural.
fn query_words(query: &str) -> Vec<String> {
    let words = query.split(|c: char| !c.is_alphanumeric());
    let words = words.map(str::to_lowercase);
    words
        .filter(|word| word.len() > 1 && !EMPTY_WORDS.contains(&word.as_str()))
        .map(|word| stem(&word).to_string())
        .take(MAX_WORDS)
        .collect()
}

fn stem(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with('s') => stem,
        _ => word,
    }
}

/// How well a tool fits: a word that is part of its name counts most, one in its description least.
fn score(tool: &Findable<'_>, words: &[String]) -> u32 {
    let name = tool.command.to_lowercase();
    let about = tool.about.to_lowercase();
    let has_part = |word: &String| name.split('_').any(|part| stem(part) == word);
    let is_said = |word: &String| {
        let said = about.split(|c: char| !c.is_alphanumeric());
        said.map(stem)
            .any(|said| said == word || word.len() > 4 && said.starts_with(word.as_str()))
    };
    let of_word = |word: &String| match () {
        () if has_part(word) => WHOLE_PART,
        () if word.len() > 3 && name.contains(word.as_str()) => NAME_PART,
        () if is_said(word) => SAID,
        () => 0,
    };
    let sum: u32 = words.iter().map(of_word).sum();
    let is_whole = !words.is_empty()
        && name
            .split('_')
            .map(stem)
            .eq(words.iter().map(String::as_str));
    sum + if is_whole { WHOLE_NAME } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, description: &str, schema: &Value) -> ToolSpec {
        ToolSpec {
            name: name.into(),
            description: description.into(),
            schema: schema.to_string().into(),
            read_only_hint: None,
        }
    }

    fn game() -> Toolset {
        let recipe =
            json!({"properties": {"quantity": {}, "recipe_id": {}}, "required": ["recipe_id"]});
        Toolset::new([
            tool("craft", "Craft an item. It takes a tick", &recipe),
            tool("recycle", "Break items down", &json!({})),
            tool("get_recipes", "List recipes for crafting", &json!({})),
            tool("tow_wreck", "Tow a wreck", &json!({})),
            tool("zoea_search_reasoning", "Search past reasoning", &json!({})),
            tool("zoea_read_result", "Read on", &json!({})),
            spec(),
        ])
    }

    fn names(tools: &Toolset, query: &str) -> Vec<String> {
        let found = find_tools(tools, query);
        found.commands.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_tools_of_the_runtime_keep_their_form() {
        let all = [
            spec(),
            crate::routine::start_tool(),
            crate::mission_end::done_tool(),
        ];
        let forms = all.map(|tool| {
            let schema: Value = serde_json::from_str(&tool.schema).expect("it is JSON");
            json!({"name": *tool.name, "description": *tool.description, "schema": schema})
        });
        zoea_golden::hold_json("tools-of-the-runtime.json", &forms.to_vec().into());
    }

    #[test]
    fn words_find_names_first_and_descriptions_then() {
        let game = game();
        assert_eq!(names(&game, "how to craft"), ["craft"]);
        assert_eq!(names(&game, "Recipes?"), ["get_recipes"]);
        assert_eq!(names(&game, "get_recipes"), ["get_recipes"]);
        assert_eq!(names(&game, "items"), ["craft", "recycle"]);
        assert_eq!(names(&game, "wrecks"), ["tow_wreck"]);
        assert_eq!(names(&game, "my reasoning"), ["zoea_search_reasoning"]);
        assert_eq!(names(&game, "read result").len(), 0);
        let weak = find_tools(&game, "items").text;
        assert!(
            weak.ends_with(
                "another name: craft, recycle, get_recipes, tow_wreck, zoea_search_reasoning"
            ),
            "{weak}"
        );
        let found = find_tools(&game, "craft");
        let text = "You can call these from now on:\ncraft(quantity?, recipe_id) — Craft an item";
        assert_eq!(found.text, text);
    }

    #[test]
    fn a_search_in_vain_lists_the_names() {
        let found = find_tools(&game(), "the frobnicator");
        assert!(found.commands.is_empty());
        let names = "Search with one of these names: craft, recycle, get_recipes, tow_wreck, zoea_search_reasoning";
        assert!(found.text.ends_with(names), "{}", found.text);
        let found = find_tools(&Toolset::new([spec()]), "craft");
        assert!(found.text.contains("at the moment"), "{}", found.text);
    }

    #[test]
    fn of_a_tool_with_actions_its_actions_are_found() {
        let about = "Core.\nActions:\n  craft(id?, quantity?) — queue a job\n  mine — dig\n  help(topic?) — how";
        let game = Toolset::new([tool("spacemolt", about, &json!({}))]);
        let found = find_tools(&game, "craft");
        assert_eq!(found.commands, ["craft".into()]);
        let line = r#"spacemolt {"action":"craft"}(id?, quantity?) — queue a job"#;
        assert!(found.text.ends_with(line), "{}", found.text);
    }

    #[test]
    fn an_answer_is_bounded() {
        let many = (0..400).map(|number| {
            let parameters: Map<String, Value> = (0..99)
                .map(|of| (format!("parameter_{of}"), json!({})))
                .collect();
            let name = format!("mine_{number}_{}", "x".repeat(40));
            tool(
                &name,
                &"ore ".repeat(200),
                &json!({"properties": parameters}),
            )
        });
        let many = Toolset::new(many);
        let found = find_tools(&many, "mine");
        assert_eq!(found.commands.len(), MAX_FOUND);
        assert!(found.text.len() < 4 << 10, "{}", found.text.len());
        let found = find_tools(&many, "q".repeat(9999).as_str());
        assert!(found.text.len() < 5 << 10, "{}", found.text.len());
    }
}
