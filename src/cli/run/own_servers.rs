//! The servers that the program itself has while it runs.

use crate::home::Home;
use crate::settings::{LoadedSettings, Settings};
use crate::wiring::{GameServer, OfflineOptions, OfflineServers};

/// The servers that the program itself has.
#[derive(Default)]
pub(super) struct OwnServers {
    /// Game and model of offline play.
    pub(super) offline: Option<OfflineServers>,
    /// The built-in game, for a configuration that asks for it.
    game: Option<GameServer>,
}

impl OwnServers {
    /// Whether there is any.
    pub(super) fn has_any(&self) -> bool {
        self.offline.is_some() || self.game.is_some()
    }

    /// Starts the built-in game where a configuration asks for it, and puts its address there.
    ///
    /// # Errors
    /// The game cannot start.
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

    /// A configuration that asks for the built-in game finds it at its port.
    pub(super) fn serve(&self, mut loaded: LoadedSettings) -> LoadedSettings {
        let game = self.game.as_ref();
        if let Some(game) = game.filter(|_| loaded.settings.mcp.is_built_in()) {
            game.serve(&mut loaded.settings);
        }
        loaded
    }

    /// Stops them.
    pub(super) async fn stop(self) {
        if let Some(game) = self.game {
            game.stop().await;
        }
        if let Some(offline) = self.offline {
            offline.stop().await;
        }
    }
}
