//! Writing in the captain's log.

use super::super::{Answer, Arguments, PlayerId, World};

pub(crate) fn add(world: &mut World, player: PlayerId, arguments: Arguments) -> Answer {
    let entry = arguments.text_or_empty("entry")?;
    let now = world.tick;
    world.player_mut(player).log.add(entry, now)
}
