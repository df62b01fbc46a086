//! `zoea freeze` and `zoea thaw`.

use zoea_contract::{OrderAnswerJson, ProgramStatusJson};

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::cli::{out, shown};
use crate::interface::control::call::ControlCall;

pub(super) async fn freeze(global: &GlobalArgs) -> anyhow::Result<()> {
    let (frozen, when) = SwarmClient::with(global, async |client| {
        let when = match client.is_running() {
            true => "",
            false => " (no swarm is running here: the next start is frozen)",
        };
        let answer: OrderAnswerJson = client.ask(ControlCall::Freeze {}).await?;
        Ok((answer.frozen, when))
    })
    .await?;
    Ok(out::line(&match frozen.as_deref().map(shown::time) {
        Some(since) => format!(
            "frozen since {since}{when}: no model call, no tool call and no login begins until `zoea thaw`"
        ),
        None => "thawed again before all earlier requests were sent".to_string(),
    })?)
}

pub(super) async fn thaw(global: &GlobalArgs) -> anyhow::Result<()> {
    let (before, is_running) = SwarmClient::with(global, async |client| {
        // It is thawed also where nobody can say how it was before.
        let before = client.ask(ControlCall::whole_status()).await;
        client.call(ControlCall::Thaw {}).await?;
        let before: ProgramStatusJson<'_> = before?;
        Ok((before, client.is_running()))
    })
    .await?;
    Ok(out::line(
        match (before.frozen_since.is_some(), is_running) {
            (true, true) => "thawed: each Mysis continues where it paused",
            (true, false) => "thawed (no swarm is running here: the next start is not frozen)",
            (false, _) => "the swarm was not frozen",
        },
    )?)
}
