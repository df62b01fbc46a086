//! The tools that a request offers: a small part of the game's many.
//!
//! Of a list that is short all are offered: a game's in brief, any other as its server describes it. Else these are: the basics of the game, our own
//! but for the rare ones, and what the working set contains. Of a server that is not the game, its
//! first tools take the place of the basics. Of a tool with actions those actions are listed that are
//! offered, with their parameters. What may change stands at the end: what the working set contains
//! in its order, and the tool that ends a mission.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};
use zoea_spacemolt::commands;

use super::brief::ACTIONS_LINE;
use super::mission_end::DONE_TOOL;
use super::role_list::MAX_COMMANDS;
use super::routine::ROUTINE_START;
use super::tool::{ToolSpec, Toolset, is_own, is_rare_own};
use super::tool_filter::{ToolPermit, listed_action, listed_parameters};
use super::tool_search::FIND_TOOLS;

/// A list of a game's tools of at most so many bytes in brief is offered whole.
const SHORT_LIST_BYTES: usize = 8 << 10;
/// So is any other list of at most so many bytes, and with whole descriptions where these fit.
const WHOLE_LIST_BYTES: usize = 16 << 10;
/// The most tools that a request offers. Servers refuse a request with more as a whole.
const MAX_OFFERED: usize = 128;

