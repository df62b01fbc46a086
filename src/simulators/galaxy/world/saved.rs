//! The saved form of the world: everything that a restart keeps, and nothing that it loses.

use serde::{Deserialize, Serialize};

use super::{
    World, WorldRules, deposits::Deposits, market::Markets, messages::MessageHistory,
    player::PlayerAccount,
};

#[derive(Serialize)]
struct SavedWorld<'a> {
    seed: u64,
    atlas: u64,
    tick: u64,
    players: Vec<&'a PlayerAccount>,
    deposits: &'a Deposits,
    markets: &'a Markets,
    talk: &'a MessageHistory,
}

#[derive(Deserialize)]
struct LoadedWorld {
    seed: u64,
    atlas: u64,
    tick: u64,
    players: Vec<PlayerAccount>,
    deposits: Deposits,
    markets: Markets,
    talk: MessageHistory,
}

#[derive(Debug, thiserror::Error)]
pub enum NotThisWorld {
    /// The text is not the output of [`World::save`].
    #[error("not a saved world: {0}")]
    Unreadable(#[from] serde_json::Error),
    #[error("it was made with seed {found}, not with seed {wanted}")]
    Seed { found: u64, wanted: u64 },
    /// The same seed now gives another layout.
    #[error("it was made by a version of the program that laid the galaxy out differently")]
    Layout,
}

impl World {
    /// The lasting state as JSON, without notifications and queued commands. It says who is logged
    /// in, until [`World::everybody_leaves`].
    pub fn save(&self) -> String {
        let outgoing = SavedWorld {
            seed: self.rules.seed,
            atlas: self.atlas.fingerprint(),
            tick: self.tick,
            players: self.players.values().collect(),
            deposits: &self.deposits,
            markets: &self.markets,
            talk: &self.talk,
        };
        let text = serde_json::to_string(&outgoing);
        text.expect("the state has text keys and no failing serializers")
    }

    /// Loads a saved world.
    ///
    /// # Errors
    /// A text that is no saved world, or a world of another galaxy.
    pub fn load(rules: WorldRules, text: &str) -> Result<Self, NotThisWorld> {
        let incoming: LoadedWorld = serde_json::from_str(text)?;
        if incoming.seed != rules.seed {
            return Err(NotThisWorld::Seed {
                found: incoming.seed,
                wanted: rules.seed,
            });
        }
        let mut world = Self::new(rules);
        if incoming.atlas != world.atlas.fingerprint() {
            return Err(NotThisWorld::Layout);
        }
        world.tick = incoming.tick;
        world.deposits = incoming.deposits;
        world.markets = incoming.markets;
        world.talk = incoming.talk;
        for player in incoming.players {
            if let Some(voyage) = player.voyage() {
                world.voyages.insert((voyage.arrives, player.id));
            } else if player.visit.is_some() {
                world
                    .present
                    .entry(player.at)
                    .or_default()
                    .insert(player.id);
            }
            world.names.insert(player.name.to_lowercase(), player.id);
            world.players.insert(player.id, player);
        }
        Ok(world)
    }
}
