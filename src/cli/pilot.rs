//! `zoea pilot`.

use clap::Args;

/// What `zoea pilot` can be told.
#[derive(Debug, Args)]
pub struct PilotArgs {}

pub(super) async fn run(_args: PilotArgs) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
