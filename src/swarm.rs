//! A running swarm as the adapters see it: its Commander and its storage.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use actors::commander::{CommanderHandle, CommanderMsg};
use actors::domain::event_record::OrderSource;
use actors::domain::ids::MysisId;
use actors::domain::order::OrderRefusal;
use actors::ports::{Archive, ArchiveFault};
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

    /// The Mysis with this name, whichever process of the database runs it.
    ///
    /// # Errors
    /// No Mysis has this name, or the database cannot be read.
    pub async fn id_of(&self, name: &str) -> Result<MysisId, String> {
        let found = self.ledger.find_mysis(name).await.map_err(unreadable)?;
        found.ok_or_else(|| OrderRefusal::UnknownMysis(name.to_string()).to_string())
    }

    /// The names of all Myses of the database, whichever process runs them.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn names(&self) -> Result<BTreeMap<MysisId, Arc<str>>, String> {
        let names = self.archive.names().await.map_err(unreadable)?;
        Ok(names.into_iter().collect())
    }

    /// The stored conversations and events.
    #[must_use]
    pub fn archive(&self) -> &Arc<dyn Archive> {
        &self.archive
    }
}

fn unreadable(fault: ArchiveFault) -> String {
    format!("the database cannot be read: {fault}")
}

impl Deref for Swarm {
    type Target = CommanderHandle;

    fn deref(&self) -> &CommanderHandle {
        &self.commander
    }
}
