//! A running swarm as the adapters see it: its Commander and its storage.

use std::ops::Deref;
use std::sync::Arc;

use actors::commander::{CommanderHandle, CommanderMsg};
use actors::domain::event_record::OrderSource;
use actors::ports::Archive;
use ractor::ActorRef;
use zoea_ledger::SqlLedger;

/// A running swarm: the handle of its Commander, and its storage.
#[derive(Clone)]
pub struct Swarm {
    commander: CommanderHandle,
    ledger: SqlLedger,
    archive: Arc<dyn Archive>,
}

impl Swarm {
    /// The swarm of this Commander. `source` is the source of orders through this handle.
    #[must_use]
    pub fn new(commander: ActorRef<CommanderMsg>, ledger: SqlLedger, source: OrderSource) -> Swarm {
        Swarm {
            commander: CommanderHandle::new(commander, source),
            archive: Arc::new(ledger.clone()),
            ledger,
        }
    }

    /// The same swarm for orders from another source.
    #[must_use]
    pub fn with_source(&self, source: OrderSource) -> Swarm {
        Swarm {
            commander: self.commander.with_source(source),
            ..self.clone()
        }
    }

    /// The database, for exports of all of it.
    #[must_use]
    pub fn ledger(&self) -> &SqlLedger {
        &self.ledger
    }

    /// The stored conversations and events.
    #[must_use]
    pub fn archive(&self) -> &Arc<dyn Archive> {
        &self.archive
    }
}

impl Deref for Swarm {
    type Target = CommanderHandle;

    fn deref(&self) -> &CommanderHandle {
        &self.commander
    }
}
