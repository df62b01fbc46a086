//! Adding to the captain's log.

use super::super::{CommandArguments, GameAnswer, PlayerId, World};

pub(crate) fn captains_log_add(
    world: &mut World,
    player: PlayerId,
    arguments: CommandArguments,
) -> GameAnswer {
    let entry = arguments.text_or_empty("entry")?;
    let now = world.tick;
    world.player_mut(player).log.add_entry(entry, now)
}
