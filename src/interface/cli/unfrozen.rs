//! Commands that ask servers themselves: not while the swarm of the home is frozen.

use std::time::Duration;

use anyhow::bail;

use crate::host::home::Home;

/// How often it is looked whether the swarm was frozen meanwhile.
const LOOK: Duration = Duration::from_millis(100);

/// Refuses where the swarm is frozen.
pub(super) fn refuse_while_frozen(home: &Home) -> anyhow::Result<()> {
    if home.freeze_mark().is_some() {
        bail!("the swarm is frozen, so no server is asked; `zoea thaw` first");
    }
    Ok(())
}

/// Does work that asks servers, and breaks it off when the swarm is frozen.
pub(super) async fn unless_frozen<T>(
    home: &Home,
    work: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    refuse_while_frozen(home)?;
    // Cancel-safe: looking only waits, and work that is broken off has written nothing.
    tokio::select! {
        biased;
        frozen = until_frozen(home) => Err(frozen),
        done = work => done,
    }
}

async fn until_frozen(home: &Home) -> anyhow::Error {
    loop {
        if let Err(frozen) = refuse_while_frozen(home) {
            return frozen;
        }
        tokio::time::sleep(LOOK).await;
    }
}
