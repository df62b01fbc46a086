//! Tool filters: which of the server's tools the operator allows, by patterns.
//!
//! A tool that is not allowed is neither offered nor called. The runtime itself still logs in. A
//! pattern is compared with a tool's name and with the command that a call means, so that the same
//! patterns hold for both interfaces of the game. Our own tools are always allowed.

use std::collections::BTreeMap;
use std::sync::Arc;

use zoea_spacemolt::commands;

use super::pattern::matches_pattern;
use super::tool::{ToolSpec, Toolset, is_own};

/// Patterns for tools and commands, in which `*` stands for any text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// What is allowed; `None` for everything.
    pub allow: Option<Vec<Arc<str>>>,
    /// What is not allowed, whatever `allow` says.
    pub deny: Vec<Arc<str>>,
}

impl ToolFilter {
    /// Whether it allows every tool.
    pub fn is_open(&self) -> bool {
        self.allow.is_none() && self.deny.is_empty()
    }

    pub fn named(&self) -> impl Iterator<Item = &Arc<str>> {
        let allowed = self.allow.iter().flatten();
        allowed.filter(|pattern| !pattern.contains('*'))
    }

    fn permits(&self, tool: &str, command: &str) -> bool {
        let is_meant = |pattern: &Arc<str>| {
            matches_pattern(pattern, tool) || matches_pattern(pattern, command)
        };
        let is_allowed = self
            .allow
            .as_ref()
            .is_none_or(|allow| allow.iter().any(is_meant));
        is_allowed && !self.deny.iter().any(is_meant)
    }
}

/// The filters of a swarm: one for all Myses, and one more for some.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolFilters {
    pub swarm: ToolFilter,
    pub myses: BTreeMap<Arc<str>, ToolFilter>,
}

