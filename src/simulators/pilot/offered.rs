//! The commands that tools offer. A tool of the game's second interface offers those of its actions.

use zoea_spacemolt::commands;

/// The commands of the storage that no action names by itself, each with its action.
const STORAGE_COMMANDS: [(&str, &str); 2] =
    [("deposit", "deposit_items"), ("withdraw", "withdraw_items")];
const STORAGE_TOOL: &str = "spacemolt_storage";

/// The commands that tools offer, each given with its description. Of a tool whose description
/// lists actions, those are offered that are listed. Other tools are named as they are.
pub(super) fn offered_commands<'a>(tools: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let mut offered = Vec::new();
    for (tool, description) in tools {
        if !commands::is_grouped(tool) {
            offered.push(tool.to_owned());
            continue;
        }
        let listed: Vec<&str> = listed_actions(description).collect();
        let is_listed = |action: &str| listed.is_empty() || listed.contains(&action);
        let actions = commands::actions().iter();
        let of_tool = actions.filter(|action| action.tool == tool && is_listed(action.name));
        offered.extend(of_tool.map(|action| action.command.to_owned()));
        if tool == STORAGE_TOOL {
            let named = STORAGE_COMMANDS
                .iter()
                .filter(|(action, _)| is_listed(action));
            offered.extend(named.map(|(_, command)| (*command).to_owned()));
        }
    }
    offered
}

/// The actions that a description lists: on lines of their own, behind two spaces.
fn listed_actions(description: &str) -> impl Iterator<Item = &str> {
    let lines = description
        .lines()
        .filter_map(|line| line.strip_prefix("  "));
    lines.map(|line| {
        let end = line.find(|c: char| !(c.is_ascii_lowercase() || c == '_'));
        &line[..end.unwrap_or(line.len())]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_offer_their_actions_as_commands() {
        let tools = ["spacemolt", "spacemolt_storage", "zoea_read_result"];
        let has = |offered: &[String], command: &str| offered.iter().any(|of| of == command);
        let offered = offered_commands(tools.into_iter().map(|tool| (tool, "About it.")));
        for command in ["mine", "get_status", "deposit_items", "zoea_read_result"] {
            assert!(has(&offered, command), "{command}");
        }
        assert!(!has(&offered, "view_market"));
        let listed = [
            ("spacemolt", "Core.\nActions:\n  mine — dig\n  jump(id)"),
            ("spacemolt_storage", "All.\nActions:\n  deposit(item_id?)"),
        ];
        let offered = offered_commands(listed.into_iter());
        assert!(
            ["mine", "jump", "deposit_items"]
                .iter()
                .all(|command| has(&offered, command))
        );
        assert!(!has(&offered, "craft") && !has(&offered, "withdraw_items"));
    }
}
