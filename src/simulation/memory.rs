//! Memory: a ledger and archive without a database, by the same promises: all or nothing, harmless
//! when repeated, refused for older lives.

mod stored;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use actors::domain::books::{Day, Entry};
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::message::Row;
use actors::domain::write::{Account, Batch, Recollection, SavedSession};
use actors::ports::{
    Archive, ArchiveFault, Found, Ledger, LedgerFault, Page, Piece, ResultAsked, Search,
    SwarmRecord,
};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::chaos::{Chaos, InjectedFault, PANIC};
use super::verdict::Watch;
use stored::{Member, Stored};

/// The longest that the ledger takes nothing at all.
const LONGEST_ABSENCE: Duration = Duration::from_secs(60);

/// The ledger.
pub struct Memory {
    stored: Arc<Mutex<Stored>>,
    chaos: Arc<Chaos>,
    watch: Arc<Watch>,
    /// How the next commits fail.
    failures: Arc<Mutex<VecDeque<Failure>>>,
}

/// How a commit fails.
#[derive(Clone, Copy, Debug)]
enum Failure {
    /// Before it happened.
    Refused,
    /// After it happened.
    AnswerLost,
}

impl Memory {
    /// One that nothing ever goes wrong with.
    #[must_use]
    pub fn calm() -> Memory {
        Memory::new(Arc::new(Chaos::new(1, 0.0, false)), Arc::default())
    }

    pub(super) fn new(chaos: Arc<Chaos>, watch: Arc<Watch>) -> Memory {
        Memory {
            stored: Arc::default(),
            chaos,
            watch,
            failures: Arc::default(),
        }
    }

    /// The swarm, as the next process finds it.
    #[must_use]
    pub fn swarm_now(&self) -> SwarmRecord {
        lock(&self.stored).swarm()
    }

    /// How often each prompt was written.
    #[must_use]
    pub fn prompts(&self) -> BTreeMap<Arc<str>, u64> {
        lock(&self.stored).prompts.clone()
    }

    fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Stored) -> T + Send + 'static,
    ) -> BoxFuture<'static, Result<T, ArchiveFault>> {
        let (stored, chaos) = (self.stored.clone(), self.chaos.clone());
        async move {
            let short = Duration::from_millis(2);
            tokio::time::sleep(chaos.between(Duration::ZERO, short)).await;
            if chaos.strikes(InjectedFault::ReadFault, 0.002) {
                return Err(ArchiveFault("the store cannot be read now".to_string()));
            }
            Ok(look(&lock(&stored)))
        }
        .boxed()
    }
}

fn lock(stored: &Mutex<Stored>) -> MutexGuard<'_, Stored> {
    stored.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How this commit fails, if it does.
fn failure(chaos: &Chaos, next: &Mutex<VecDeque<Failure>>) -> Option<Failure> {
    let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
    if chaos.is_calm() {
        next.clear();
    }
    let either = || [Failure::Refused, Failure::AnswerLost][chaos.below(2)];
    if let Some(failure) = next.pop_front() {
        return Some(failure);
    }
    if chaos.lasts(InjectedFault::StoreAway, 0.0001, LONGEST_ABSENCE)
        || chaos.strikes(InjectedFault::CommitRefused, 0.002)
    {
        return Some(Failure::Refused);
    }
    if chaos.strikes(InjectedFault::CommitAnswerLost, 0.002) {
        return Some(Failure::AnswerLost);
    }
    let further = if chaos.strikes(InjectedFault::CommitFailsTwice, 0.001) {
        1
    } else if chaos.strikes(InjectedFault::CommitFailsThrice, 0.001) {
        2
    } else {
        return None;
    };
    next.extend((0..further).map(|_| either()));
    Some(either())
}

