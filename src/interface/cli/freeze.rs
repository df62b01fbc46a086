//! `zoea freeze` and `zoea thaw`.

use zoea_contract::{OrderAnswerJson, ProgramStatusJson};

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::cli::{out, shown};
use crate::interface::control::call::ControlCall;

pub(super) async fn freeze(global: &GlobalArgs) -> anyhow::Result<()> {
    let client = SwarmClient::open(global).await?;
    let when = match client.is_running() {
        true => "",
        false => " (no swarm is running here: the next start is frozen)",
    };
    let frozen: anyhow::Result<OrderAnswerJson> = client.ask(ControlCall::Freeze {}).await;
    client.close().await;
    Ok(out::line(
        &match frozen?.frozen.as_deref().map(shown::time) {
            Some(since) => format!(
                "frozen since {since}{when}: no model call, no tool call and no login begins until `zoea thaw`"
            ),
            None => "thawed again before all earlier requests were sent".to_string(),
        },
    )?)
}

pub(super) async fn thaw(global: &GlobalArgs) -> anyhow::Result<()> {
    let client = SwarmClient::open(global).await?;
    let is_running = client.is_running();
    let before: anyhow::Result<ProgramStatusJson<'_>> =
        client.ask(ControlCall::whole_status()).await;
    let thawed = client.call(ControlCall::Thaw {}).await;
    client.close().await;
    thawed?;
    let was_frozen = before?.frozen_since.is_some();
    Ok(out::line(match (was_frozen, is_running) {
        (true, true) => "thawed: each Mysis continues where it paused",
        (true, false) => "thawed (no swarm is running here: the next start is not frozen)",
        (false, _) => "the swarm was not frozen",
    })?)
}
