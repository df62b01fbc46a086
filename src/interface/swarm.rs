//! A running swarm as the adapters see it: its Commander and its storage.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::Deref;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use actors::commander::{CommanderHandle, CommanderMsg};
use actors::domain::event::MysisStatus;
use actors::domain::event_record::OrderSource;
use actors::domain::ids::MysisId;
use actors::domain::order::OrderRefusal;
use actors::domain::standing::WAITING_FOR_STORE;
use actors::ports::Archive;
use ractor::ActorRef;
use tokio::sync::Mutex;
use tokio::time::Instant;
use zoea_ledger::SqlLedger;

/// How long a command waits for a store that takes no writes, as for the answer of a running program.
pub const STORE_PATIENCE: Duration = Duration::from_secs(30);
/// How often it looks meanwhile.
const LOOK_INTERVAL: Duration = Duration::from_secs(3);

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

    /// Waits for an answer that a command needs. `note` gets what keeps the store from writing.
    ///
    /// # Errors
    /// That lasted for longer than a command waits.
    pub async fn answer_while_stored<T>(
        &self,
        asked: impl Future<Output = T>,
        note: impl Fn(&str),
    ) -> Result<T, String> {
        answer_without(asked, || self.store_trouble(), note).await
    }
}

async fn answer_without<T, L: Future<Output = Option<Arc<str>>>>(
    asked: impl Future<Output = T>,
    store_trouble: impl Fn() -> L,
    note: impl Fn(&str),
) -> Result<T, String> {
    let mut asked = pin!(asked);
    let (began, mut is_told) = (Instant::now(), false);
    loop {
        if let Ok(answer) = tokio::time::timeout(LOOK_INTERVAL, &mut asked).await {
            return Ok(answer);
        }
        let Some(trouble) = store_trouble().await else {
            continue;
        };
        let trouble = trouble.replace(WAITING_FOR_STORE, "");
        if began.elapsed() >= STORE_PATIENCE {
            return Err(trouble);
        }
        if !is_told {
            note(&trouble);
            is_told = true;
        }
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

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_command_is_told_of_a_store_that_fails_and_waits_for_it_with_a_limit() {
        let began = Instant::now();
        let trouble: Arc<str> = format!("nothing can be stored{WAITING_FOR_STORE}: full").into();
        let fails = || std::future::ready(Some(trouble.clone()));
        let told = Mutex::new(Vec::new());
        let note = |text: &str| told.lock().push(text.to_string());
        let failed = answer_without(std::future::pending::<()>(), fails, note).await;
        assert_eq!(failed.unwrap_err(), "nothing can be stored: full");
        assert_eq!(began.elapsed(), STORE_PATIENCE);
        assert_eq!(*told.lock(), ["nothing can be stored: full"]);
        // What takes long while the store works is waited for, and a store that works again answers.
        let long = tokio::time::sleep(Duration::from_secs(600));
        answer_without(long, || std::future::ready(None), note)
            .await
            .unwrap();
        let healed = tokio::time::sleep(Duration::from_secs(20));
        answer_without(healed, fails, note).await.unwrap();
    }
}