impl ToolFilters {
    /// What one Mysis may call: what its own filter and the swarm's permit.
    #[must_use]
    pub fn of_mysis(&self, name: &str) -> ToolPermit {
        let own = self.myses.get(name);
        let filters = [Some(&self.swarm), own].into_iter().flatten();
        let closed = filters.filter(|filter| !filter.is_open());
        ToolPermit(closed.cloned().collect())
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolPermit(Arc<[ToolFilter]>);

impl ToolPermit {
    #[must_use]
    pub fn narrowed(&self, filter: &ToolFilter) -> ToolPermit {
        if filter.is_open() {
            return self.clone();
        }
        ToolPermit(self.0.iter().chain([filter]).cloned().collect())
    }

    pub fn permits(&self, tool: &str, command: &str) -> bool {
        is_own(tool) || self.0.iter().all(|filter| filter.permits(tool, command))
    }

    pub fn filter(&self, tools: &Arc<Toolset>) -> Arc<Toolset> {
        if self.0.is_empty() {
            return tools.clone();
        }
        let offered = tools.tools().iter().filter_map(|tool| self.offer(tool));
        Arc::new(tools.part(offered))
    }

    /// A tool as it is offered; `None` if it is not. Of a tool with actions those are offered that
    /// are permitted, as far as its description lists them.
    fn offer(&self, tool: &ToolSpec) -> Option<ToolSpec> {
        let name = &*tool.name;
        let mut actions = commands::actions()
            .iter()
            .filter(|action| action.tool == name && !action.name.is_empty())
            .peekable();
        if actions.peek().is_none() {
            let command = commands::command_of_text(name, "{}");
            return self.permits(name, &command).then(|| tool.clone());
        }
        if !actions.any(|action| self.permits(name, action.command)) {
            return None;
        }
        let mut description = String::with_capacity(tool.description.len());
        for line in tool.description.split_inclusive('\n') {
            let command = listed_action(line)
                .and_then(|action| commands::find_action(name, action))
                .map(|action| action.command);
            if command.is_none_or(|command| self.permits(name, command)) {
                description.push_str(line);
            }
        }
        Some(ToolSpec {
            description: description.trim_end().into(),
            ..tool.clone()
        })
    }
}

/// The action in a line of a tool's description: two spaces, its name, and its parameters.
pub(super) fn listed_action(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("  ")?;
    let end = rest.find(|c: char| !(c.is_ascii_lowercase() || c == '_'));
    Some(&rest[..end.unwrap_or(rest.len())])
}

/// The parameters in such a line, with a question mark where they may be left out:
/// `  sell(id, quantity, auto_list?) — …`.
pub(super) fn listed_parameters(line: &str) -> impl Iterator<Item = &str> {
    let call = line.split(" — ").next().unwrap_or_default();
    let listed = call.split_once('(').map(|(_, rest)| rest);
    let listed = listed.map(|rest| rest.split(')').next().unwrap_or_default());
    let names = listed.into_iter().flat_map(|listed| listed.split(','));
    names.map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, description: &str) -> ToolSpec {
        ToolSpec {
            name: name.into(),
            description: description.into(),
            schema: "{}".into(),
            read_only_hint: None,
        }
    }

    fn patterns(patterns: &[&str]) -> Vec<Arc<str>> {
        patterns.iter().map(|pattern| (*pattern).into()).collect()
    }

    fn permit(allow: Option<&[&str]>, deny: &[&str]) -> ToolPermit {
        let swarm = ToolFilter {
            allow: allow.map(patterns),
            deny: patterns(deny),
        };
        let filters = ToolFilters {
            swarm,
            myses: BTreeMap::new(),
        };
        filters.of_mysis("alpha")
    }

    fn names(tools: &Toolset) -> Vec<&str> {
        tools.tools().iter().map(|tool| &*tool.name).collect()
    }

    #[test]
    fn what_is_denied_is_not_allowed_and_our_own_tools_always_are() {
        let tools = ["get_status", "get_map", "mine", "zoea_read_result"];
        let tools = Arc::new(Toolset::new(tools.map(|name| tool(name, ""))));
        let all = ToolPermit::default().filter(&tools);
        assert!(Arc::ptr_eq(&all, &tools), "nothing is copied");
        let some = permit(Some(&["get_*"]), &["get_map"]).filter(&tools);
        assert_eq!(names(&some), ["get_status", "zoea_read_result"]);
        let some = permit(None, &["mine"]).filter(&tools);
        assert_eq!(names(&some), ["get_status", "get_map", "zoea_read_result"]);
        assert_eq!(
            names(&permit(Some(&[]), &[]).filter(&tools)),
            ["zoea_read_result"]
        );
    }

    #[test]
    fn of_a_tool_with_actions_the_permitted_ones_are_offered() {
        let about = "Core play.\nActions:\n  get_status — all\n  jump(id) — go\n  mine — dig\n  help(topic?) — how";
        let tools = Arc::new(Toolset::new([
            tool("spacemolt", about),
            tool("spacemolt_auth", ""),
            tool("spacemolt_catalog", ""),
        ]));
        let readers = permit(Some(&["get_*", "mine"]), &[]);
        let offered = readers.filter(&tools);
        assert_eq!(names(&offered), ["spacemolt"]);
        let text = "Core play.\nActions:\n  get_status — all\n  mine — dig\n  help(topic?) — how";
        assert_eq!(&*offered.tools()[0].description, text);
        assert!(readers.permits("spacemolt", "mine"));
        assert!(!readers.permits("spacemolt", "jump"));
        let whole = permit(Some(&["spacemolt"]), &[]).filter(&tools);
        assert_eq!(names(&whole), ["spacemolt"]);
        assert_eq!(
            names(&permit(Some(&["catalog"]), &[]).filter(&tools)),
            ["spacemolt_catalog"]
        );
    }

    #[test]
    fn a_mysis_may_call_what_its_own_filter_and_the_swarms_permit() {
        let only = |allow: &[&str]| ToolFilter {
            allow: Some(patterns(allow)),
            deny: Vec::new(),
        };
        let filters = ToolFilters {
            swarm: only(&["get_*", "mine"]),
            myses: BTreeMap::from([("alpha".into(), only(&["mine", "sell"]))]),
        };
        let [alpha, beta] = ["alpha", "beta"].map(|name| filters.of_mysis(name));
        let may = |permit: &ToolPermit, tool: &str| permit.permits(tool, tool);
        assert!(may(&alpha, "mine") && !may(&alpha, "get_status") && !may(&alpha, "sell"));
        assert!(may(&beta, "mine") && may(&beta, "get_status") && !may(&beta, "sell"));
    }
}