/// The action that explains the others of its tool.
const HELP: &str = "help";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolListMode {
    /// What the Mysis uses, in brief.
    #[default]
    Working,
    /// All that are allowed, as the server describes them.
    All,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolSelection {
    pub list: ToolListMode,
    pub commands: Vec<Arc<str>>,
    /// The tools and commands of its role, which are offered like the basics.
    pub of_role: Vec<Arc<str>>,
    pub routines: Vec<Arc<str>>,
    /// Whether its mission ends, so that the model may say that it is done.
    pub may_end: bool,
    /// The names of those that stand in no request, because the model's server refuses them.
    pub left_out: Vec<Arc<str>>,
    /// The only ones that may stand in the request; `None` if all may. A list that becomes known later adds none.
    pub only: Option<Vec<Arc<str>>>,
}

/// The tools that a request offers, and the list that they were chosen from.
#[derive(Clone, Debug, Default)]
pub struct ToolOffer {
    selection: Arc<ToolSelection>,
    catalog: Arc<Toolset>,
    tools: Arc<Toolset>,
}

impl ToolOffer {
    pub fn choose(
        catalog: &Arc<Toolset>,
        permit: &ToolPermit,
        selection: ToolSelection,
    ) -> ToolOffer {
        ToolOffer {
            tools: offered_tools(catalog, permit, &selection),
            catalog: catalog.clone(),
            selection: Arc::new(selection),
        }
    }

    pub fn selection(&self) -> &ToolSelection {
        &self.selection
    }

    pub fn tools(&self) -> &Arc<Toolset> {
        &self.tools
    }

    /// The tools that are offered of another list, which may have taken the place of the known one.
    pub fn of_catalog(&self, catalog: &Arc<Toolset>, permit: &ToolPermit) -> Arc<Toolset> {
        match Arc::ptr_eq(catalog, &self.catalog) {
            true => self.tools.clone(),
            false => offered_tools(catalog, permit, &self.selection),
        }
    }

    /// Whether a command is offered whether it is used or not.
    pub fn is_given(&self, command: &str) -> bool {
        let is_whole = self.tools.get(FIND_TOOLS).is_none();
        let is_of_role = || self.selection.of_role.iter().any(|name| **name == *command);
        is_whole || is_ours(command) || is_of_role() || basics_of(&self.catalog).contains(&command)
    }
}

fn offered_tools(
    catalog: &Arc<Toolset>,
    permit: &ToolPermit,
    selection: &ToolSelection,
) -> Arc<Toolset> {
    let most = match basics_of(catalog).is_empty() {
        true => WHOLE_LIST_BYTES,
        false => SHORT_LIST_BYTES,
    };
    let as_described = permit.filter(catalog);
    let allowed = match selection.list {
        ToolListMode::All => as_described,
        // Nothing is known of these tools but what their descriptions say.
        ToolListMode::Working if most == WHOLE_LIST_BYTES && as_described.bytes() <= most => {
            as_described
        }
        ToolListMode::Working => permit.filter(catalog.brief()),
    };
    // Without the search, of which the whole list has no need.
    let is_whole = allowed.tools().len() <= MAX_OFFERED
        && match selection.list {
            ToolListMode::All => true,
            ToolListMode::Working => allowed.bytes() <= most,
        };
    let mut chosen: Vec<ToolSpec> = if is_whole {
        // There is nothing to find.
        let all = allowed.tools().iter();
        let all = all.filter(|tool| &*tool.name != FIND_TOOLS);
        without_unwanted(all.cloned(), selection)
    } else {
        working_list(&allowed, basics_of(catalog), selection)
    };
    let done = chosen.extract_if(.., |tool| *tool.name == *DONE_TOOL);
    let done: Vec<ToolSpec> = done.filter(|_| selection.may_end).collect();
    chosen.extend(done);
    name_routines(&mut chosen, &selection.routines);
    for tool in &mut chosen {
        tool.name = catalog.names().offered(&tool.name);
    }
    let may_stand = |name: &Arc<str>| {
        selection
            .only
            .as_ref()
            .is_none_or(|only| only.contains(name))
    };
    chosen.retain(|tool| may_stand(&tool.name) && !selection.left_out.contains(&tool.name));
    let left_out = allowed.left_out().map(Into::into);
    catalog.share_part(Toolset::new(chosen).leaving_out(left_out))
}

/// A whole list without the tool that starts routines, unless that is wanted. Where only the working
/// set wants it, it stands at the end.
fn without_unwanted(
    all: impl Iterator<Item = ToolSpec>,
    selection: &ToolSelection,
) -> Vec<ToolSpec> {
    let names_it = |names: &[Arc<str>]| names.iter().any(|name| **name == *ROUTINE_START);
    let is_given = selection.list == ToolListMode::All || names_it(&selection.of_role);
    let (starts, mut chosen): (Vec<ToolSpec>, Vec<ToolSpec>) =
        all.partition(|tool| *tool.name == *ROUTINE_START && !is_given);
    chosen.extend(starts.into_iter().filter(|_| names_it(&selection.commands)));
    chosen
}

fn name_routines(tools: &mut [ToolSpec], routines: &[Arc<str>]) {
    if routines.is_empty() {
        return;
    }
    for tool in tools.iter_mut().filter(|tool| *tool.name == *ROUTINE_START) {
        let about = tool.description.trim_end_matches('.');
        let names = routines.join(", ");
        tool.description = format!("{about}. By name alone: {names}").into();
    }
}

fn basics_of(catalog: &Toolset) -> &'static [&'static str] {
    catalog.game().map_or(&[], |game| game.basics())
}

