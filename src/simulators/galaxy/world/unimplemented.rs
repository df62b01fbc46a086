//! Commands that are listed but not simulated. They are refused as the game refuses a command that
//! cannot be done now; none is ever answered with success.

use super::{GameRefusal, World, arguments::CommandArguments, player::PlayerAccount};
use crate::tools;

/// Refuses an unimplemented command that takes no tick.
pub(super) fn refuse_query(
    world: &World,
    player: &PlayerAccount,
    command: &str,
    arguments: CommandArguments,
) -> GameRefusal {
    match check_required(command, arguments) {
        Ok(name) => refusal_for(world, player, name),
        Err(refusal) => refusal,
    }
}

/// The command's name in the tool table, if all required parameters were given.
pub(super) fn check_required(
    command: &str,
    arguments: CommandArguments,
) -> Result<&'static str, GameRefusal> {
    let tool = tools::find(command).ok_or_else(|| GameRefusal::unknown_command(command))?;
    for name in tool.required_parameters() {
        if !arguments.has(name) {
            return Err(GameRefusal::invalid_payload(format!(
                "Must specify '{name}'."
            )));
        }
    }
    Ok(&tool.name)
}

/// The reason why this player cannot do the command now.
pub(super) fn refusal_for(world: &World, player: &PlayerAccount, command: &str) -> GameRefusal {
    let known = refusals()
        .find_map(|(mut names, reason)| names.any(|name| name == command).then_some(reason));
    let reason = known.unwrap_or(match command.contains("faction") {
        true => NO_FACTION,
        false => UNAVAILABLE,
    });
    let base = player.docked_at().map(|base| &world.atlas.base(base).name);
    match (reason, base) {
        (RefusalReason::Here(..), None) => GameRefusal::not_docked(),
        (RefusalReason::Here(code, words), Some(base)) => {
            GameRefusal::new(code, words.replace("{base}", base))
        }
        (RefusalReason::Anywhere(code, words), _) => GameRefusal::new(code, words),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum RefusalReason {
    /// A refusal for docked players; an undocked one is told to dock first. `{base}` stands for the
    /// station's name.
    Here(&'static str, &'static str),
    Anywhere(&'static str, &'static str),
}

const NO_FACTION: RefusalReason =
    RefusalReason::Anywhere("no_faction", "You are not in a faction.");
const UNAVAILABLE: RefusalReason =
    RefusalReason::Anywhere("unavailable", "This command cannot be used right now.");

const REFUSALS: &str = include_str!("refusals.txt");

fn refusals() -> impl Iterator<Item = (std::str::Split<'static, char>, RefusalReason)> {
    let lines = REFUSALS.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let (names, reason) = line.split_once(": ")?;
        let (place, words) = reason.split_once(": ")?;
        let (place, code) = place.split_once(' ')?;
        let reason = match place == "here" {
            true => RefusalReason::Here(code, words),
            false => RefusalReason::Anywhere(code, words),
        };
        Some((names.split(' '), reason))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::command;

    #[test]
    fn every_unplayed_tool_has_words_of_its_own() {
        for tool in tools::all() {
            let name = tool.name.as_str();
            let has_words = refusals().any(|(mut names, _)| names.any(|known| known == name));
            let is_played =
                command::find_handler(name).is_some() || command::SESSION_COMMANDS.contains(&name);
            assert_eq!(
                has_words || name.contains("faction"),
                !is_played || name.contains("faction"),
                "{name}"
            );
        }
        assert_eq!(
            refusals().count(),
            REFUSALS.lines().count() - 1,
            "each line is read"
        );
        for name in refusals().flat_map(|(names, _)| names) {
            assert!(
                command::find_handler(name).is_none() && tools::find(name).is_some(),
                "{name}"
            );
        }
    }
}
