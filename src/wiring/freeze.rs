//! Keeps in the home whether its swarm is frozen.

use std::sync::Arc;

use actors::domain::ids::Timestamp;
use actors::freeze::FreezeSwitch;
use actors::ports::{Clock, FreezeKeeper};
use chrono::DateTime;
use futures::FutureExt;
use futures::future::BoxFuture;
use zoea_system::clock::MachineClock;

use crate::host::home::Home;

struct FreezeFile(Home);

impl FreezeKeeper for FreezeFile {
    fn keep(&self, since: Option<Timestamp>) -> BoxFuture<'static, Result<(), String>> {
        let home = self.0.clone();
        let since = since.map(|since| since.to_string());
        let file = home.freeze_file();
        let keeping = tokio::task::spawn_blocking(move || home.keep_freeze_mark(since.as_deref()));
        async move {
            match keeping.await {
                Ok(kept) => kept.map_err(|error| format!("{}: {error}", file.display())),
                Err(error) => Err(error.to_string()),
            }
        }
        .boxed()
    }
}

/// The freeze switch of a home's swarm, as its last process left it.
pub(super) fn freeze_switch(home: &Home) -> FreezeSwitch {
    let since = home.freeze_mark().map(|mark| read_time(&mark));
    FreezeSwitch::new(since, Arc::new(FreezeFile(home.clone())))
}

/// The time of a mark. One without a time counts from now on.
fn read_time(mark: &str) -> Timestamp {
    DateTime::parse_from_rfc3339(mark).map_or_else(
        |_| MachineClock.now(),
        |at| Timestamp(at.timestamp_millis()),
    )
}
