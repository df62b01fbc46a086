//! Commands that only read the world.

pub(super) mod catalog;
pub(super) mod chat;
pub(super) mod empty;
pub(super) mod guide;
pub(super) mod help;
pub(super) mod log;
pub(super) mod map;
pub(super) mod market;
pub(super) mod missions;
pub(super) mod place;
pub(super) mod state;
pub(super) mod status;
pub(super) mod version;

pub(super) use self::version::{RELEASE_DATE, RELEASE_NOTES};
use super::{CommandArguments, GameRefusal, World, atlas::BaseIx, player::PlayerAccount};

/// A page of a list, counted from 1, and its size.
#[derive(Clone, Copy)]
struct ListPage {
    number: usize,
    size: usize,
}

impl ListPage {
    /// Reads `page`, and the size from the parameter of this name, between 1 and `most`.
    fn read(
        arguments: CommandArguments,
        size: &str,
        default: usize,
        most: usize,
    ) -> Result<Self, GameRefusal> {
        let read = |name: &str, default: usize| {
            let number = arguments.number(name)?;
            Ok::<_, GameRefusal>(
                number.map_or(default, |number| usize::try_from(number).unwrap_or(1)),
            )
        };
        Ok(Self {
            number: read("page", 1)?.max(1),
            size: read(size, default)?.clamp(1, most),
        })
    }

    fn page_count(self, total: usize) -> usize {
        total.div_ceil(self.size)
    }

    fn of<T>(self, entries: Vec<T>) -> Vec<T> {
        let skipped = (self.number - 1).saturating_mul(self.size);
        entries.into_iter().skip(skipped).take(self.size).collect()
    }
}

/// `station_id`, or the station where the player is docked.
fn read_station(
    world: &World,
    player: &PlayerAccount,
    arguments: CommandArguments,
) -> Result<BaseIx, GameRefusal> {
    match arguments.text_or_empty("station_id")? {
        "" => player.docked_at().ok_or_else(GameRefusal::not_docked),
        id => world
            .atlas
            .find_base(id)
            .ok_or_else(|| GameRefusal::new("invalid_station", format!("Unknown station '{id}'."))),
    }
}
