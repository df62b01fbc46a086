//! A ledger and archive in memory. They keep the promises of the real ones: all or nothing,
//! harmless when repeated, refused for older incarnations.

mod stored;

use parking_lot::Mutex;
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use actors::domain::books::{CostEntry, Day, SavedCalls};
use actors::domain::held::HeldText;
use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::message::Row;
use actors::domain::record::{GameAccount, SavedSession, StoredHistory};
use actors::domain::write::Batch;
use actors::ports::{
    Archive, ArchiveFault, Ledger, LedgerFault, PageQuery, ResultPiece, ResultQuery, SearchHits,
    SearchQuery, SwarmRecord,
};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::chaos::{Chaos, InjectedFault, PANIC};
use super::verdict::InvariantMonitor;
use stored::StoredMysis;

pub(super) use stored::StoredSwarm;

/// The longest time in which the ledger accepts nothing.
const MAX_LEDGER_OUTAGE: Duration = Duration::from_secs(60);

pub struct MemoryLedger {
    stored: Arc<Mutex<StoredSwarm>>,
    chaos: Arc<Chaos>,
    watch: Arc<InvariantMonitor>,
    failures: Arc<Mutex<VecDeque<CommitFailure>>>,
}

#[derive(Clone, Copy, Debug)]
enum CommitFailure {
    /// The commit fails before it stores anything.
    Refused,
    /// The commit fails after it has stored everything.
    AnswerLost,
}

impl MemoryLedger {
    pub fn without_faults() -> MemoryLedger {
        MemoryLedger::new(Arc::new(Chaos::new(1, 0.0, false)), Arc::default())
    }

    pub fn new(chaos: Arc<Chaos>, watch: Arc<InvariantMonitor>) -> MemoryLedger {
        MemoryLedger {
            stored: Arc::default(),
            chaos,
            watch,
            failures: Arc::default(),
        }
    }

    pub fn swarm_now(&self) -> SwarmRecord {
        self.stored.lock().swarm_record()
    }

    pub fn prompt_counts(&self) -> BTreeMap<Arc<str>, u64> {
        self.stored.lock().prompts.clone()
    }

    fn read_stored<T: Send + 'static>(
        &self,
        look: impl FnOnce(&StoredSwarm) -> T + Send + 'static,
    ) -> BoxFuture<'static, Result<T, ArchiveFault>> {
        let (stored, chaos) = (self.stored.clone(), self.chaos.clone());
        async move {
            let short = Duration::from_millis(2);
            tokio::time::sleep(chaos.duration_between(Duration::ZERO, short)).await;
            if chaos.draw_fault(InjectedFault::ReadFault, 0.002) {
                return Err(ArchiveFault("the store cannot be read now".to_string()));
            }
            Ok(look(&stored.lock()))
        }
        .boxed()
    }
}

/// The failure of this commit, if it fails.
fn draw_failure(chaos: &Chaos, next: &Mutex<VecDeque<CommitFailure>>) -> Option<CommitFailure> {
    let mut next = next.lock();
    if chaos.is_calm() {
        next.clear();
    }
    let either = || [CommitFailure::Refused, CommitFailure::AnswerLost][chaos.number_below(2)];
    if let Some(failure) = next.pop_front() {
        return Some(failure);
    }
    if chaos.draw_lasting_fault(InjectedFault::StoreAway, 0.0001, MAX_LEDGER_OUTAGE)
        || chaos.draw_fault(InjectedFault::CommitRefused, 0.002)
    {
        return Some(CommitFailure::Refused);
    }
    if chaos.draw_fault(InjectedFault::CommitAnswerLost, 0.002) {
        return Some(CommitFailure::AnswerLost);
    }
    let further = if chaos.draw_fault(InjectedFault::CommitFailsTwice, 0.001) {
        1
    } else if chaos.draw_fault(InjectedFault::CommitFailsThrice, 0.001) {
        2
    } else {
        return None;
    };
    next.extend((0..further).map(|_| either()));
    Some(either())
}

/// What a commit has to keep besides what the stored rows themselves demand.
pub(super) trait CommitRules: Send + Sync + 'static {
    /// The batch as it is to be stored, unless it is refused.
    fn admit<'a>(
        &self,
        stored: &StoredSwarm,
        batch: &'a Batch,
    ) -> Result<Cow<'a, Batch>, LedgerFault>;

    /// Stores what comes with the batch, in the same transaction.
    fn complete(&self, _stored: &StoredSwarm, _batch: &Batch) {}
}

/// The rules where one process has the ledger for itself: no writes of older incarnations.
struct OneProcess;

impl CommitRules for OneProcess {
    fn admit<'a>(
        &self,
        stored: &StoredSwarm,
        batch: &'a Batch,
    ) -> Result<Cow<'a, Batch>, LedgerFault> {
        stored.check_fence(batch)?;
        Ok(Cow::Borrowed(batch))
    }
}

