//! The built-in game. The program serves it for offline play, and if a configuration names it as
//! the game.

use std::time::Duration;

use actors::domain::event_record::OrderSource;
use actors::domain::order::Order;
use actors::domain::rules::Simulated;
use anyhow::Context;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use zoea_settings::Settings;

use crate::host::home::Home;
use crate::interface::swarm::Swarm;

use super::simulators::serve_game;

const FIRST_MISSION: &str = "Earn credits: mine ore at the belt of your home system, sell it at your \
                       home station when the hold is full, refuel, and go again.";

pub struct GameServer {
    url: String,
    seed: u64,
    stop: CancellationToken,
    server: JoinHandle<anyhow::Result<()>>,
}

impl GameServer {
    /// Starts the game on the loopback interface. Its state is stored in the home.
    ///
    /// # Errors
    /// No port is free, or the stored state cannot be read.
    pub async fn start(
        home: &Home,
        tick: Duration,
        seed: Option<u64>,
    ) -> anyhow::Result<GameServer> {
        let stop = CancellationToken::new();
        let listener = bind_loopback().await?;
        let data = home.directory().join("galaxy");
        let game = serve_game(listener, (tick, seed), data, stop.child_token()).await?;
        Ok(GameServer {
            url: game.url,
            seed: game.seed,
            stop,
            server: tokio::spawn(game.end),
        })
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Makes a swarm play this game, without a limit on logins.
    pub fn serve(&self, settings: &mut Settings) {
        settings.mcp.upstream = Some(self.url.clone());
        settings.mcp.command = Vec::new();
        settings.swarm.rules.simulated = Simulated::Game;
        settings.mcp.tools.logins_per_minute = Some(1_000_000);
    }

    /// Stops the server. The state of the game stays stored.
    pub async fn stop(self) {
        self.stop.cancel();
        end_server(self.server).await;
    }
}

/// Waits until a server that was told to stop has ended.
pub(super) async fn end_server(server: JoinHandle<anyhow::Result<()>>) {
    if let Ok(Err(error)) = server.await {
        tracing::warn!(error = %format!("{error:#}"), "offline server failed");
    }
}

/// Gives a swarm its first mission, unless it has a mission.
///
/// # Errors
/// The swarm refuses the order.
pub async fn give_first_mission(swarm: &Swarm) -> anyhow::Result<()> {
    if swarm.mission().await.is_some() {
        return Ok(());
    }
    let text = FIRST_MISSION.to_string();
    let given = swarm
        .with_source(OrderSource::Program)
        .order(Order::Broadcast { text })
        .await;
    given
        .map(drop)
        .map_err(|refusal| anyhow::anyhow!("give the first mission: {refusal}"))
}

pub(super) async fn bind_loopback() -> anyhow::Result<TcpListener> {
    TcpListener::bind(("127.0.0.1", 0))
        .await
        .context("listen on a loopback port")
}
