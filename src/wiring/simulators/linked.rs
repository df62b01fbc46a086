//! The simulators that are linked.

use std::path::PathBuf;
use std::time::Duration;

use actors::domain::tool::ToolSpec;
use futures::future::BoxFuture;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use zoea_galaxy::limits::{GalaxyLimits, RateAllowance};
use zoea_galaxy::{Galaxy, GalaxyOptions};
use zoea_pilot::{Habits, PilotOptions};

use super::ServedGame;

/// The model's pause before each answer, so that there is something to watch.
const PILOT_LATENCY: Duration = Duration::from_millis(400);

/// Serves the game. Its state is stored in the folder.
pub(in crate::wiring) async fn serve_game(
    listener: TcpListener,
    (tick, seed): (Duration, Option<u64>),
    data: PathBuf,
    stop: CancellationToken,
) -> anyhow::Result<ServedGame> {
    let options = GalaxyOptions {
        seed,
        tick,
        data: Some(data),
        limits: GalaxyLimits {
            logins: RateAllowance::Unlimited,
            refusals: RateAllowance::Unlimited,
            ..GalaxyLimits::default()
        },
        ..GalaxyOptions::default()
    };
    let galaxy = Galaxy::start(listener, options, stop).await?;
    let (url, seed, traffic) = (galaxy.url(), galaxy.seed(), galaxy.traffic());
    let end = async move {
        let ended = galaxy.join().await.map(drop);
        let (requests, mutations) = (traffic.requests(), traffic.mutations());
        tracing::info!(requests, mutations, "the simulated game has closed");
        ended
    };
    Ok(ServedGame {
        url,
        seed,
        end: Box::pin(end),
    })
}

pub(in crate::wiring) fn serve_model(
    listener: TcpListener,
    seed: u64,
    stop: CancellationToken,
) -> BoxFuture<'static, anyhow::Result<()>> {
    let options = PilotOptions {
        habits: Habits {
            seed,
            ..Habits::default()
        },
        latency: PILOT_LATENCY,
        ..PilotOptions::default()
    };
    Box::pin(zoea_pilot::serve(listener, options, stop))
}

pub fn game_tools() -> Vec<ToolSpec> {
    let tool = |(name, description, schema, read_only): (&str, &str, String, bool)| ToolSpec {
        name: name.into(),
        description: description.into(),
        schema: schema.into(),
        read_only_hint: Some(read_only),
    };
    zoea_galaxy::tool_table().map(tool).collect()
}
