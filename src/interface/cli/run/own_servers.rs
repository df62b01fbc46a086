//! The servers that run inside the program.

use crate::host::home::Home;
use crate::wiring::{GameServer, OfflineOptions, OfflineServers};
use zoea_settings::{LoadedSettings, Settings};

/// The servers that run inside the program.
#[derive(Default)]
pub(super) struct OwnServers {
    /// The game and the model of offline play.
    pub(super) offline: Option<OfflineServers>,
    /// The built-in game, if the configuration names it.
    game: Option<GameServer>,
}

impl OwnServers {
    pub(super) fn has_any(&self) -> bool {
        self.offline.is_some() || self.game.is_some()
    }

    /// Starts the built-in game if the settings name it, and replaces the name by its address.
    pub(super) async fn start_game(
        &mut self,
        home: &Home,
        settings: &mut Settings,
        options: OfflineOptions,
    ) -> anyhow::Result<()> {
        if settings.mcp.is_built_in() {
            let game = GameServer::start(home, options.tick, options.seed).await?;
            game.serve(settings);
            self.game = Some(game);
        }
        Ok(())
    }

    /// Replaces the name of the built-in game in reloaded settings by the address of the running
    /// one.
    pub(super) fn serve(&self, mut loaded: LoadedSettings) -> LoadedSettings {
        let game = self.game.as_ref();
        if let Some(game) = game.filter(|_| loaded.settings.mcp.is_built_in()) {
            game.serve(&mut loaded.settings);
        }
        loaded
    }

    pub(super) async fn stop(self) {
        if let Some(game) = self.game {
            game.stop().await;
        }
        if let Some(offline) = self.offline {
            offline.stop().await;
        }
    }
}