impl Ledger for Memory {
    fn commit(&self, batches: Vec<Batch>) -> BoxFuture<'static, Vec<Result<(), LedgerFault>>> {
        let (stored, chaos, watch) = (self.stored.clone(), self.chaos.clone(), self.watch.clone());
        let failures = self.failures.clone();
        async move {
            let all = |fault: &str| {
                let fault = LedgerFault::Unavailable(fault.to_string());
                vec![Err(fault); batches.len()]
            };
            watch.commit_begins.notify_waiters();
            let usual = chaos.between(Duration::from_millis(1), Duration::from_millis(6));
            tokio::time::sleep(usual).await;
            if chaos.strikes(InjectedFault::SlowCommit, 0.001) {
                tokio::time::sleep(Duration::from_secs(4)).await;
            }
            let failure = failure(&chaos, &failures);
            if matches!(failure, Some(Failure::Refused)) {
                return all("database is locked");
            }
            assert!(
                !chaos.strikes(InjectedFault::CommitPanic, 0.0005),
                "{PANIC}"
            );
            let answers = {
                let mut stored = lock(&stored);
                let commit = |batch| stored.commit(batch, &watch);
                batches.iter().map(commit).collect()
            };
            // Whoever is killed from here on until it is answered does not know that it happened.
            let usual = chaos.between(Duration::ZERO, Duration::from_millis(2));
            tokio::time::sleep(usual).await;
            if matches!(failure, Some(Failure::AnswerLost)) {
                return all("disk I/O error");
            }
            answers
        }
        .boxed()
    }

    fn claim_account(
        &self,
        mysis: MysisId,
        _at: Timestamp,
    ) -> BoxFuture<'static, Result<Option<Account>, LedgerFault>> {
        let stored = self.stored.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(2)).await;
            let mut stored = lock(&stored);
            let own = stored.account(mysis);
            if own.is_some() {
                return Ok(own);
            }
            let free = stored.accounts.iter_mut().find(|(_, of)| of.is_none());
            Ok(free.map(|(account, of)| {
                *of = Some(mysis);
                account.clone()
            }))
        }
        .boxed()
    }
}

impl Archive for Memory {
    fn swarm(&self) -> BoxFuture<'static, Result<SwarmRecord, ArchiveFault>> {
        self.read(Stored::swarm)
    }

    fn recall(&self, mysis: MysisId) -> BoxFuture<'static, Result<Recollection, ArchiveFault>> {
        self.read(move |stored| {
            let member = stored.myses.get(&mysis);
            member.map(Member::recollection).unwrap_or_default()
        })
    }

    fn page(&self, page: Page) -> BoxFuture<'static, Result<Vec<Arc<Row>>, ArchiveFault>> {
        self.read(move |stored| {
            let member = stored.myses.get(&page.mysis);
            member.map(|member| member.page(&page)).unwrap_or_default()
        })
    }

    fn search(&self, search: Search) -> BoxFuture<'static, Result<Found, ArchiveFault>> {
        self.read(move |stored| {
            let of_all = stored.myses.iter();
            let rows = of_all
                .filter(|(id, _)| search.mysis.is_none_or(|wanted| wanted == **id))
                .flat_map(|(id, member)| {
                    let found = member.search(&search).into_iter();
                    found.map(move |row| (*id, row))
                });
            Found {
                rows: rows.take(search.limit).collect(),
                ignoring_case: 0,
                removed_before: None,
            }
        })
    }

    fn result_of(
        &self,
        asked: ResultAsked,
    ) -> BoxFuture<'static, Result<Option<Piece>, ArchiveFault>> {
        self.read(move |stored| stored.myses.get(&asked.mysis)?.result_of(&asked))
    }

    fn session(
        &self,
        mysis: MysisId,
    ) -> BoxFuture<'static, Result<Option<SavedSession>, ArchiveFault>> {
        self.read(move |stored| stored.myses.get(&mysis)?.session.clone())
    }

    fn account(&self, mysis: MysisId) -> BoxFuture<'static, Result<Option<Account>, ArchiveFault>> {
        self.read(move |stored| stored.account(mysis))
    }

    fn books(&self, since: Day) -> BoxFuture<'static, Result<Vec<Entry>, ArchiveFault>> {
        self.read(move |stored| stored.books(since))
    }
}
