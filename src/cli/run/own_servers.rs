//! The servers that the program itself has while it runs.

use crate::settings::LoadedSettings;
use crate::wiring::{GameServer, OfflineServers};

/// The servers that the program itself has.
#[derive(Clone, Copy)]
pub(super) struct OwnServers<'a> {
    /// Game and model of offline play.
    pub(super) offline: Option<&'a OfflineServers>,
    /// The built-in game, for a configuration that asks for it.
    pub(super) game: Option<&'a GameServer>,
}

impl OwnServers<'_> {
    /// Whether there is any.
    pub(super) fn has_any(self) -> bool {
        self.offline.is_some() || self.game.is_some()
    }

    /// A configuration that asks for the built-in game finds it at its port.
    pub(super) fn serve(self, mut loaded: LoadedSettings) -> LoadedSettings {
        if let Some(game) = self.game.filter(|_| loaded.settings.mcp.is_built_in()) {
            game.serve(&mut loaded.settings);
        }
        loaded
    }
}
