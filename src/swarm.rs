//! A running swarm, as the adapters see it: its Commander and what is stored.

use std::ops::Deref;
use std::sync::Arc;

use actors::commander::{CommanderHandle, CommanderMsg};
use actors::domain::event_record::OrderSource;
use actors::ports::Archive;
use ractor::ActorRef;
use zoea_ledger::SqlLedger;

/// A running swarm. It is its Commander's handle, with what is stored beside it.
#[derive(Clone)]
pub struct Swarm {
    commander: CommanderHandle,
    ledger: SqlLedger,
    archive: Arc<dyn Archive>,
}

impl Swarm {
    /// The swarm of this Commander, for orders from this source.
    #[must_use]
    pub fn new(commander: ActorRef<CommanderMsg>, ledger: SqlLedger, source: OrderSource) -> Swarm {
        Swarm {
            commander: CommanderHandle::new(commander, source),
            archive: Arc::new(ledger.clone()),
            ledger,
        }
    }

    /// The same for orders from another source.
    #[must_use]
    pub fn with_source(&self, source: OrderSource) -> Swarm {
        Swarm {
            commander: self.commander.with_source(source),
            ..self.clone()
        }
    }

    /// What is stored, to be written out whole.
    #[must_use]
    pub fn ledger(&self) -> &SqlLedger {
        &self.ledger
    }

    /// What is stored.
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
