//! `zoea budget`: raises the cap on what the swarm spends today.

use actors::domain::budget::BudgetLimits;
use clap::Args;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;

#[derive(Debug, Args)]
pub struct BudgetArgs {
    /// US dollars, as 20, or tokens, as `30M tokens`.
    #[arg(value_name = "AMOUNT", value_parser = BudgetLimits::parse)]
    to: BudgetLimits,
}

pub(super) async fn run(args: &BudgetArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let to = args.to.as_amount();
    SwarmClient::with(global, async |client| {
        anyhow::ensure!(
            client.is_running(),
            "no swarm is running here, so there is no cap of today to raise: start the swarm, or set the \
             amount under [budget] of the configuration"
        );
        client.call(ControlCall::RaiseBudget { to }).await
    })
    .await?;
    let line = format!(
        "today's cap is raised to {}; from 00:00 UTC on the cap of [budget] applies again",
        args.to.describe()
    );
    Ok(out::line(&line)?)
}