/// The tools that are always offered, then our own, then those of the working set: what changes
/// comes last, because a provider's cache keeps what comes before. For all of the working set there
/// is room, so that what is always offered stays the same.
fn working_list(
    allowed: &Toolset,
    basics: &[&'static str],
    selection: &ToolSelection,
) -> Vec<ToolSpec> {
    let of_role = selection.of_role.iter().map(|name| &**name);
    let needed = basics.iter().copied().chain(of_role);
    let first_bytes = match (selection.list, !basics.is_empty()) {
        (ToolListMode::All, _) => usize::MAX,
        (ToolListMode::Working, true) => 0,
        (ToolListMode::Working, false) => SHORT_LIST_BYTES,
    };
    let first: Vec<&str> = first_tools(allowed, first_bytes).collect();
    let first = first.into_iter();
    let used = selection.commands.iter().map(|command| &**command);
    let all = Wanted::of(needed.clone().chain(first.clone()).chain(used.clone()));
    let (needed, first, used) = (Wanted::of(needed), Wanted::of(first), Wanted::of(used));

    let (own, others): (Vec<&ToolSpec>, Vec<&ToolSpec>) =
        allowed.tools().iter().partition(|tool| is_ours(&tool.name));
    let room = MAX_OFFERED.saturating_sub(own.len() + MAX_COMMANDS);
    let is_needed = |tool: &&&ToolSpec| needed.part_of(tool).is_some();
    let mut further = room.saturating_sub(others.iter().filter(is_needed).count());
    let (mut chosen, mut joined) = (Vec::new(), Vec::new());
    for tool in others {
        let Some(part) = all.part_of(tool) else {
            continue;
        };
        if is_needed(&&tool) && chosen.len() < room {
            chosen.push(part);
        } else if further > 0 && first.part_of(tool).is_some() {
            further -= 1;
            chosen.push(part);
        } else if joined.len() < MAX_COMMANDS && used.part_of(tool).is_some() {
            joined.push((place_of(tool, &selection.commands), part));
        }
    }
    joined.sort_by_key(|(place, _)| *place);
    chosen.extend(own.into_iter().cloned());
    chosen.extend(joined.into_iter().map(|(_, part)| part));
    chosen
}

fn place_of(tool: &ToolSpec, commands: &[Arc<str>]) -> Option<usize> {
    let is_of = |command: &Arc<str>| {
        Wanted::of(std::iter::once(&**command))
            .part_of(tool)
            .is_some()
    };
    commands.iter().position(is_of)
}

/// Whether a tool is one of our own that are always offered.
fn is_ours(name: &str) -> bool {
    is_own(name) && !is_rare_own(name)
}

/// As many tools from the beginning of a list as have at most so many bytes.
fn first_tools(allowed: &Toolset, most: usize) -> impl Iterator<Item = &str> {
    let mut bytes = 0;
    let tools = allowed.tools().iter();
    let first = tools.take_while(move |tool| {
        bytes += tool.bytes();
        bytes <= most
    });
    first.map(|tool| &*tool.name)
}

#[derive(Debug, Default)]
struct Wanted<'a> {
    names: BTreeSet<&'a str>,
    /// Tools with an action that gives a wanted command.
    actions: BTreeSet<(&'static str, String)>,
}

impl<'a> Wanted<'a> {
    fn of(commands: impl Iterator<Item = &'a str>) -> Wanted<'a> {
        let mut wanted = Wanted::default();
        for command in commands {
            wanted.names.insert(command);
            if let Some((tool, arguments)) = commands::to_second(command, Map::new())
                && let Some(Value::String(action)) = arguments.get(commands::ACTION)
            {
                wanted.actions.insert((tool, action.clone()));
            }
        }
        wanted
    }

    fn has(&self, tool: &str, command: &str) -> bool {
        self.names.contains(command) || self.names.contains(tool)
    }

    fn has_action(&self, tool: &'a str, action: &str) -> bool {
        let command = commands::find_action(tool, action).map_or(action, |known| known.command);
        self.has(tool, command)
            || self
                .actions
                .iter()
                .any(|known| (known.0, &*known.1) == (tool, action))
    }

    /// What is offered of a tool; `None` if nothing is.
    fn part_of(&self, tool: &'a ToolSpec) -> Option<ToolSpec> {
        let name = &*tool.name;
        let listed = tool.description.split_once(&format!("\n{ACTIONS_LINE}\n"));
        let Some((about, listed)) = listed.filter(|_| commands::is_grouped(name)) else {
            let command = commands::command_of_text(name, "{}");
            let has_action = self.actions.iter().any(|(tool, _)| *tool == name);
            return (has_action || self.has(name, &command)).then(|| tool.clone());
        };
        let is_offered = |line: &&str| {
            listed_action(line)
                .is_some_and(|action| action != HELP && self.has_action(name, action))
        };
        let lines: Vec<&str> = listed.lines().filter(is_offered).collect();
        if lines.is_empty() {
            return None;
        }
        let help = listed
            .lines()
            .find(|line| listed_action(line) == Some(HELP));
        let used: BTreeSet<&str> = lines
            .iter()
            .copied()
            .chain(help)
            .flat_map(names_of_parameters)
            .collect();
        let known: BTreeSet<&str> = listed.lines().flat_map(names_of_parameters).collect();
        let mut description = format!("{about}\n{ACTIONS_LINE}");
        for line in lines.into_iter().chain(help) {
            description.push('\n');
            description.push_str(line);
        }
        Some(ToolSpec {
            description: description.into(),
            schema: schema_with(&tool.schema, |name| {
                used.contains(name) || !known.contains(name)
            }),
            ..tool.clone()
        })
    }
}

fn names_of_parameters(line: &str) -> impl Iterator<Item = &str> {
    listed_parameters(line).map(|name| name.trim_end_matches('?'))
}

/// A schema without the parameters that are not needed.
fn schema_with(schema: &Arc<str>, is_needed: impl Fn(&str) -> bool) -> Arc<str> {
    let Ok(mut read) = serde_json::from_str::<Map<String, Value>>(schema) else {
        return schema.clone();
    };
    let required = read.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| {
        let names = required.as_array();
        names.is_some_and(|names| names.iter().any(|required| required == name))
    };
    if let Some(Value::Object(properties)) = read.get_mut("properties") {
        properties.retain(|name, _| is_required(name) || is_needed(name));
    }
    Value::Object(read).to_string().into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tool_filter::{ToolFilter, ToolFilters};
    use crate::tool_search;

    fn tool(name: &str, about: &str) -> ToolSpec {
        ToolSpec {
            name: name.into(),
            description: about.into(),
            schema: r#"{"type":"object","properties":{}}"#.into(),
            read_only_hint: None,
        }
    }

    /// The game's second interface as its server lists it.
    fn grouped() -> Arc<Toolset> {
        let all: Value = serde_json::from_str(zoea_spacemolt::GROUPED_TOOLS).unwrap();
        let text = |tool: &Value, key: &str| tool[key].as_str().unwrap().into();
        let tools = all["tools"].as_array().unwrap().iter().map(|of| ToolSpec {
            name: text(of, "name"),
            description: text(of, "description"),
            schema: of["inputSchema"].to_string().into(),
            read_only_hint: None,
        });
        Arc::new(Toolset::new(tools.chain([tool_search::spec()])))
    }

    /// A game of the first interface: the basics, and many more tools.
    fn flat() -> Arc<Toolset> {
        let many = (0..200).map(|number| tool(&format!("work_{number}"), &"x".repeat(90)));
        let basics = zoea_spacemolt::basics::BASICS
            .iter()
            .map(|name| tool(name, "Basic."));
        let own = [tool_search::spec(), tool("zoea_read_result", "Reads.")];
        Arc::new(Toolset::new(many.chain(basics).chain(own)))
    }

    fn with_own(catalog: &Arc<Toolset>, own: &[&str]) -> Arc<Toolset> {
        let own = own.iter().map(|name| tool(name, "Ours."));
        Arc::new(Toolset::new(catalog.tools().iter().cloned().chain(own)))
    }

    fn permit(deny: &[&str]) -> ToolPermit {
        let filters = ToolFilters {
            swarm: ToolFilter {
                allow: None,
                deny: deny.iter().map(|pattern| (*pattern).into()).collect(),
            },
            ..ToolFilters::default()
        };
        filters.of_mysis("alpha")
    }

    fn selection(commands: &[&str]) -> ToolSelection {
        ToolSelection {
            commands: commands.iter().map(|name| (*name).into()).collect(),
            ..ToolSelection::default()
        }
    }

    fn names(tools: &Toolset) -> Vec<&str> {
        tools.tools().iter().map(|tool| &*tool.name).collect()
    }

    #[test]
    fn the_basics_come_first_then_our_own_and_then_what_is_used() {
        let chosen = ToolOffer::choose(&flat(), &permit(&[]), selection(&["work_7", "gone"]));
        let names = names(chosen.tools());
        assert_eq!(names.len(), zoea_spacemolt::basics::BASICS.len() + 3);
        assert_eq!(names[..2], zoea_spacemolt::basics::BASICS[..2]);
        assert_eq!(
            names[zoea_spacemolt::basics::BASICS.len()..],
            [FIND_TOOLS, "zoea_read_result", "work_7"]
        );
        assert!(chosen.tools().bytes() < SHORT_LIST_BYTES);
        assert!(chosen.is_given("mine") && chosen.is_given(FIND_TOOLS));
        assert!(!chosen.is_given("work_7") && !chosen.is_given("work_8"));
    }

    #[test]
    fn a_list_grows_at_its_end_in_the_order_in_which_commands_join() {
        let catalog = with_own(&flat(), &[ROUTINE_START, DONE_TOOL]);
        let offered = |commands: &[&str], may_end: bool| {
            let selection = ToolSelection {
                may_end,
                ..selection(commands)
            };
            let chosen = ToolOffer::choose(&catalog, &permit(&[]), selection);
            let names = names(chosen.tools()).into_iter();
            names.map(str::to_string).collect::<Vec<_>>()
        };
        let commands = ["work_9", ROUTINE_START, "work_2", "work_5"];
        let lists: Vec<Vec<String>> = (0..=commands.len())
            .map(|count| offered(&commands[..count], false))
            .collect();
        for pair in lists.windows(2) {
            assert!(pair[1].starts_with(&pair[0]), "{pair:?}");
        }
        assert!(
            lists[4].ends_with(&commands.map(str::to_string)),
            "{lists:?}"
        );
        assert!(
            !lists[0]
                .iter()
                .any(|name| *name == *ROUTINE_START || *name == *DONE_TOOL)
        );
        let ending = offered(&commands, true);
        assert!(ending.starts_with(&lists[4]) && ending.ends_with(&[DONE_TOOL.to_string()]));
        let few = with_own(&Arc::default(), &[ROUTINE_START, "zoea_read_result"]);
        let whole = |commands: &[&str]| {
            let chosen = ToolOffer::choose(&few, &permit(&[]), selection(commands));
            names(chosen.tools()).len()
        };
        assert_eq!((whole(&[]), whole(&[ROUTINE_START])), (1, 2));
    }

    #[test]
    fn a_rare_tool_of_ours_is_offered_while_it_is_used_and_always_where_the_list_is_whole() {
        let rare = tool("zoea_search_reasoning", "Searches.");
        let all = flat().tools().to_vec();
        let catalog = Arc::new(Toolset::new(all.into_iter().chain([rare.clone()])));
        let chosen = ToolOffer::choose(&catalog, &permit(&[]), selection(&[]));
        assert!(chosen.tools().get(&rare.name).is_none() && !chosen.is_given(&rare.name));
        let used = ToolOffer::choose(&catalog, &permit(&[]), selection(&[&rare.name]));
        assert_eq!(names(used.tools()).last(), Some(&&*rare.name));
        let few = Arc::new(Toolset::new([rare.clone(), tool_search::spec()]));
        let whole = ToolOffer::choose(&few, &permit(&[]), selection(&[]));
        assert_eq!(names(whole.tools()), [&*rare.name]);
    }

    #[test]
    fn what_a_role_names_is_offered_like_the_basics_and_its_routines_by_their_names() {
        let start = tool(ROUTINE_START, "Repeat steps. And so on.");
        let all = flat();
        let catalog = Toolset::new(all.tools().iter().cloned().chain([start]));
        let miner = ToolSelection {
            of_role: vec!["work_9".into(), ROUTINE_START.into()],
            routines: vec!["dig".into(), "haul".into()],
            ..selection(&["work_7"])
        };
        let chosen = ToolOffer::choose(&Arc::new(catalog), &permit(&[]), miner);
        let names = names(chosen.tools());
        let place = |name: &str| names.iter().position(|listed| *listed == name).unwrap();
        assert!(place("work_9") < place(FIND_TOOLS) && place(FIND_TOOLS) < place("work_7"));
        assert!(chosen.is_given("work_9") && !chosen.is_given("work_7"));
        let start = chosen.tools().get(ROUTINE_START).unwrap();
        assert_eq!(
            &*start.description,
            "Repeat steps. By name alone: dig, haul"
        );
    }

    #[test]
    fn what_is_denied_is_not_offered() {
        let all = ["work_7", "work_8"];
        let chosen = ToolOffer::choose(&flat(), &permit(&["work_7", "mine"]), selection(&all));
        assert!(chosen.tools().get("work_7").is_none() && chosen.tools().get("mine").is_none());
        assert!(chosen.tools().get("work_8").is_some());
    }

    #[test]
    fn where_only_some_may_stand_a_list_that_comes_later_adds_none() {
        let only = |names: &[&str]| ToolSelection {
            only: Some(names.iter().map(|name| (*name).into()).collect()),
            ..ToolSelection::default()
        };
        let unknown = Arc::default();
        let none = ToolOffer::choose(&unknown, &permit(&[]), only(&[]));
        assert!(names(&none.of_catalog(&flat(), &permit(&[]))).is_empty());
        let one = ToolOffer::choose(&unknown, &permit(&[]), only(&["mine"]));
        assert_eq!(names(&one.of_catalog(&flat(), &permit(&[]))), ["mine"]);
    }

    #[test]
    fn all_are_offered_as_they_are_where_the_operator_wants_that_and_in_brief_where_they_are_few() {
        let all = ToolSelection {
            list: ToolListMode::All,
            ..ToolSelection::default()
        };
        let some = flat().tools()[120..].to_vec();
        let catalog = Arc::new(Toolset::new(some));
        let chosen = ToolOffer::choose(&catalog, &permit(&[]), all);
        assert_eq!(chosen.tools().tools().len(), catalog.tools().len() - 1);
        assert_eq!(chosen.tools().get("work_150"), catalog.get("work_150"));
        assert!(chosen.tools().get(FIND_TOOLS).is_none() && chosen.is_given("work_150"));
        let few = |name: &str| {
            let few = Toolset::new([tool(name, "Paint. With colours."), tool_search::spec()]);
            let chosen = ToolOffer::choose(&Arc::new(few), &permit(&[]), selection(&[]));
            assert_eq!(names(chosen.tools()), [name]);
            chosen.tools().tools()[0].description.to_string()
        };
        assert_eq!(few("mine"), "Paint");
        let described = few("paint");
        assert_eq!(
            described, "Paint. With colours.",
            "of no game, as the server says it"
        );
        let long = (0..40).map(|number| tool(&format!("paint_{number}"), &"Red. ".repeat(90)));
        let long = Arc::new(Toolset::new(long));
        let chosen = ToolOffer::choose(&long, &permit(&[]), selection(&[]));
        assert_eq!(
            chosen.tools().tools().len(),
            40,
            "whole in brief where that fits"
        );
        assert!(chosen.tools().bytes() < WHOLE_LIST_BYTES && long.bytes() > WHOLE_LIST_BYTES);
    }

    #[test]
    fn no_request_offers_more_tools_than_servers_take_and_the_rest_is_found() {
        let catalog = flat();
        let used: Vec<String> = (168..200).map(|number| format!("work_{number}")).collect();
        let used: Vec<&str> = used.iter().map(|name| &**name).collect();
        for list in [ToolListMode::All, ToolListMode::Working] {
            let offer = |commands: &[&str]| {
                let selection = ToolSelection {
                    list,
                    of_role: (0..100)
                        .map(|number| format!("work_{number}").into())
                        .collect(),
                    ..selection(commands)
                };
                ToolOffer::choose(&catalog, &permit(&[]), selection)
            };
            let (few, many) = (offer(&["work_199"]), offer(&used));
            let (few, many) = (names(few.tools()), names(many.tools()));
            assert_eq!(many.len(), MAX_OFFERED);
            assert_eq!(few[..few.len() - 1], many[..few.len() - 1], "it stays");
            assert!(few.contains(&FIND_TOOLS) && few.contains(&"work_199"));
        }
        let all = ToolSelection {
            list: ToolListMode::All,
            ..ToolSelection::default()
        };
        let chosen = ToolOffer::choose(&catalog, &permit(&[]), all);
        assert!(
            zoea_spacemolt::basics::BASICS
                .iter()
                .all(|name| chosen.tools().get(name).is_some())
        );
    }

    #[test]
    fn tools_are_offered_under_names_that_every_server_takes() {
        let catalog = Toolset::new([tool("ship.mine", "Mine."), tool("ship/mine", "Mine.")]);
        let catalog = Arc::new(catalog);
        let chosen = ToolOffer::choose(&catalog, &permit(&[]), selection(&[]));
        assert_eq!(names(chosen.tools()), ["ship_mine", "ship_mine_2"]);
        let chosen = ToolOffer::choose(&catalog, &permit(&["ship.*"]), selection(&[]));
        assert_eq!(
            names(chosen.tools()),
            ["ship_mine_2"],
            "the server's names are denied"
        );
        assert_eq!(
            &*catalog.resolve_name("ship_mine_2").unwrap().name,
            "ship/mine"
        );
    }

    #[test]
    fn of_another_server_the_first_tools_are_offered() {
        let many = (0..300).map(|number| tool(&format!("work_{number}"), &"x".repeat(90)));
        let many = Arc::new(Toolset::new(many.chain([tool_search::spec()])));
        let chosen = ToolOffer::choose(&many, &permit(&[]), selection(&["work_299"]));
        let names = names(chosen.tools());
        assert_eq!((names[0], names[names.len() - 1]), ("work_0", "work_299"));
        assert!(names.len() < 100 && names.contains(&FIND_TOOLS));
        assert!(chosen.tools().bytes() < SHORT_LIST_BYTES + (1 << 10));
    }

    #[test]
    fn of_tools_with_actions_those_are_listed_that_are_offered_with_their_parameters() {
        let catalog = grouped();
        let chosen =
            ToolOffer::choose(&catalog, &permit(&["self_destruct"]), selection(&["craft"]));
        let core = chosen.tools().get("spacemolt").unwrap();
        for listed in [
            "\n  mine — ",
            "\n  travel(id) — ",
            "\n  craft(",
            "\n  help(topic?) — ",
        ] {
            assert!(
                core.description.contains(listed),
                "{listed}: {}",
                core.description
            );
        }
        assert!(!core.description.contains("cloak"), "{}", core.description);
        let schema: Value = serde_json::from_str(&core.schema).unwrap();
        let properties = schema["properties"].as_object().unwrap();
        let has = |name: &str| properties.contains_key(name);
        assert!(has("action") && has("id") && has("facility_id") && has("topic"));
        assert!(!has("enable") && !has("session_id") && !has("active_scan"));
        assert_eq!(schema["required"], json!(["action"]));
        assert!(
            chosen.tools().get("spacemolt_storage").is_some(),
            "for deposit_items"
        );
        assert!(chosen.tools().get("spacemolt_drone").is_none());
        let bytes = chosen.tools().bytes();
        assert!(
            bytes < SHORT_LIST_BYTES,
            "{bytes} bytes of {}",
            catalog.bytes()
        );
    }

    #[test]
    fn equal_offers_are_one_set_and_a_list_that_changed_is_chosen_from_anew() {
        let catalog = flat();
        let one = ToolOffer::choose(&catalog, &permit(&[]), selection(&["work_7"]));
        let other = ToolOffer::choose(&catalog, &permit(&[]), selection(&["work_7"]));
        assert!(Arc::ptr_eq(one.tools(), other.tools()));
        assert!(Arc::ptr_eq(
            one.tools(),
            &one.of_catalog(&catalog, &permit(&[]))
        ));
        let newer = Arc::new(Toolset::new([tool("mine", "Mine. Now.")]));
        assert_eq!(names(&one.of_catalog(&newer, &permit(&[]))), ["mine"]);
    }
}
