//! What stands for the simulators in a program that is built without them.

use std::path::PathBuf;
use std::time::Duration;

use actors::domain::tool::ToolSpec;
use anyhow::anyhow;
use futures::future::BoxFuture;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::ServedGame;

fn missing() -> anyhow::Error {
    anyhow!(
        "this zoea was built without the simulated game and model, which `run --offline` and the game `offline` need: \
         build it with them (`cargo install --path . --locked --features simulators`), or choose a model server and a \
         game with `zoea setup`"
    )
}

pub(in crate::wiring) async fn serve_game(
    _listener: TcpListener,
    _pace: (Duration, Option<u64>),
    _data: PathBuf,
    _stop: CancellationToken,
) -> anyhow::Result<ServedGame> {
    Err(missing())
}

pub(in crate::wiring) fn serve_model(
    _listener: TcpListener,
    _seed: u64,
    _stop: CancellationToken,
) -> BoxFuture<'static, anyhow::Result<()>> {
    Box::pin(std::future::ready(Err(missing())))
}

/// Nothing is known of the tools of a game that is not there.
pub fn game_tools() -> Vec<ToolSpec> {
    Vec::new()
}