impl MemoryLedger {
    pub(super) fn commit_under(
        &self,
        batches: Vec<Batch>,
        rules: Arc<dyn CommitRules>,
    ) -> BoxFuture<'static, Vec<Result<(), LedgerFault>>> {
        let (stored, chaos, watch) = (self.stored.clone(), self.chaos.clone(), self.watch.clone());
        let failures = self.failures.clone();
        async move {
            let all = |fault: &str| {
                let fault = LedgerFault::Unavailable(fault.to_string());
                vec![Err(fault); batches.len()]
            };
            watch.commit_begins.notify_waiters();
            let usual = chaos.duration_between(Duration::from_millis(1), Duration::from_millis(6));
            tokio::time::sleep(usual).await;
            if chaos.draw_fault(InjectedFault::SlowCommit, 0.001) {
                tokio::time::sleep(Duration::from_secs(4)).await;
            }
            let failure = draw_failure(&chaos, &failures);
            if matches!(failure, Some(CommitFailure::Refused)) {
                return all("database is locked");
            }
            assert!(
                !chaos.draw_fault(InjectedFault::CommitPanic, 0.0005),
                "{PANIC}"
            );
            let answers = {
                let mut stored = stored.lock();
                let commit = |batch| stored.commit_batch(batch, &*rules, &watch);
                batches.iter().map(commit).collect()
            };
            // A caller that is killed before the answer does not know that the commit happened.
            let usual = chaos.duration_between(Duration::ZERO, Duration::from_millis(2));
            tokio::time::sleep(usual).await;
            if matches!(failure, Some(CommitFailure::AnswerLost)) {
                return all("disk I/O error");
            }
            answers
        }
        .boxed()
    }

    pub(super) fn look<T>(&self, look: impl FnOnce(&StoredSwarm) -> T) -> T {
        look(&self.stored.lock())
    }
}

impl Ledger for MemoryLedger {
    fn commit(&self, batches: Vec<Batch>) -> BoxFuture<'static, Vec<Result<(), LedgerFault>>> {
        self.commit_under(batches, Arc::new(OneProcess))
    }

    fn claim_account(
        &self,
        mysis: MysisId,
        _at: Timestamp,
    ) -> BoxFuture<'static, Result<Option<GameAccount>, LedgerFault>> {
        let stored = self.stored.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(2)).await;
            let mut stored = stored.lock();
            let own = stored.account_of(mysis);
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

impl Archive for MemoryLedger {
    fn swarm(&self) -> BoxFuture<'static, Result<SwarmRecord, ArchiveFault>> {
        self.read_stored(StoredSwarm::swarm_record)
    }

    fn load_history(
        &self,
        mysis: MysisId,
    ) -> BoxFuture<'static, Result<StoredHistory, ArchiveFault>> {
        self.read_stored(move |stored| {
            let member = stored.myses.get(&mysis);
            member.map(StoredMysis::recollection).unwrap_or_default()
        })
    }

    fn page(&self, page: PageQuery) -> BoxFuture<'static, Result<Vec<Arc<Row>>, ArchiveFault>> {
        self.read_stored(move |stored| {
            let member = stored.myses.get(&page.mysis);
            member
                .map(|member| member.read_page(&page))
                .unwrap_or_default()
        })
    }

    fn search(&self, search: SearchQuery) -> BoxFuture<'static, Result<SearchHits, ArchiveFault>> {
        self.read_stored(move |stored| {
            let of_all = stored.myses.iter();
            let rows = of_all
                .filter(|(id, _)| search.mysis.is_none_or(|wanted| wanted == **id))
                .flat_map(|(id, member)| {
                    let found = member.search_rows(&search).into_iter();
                    found.map(move |row| (*id, row))
                });
            let rows: Vec<_> = rows.take(search.limit).collect();
            SearchHits {
                may_have_more: rows.len() >= search.limit,
                rows,
                ignoring_case: 0,
                removed_before: None,
            }
        })
    }

    fn result_of(
        &self,
        asked: ResultQuery,
    ) -> BoxFuture<'static, Result<Option<ResultPiece>, ArchiveFault>> {
        self.read_stored(move |stored| stored.myses.get(&asked.mysis)?.result_of(&asked))
    }

    fn saved_session(
        &self,
        mysis: MysisId,
    ) -> BoxFuture<'static, Result<Option<SavedSession>, ArchiveFault>> {
        self.read_stored(move |stored| stored.myses.get(&mysis)?.session.clone())
    }

    fn account(
        &self,
        mysis: MysisId,
    ) -> BoxFuture<'static, Result<Option<GameAccount>, ArchiveFault>> {
        self.read_stored(move |stored| stored.account_of(mysis))
    }

    fn books(&self, since: Day) -> BoxFuture<'static, Result<Vec<CostEntry>, ArchiveFault>> {
        self.read_stored(move |stored| stored.books_since(since))
    }

    fn saved_calls(&self, since: Day) -> BoxFuture<'static, Result<Vec<SavedCalls>, ArchiveFault>> {
        self.read_stored(move |stored| stored.saved_since(since))
    }

    fn held_texts(&self) -> BoxFuture<'static, Result<Vec<HeldText>, ArchiveFault>> {
        self.read_stored(StoredSwarm::held_texts)
    }
}
