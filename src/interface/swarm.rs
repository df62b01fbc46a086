//! A running swarm as the adapters see it: its Commander and its storage.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use actors::commander::{CommanderHandle, CommanderMsg};
use actors::domain::event::MysisStatus;
use actors::domain::event_record::OrderSource;
use actors::domain::ids::MysisId;
use actors::domain::order::OrderRefusal;
use actors::ports::Archive;
use ractor::ActorRef;
use tokio::sync::Mutex;
use tokio::time::Instant;
use zoea_ledger::SqlLedger;

/// A running swarm: the handle of its Commander, and its storage.
#[derive(Clone)]
pub struct Swarm {
    commander: CommanderHandle,
    ledger: SqlLedger,
    archive: Arc<dyn Archive>,
    glances: Arc<Glances>,
}

/// What many clients that wait look at, read once for all of them.
#[derive(Default)]
pub struct Glances {
    pub newest_event: CachedRead<i64>,
    pub myses: CachedRead<SeenMyses>,
}

/// All Myses at a look, and the name of this process.
#[derive(Clone, Default)]
pub struct SeenMyses {
    pub statuses: Arc<[Arc<MysisStatus>]>,
    pub process: Option<Arc<str>>,
}

/// A value that is read anew once it is older than the reader takes.
#[derive(Default)]
pub struct CachedRead<T>(Mutex<Option<(Instant, T)>>);

impl<T: Clone> CachedRead<T> {
    /// The value, at most so old. Of several callers at once one reads it and the others wait for that.
    pub async fn get<E>(
        &self,
        age: Duration,
        read: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let mut last = self.0.lock().await;
        if let Some((at, value)) = &*last
            && at.elapsed() < age
        {
            return Ok(value.clone());
        }
        let at = Instant::now();
        let value = read.await?;
        *last = Some((at, value.clone()));
        Ok(value)
    }
}

impl Swarm {
    /// The swarm of this Commander. `source` is the source of orders through this handle.
    pub fn new(commander: ActorRef<CommanderMsg>, ledger: SqlLedger, source: OrderSource) -> Swarm {
        Swarm {
            commander: CommanderHandle::new(commander, source),
            archive: Arc::new(ledger.clone()),
            ledger,
            glances: Arc::default(),
        }
    }

    /// What many clients that wait look at.
    pub fn glances(&self) -> &Glances {
        &self.glances
    }

    pub fn with_source(&self, source: OrderSource) -> Swarm {
        Swarm {
            commander: self.commander.with_source(source),
            ..self.clone()
        }
    }

    /// The database, for exports of all of it.
    pub fn ledger(&self) -> &SqlLedger {
        &self.ledger
    }

    /// The Mysis with this name, whichever process of the database runs it.
    pub async fn id_of(&self, name: &str) -> Result<MysisId, String> {
        let found = self.ledger.find_mysis(name).await.map_err(unreadable)?;
        match found {
            Some(id) => Ok(id),
            None => Err(self.unknown_mysis(name).await),
        }
    }

    /// The Mysis with this name, if one is named.
    pub async fn find(&self, name: Option<&str>) -> Result<Option<MysisId>, String> {
        match name {
            Some(name) => self.id_of(name).await.map(Some),
            None => Ok(None),
        }
    }

    /// The refusal of a name that no Mysis has.
    pub async fn unknown_mysis(&self, name: &str) -> String {
        // Where the names cannot be read, none is proposed.
        let names = self.names().await.unwrap_or_default();
        let known = names.values().map(|known| &**known);
        OrderRefusal::unknown_mysis(name, known).to_string()
    }

    /// The names of all Myses of the database, whichever process runs them.
    pub async fn names(&self) -> Result<BTreeMap<MysisId, Arc<str>>, String> {
        let names = self.archive.names().await.map_err(unreadable)?;
        Ok(names.into_iter().collect())
    }

    pub fn archive(&self) -> &Arc<dyn Archive> {
        &self.archive
    }
}

pub fn unreadable(fault: impl Display) -> String {
    format!("the database cannot be read: {fault}")
}

impl Deref for Swarm {
    type Target = CommanderHandle;

    fn deref(&self) -> &CommanderHandle {
        &self.commander
    }
}
