//! `zoea galaxy`.

use clap::Args;

/// What `zoea galaxy` can be told.
#[derive(Debug, Args)]
pub struct GalaxyArgs {}

pub(super) async fn run(_args: GalaxyArgs) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
